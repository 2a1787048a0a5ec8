"""The server of tests/serving, which a robot's side is tested against."""

from tests.serving.conftest import server  # noqa: F401  a fixture
