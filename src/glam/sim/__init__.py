"""The simulated worlds: the only package that imports MuJoCo. Importing it registers the Gymnasium environments."""

from glam.sim.gl import choose_backend, load_triton

load_triton()
choose_backend()  # before anything below imports MuJoCo, which reads the choice once

from glam.sim.env import register_environments  # noqa: E402

register_environments()
