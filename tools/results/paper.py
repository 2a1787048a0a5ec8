"""Numbers of the paper. Most of its results are figures without numbers; these are all that it states."""

TASKS = ("lift", "pick-place", "knock-down", "stack-two", "stack-three")
BASELINES = ("mip", "clam", "clam-o", "lapa", "lapa-o")
METHODS = (*BASELINES, "glam", "glam-o")
OURS = ("retarget", "upper-bound")
"""Methods that the paper does not compare with."""

GLAM_O = {"lift": "18/20", "pick-place": "15/20", "knock-down": "17/20", "stack-three": "72.7 %"}
GLAM_O_PERCENT = {"lift": 90.0, "pick-place": 75.0, "knock-down": 85.0, "stack-three": 72.7}
BASELINE = {"stack-three": "at most 4 %"}
OVER_BASELINE = {
    "lift": "+35 on average of three",
    "pick-place": "+35 on average of three",
    "knock-down": "+35 on average of three",
    "stack-two": "+44",
    "stack-three": "+69",
}
"""Points of glam-o over the best baseline."""
LEAD = {"lift": 35.0, "pick-place": 35.0, "knock-down": 35.0, "stack-two": 44.0, "stack-three": 69.0}
"""The same as numbers; of the first three tasks the paper has their average alone."""
BASELINE_PERCENT = {"stack-three": 3.7}
"""Of the best baseline, where it follows from the two numbers above: 72.7 - 69."""
OVER_GLAM = {"knock-down": "+25, significant", "stack-three": "+16, significant"}
"""Points of glam-o over glam, one-sided; of the other tasks only that it is better."""
THREE_SOURCES = {"lift": ("18/20", "18/20"), "pick-place": ("15/20", "18/20"), "knock-down": ("17/20", "20/20")}
"""Two sources, three sources."""
LABELS_OF_MIP = 5
"""Times as many labelled demonstrations as glam-o, from which on mip is as good on stack-two."""
