from results.document import Table, Words
from results.speed import speed

SPEED = {"method": "glam-o", "scale": "cpu", "threads": 2, "images_per_second": 810.4, "ms_per_step": 78.97,
         "share_of_convolution_peak": 0.2367, "ratio_to_naive": 1.218}  # fmt: skip
KILLS = {"what": "world-model", "trials": 20, "equal": 19}
CALL = {"calls": 200, "policies": {"a": {"median": 5.84, "p99": 8.2}, "b": {"median": 5.7, "p99": 10.3}}}
WHOLE = {"task": "stack-two", "pc_success": 98.0, "seconds": {"policy": 600.0, "in all": 900.0}}


def test_what_was_measured_beside_a_grid_is_shown(grid, read):
    models, policies = grid("world-models"), grid("policies")
    models.value |= {"speed": {"runs": [SPEED]}, "kills": KILLS}
    policies.value |= {"call": CALL, "whole_run": WHOLE}
    section = speed(read(models, policies))
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert tables[0].rows == (("glam-o", "cpu", "2", "810", "79", "24%", "1.22"),)
    assert tables[1].rows == (("policy", "10.0"), ("in all", "15.0"))
    words = [block.text for block in section.blocks if isinstance(block, Words)]
    assert words[0].startswith("A policy answers one observation on one core in 5.8 ms (median of 200 calls; 99 of 100")
    assert "within 10.3 ms" in words[0]
    assert words[1].startswith("Training a world model, killed at 20 random steps and resumed: 19 of 20 end")


def test_nothing_measured_is_nothing_shown(grid, read):
    assert speed(read(grid("policies"))).blocks == ()
