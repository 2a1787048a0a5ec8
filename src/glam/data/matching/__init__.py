"""`glam data check --target A --aux B`: whether datasets can work together, and what to do where they cannot."""

from glam.data.matching.comparison import Comparison as Comparison
from glam.data.matching.comparison import can_work as can_work
from glam.data.matching.comparison import compare as compare
from glam.data.matching.listing import lines as lines
