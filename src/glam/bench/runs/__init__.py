"""The stages of the pipeline as runs of a benchmark."""

from glam.bench.runs.data import AlignedRun as AlignedRun
from glam.bench.runs.data import DataRun as DataRun
from glam.bench.runs.data import aligned as aligned
from glam.bench.runs.stage_one import ActionProbeRun as ActionProbeRun
from glam.bench.runs.stage_one import Change as Change
from glam.bench.runs.stage_one import ReplayRun as ReplayRun
from glam.bench.runs.stage_one import SourceProbeRun as SourceProbeRun
from glam.bench.runs.stage_one import WorldModelRun as WorldModelRun
from glam.bench.runs.stage_two import EvaluationRun as EvaluationRun
from glam.bench.runs.stage_two import PolicyRun as PolicyRun
from glam.bench.runs.stage_two import TrajectoriesRun as TrajectoriesRun
