"""What does damage."""

import random
from collections.abc import Callable
from pathlib import Path

Mutate = Callable[[Path, random.Random], None]
"""Takes a recording, a file or a folder, and what it draws from."""
