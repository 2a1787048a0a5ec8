"""HDF5 files that are sound but lie."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from tests.interop.imports.damage.mutate import Mutate


def _hdf5(change: Callable[[Any, random.Random], None]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        with h5py.File(source, "r+") as file:
            change(file, rng)

    return mutate


def _replace(group: Any, key: str, **content: Any) -> None:
    del group[key]
    group.create_dataset(key, **content)


def _demo(file, rng):
    return file[f"data/demo_{rng.randrange(len(file['data']))}"]


_KEYS = ("robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos", "robot0_joint_pos", "agentview_image")


def hdf5_missing_key(file, rng):
    del _demo(file, rng)[rng.choice(("actions", "obs", *(f"obs/{key}" for key in _KEYS)))]


def hdf5_wrong_type(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    kind = rng.choice(("S8", "float64", "complex64", "uint16"))
    _replace(obs, key, data=np.zeros(obs[key].shape, kind))


def hdf5_wrong_shape(file, rng):
    obs = _demo(file, rng)["obs"]
    key, shift = rng.choice(_KEYS), rng.choice((1, -1))
    shape = obs[key].shape
    new = rng.choice(((shape[0] + shift, *shape[1:]), (*shape[:-1], shape[-1] + 1), (), (0, *shape[1:]), (*shape, 2)))
    _replace(obs, key, data=np.zeros(new, obs[key].dtype))


def hdf5_absurd_shape(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    shape = list(obs[key].shape)
    shape[rng.randrange(len(shape))] = rng.choice((10**7, 10**12))
    _replace(obs, key, shape=shape, dtype=obs[key].dtype, chunks=tuple(min(side, 64) for side in shape))


def hdf5_bomb(file, rng):
    """Zeros that take a thousand times their room once they are unpacked."""
    demo = _demo(file, rng)
    frames = demo["actions"].shape[0]
    shape = (frames, 4000, 4000, 3)
    _replace(demo["obs"], "agentview_image", shape=shape, dtype="u1", chunks=shape, compression="gzip")
    content = demo["obs/agentview_image"]
    content.id.write_direct_chunk((0, 0, 0, 0), b"\x78\x9c" + rng.randbytes(200))


def hdf5_bad_values(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS[:3])
    obs[key][rng.randrange(5)] = rng.choice((np.nan, np.inf, 1e30, -1e30, 1e5))


def hdf5_link_elsewhere(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    del obs[key]
    obs[key] = rng.choice((h5py.ExternalLink("/etc/passwd", "/x"), h5py.SoftLink("/data"), h5py.SoftLink("/none")))


def hdf5_external_storage(file, rng):
    obs = _demo(file, rng)["obs"]
    shape = obs["agentview_image"].shape
    size = int(np.prod(shape))
    _replace(obs, "agentview_image", shape=shape, dtype="u1", external=[("/etc/passwd", 0, size)])


def hdf5_loop(file, rng):
    demo = _demo(file, rng)
    demo["obs/loop"] = demo
    del demo["obs/robot0_eef_pos"]
    demo["obs/robot0_eef_pos"] = demo["obs"]


def hdf5_bad_notes(file, rng):
    note = rng.choice(("[]", "{", '{"env_kwargs": 3}', "x" * 70000, '{"env_kwargs": {"control_freq": -3}}'))
    file["data"].attrs["env_args"] = note
    _demo(file, rng).attrs["num_samples"] = rng.choice((-1, 10**9))


HDF5 = tuple(
    _hdf5(change)
    for change in (
        *(hdf5_missing_key, hdf5_wrong_type, hdf5_wrong_shape, hdf5_absurd_shape, hdf5_bomb, hdf5_bad_values),
        *(hdf5_link_elsewhere, hdf5_external_storage, hdf5_loop, hdf5_bad_notes),
    )
)
