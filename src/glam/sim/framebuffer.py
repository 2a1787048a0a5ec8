"""Framebuffers: one OpenGL context per process, with a framebuffer for each renderer in it.

Several contexts in a process have drawn garbage, and so has freeing a framebuffer while another context was current.
Everything here exists to make that impossible, also after a fork and at the end of the process.
"""

import atexit
import os
import weakref

import mujoco

# Mesa's threads do not survive a fork, and a child would wait for them for ever; nor do they help at small sizes.
_NO_MESA_THREADS = {"LP_NUM_THREADS": "0", "MESA_SHADER_CACHE_DISABLE": "true"}


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
