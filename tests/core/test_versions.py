import numpy as np

from glam.core.configs import installed


def test_versions_are_those_of_the_packages_and_an_absent_one_is_told():
    assert installed(["numpy", "no-such-package"]) == {"numpy": np.__version__, "no-such-package": "not installed"}
