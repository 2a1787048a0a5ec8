"""`kinova-lab`: a simulated stand-in for the paper's real robot, which we do not have.

The same arm as `kinova` with other colours and lights, cameras slightly misplaced in every episode, exposure changes,
blur and noise, weaker servos, one control step of latency, and objects of other friction and mass.
"""

import numpy as np

from glam.sim.embodiments.embodiment import Embodiment, Physics
from glam.sim.embodiments.kinova import READY, KinovaArm, KinovaModel
from glam.sim.scene_appearance import DARK_ROOM
from glam.sim.sensors import CameraNoise

KINOVA_LAB = Embodiment(
    name="kinova-lab",
    add_arm=KinovaModel(shell=(0.55, 0.57, 0.62), joints=(0.05, 0.05, 0.06), servo_strength=0.75).add_arm,
    bind_arm=KinovaArm,
    is_labelled=True,
    first_seed=200_000,
    posture=tuple(READY),
    appearance=DARK_ROOM,
    camera_noise=CameraNoise(
        position_error=0.01, angle_error=float(np.deg2rad(2.0)), exposure=0.2, blur=0.7, noise=4.0
    ),
    latency=1,
    physics=Physics(object_friction=0.8, object_mass=1.3),
)
