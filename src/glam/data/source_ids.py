"""Content ids of a dataset and of its sources: a copy with masks or latent actions holds the same episodes."""

from glam.data.manifest import LATENTS
from glam.data.masked_set import DESCRIPTION as MASKS
from glam.data.reader import Dataset

_SOURCES = ((LATENTS, "dataset"), (MASKS, "source"))
"""Where copies note the content id of what they were made of."""


def lineage(dataset: Dataset) -> tuple[str, ...]:
    """Content ids of a dataset and of those that it is a copy of."""
    description = dataset.provenance.get("description", {})
    sources = [description[kind][key] for kind, key in _SOURCES if key in description.get(kind, {})]
    return (dataset.content_id, *map(str, sources))
