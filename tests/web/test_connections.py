"""Connections that are slow, half open, or more than there may be: they are closed, and others are answered."""

import resource
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest
from tests.web.live import ASKED, PATIENCE, Client, Served, server_here

from epstar.web.limits import Limits

pytestmark = pytest.mark.xdist_group("explorer")

HASTY = Limits(seconds=60.0, workers=1, connections=100, head_seconds=1.5, body_seconds=1.5)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Served]:
    """A server that waits for nobody."""
    with server_here(HASTY) as served:
        yield served


@contextmanager
def sent(served: Served, text: bytes) -> Iterator[socket.socket]:
    """A connection on which this was sent."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as connection:
        connection.sendall(text.replace(b"HOST", f"127.0.0.1:{served.port}".encode()))
        yield connection


def read_to_end(connection: socket.socket) -> bytes:
    """All that comes until the other side closes the connection."""
    found = b""
    try:
        while part := connection.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass
    return found


HEAD = b"POST /api/solve HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nHost: HOST\r\nX-Never-Ends: a",
        b"GET /api/health HTTP/1.1\r\nHost: HOST\r\n\r\nGET / HT",
        b"GET /api/health HTTP/1.1\r\nHost: HOST\r\nContent-Length: 50\r\n\r\nhalf",
    ],
    ids=["nothing", "a letter", "half a head", "half a second head", "a body that nobody reads"],
)
def test_a_request_that_does_not_go_on_is_closed(hasty: Served, text: bytes) -> None:
    with sent(hasty, text) as connection:
        read_to_end(connection)


def test_a_body_that_does_not_come_is_refused_in_a_sentence(hasty: Served) -> None:
    for rest in (b"Content-Length: 1000\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
        with sent(hasty, HEAD + rest) as connection:
            found = read_to_end(connection)
        assert found.startswith(b"HTTP/1.1 408 ")
        assert b"did not arrive within 1.5 seconds" in found


def test_letter_by_letter_is_too_slow(hasty: Served) -> None:
    with sent(hasty, b"GET / HTTP/1.1\r\nX: ") as connection:
        end = time.monotonic() + PATIENCE
        while not select.select([connection], [], [], 0.1)[0]:
            assert time.monotonic() < end
            with suppress(OSError):
                connection.sendall(b"a")
        assert read_to_end(connection) == b""


def test_who_does_not_read_is_not_waited_for(hasty: Served) -> None:
    # The file is asked for so often that no buffer holds all of it.
    asked = b"GET /vendor/swagger-ui-bundle.js HTTP/1.1\r\nHost: HOST\r\n\r\n"
    with sent(hasty, 8 * asked) as connection:
        # What is still in the buffers can be read, and then there is an end before the end of the last one.
        time.sleep(3 * HASTY.body_seconds + 6)
        found = read_to_end(connection)
    length = int(found.partition(b"content-length: ")[2].split(b"\r\n")[0])
    assert len(found) < 8 * length


def test_a_request_that_is_too_large_hears_why_even_if_it_is_sent_in_one_go(served: Served) -> None:
    body = b'{"x": "' + b"a" * (20 << 20) + b'"}'
    opened = f"Authorization: Bearer {served.token}\r\n".encode()
    for _ in range(5):
        with sent(served, HEAD + opened + b"Content-Length: %d\r\n\r\n" % len(body) + body) as connection:
            found = read_to_end(connection)
        assert found.startswith(b"HTTP/1.1 413 ")
        assert found.endswith(b'{"error": "The request is larger than 4096 KiB; ask about something smaller."}')


def test_who_asks_before_sending_is_refused_at_once(served: Served) -> None:
    opened = f"Authorization: Bearer {served.token}\r\n".encode()
    with sent(served, HEAD + opened + b"Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n") as connection:
        found = read_to_end(connection)
    assert found.startswith(b"HTTP/1.1 413 ")


def test_a_thousand_half_sent_requests_are_closed_and_others_are_answered(hasty: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
    with Client.of(hasty) as client, ExitStack() as stack:
        half = [stack.enter_context(sent(hasty, b"GET / HTTP/1.1\r\nHost: HO")) for _ in range(1200)]
        assert client.ask("solve", ASKED)["upper_exact"] == "log(12)"
        with httpx.Client(base_url=hasty.address, timeout=PATIENCE) as newcomer:
            assert newcomer.get("/api/health").status_code == 200
        for connection in half:
            assert read_to_end(connection) == b""


def test_a_connection_that_is_being_answered_makes_no_room_for_others() -> None:
    with server_here(Limits(seconds=60.0, workers=1, connections=3)) as served, ExitStack() as stack:
        asked = HEAD + b"Content-Length: 10\r\nExpect: 100-continue\r\n\r\n"
        waiting = [stack.enter_context(sent(served, asked)) for _ in range(3)]
        for connection in waiting:
            assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        # All places are taken by requests under way: there is none for another, and none of them loses its own.
        with sent(served, b"") as newcomer:
            assert read_to_end(newcomer) == b""
        for connection in waiting:
            connection.sendall(b"not JSON !")
            assert connection.recv(100).startswith(b"HTTP/1.1 422 ")
