"""`epstar serve`: where it listens, what it says, how it ends."""

import asyncio
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.web.live import PATIENCE

from epstar.cli.main import main
from epstar.web.server import limits_for, listening

START = [sys.executable, "-c", "import sys; from epstar.cli.main import main; sys.exit(main(sys.argv[1:]))", "serve"]


def test_it_listens_on_this_machine_alone_and_ends_when_it_is_interrupted() -> None:
    process = subprocess.Popen([*START, "--port", "0", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[3].decode()
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(address, timeout=PATIENCE).status_code == 200
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors
    assert process.returncode in (0, 130)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--port", "99999"], "99999 is not a port"),
        (["--workers", "0"], "At least one worker"),
        (["--time-limit", "-1"], "must be a positive number of seconds"),
        (["--host", "no such host.invalid"], "leave --host out"),
    ],
)
def test_options_that_make_no_sense(capsys: pytest.CaptureFixture[str], options: list[str], sentence: str) -> None:
    assert main(["serve", "--no-browser", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_port_in_use_is_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "try another --port" in capsys.readouterr().err


def test_where_others_can_connect_none_of_them_holds_every_worker() -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        assert limits_for(host, 4, 60.0).running_per_address is None
    for host in ("0.0.0.0", "::", "192.0.2.1", "epstar.example.org"):
        assert limits_for(host, 4, 60.0).running_per_address == 3
        assert limits_for(host, 1, 60.0).running_per_address == 1
    assert limits_for("127.0.0.1", None, 7.0).waiting_seconds == 70.0
    assert limits_for("127.0.0.1", None, 7.0).connections <= 512


def test_to_be_cited_no_server_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--cite"]) == 0
    assert capsys.readouterr().out.startswith("@software{epstar")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_without_waiting_for_the_other_side(host: str) -> None:
    async def is_prompt() -> bool:
        ready: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            ready.set_result(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        with listening(host, 0) as listener:
            server = await asyncio.start_server(accepted, sock=listener)
            _, writer = await asyncio.open_connection(host, listener.getsockname()[1])
            writer.close()
            server.close()
            return await ready

    # In a thread of its own: a browser that this process drives may have left a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(is_prompt())).result()
