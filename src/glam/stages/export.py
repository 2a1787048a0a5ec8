"""`glam export`: write a policy as a folder that LeRobot loads with the plugin `lerobot_policy_glam`.

OUT/
  config.json                 what LeRobot needs, and the whole policy but its weights
  model.safetensors           the weights
  policy_preprocessor.json    LeRobot's steps before the policy,
  policy_postprocessor.json   and after it
  glam.json                   lineage of the policy, command, versions
  manifest.json               the seal over all of these, which the plugin compares
"""

import sys
from pathlib import Path

from glam.core import files, seals
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.interop.export_lerobot import contents
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.stages.lineage import lineage
from glam.training import artefact, reproducibility
from glam_client.action_chunking import DEFAULT_CHUNKING, ActionChunking

PROVENANCE = "glam.json"


def export(policy: Path, out: Path, chunking: ActionChunking = DEFAULT_CHUNKING) -> Path:
    """Write the folder atomically; returns `out`."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise GlamError(f"--out {out}: is not an empty folder; choose a new one")
    behind = lineage(policy)  # refuses anything but a finished policy
    found = artefact.load(policy)
    module = ExportedPolicy(Description.of(found))
    module.fill(found.weights, policy / artefact.MODEL)
    notes = {"lineage": to_json(behind), "command": list(sys.argv), "versions": reproducibility.versions()}
    try:
        with files.replacing_folder(out.resolve()) as staging:
            seals.write(staging, {**contents(module, chunking, out), PROVENANCE: seals.json_bytes(notes)})
    except OSError as error:
        raise GlamError(f"--out {out}: cannot be written ({error.strerror}); choose another folder") from None
    return out
