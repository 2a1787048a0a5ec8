import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.windows import EpisodeTable, Frames, LabelledFrames, labelled

COMMON = {
    "images": {},
    "masks": {},
    "ee_pose": np.zeros((5, 10), np.float32),
    "episodes": EpisodeTable.of_lengths([2, 3]),
    "content_id": "content",
}


def test_frames_are_counted_by_rows(tiny):
    assert len(Frames(**COMMON, schema=tiny.AUXILIARY)) == 5


def test_labelled_frames_serve_wherever_frames_do(tiny):
    actions = np.zeros((5, 3), np.float32)
    frames = LabelledFrames(**COMMON, schema=tiny.TARGET, state=actions, action=actions)
    assert isinstance(frames, Frames)
    assert labelled(frames, "folder/target") is frames


def test_unlabelled_frames_have_no_place_for_actions_and_are_refused_by_name(tiny):
    frames = Frames(**COMMON, schema=tiny.AUXILIARY)
    assert not hasattr(frames, "action")
    assert not hasattr(frames, "state")
    with pytest.raises(GlamError, match="folder/umi: an auxiliary set, without action; a target set is needed"):
        labelled(frames, "folder/umi")
