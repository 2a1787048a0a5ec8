"""GLAM policies in LeRobot. LeRobot's commands import this package at start, which registers policy and environment."""

from lerobot_policy_glam.configuration_glam import GlamConfig as GlamConfig
from lerobot_policy_glam.environment import GlamEnv as GlamEnv
from lerobot_policy_glam.modeling_glam import GlamPolicy as GlamPolicy
from lerobot_policy_glam.processor_glam import make_glam_pre_post_processors as make_glam_pre_post_processors
