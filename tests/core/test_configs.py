"""Configs survive JSON, and every misfit is a sentence that names the field."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam.core.configs import changed, digest, from_json, from_tagged_json, to_json
from glam.core.errors import GlamError


@dataclass(frozen=True)
class Optimiser:
    rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.99)


@dataclass(frozen=True)
class Codebook:
    size: int


@dataclass(frozen=True)
class Gaussian:
    width: float


@dataclass(frozen=True)
class Training:
    steps: int
    name: str = "run"
    out: Path = Path("runs")
    resume: bool = False
    scale: Literal["cpu", "paper"] = "cpu"
    optimiser: Optimiser = Optimiser()
    layers: tuple[int, ...] = ()
    seed: int | None = None
    latent: Codebook | Gaussian = Codebook(8)
    weights: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[Optimiser, ...] = ()


finite = st.floats(allow_nan=False, allow_infinity=False)
optimisers = st.builds(Optimiser, finite, st.tuples(finite, finite))
trainings = st.builds(
    Training,
    steps=st.integers(),
    name=st.text(),
    out=st.sampled_from([Path("a/b"), Path("/with space")]),
    resume=st.booleans(),
    scale=st.sampled_from(["cpu", "paper"]),
    optimiser=optimisers,
    layers=st.lists(st.integers()).map(tuple),
    seed=st.none() | st.integers(),
    latent=st.builds(Codebook, st.integers()) | st.builds(Gaussian, finite),
    weights=st.dictionaries(st.text(), finite),
    parts=st.lists(optimisers, max_size=2).map(tuple),
)


@given(trainings)
def test_a_config_survives_json(config):
    through_text = json.loads(json.dumps(to_json(config)))
    assert from_json(Training, through_text) == config
    assert digest(from_json(Training, through_text)) == digest(config)


def test_fields_left_out_take_their_defaults():
    assert from_json(Training, {"steps": 3}) == Training(steps=3)


def test_a_whole_number_is_a_float_where_a_float_is_wanted():
    rate = from_json(Optimiser, {"rate": 1}).rate
    assert isinstance(rate, float)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"steps": 3, "nmae": "x"}, "Training: unknown field 'nmae'; known are latent, layers, name"),
        ({"name": "x"}, "Training: field 'steps' is missing"),
        ({"steps": "3"}, "Training.steps: '3' is not of type int"),
        ({"steps": 3.5}, "Training.steps: 3.5 is not of type int"),
        ({"steps": True}, "Training.steps: True is not of type int"),
        ({"steps": 3, "resume": 1}, "Training.resume: 1 is not of type bool"),
        ({"steps": 3, "out": 7}, "Training.out: 7 is not of type Path"),
        ({"steps": 3, "scale": "huge"}, "Training.scale: 'huge' is not one of 'cpu', 'paper'"),
        ({"steps": 3, "layers": "12"}, "Training.layers: '12' is not a list"),
        ({"steps": 3, "layers": [1, "2"]}, "Training.layers[1]: '2' is not of type int"),
        ({"steps": 3, "optimiser": {"betas": [0.9]}}, "Training.optimiser.betas: [0.9] is not a list of 2 entries"),
        ({"steps": 3, "optimiser": {"rate": None}}, "Training.optimiser.rate: None is not of type float"),
        ({"steps": 3, "optimiser": 1}, "Training.optimiser: 1 is not an object"),
        ({"steps": 3, "parts": [{}, {"speed": 1}]}, "Training.parts[1]: unknown field 'speed'"),
        ({"steps": 3, "weights": {"a": "b"}}, "Training.weights.a: 'b' is not of type float"),
        ({"steps": 3, "weights": []}, "Training.weights: [] is not an object"),
        ({"steps": 3, "latent": {"depth": 1}}, "is not exactly one of Codebook, Gaussian"),
        ({"steps": 3, "seed": "1"}, "Training.seed: '1' is not exactly one of int, NoneType"),
        ([], "Training: [] is not an object"),
    ],
)
def test_a_misfit_is_a_sentence_that_names_the_field(value: Any, sentence: str):
    with pytest.raises(GlamError) as caught:
        from_json(Training, value)
    assert sentence in str(caught.value)


def test_a_union_whose_members_cannot_be_told_apart_is_refused():
    @dataclass(frozen=True)
    class Twin:
        size: int

    @dataclass(frozen=True)
    class Pair:
        latent: Codebook | Twin

    with pytest.raises(GlamError, match="is not exactly one of Codebook, Twin"):
        from_json(Pair, {"latent": {"size": 3}})


def test_what_json_cannot_hold_has_no_place_in_a_config():
    with pytest.raises(TypeError, match="object has no place in a config"):
        to_json(Training(steps=object()))


def test_equal_configs_have_equal_digests_and_others_do_not():
    assert digest(Training(steps=3)) == digest(Training(steps=3))
    assert digest(Optimiser(rate=1)) == digest(Optimiser(rate=1.0))
    assert len({digest(Training(steps=3)), digest(Training(steps=4)), digest(Training(steps=3, seed=0))}) == 3
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


@dataclass(frozen=True)
class Bare:
    width: int = 1


@dataclass(frozen=True)
class Fuller:
    width: int = 1
    depth: int = 2


def test_a_stored_config_is_of_the_kind_that_names_exactly_its_fields() -> None:
    for config in (Bare(), Fuller()):
        assert from_json(Bare | Fuller, to_json(config)) == config


@dataclass(frozen=True)
class Round:
    size: int = 1
    kind: Literal["round"] = "round"


@dataclass(frozen=True)
class Square:
    size: int = 1
    kind: Literal["square"] = "square"


SHAPES: dict[str, type] = {"round": Round}


@dataclass(frozen=True)
class Drawing:
    shape: Round | Square = Round()
    registered: Annotated[object, SHAPES] = Round()


@pytest.mark.parametrize("shape", [Round(2), Square(2)])
def test_configs_with_the_same_fields_are_told_apart_by_their_tag(shape: Round | Square) -> None:
    assert from_json(Drawing, to_json(Drawing(shape))) == Drawing(shape)


def test_a_class_that_is_registered_later_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = to_json(Drawing(registered=Square(3)))
    with pytest.raises(GlamError, match=r"Drawing\.registered\.kind: 'square' is not one of 'round'"):
        from_json(Drawing, stored)
    monkeypatch.setitem(SHAPES, "square", Square)
    assert from_json(Drawing, stored).registered == Square(3)
    assert from_tagged_json(SHAPES, {"kind": "square"}, "shape") == Square()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"size": 1}, r"Drawing\.shape: field 'kind' is missing; it must be one of 'round', 'square'"),
        ({"kind": "oval"}, r"Drawing\.shape\.kind: 'oval' is not one of 'round', 'square'"),
        ({"kind": "round", "sides": 4}, r"Drawing\.shape: unknown field 'sides'; known are kind, size"),
        ("round", r"Drawing\.shape: 'round' is not an object"),
    ],
)
def test_a_tag_that_is_missing_or_unknown_is_a_sentence_with_those_allowed(value: object, sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        from_json(Drawing, {"shape": value})


def test_values_are_changed_by_name_however_deep():
    new = changed(Training(5), {"optimiser.rate": 1, "steps": 7, "latent": Gaussian(0.5)})
    assert new == Training(7, optimiser=Optimiser(rate=1.0), latent=Gaussian(0.5))


@pytest.mark.parametrize("name", ["rate", "optimiser.speed", "optimiser.rate.low", "seed.low", ""])
def test_a_change_of_what_is_not_there_is_refused(name):
    with pytest.raises(GlamError, match="no field"):
        changed(Training(5), {name: 1})


@pytest.mark.parametrize("name", ["rate", "optimizer.rate", "optimiser.rat"])
def test_a_name_that_is_nearly_right_is_suggested(name):
    with pytest.raises(GlamError, match=r"no field .*; is optimiser\.rate( or .*)? meant\?"):
        changed(Training(5), {name: 1})


def test_a_change_to_what_does_not_fit_is_refused():
    with pytest.raises(GlamError, match=r"Training\.steps"):
        changed(Training(5), {"steps": "many"})
