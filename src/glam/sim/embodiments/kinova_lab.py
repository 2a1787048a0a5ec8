"""`kinova-lab`: our stand-in for the paper's real robot, which we do not have.

The same arm in another room: other colours and lights, cameras that are a little off in every episode, exposure, blur
and noise, weaker servos, one control step of latency, other friction and masses. It is still a simulation.
"""

import numpy as np

from glam.sim.embodiments.embodiment import Embodiment, Physics
from glam.sim.embodiments.kinova import KinovaArm, KinovaModel
from glam.sim.look import WORKSHOP
from glam.sim.sensor import Sensor

KINOVA_LAB = Embodiment(
    name="kinova-lab",
    add_arm=KinovaModel(shell=(0.55, 0.57, 0.62), joints=(0.05, 0.05, 0.06), servo_strength=0.75).add_arm,
    bind_arm=KinovaArm,
    is_labelled=True,
    look=WORKSHOP,
    sensor=Sensor(position_error=0.01, angle_error=float(np.deg2rad(2.0)), exposure=0.2, blur=0.7, noise=4.0),
    latency=1,
    physics=Physics(object_friction=0.8, object_mass=1.3),
)
