"""Recorded numbers that are the joints of a robot's model."""

from glam.core.errors import GlamError
from glam.data.schema import STATE
from glam.interop.lerobot.entries import Entry, Features
from glam.interop.lerobot.feature_names import arm_of, is_gripper, is_measured, plain
from glam.interop.lerobot.mapping import JOINTS, ImportOptions, asked, flag_of
from glam_client.pose_conversion import Kinematics


def joints_of(features: Features, options: ImportOptions, arm: str, chain: Kinematics) -> tuple[Entry, ...]:
    """An entry for each joint of the model: as mapped, else those of its names, else those of the state in order."""
    key = next((name for name in (f"{JOINTS}.{arm}", JOINTS) if name in options.names), "")
    if key:
        mapped = asked(features, options, key)
        if len(mapped) != len(chain.joints):
            problem = f"{len(mapped)} entries, but {len(chain.joints)} joints move the tool"
            raise GlamError(f"{flag_of(key)}: {problem}: {', '.join(chain.joints)}")
        return mapped
    found = _by_name(features, arm, chain) or _by_order(features, arm, chain)
    if not found:
        remedy = f"say which entries these are with --map {JOINTS}=FEATURE[entries]"
        raise GlamError(f"--kinematics: nothing recorded is called {', '.join(chain.joints)}; {remedy}")
    return found


def _by_name(features: Features, arm: str, chain: Kinematics) -> tuple[Entry, ...]:
    named: dict[str, Entry] = {}
    for feature, vector in features.vectors.items():
        for entry in vector.entries if vector.is_named else ():
            if is_measured(feature, entry.name) and arm in ("", arm_of(entry)):
                named.setdefault(plain(entry.name), entry)
    wanted = [plain(joint) for joint in chain.joints]
    is_clear = len(set(wanted)) == len(wanted)
    return tuple(named[joint] for joint in wanted) if is_clear and all(joint in named for joint in wanted) else ()


def _by_order(features: Features, arm: str, chain: Kinematics) -> tuple[Entry, ...]:
    """The state's entries but for grippers, if these are as many as there are joints."""
    entries = features.vectors[STATE].entries if STATE in features.vectors else ()
    joints = tuple(entry for entry in entries if not is_gripper(entry.name) and arm in ("", arm_of(entry)))
    return joints if len(joints) == len(chain.joints) else ()
