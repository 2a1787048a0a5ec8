"""How a dataset was understood, in sentences that a user can check."""

from collections.abc import Iterator, Mapping

from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.lerobot.arms import Arm
from glam.interop.lerobot.conventions import Layout
from glam.interop.lerobot.features import told
from glam.interop.lerobot.pose_sources import Computed

ABSOLUTE, DELTA, UNKNOWN = "absolute", "delta", "absolute or delta"

NO_POSE = (
    "warning: there is no end-effector pose, so only methods called -no-pose learn from this set: all that a hand does "
    "must then be told from images, and hands that look different have less in common; --kinematics can find it from "
    f"joints, and --map {EE_POSE}.position=... with {EE_POSE}.rotation=... names it"
)


def understood(layout: Layout, kind: str) -> Iterator[str]:
    """What is taken from where; `kind` says what actions are."""
    yield "cameras: " + ", ".join(f"{camera} from {name}" for camera, name in layout.cameras.items())
    if layout.masks:
        yield "masks: " + ", ".join(layout.masks.values())
    if layout.action:
        yield f"state: {told(layout.state) or f'the pose, as there is no {STATE}'}"
        yield f"action: {told(layout.action)}, {kind}"
    for arm in layout.arms:
        yield f"pose of {arm.name}: {_origin(arm)}"


def exceptions(layout: Layout, delta_actions: tuple[int, ...]) -> str:
    """Entries of a delta action that are absolute, as the end of a sentence."""
    others = [entry.name for number, entry in enumerate(layout.action) if number not in delta_actions]
    return f" but for {', '.join(others)}" if others else ""


def warnings(layout: Layout, beyond: Mapping[str, str]) -> Iterator[str]:
    """What a user should know before training; `beyond` names by arm a joint that is often outside its limits."""
    if not layout.arms:
        yield NO_POSE
    for arm in layout.arms:
        if not arm.gripper:
            yield f"warning: no gripper is recorded for {arm.name}, so no pose tells when it grips; --map can name one"
        if beyond[arm.name]:
            problem = f"the joint {beyond[arm.name]} of {arm.name} is often beyond its limits in the model"
            yield f"warning: {problem}; check its unit (--angles), its zero and its sense, or poses will be wrong"


def omitted(layout: Layout, short: int) -> Iterator[str]:
    """What the dataset has and the adopted one has not; `short` counts episodes."""
    if layout.left_out:
        yield f"not used: {', '.join(layout.left_out)}"
    if short:
        yield f"left out: {short} episode{'s' if short > 1 else ''} of less than two frames"
    if not layout.action and ACTION in layout.left_out:
        yield f"the set is auxiliary: {ACTION} and {STATE} are left out of it"


def _origin(arm: Arm) -> str:
    if isinstance(arm.tool, Computed):
        source = f"from {told(arm.tool.joints)} as the joints {', '.join(arm.tool.chain.joints)}"
    else:
        rotation = f"rotation {told(arm.tool.rotation)} as {arm.tool.code}"
        source = f"position {told(arm.tool.position)}, {rotation}"
    return f"{source}; gripper {told(arm.gripper) or 'not recorded'}"
