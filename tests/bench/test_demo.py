from itertools import pairwise

from glam.bench.demo import Demo
from glam.bench.node import ordered
from glam.bench.nodes import Data, Evaluation
from glam.core.seeds import FIRST_VALIDATION_SEED


def test_seeds_share_no_demonstration_and_none_is_a_trial():
    sets = [node for seed in range(3) for node in ordered(Demo(seed=seed).cells) if isinstance(node, Data)]
    spans = sorted((data.seed, data.seed + data.episodes) for data in sets)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert spans[-1][1] < FIRST_VALIDATION_SEED


def test_both_policies_learn_from_the_same_labels_and_are_tried_alike():
    latent, mip = (cell for cell in Demo().cells if isinstance(cell, Evaluation))
    assert latent.policy.target == mip.policy.target
    assert latent.settings == mip.settings
    assert latent.policy.settings.fit == mip.policy.settings.fit
