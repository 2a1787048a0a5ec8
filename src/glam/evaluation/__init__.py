"""Measuring what was learnt: records, paths, smoothness. No torch, no MuJoCo."""
