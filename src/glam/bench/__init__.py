"""Whole tables and figures: grids of runs that share what they have in common, made once and resumed at any time."""
