"""Users of the API."""

from collections.abc import Iterator

import pytest
from tests.web.live import Client, Served


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    """A new user."""
    with Client.of(served) as user:
        yield user
