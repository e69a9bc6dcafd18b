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


@pytest.hookimpl(tryfirst=True)  # before the names of groups become part of the names of tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of a file to one worker, which then computes once what they share.

    Those that share more than a file, such as a server or a browser, take longest and come first: at the end, when a
    worker has nothing left to do, the other one is busy with a file at most.
    """
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """A running server: its tests are one group, so that they share it."""
    with running_server() as place:
        yield place
