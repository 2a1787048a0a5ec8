"""Films of the records have captions in words."""

from pathlib import Path

import pytest

from docs_films import caption, films_page

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("run", "name", "words"),
    [
        ("latent-glam-o-stack-two-111-s0-on-kinova-b7d72769", "50000001-success", "stack-two on kinova: success"),
        (
            "latent-glam-o-lift-111-s0-on-kinova-lab-7e237ae0",
            "50000037-failed-grasp",
            "lift on kinova-lab: failed to grasp",
        ),
        ("glam-o-lift-s0-umi-to-kinova-lab-5939489b", "episode-000000", "lift: umi replayed on kinova-lab"),
        ("something-else", "film", "something-else: film"),
    ],
)
def test_a_caption_says_what_is_seen(run, name, words):
    assert caption(run, name) == words


def test_every_film_of_the_records_is_on_the_page():
    page = films_page(DOCS / "results/films", DOCS)
    films = list((DOCS / "results/films").rglob("*.mp4"))
    assert page.count("<video") == len(films) > 0
    assert all(f'src="{path.relative_to(DOCS).as_posix()}"' in page for path in films)
    assert "## Policies" in page
    assert "## Replays" in page
