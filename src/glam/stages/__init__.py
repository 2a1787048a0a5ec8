"""One verb per file: one command, one arrow of the pipeline."""
