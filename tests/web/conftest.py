"""One server for all tests of the API."""

from collections.abc import Iterator

import pytest
from tests.web.live import Client, running_server


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a running server."""
    with running_server() as place:
        yield place


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    """A new user."""
    with Client.of(address) as user:
        yield user
