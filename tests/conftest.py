"""What the tests of the API and of the page share, and what every property test keeps to."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from tests.web.live import Served, running_server

# A busy machine is no fault: how long an example takes is for the benchmarks.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell starts what runs in the background deaf to interrupts, and so would be every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """A running server: its tests are one group, so that they share it."""
    with running_server() as place:
        yield place
