"""Whole tables and figures: grids of runs, each made once however many cells need it, and resumed at any time."""
