"""Demonstrations on disk and in memory: LeRobotDataset v3.0, a decoded cache, windows. No torch here."""
