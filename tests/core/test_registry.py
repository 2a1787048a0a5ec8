import pytest

from glam.core.errors import GlamError
from glam.core.registry import Registry, RegistryEntry

SHAPES = Registry(
    "shape",
    {"fraction": RegistryEntry("fractions:Fraction", "a ratio."), "gone": RegistryEntry("no_module:X", "lost.")},
)


def test_a_class_is_imported_when_it_is_asked_for_and_not_before() -> None:
    assert SHAPES.find("fraction")(1, 2) * 2 == 1
    with pytest.raises(ModuleNotFoundError):
        SHAPES.find("gone")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(GlamError, match="no shape 'square'; choose one of fraction, gone"):
        SHAPES.find("square")


def test_help_has_a_line_for_each_entry() -> None:
    assert SHAPES.help == "fraction: a ratio.\ngone: lost."
