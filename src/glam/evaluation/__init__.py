"""Evaluation of policies: records, comparisons, paths, smoothness. No torch, no MuJoCo."""
