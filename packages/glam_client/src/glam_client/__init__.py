"""Robot side of GLAM: policy client, controller, safety filter and live poses. Needs numpy, msgpack and websockets."""
