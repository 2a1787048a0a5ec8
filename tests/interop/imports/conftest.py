"""One reading process for all tests of imports; one that a test ends is started again by the next."""

import pytest

from glam.interop.imports.reader_client import ReaderClient


@pytest.fixture(scope="session")
def reader():
    with ReaderClient() as process:
        yield process
