"""The page of the site with all films of the records. Standard library only."""

import re
from pathlib import Path

SECTIONS = {
    "main": ("Policies", "The policy of glam-o in unseen scenes, seen by both cameras; successes and failures."),
    "transfer": (
        "Replays",
        "A recording that the world model was not trained on (above), and the robot that executes the actions decoded "
        "from its latent actions, open loop (below).",
    ),
}
"""Heading and words for the films of a grid."""
_POLICY = re.compile(r"latent-(?P<method>glam-o|glam)-(?P<task>[a-z-]+?)-[\d+]+-s\d+-on-(?P<robot>[a-z-]+)-\w+")
_REPLAY = re.compile(r"(?P<method>glam-o|glam)-(?P<task>[a-z-]+?)-s\d+-(?P<source>[a-z-]+)-to-(?P<robot>[a-z-]+)-\w+")


def films_page(films: Path, docs: Path) -> str:
    """Markdown with every film below a folder, by the grid that it belongs to."""
    lines = ["# Films", ""]
    for grid in sorted(path for path in films.iterdir() if path.is_dir()):
        title, words = SECTIONS.get(grid.name, (grid.name, ""))
        lines += [f"## {title}", "", words, ""]
        lines += [figure(path, path.relative_to(docs).as_posix()) for path in sorted(grid.rglob("*.mp4"))]
        lines.append("")
    return "\n".join(lines)


def figure(path: Path, source: str) -> str:
    """A film with its caption."""
    video = f'<video controls muted loop preload="metadata" src="{source}"></video>'
    return f"<figure>{video}<figcaption>{caption(path.parent.name, path.stem)}</figcaption></figure>"


def caption(run: str, name: str) -> str:
    """Words for a film, from the names of its run and of its file."""
    outcome = name.partition("-")[2].replace("failed-", "failed to ")
    if found := _POLICY.fullmatch(run):
        return f"{found['task']} on {found['robot']}: {outcome}"
    if found := _REPLAY.fullmatch(run):
        return f"{found['task']}: {found['source']} replayed on {found['robot']}"
    return f"{run}: {name}"
