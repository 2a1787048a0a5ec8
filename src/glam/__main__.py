"""`python -m glam` is the command line."""

from glam.cli import main

if __name__ == "__main__":
    main()
