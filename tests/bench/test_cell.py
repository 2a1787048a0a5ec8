import pytest

from glam.bench.cell import Cell, Selection
from glam.core.errors import GlamError


@pytest.fixture
def cells(toy):
    return [Cell(toy("a"), "lift", "mip"), Cell(toy("b"), "lift", "glam-o", 1), Cell(toy("c"), "stack-two", "mip", 1)]


def test_an_empty_selection_is_the_whole_grid(cells):
    assert Selection().of(cells, "main") == cells


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(tasks=("lift",)), "ab"),
        (Selection(methods=("mip",)), "ac"),
        (Selection(seeds=(1,)), "bc"),
        (Selection(("lift",), ("mip", "glam-o"), (1,)), "b"),
    ],
)
def test_tasks_methods_and_seeds_cut_a_grid_down(cells, selection, chosen):
    assert "".join(cell.run.title for cell in selection.of(cells, "main")) == chosen


def test_a_detail_is_chosen_by_its_beginning_up_to_a_colon_or_a_comma(toy):
    details = ("own frame", "own frame, aligned", "own frame: umi to kinova", "own frames", "")
    cells = [Cell(toy(str(number)), "lift", "mip", 0, detail) for number, detail in enumerate(details)]
    assert [cell.detail for cell in Selection(details=("own frame",)).of(cells, "main")] == list(details[:3])
    with pytest.raises(GlamError, match="--details other: main has own frame; own frame, aligned; own frames"):
        Selection(details=("other",)).of(cells, "main")


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(tasks=("lift", "juggle")), "--tasks juggle: main has lift, stack-two"),
        (Selection(methods=("magic",)), "--methods magic: main has mip, glam-o"),
        (Selection(seeds=(7,)), "--seeds 7: main has 0, 1"),
        (Selection(("stack-two",), ("glam-o",)), "no cell"),
    ],
)
def test_what_a_grid_does_not_have_is_refused_with_what_it_has(cells, selection, words):
    with pytest.raises(GlamError, match=words):
        selection.of(cells, "main")


def test_a_title_tells_all_that_a_reader_knows(toy):
    assert Cell(toy("a"), "lift", "mip", 2, "umi to kinova").title == "lift mip (umi to kinova), seed 2"
