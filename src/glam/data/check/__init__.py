"""`glam data check`: what is wrong with a dataset, where, and what to do about it."""

from glam.data.check.dataset import check_dataset as check_dataset
from glam.data.check.finding import Finding as Finding
from glam.data.check.finding import has_errors as has_errors
from glam.data.check.finding import lines as lines
