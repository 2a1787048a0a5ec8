"""Other people's files: what they record becomes a dataset of ours."""
