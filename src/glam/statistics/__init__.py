"""Confidence intervals of success rates and of their differences, and spread across trainings."""
