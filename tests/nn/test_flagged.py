import torch

from glam.nn.flagged import Flagged

POINTS = Flagged((2, 2))
VECTOR = torch.tensor([9.0, 1.0, 2.0, 0.0, 0.0, 1.0, 0.0])
"""One entry that is always known, two points of which the second is hidden, two flags."""


def test_entries_of_known_groups_count_and_flags_do_not():
    assert POINTS.known(VECTOR).tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_without_groups_every_entry_counts_and_nothing_is_left_out():
    plain = Flagged()
    assert plain.known(VECTOR).tolist() == [1] * 7
    assert plain.kept(VECTOR, torch.zeros(0)) is VECTOR


def test_a_group_that_is_not_kept_is_zero_like_its_flag():
    whole = torch.arange(1.0, 8.0).repeat(2, 3, 1)
    kept = POINTS.kept(whole, torch.tensor([[True, False], [False, True]])[:, None])
    assert kept[0, 0].tolist() == [1, 2, 3, 0, 0, 6, 0]
    assert kept[1, 2].tolist() == [1, 0, 0, 4, 5, 0, 7]
