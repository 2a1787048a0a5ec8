"""The page of results: figures and tables from the records of `glam bench`, beside the numbers of the paper."""
