"""Any LeRobot v3.0 dataset as one of ours: which of its features mean what, and what is made of them.

`features` reads what a dataset declares, `mapping` what the user says about it, `conventions` finds the rest by name;
`source` reads numbers and films, `poses` makes end-effector poses of numbers, and `adoption` puts a recording together.
"""
