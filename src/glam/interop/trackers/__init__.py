"""Fingertips followed through a film from clicks."""
