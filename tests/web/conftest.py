"""Users of the API."""

from collections.abc import Iterator

import pytest
from tests.web.live import Client


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    """A new user."""
    with Client.of(address) as user:
        yield user
