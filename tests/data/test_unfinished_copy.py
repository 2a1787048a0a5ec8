import pytest
from tests.data import tiny
from tests.data.test_tracked_set import made, source

from glam.core.errors import GlamError
from glam.data.tracked_set import TrackedSet

__all__ = ["source"]


def test_an_interrupted_copy_goes_on_and_gives_the_same_bytes(source, tmp_path):
    made(source, tmp_path / "whole")
    assert not made(source, tmp_path / "copy", only=[1]).is_published
    made(source, tmp_path / "copy")
    assert tiny.content(tmp_path / "copy") == tiny.content(tmp_path / "whole")


def test_a_copy_begun_with_other_clicks_is_refused(source, tmp_path):
    made(source, tmp_path / "copy", only=[0])
    with pytest.raises(GlamError, match="tracks were begun here with another clicks"):
        made(source, tmp_path / "copy", notes={"clicks": [2]})


def test_the_source_is_never_the_copy(source):
    with pytest.raises(GlamError, match="lies inside"):
        TrackedSet.of(source, source.root / "copy", ("front",), {})
