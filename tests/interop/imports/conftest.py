"""One reading process for all tests of imports; one that a test ends is started again by the next."""

import pytest

from glam.interop.imports.child import Child


@pytest.fixture(scope="session")
def child():
    with Child() as process:
        yield process
