"""The page of results: figures and tables from the records of `glam bench`, beside what the paper prints."""
