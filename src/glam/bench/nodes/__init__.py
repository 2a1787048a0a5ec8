"""The stages of the pipeline as nodes of a benchmark. All of them use one core."""

from glam.bench.nodes.data import Data as Data
from glam.bench.nodes.stage_one import ActionProbe as ActionProbe
from glam.bench.nodes.stage_one import Replay as Replay
from glam.bench.nodes.stage_one import SourceProbe as SourceProbe
from glam.bench.nodes.stage_one import WorldModel as WorldModel
from glam.bench.nodes.stage_two import Change as Change
from glam.bench.nodes.stage_two import Evaluation as Evaluation
from glam.bench.nodes.stage_two import Policy as Policy
from glam.bench.nodes.stage_two import Trajectories as Trajectories
