"""`epstar serve`: the explorer in a browser."""

from __future__ import annotations

import argparse
import json
import socket

from epstar.cli.result import Result
from epstar.errors import InvalidInput
from epstar.extras import required

EXAMPLES = """\
epstar serve
epstar serve --port 8080 --no-browser
epstar serve --host 0.0.0.0 --name epstar.example.org"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on; by default only this machine can connect"
    )
    parser.add_argument("--port", type=int, default=8765, help="the port, or 0 for any free one (default: %(default)s)")
    parser.add_argument("--name", action="append", default=[], help="another host name of the server; may be repeated")
    parser.add_argument("--workers", type=int, metavar="N", help="the number of computations that run at once")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="the time limit of a computation (default: 60)",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="answer everybody who can connect, even without the token in the address",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(options: argparse.Namespace) -> Result | int:
    """Serve the explorer until it is interrupted."""
    if options.cite:
        return Result({}, ())
    if not 0 <= options.port <= 65535:
        raise InvalidInput(f"{options.port} is not a port; give a number from 0 to 65535.")
    if options.workers is not None and options.workers < 1:
        raise InvalidInput("At least one worker is needed; leave --workers out to choose their number.")
    if not 0 < options.time_limit < 86400:
        raise InvalidInput("The time limit must be a positive number of seconds, at most a day.")
    for package in ("fastapi", "uvicorn"):
        required(package, "The explorer needs")
    from epstar.web.server import serve

    try:
        serve(
            options.host,
            options.port,
            _announced_as_json if options.json else _announced,
            names=options.name,
            workers=options.workers,
            seconds=options.time_limit,
            opens_browser=not options.no_browser,
            needs_token=not options.no_token,
        )
    except socket.gaierror:
        raise InvalidInput(f"{options.host!r} is not an address of this machine; leave --host out.") from None
    except OSError as error:
        raise InvalidInput(
            f"The address {options.host}:{options.port} cannot be used: {error.strerror}; try another --port."
        ) from None
    return 0


def _announced(address: str) -> None:
    print(f"epstar explorer at {address} (interrupt to stop)", flush=True)


def _announced_as_json(address: str) -> None:
    print(json.dumps({"schema": "epstar/address/1", "address": address}), flush=True)
