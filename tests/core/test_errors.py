"""The errors a user sees."""

import copy

from glam.core.errors import GlamError, UnknownNameError


def test_an_unknown_name_lists_the_known_ones_in_order():
    error = UnknownNameError("task", "juggle", ("stack-two", "lift"))
    assert str(error) == "no task 'juggle'; choose one of lift, stack-two"
    assert isinstance(error, GlamError)


def test_an_unknown_name_can_be_built_anew_in_another_process():
    error = UnknownNameError("task", "juggle", ["lift", "stack-two"])
    assert str(copy.copy(error)) == str(error)
