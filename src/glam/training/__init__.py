"""One `fit` for every learner: exact resume, checkpoints that survive a crash, logs, several processes."""
