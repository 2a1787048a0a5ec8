"""The page of `glam report`: evaluations, trainings and replays together, with everything behind their numbers."""
