"""Any LeRobot v3.0 dataset as one of ours: which of its features mean what, and what is made of them.

`entries` lists the declared features, `mapping` holds the user's options, and `conventions` finds the rest by name.
`source` reads numbers and videos, `pose_conversion` makes end-effector poses of numbers, and `adoption` makes a
recording.
"""
