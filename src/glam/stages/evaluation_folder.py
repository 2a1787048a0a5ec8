"""The folder of an evaluation while it is made: one command's alone, with the rollouts of every group that is done.

OUT/
  config.json            written first: whose folder this is
  rollouts/GROUP.npz     until the end: a group of episodes, with the commands that films are made from
  manifest.json          written last: the evaluation is complete
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from glam.core import files, seals
from glam.core.configs import differences
from glam.core.errors import GlamError
from glam.evaluation.evaluations import CONFIG
from glam.sim.rollouts import Rollout

KEPT = "rollouts"
_LOCK = ".lock"
_ARRAYS = ("poses", "commands")


@contextmanager
def opened(out: Path, config: Mapping[str, Any]) -> Iterator[None]:
    """Open `out` for one evaluation alone, which is new there or was started earlier with the same policy and settings.

    An unfinished one goes on with the package versions it started with, or its episodes would not be comparable.
    """
    files.require_new_or_own(out, CONFIG, _LOCK, "glam evaluate")
    with files.exclusive(out / _LOCK, f"{out}: another evaluation is writing here; wait for it, or give another --out"):
        files.sweep(out)
        path = files.contained(out, CONFIG)
        if path.exists():
            _refuse_other(out, files.read_json(path), config)
        else:
            files.write_json(path, config)
        yield


def _refuse_other(out: Path, there: Any, here: Mapping[str, Any]) -> None:
    if not isinstance(there, dict) or not {"evaluate", "policy"} <= there.keys():
        raise GlamError(f"{out}: its {CONFIG} is not that of an evaluation; give another --out")
    if there["policy"] != here["policy"]:
        raise GlamError(f"{out}: holds the evaluation of another policy; give another --out")
    for name, its, ours in differences(there["evaluate"], here["evaluate"]):
        flag = f"--{name.replace('_', '-')}"
        raise GlamError(f"{out}: holds an evaluation with {flag} {its}, not {ours}; use the same or give another --out")
    if not seals.is_sealed(out) and there.get("versions") != here["versions"]:
        raise GlamError(f"{out}: was started with other versions of packages; give another --out")


@dataclass(frozen=True)
class KeptRollouts:
    """Rollouts of finished groups below the folder of an evaluation, and the seconds that they took."""

    out: Path

    def write(self, rollouts: Sequence[Rollout], seconds: float) -> None:
        """Keep a group; `seconds` is the time of the whole evaluation so far."""
        facts = [{name: value for name, value in vars(one).items() if name not in _ARRAYS} for one in rollouts]
        text = json.dumps({"seconds": seconds, "rollouts": facts}).encode()
        arrays: dict[str, Any] = {
            f"{name}{number}": getattr(one, name) for number, one in enumerate(rollouts) for name in _ARRAYS
        }
        content = BytesIO()
        np.savez(content, facts=np.frombuffer(text, np.uint8), **arrays)
        files.write_bytes(self._path(rollouts[0].seed), content.getvalue())

    def read(self, seeds: Sequence[int]) -> tuple[list[Rollout], float] | None:
        """The rollouts of a group and those seconds; None if the group is not done, or its file is damaged."""
        try:
            with files.open_plain(self._path(seeds[0])) as file, np.load(file, allow_pickle=False) as arrays:
                facts = json.loads(arrays["facts"].tobytes())
                rollouts = [
                    Rollout(
                        **fact | {"doubts": tuple(fact["doubts"])},
                        **{name: arrays[f"{name}{number}"] for name in _ARRAYS},
                    )
                    for number, fact in enumerate(facts["rollouts"])
                ]
        except Exception:  # a damaged archive makes NumPy and zipfile raise errors of all kinds
            return None
        return (rollouts, float(facts["seconds"])) if [one.seed for one in rollouts] == list(seeds) else None

    def remove(self) -> None:
        """Remove the rollouts of a complete evaluation: its records say all."""
        for path in files.contained(self.out, KEPT).glob("*.npz"):
            path.unlink()
        if (self.out / KEPT).exists():
            files.sweep(self.out / KEPT)
            (self.out / KEPT).rmdir()

    def _path(self, first_seed: int) -> Path:
        return files.contained(self.out, f"{KEPT}/{first_seed}.npz")
