import subprocess
import sys

import gymnasium
import pytest

import glam.sim  # noqa: F401 - registers the environments
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.env import environment_id
from glam.sim.tasks import TASKS


def test_ids_are_made_of_task_and_embodiment():
    assert environment_id("stack-two", "kinova") == "glam/StackTwo-Kinova-v0"
    assert environment_id("pick-place", "kinova-lab") == "glam/PickPlace-KinovaLab-v0"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("embodiment", EMBODIMENTS)
def test_every_pair_is_registered_with_its_tasks_step_limit(task, embodiment):
    spec = gymnasium.spec(environment_id(task, embodiment))
    assert spec.max_episode_steps == TASKS[task].max_episode_steps
    assert spec.kwargs == {"task": task, "embodiment": embodiment}


def test_gymnasium_finds_an_environment_by_module_and_id_alone():
    code = "import gymnasium; print(gymnasium.make('glam.sim:glam/Lift-Umi-v0', image_size=32).reset(seed=0)[1])"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "{'is_success': False}"
