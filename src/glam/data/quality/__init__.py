"""`glam data quality`: a verdict on every episode of a dataset, and which ones a training should leave out."""

from glam.data.quality.assessment import Quality as Quality
from glam.data.quality.assessment import assess as assess
from glam.data.quality.rules import Judged as Judged
from glam.data.quality.rules import Remark as Remark
