"""Colour images and object masks of several cameras from one scene update, on software OpenGL.

The images equal those of `mujoco.Renderer` without shadows, reflections and multisampling, at a fraction of its time:
the scene is gathered once for all cameras, and ids become masks through a table instead of a loop over the scene. (One
wide framebuffer for all views, read at once, was measured slower than one small framebuffer read per view.)
`cheap_visuals` must have been called on the model's spec, because MuJoCo fixes tessellation when it compiles.

A process has one OpenGL context, with a framebuffer for each renderer in it. Several contexts have drawn garbage, and
so has freeing a framebuffer while another context was current; both are impossible here, also after a fork.

Dimension key: V cameras, Y x X pixels, C mask channels.
"""

import atexit
import os
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError, UnknownNameError

# Mesa's threads do not survive a fork, and a child would wait for them for ever; nor do they help at small sizes.
_NO_MESA_THREADS = {"LP_NUM_THREADS": "0", "MESA_SHADER_CACHE_DISABLE": "true"}


MOST_SIDE = 4096
"""Pixels along one side of an image."""


class Framebuffer:
    """The framebuffer and uploaded assets of one model in the process's only OpenGL context, made when first bound."""

    def __init__(self, model: mujoco.MjModel, rect: mujoco.MjrRect) -> None:
        self._model, self._rect = model, rect
        self._contexts: list[mujoco.MjrContext] = []  # none or one

    def bind(self) -> mujoco.MjrContext:
        """Make this the place that is drawn to."""
        _make_current()
        if not self._contexts:
            context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_50.value)
            mujoco.mjr_resizeOffscreen(self._rect.width, self._rect.height, context)
            self._contexts.append(context)
            _bound.add(self)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._contexts[0])
        return self._contexts[0]

    def free(self) -> None:
        """Give everything back to OpenGL, which must be current or frees what belongs to someone else."""
        while self._contexts:
            _make_current()
            self._contexts.pop().free()

    def disown(self) -> list[mujoco.MjrContext]:
        """Hand over the context unfreed."""
        contexts, self._contexts = self._contexts, []
        return contexts

    def __del__(self) -> None:
        """A renderer that was never closed must not leak its framebuffer."""
        self.free()


_process_context: list[mujoco.GLContext] = []  # none or one: several contexts in a process have drawn garbage
_bound: weakref.WeakSet[Framebuffer] = weakref.WeakSet()
_parents_contexts: list[object] = []  # kept for ever in a forked child: freeing them would free the child's own


def _make_current() -> None:
    if not _process_context:
        for variable, value in _NO_MESA_THREADS.items():
            os.environ.setdefault(variable, value)
        _process_context.append(mujoco.GLContext(64, 64))
        atexit.register(_free_everything)  # runs before the exit handler of the OpenGL platform, which came first
        os.register_at_fork(after_in_child=_disown_everything)
    _process_context[0].make_current()


def _free_everything() -> None:
    for framebuffer in list(_bound):
        framebuffer.free()
    while _process_context:
        _process_context.pop().free()


def _disown_everything() -> None:
    for framebuffer in list(_bound):
        _parents_contexts.extend(framebuffer.disown())
    _parents_contexts.extend(_process_context)
    _process_context.clear()


Pixels = NDArray[np.uint8]

COLLISION_GROUP = 3
"""Geoms of this group and above take part in contacts but are never drawn."""

_COSTLY = (
    mujoco.mjtRndFlag.mjRND_SHADOW,
    mujoco.mjtRndFlag.mjRND_REFLECTION,
    mujoco.mjtRndFlag.mjRND_SKYBOX,
    mujoco.mjtRndFlag.mjRND_HAZE,
)
_ID_PASS = [int(mujoco.mjtRndFlag.mjRND_SEGMENT), int(mujoco.mjtRndFlag.mjRND_IDCOLOR)]


class Views(NamedTuple):
    """Images and masks of one moment, in the order in which the cameras were named."""

    images: Pixels
    """(V, Y, X, 3) RGB."""
    masks: Pixels
    """(V, Y, X, C), 255 where the nearest surface belongs to the object of the channel, else 0."""


def cheap_visuals(spec: mujoco.MjSpec) -> None:
    """Give a spec the coarse tessellation that makes frames cheap and switch its headlight off; call before compiling.

    The headlight goes because it would stay with the first camera when the view changes. A scene must therefore bring
    its own lights; directional ones, since faces are no longer subdivided and light is computed at their corners.
    """
    quality = spec.visual.quality
    quality.offsamples, quality.shadowsize = 0, 0
    quality.numslices, quality.numstacks, quality.numquads = 12, 6, 1
    spec.visual.headlight.active = 0


