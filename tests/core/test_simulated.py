import subprocess
import sys

import pytest

from glam.core import simulated
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.tasks import TASKS


@pytest.mark.parametrize(("names", "found"), [(simulated.TASKS, TASKS), (simulated.EMBODIMENTS, EMBODIMENTS)])
def test_every_line_of_the_registry_leads_to_a_definition_of_that_name(names, found):
    assert [*names] == [*found] == [each.name for each in found.values()]


def test_the_help_of_the_commands_lists_all_names_and_imports_no_simulator():
    code = (
        "import sys, glam.cli\n"
        "sys.argv = ['glam', 'collect', '--help']\n"
        "try: glam.cli.main()\n"
        "except SystemExit: print(*sorted(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert all(name in shown for name in (*TASKS, *EMBODIMENTS))
    assert not {"mujoco", "gymnasium", "glam.sim"} & set(shown.split())
