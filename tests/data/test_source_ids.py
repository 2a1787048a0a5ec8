from tests.data.test_masked_set import finish, masked
from tests.data.test_relabelled_copy import labelled

from glam.data.demonstrations import lineage
from glam.data.reader import Dataset


def test_a_set_that_is_no_copy_has_no_other_content(target_set):
    source = Dataset.open(target_set)
    assert lineage(source) == (source.content_id,)


def test_copies_of_copies_know_what_they_were_made_of(target_set, tmp_path):
    source = Dataset.open(target_set)
    with_masks = Dataset.open(finish(masked(target_set, tmp_path / "masks")))
    with_both = Dataset.open(labelled(with_masks.root, tmp_path / "labels"))
    assert lineage(with_masks) == (with_masks.content_id, source.content_id)
    assert lineage(with_both) == (with_both.content_id, with_masks.content_id, source.content_id)
