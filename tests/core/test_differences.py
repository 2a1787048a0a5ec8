"""The first difference of two configs is said with both values."""

import pytest

from glam.core.configs import first_difference


@pytest.mark.parametrize(
    ("there", "here", "sentence"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": 1}, {"a": 1.0}, ""),
        ({"a": 1}, {"a": True}, "c.a is 1 there and True here"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "c.a.b[1] is 2 there and 3 here"),
        ({"a": [1]}, {"a": [1, 2]}, "c.a is [1] there and [1, 2] here"),
        ({"a": 1}, {}, "c.a is 1 there and 'nothing' here"),
        ({}, {"a": "x"}, "c.a is 'nothing' there and 'x' here"),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "c.a is 1 there and 2 here"),
        ({"a": {}}, {"a": 3}, "c.a is {} there and 3 here"),
        ("x", "y", "c is 'x' there and 'y' here"),
    ],
)
def test_the_first_difference_is_named(there, here, sentence):
    assert first_difference(there, here, "c") == sentence
