"""What the tests of the API and of the page share."""

from collections.abc import Iterator

import pytest
from tests.web.live import running_server


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a running server: its tests are one group, so that they share it."""
    with running_server() as place:
        yield place
