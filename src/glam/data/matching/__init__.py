"""`glam data check --target A --aux B`: comparison of datasets that are to be trained on together."""

from glam.data.matching.dataset_comparison import DatasetComparison as DatasetComparison
from glam.data.matching.dataset_comparison import can_work as can_work
from glam.data.matching.dataset_comparison import compare as compare
from glam.data.matching.dataset_comparison import lines as lines
from glam.data.matching.dataset_comparison import table as table
from glam.data.matching.dataset_comparison import verdict as verdict
