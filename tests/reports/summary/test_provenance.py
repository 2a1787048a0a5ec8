import re
from dataclasses import replace
from pathlib import Path

from tests.reports.summary.folders import LABELLED, evaluation, lineage, policy, replayed, world_model

from glam.reports.markup import joined
from glam.reports.summary.material import Material, behind, entries


def test_an_evaluation_tells_commands_seeds_hashes_and_versions() -> None:
    text = joined(entries(Material(evaluations=(evaluation([True] * 3, lineage("glam-o")),))))
    for words in (
        "<summary>evaluation of glam-o, seed 0</summary>",
        "glam evaluate --policy runs/mip",
        "glam train-policy glam-o --out &#x27;runs/a b&#x27;",
        "3, validation, seeds 50000000 to 50000002",
        f"sha256 {'e' * 64}",
        "glam-o-0-1-100",
        f"kinova, 100 episodes <code>{LABELLED.digest}</code>",
        "glam 0.1.0, mujoco 4.0.0",
        "python 3.11.7",
    ):
        assert words in text, words


def test_trainings_and_replays_tell_theirs(tmp_path: Path) -> None:
    material = Material((), (policy(lineage()),), (world_model(),), (replayed(tmp_path),))
    text = joined(entries(material))
    assert text.count("glam train latent") == 0
    for words in ("glam train mip", "glam train glam-o", "glam replay --source umi", "612e" * 16, "c3" * 32, "f" * 64):
        assert words in text, words
    assert "&quot;steps&quot;: 500" in text  # all settings


def test_what_was_not_recorded_is_called_so() -> None:
    old = replace(evaluation([True]), command=(), versions={}, machine={})
    assert joined(entries(Material(evaluations=(old,)))).count("not recorded") == 3


def test_an_unfinished_training_has_no_digest() -> None:
    text = joined(entries(Material(policies=(replace(policy(lineage()), digest="", lines=()),))))
    assert "training has not finished" in text


def test_links_lead_to_the_entries_of_their_folders(tmp_path: Path) -> None:
    given = [evaluation([True], lineage("glam-o"), Path("a")), evaluation([True], root=Path("b"))]
    text = behind([*given, given[0]])
    assert re.findall(r">([^<]+)</a>", text) == ["evaluation of glam-o, seed 0", "evaluation of mip, seed 0"]
    made = joined(entries(Material(evaluations=tuple(given))))
    for anchor in re.findall(r'href="#([^"]+)"', text):
        assert made.count(f'id="{anchor}"') == 1


def test_many_links_are_folded() -> None:
    text = behind(evaluation([True], root=Path(str(number))) for number in range(9))
    assert "<summary>Behind these numbers: 9 folders</summary>" in text
    assert text.count("<a ") == 9
