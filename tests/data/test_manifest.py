import json

import pytest

from glam.core.errors import GlamError
from glam.data import layout, manifest
from glam.data.manifest import Manifest


@pytest.fixture
def sealed(tmp_path):
    content = Manifest("target", ["arm"], ["red"], {"seed": 1}, [{"seed": 1}], {}, {"a/b": "0" * 64})
    manifest.write(tmp_path, content)
    return tmp_path, content


def test_a_manifest_comes_back_with_a_digest_that_depends_on_every_field(sealed, tmp_path):
    root, content = sealed
    read, digest = manifest.read(root)
    assert read == content
    manifest.write(tmp_path / "other", Manifest(**(vars(content) | {"facts": [{"seed": 2}]})))
    assert manifest.read(tmp_path / "other")[1] != digest


def test_a_changed_manifest_is_refused(sealed):
    root, _ = sealed
    path = root / layout.MANIFEST
    path.write_text(path.read_text().replace('"target"', '"auxiliary"'))
    with pytest.raises(GlamError, match=r"glam\.json: damaged"):
        manifest.read(root)


@pytest.mark.parametrize("name", ["../stolen", "/etc/passwd", "data/../../stolen"])
def test_a_manifest_that_names_files_elsewhere_is_refused(tmp_path, name):
    manifest.write(tmp_path, Manifest("target", ["arm"], ["red"], {}, [], {}, {name: "0" * 64}))
    with pytest.raises(GlamError, match="not inside this folder"):
        manifest.read(tmp_path)


@pytest.mark.parametrize("content", [[], {"format": 2}, {}])
def test_another_format_is_refused(tmp_path, content):
    (tmp_path / "meta").mkdir()
    (tmp_path / layout.MANIFEST).write_text(json.dumps(content))
    with pytest.raises(GlamError, match="not a manifest of format 1"):
        manifest.read(tmp_path)


def test_damage_says_what_is_wrong_with_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    digest = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
    assert manifest.damage(tmp_path, "file", digest) == ""
    assert manifest.damage(tmp_path, "absent", digest) == "missing"
    assert "sha256" in manifest.damage(tmp_path, "file", "0" * 64)
    manifest.require_intact(tmp_path, "file", digest)
    with pytest.raises(GlamError, match="absent: damaged"):
        manifest.require_intact(tmp_path, "absent", digest)
