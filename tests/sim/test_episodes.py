import numpy as np

from glam.data.schema import ACTION, EE_POSE, STATE
from glam.sim.demonstrator import demonstrate, episode_of, schema_of
from glam.sim.expert import Disturbance


def recorded(world):
    schema = schema_of(world)
    shown = demonstrate(world, 1000, Disturbance())
    return schema, shown, episode_of(shown, schema, world.task.instruction)


def test_a_target_episode_holds_state_and_action(world_of):
    schema, shown, episode = recorded(world_of("lift", "kinova"))
    assert schema.role == "target"
    assert set(episode.vectors) == {EE_POSE, STATE, ACTION}
    assert episode.vectors[ACTION].tobytes() == shown.actions.tobytes()
    assert episode.vectors[STATE].shape == (len(episode), 8)
    assert schema.action_names == schema.state_names
    assert schema.action_names[0] == "arm_joint_1.pos"


def test_a_hand_held_episode_holds_neither_not_even_hidden(world_of):
    schema, _, episode = recorded(world_of("lift", "umi"))
    assert schema.role == "auxiliary"
    assert set(episode.vectors) == {EE_POSE}
    assert schema.state_names == schema.action_names == ()
    assert set(episode.images) == {"observation.images.front", "observation.images.overhead"}
    assert set(episode.masks) == {"observation.masks.front", "observation.masks.overhead"}


def test_frames_of_each_camera_stay_in_their_order(world_of):
    schema, shown, episode = recorded(world_of("stack-two", "umi"))
    for view, (image_key, mask_key) in enumerate(zip(schema.image_keys, schema.mask_keys, strict=True)):
        for t in (0, len(episode) - 1):
            assert (episode.images[image_key][t] == shown.frames[t].images[view]).all()
            assert (episode.masks[mask_key][t] == shown.frames[t].masks[view]).all()
    assert (episode.vectors[EE_POSE] == np.stack([frame.ee_pose for frame in shown.frames])).all()
    assert episode.task == "Stack the red cube on the blue cube."


def test_a_schema_names_cameras_objects_arms_and_rate(world_of):
    schema = schema_of(world_of("stack-three", "kinova"))
    assert schema.fps == 10
    assert schema.image_size == (32, 32)
    assert schema.cameras == ("front", "overhead")
    assert schema.objects == ("red", "green", "blue")
    assert schema.arms == ("left", "right")
    assert len(schema.action_names) == 16