class Renderer:
    """Draws one model. Any number of renderers may live at once, and each can be used on both sides of a fork.

    Poses, colours, transparency, cameras and lights may change in the model between frames; textures and meshes may
    not, for they are uploaded with the first frame. All frames of a process must be drawn by the same thread.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        cameras: Sequence[str],
        size: tuple[int, int],
        objects: Sequence[Sequence[int]],
    ) -> None:
        """Prepare to draw; OpenGL is first touched by the first frame.

        Args:
            model: compiled from a spec that went through `cheap_visuals`.
            cameras: names of cameras of the model.
            size: height and width of every view in pixels.
            objects: for each mask channel the body ids whose geoms, with those of all their descendants, form the
                object; no geom may belong to two channels.
        """
        if not 2 <= min(size) <= max(size) <= MOST_SIDE:
            raise GlamError(f"images of {size[1]} x {size[0]} pixels; height and width must be from 2 to {MOST_SIDE}")
        if model.vis.headlight.active or model.vis.quality.offsamples:
            raise GlamError("a model with headlight or multisampling; call cheap_visuals on its spec before compiling")
        self._model = model
        self._cameras = [_fixed_camera(model, name) for name in cameras]
        self._table = _MaskTable(model, objects)
        self._option = _only_visible_geoms()
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 1)
        for flag in _COSTLY:
            self._scene.flags[flag] = False
        self._rect = mujoco.MjrRect(0, 0, size[1], size[0])
        self._framebuffer = Framebuffer(model, self._rect)

    def render(self, data: mujoco.MjData) -> Views:
        """Images and masks of the state in `data`, whose kinematics must be up to date (as after `mj_forward`)."""
        colours, ids = self._draw(data, passes=2)
        return Views(np.ascontiguousarray(colours), self._table.lookup(ids, self._scene))

    def images_only(self, data: mujoco.MjData) -> Pixels:
        """The images of `render` without the cost of the masks. (V, Y, X, 3)."""
        (colours,) = self._draw(data, passes=1)
        return np.ascontiguousarray(colours)

    def close(self) -> None:
        """Free the framebuffer. Closing twice is harmless, and a later frame makes a new one."""
        self._framebuffer.free()

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _draw(self, data: mujoco.MjData, passes: int) -> Pixels:
        """Colour pass and, with two passes, id pass of all views. (passes, V, Y, X, 3)."""
        model, scene, context = self._model, self._scene, self._framebuffer.bind()
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(model, data, self._option, None, self._cameras[0], everything, scene)
        pixels = np.empty((passes, len(self._cameras), self._rect.height, self._rect.width, 3), np.uint8)
        for view, camera in enumerate(self._cameras):
            mujoco.mjv_updateCamera(model, data, camera, scene)
            for ids in range(passes):
                scene.flags[_ID_PASS] = ids
                mujoco.mjr_render(self._rect, scene, context)
                mujoco.mjr_readPixels(pixels[ids, view], None, self._rect, context)
        return pixels[:, :, ::-1]  # OpenGL's rows run upwards


class _MaskTable:
    """From the ids of the id pass (0: background, i + 1: place i in the list of drawn geoms) to mask channels."""

    def __init__(self, model: mujoco.MjModel, objects: Sequence[Sequence[int]]) -> None:
        self._model = model
        self._geom_rows = np.zeros((model.ngeom, len(objects)), np.uint8)
        for channel, bodies in enumerate(objects):
            self._geom_rows[_geoms_below(model, bodies), channel] = 255
        if (self._geom_rows.astype(int).sum(axis=1) > 255).any():
            raise GlamError("two mask channels share a geom; give every object bodies of its own")
        self._seen = b""
        self._rows = np.zeros((1, len(objects)), np.uint8)

    def lookup(self, ids: Pixels, scene: mujoco.MjvScene) -> Pixels:
        """Mask values of id colours. (..., 3) -> (..., C)."""
        seen = self._visibility()
        if seen != self._seen:
            self._rows, self._seen = self._scene_rows(scene), seen
        index = ids[..., 0]
        if len(self._rows) > 256:
            index = index + 256 * ids[..., 1].astype(np.uint16)
        masks = np.empty((*index.shape, self._rows.shape[1]), np.uint8)
        for channel in range(masks.shape[-1]):  # faster than copying one row per pixel
            masks[..., channel] = self._rows[:, channel].take(index)
        return masks

    def _visibility(self) -> bytes:
        """Everything that decides which geoms are drawn; while it stays the same, so do the ids."""
        model = self._model
        return b"".join(
            part.tobytes() for part in (model.geom_group, model.geom_matid, model.geom_rgba[:, 3], model.mat_rgba[:, 3])
        )

    def _scene_rows(self, scene: mujoco.MjvScene) -> Pixels:
        rows = np.zeros((scene.ngeom + 1, self._geom_rows.shape[1]), np.uint8)
        for geom in scene.geoms[: scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                rows[geom.segid + 1] = self._geom_rows[geom.objid]
        return rows


def _fixed_camera(model: mujoco.MjModel, name: str) -> mujoco.MjvCamera:
    names = [model.camera(i).name for i in range(model.ncam)]
    if name not in names:
        raise UnknownNameError("camera", name, names)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, names.index(name)
    return camera


def _only_visible_geoms() -> mujoco.MjvOption:
    """No sites, joints, tendons or actuators, and no collision geoms."""
    option = mujoco.MjvOption()
    option.geomgroup[:] = np.arange(len(option.geomgroup)) < COLLISION_GROUP
    for group in (option.sitegroup, option.jointgroup, option.tendongroup, option.actuatorgroup):
        group[:] = 0
    return option


def _geoms_below(model: mujoco.MjModel, bodies: Sequence[int]) -> NDArray[np.intp]:
    """Geoms of the bodies and of everything attached to them. A parent's id is below its child's."""
    is_inside = np.zeros(model.nbody, bool)
    is_inside[list(bodies)] = True
    for body in range(1, model.nbody):
        is_inside[body] |= is_inside[model.body_parentid[body]]
    return np.flatnonzero(is_inside[model.geom_bodyid])
