"""The server: it listens, says where, and runs until it is interrupted."""

from __future__ import annotations

import ipaddress
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from epstar.web.app import create_app
from epstar.web.authentication import Token
from epstar.web.connections import bounded_protocol
from epstar.web.limits import Limits


def serve(
    host: str,
    port: int,
    announce: Callable[[str], None],
    *,
    names: Sequence[str] = (),
    workers: int | None = None,
    seconds: float = 60.0,
    opens_browser: bool = True,
    needs_token: bool = True,
) -> None:
    """Serve the explorer; `announce` is called with its address as soon as connections are accepted.

    The address holds the token without which nothing is answered, unless none is needed.

    Raises:
        OSError: if the address cannot be listened at.
    """
    limits = limits_for(host, workers, seconds)
    token = Token.new() if needs_token else None
    listener = listening(host, port)
    base = _address(host, listener.getsockname()[1])
    address = base if token is None else token.address(base)
    announce(address)
    config = configured(create_app(limits, host, names, token), limits)
    with listener, tempfile.TemporaryDirectory(prefix="epstar-") as folder:
        if opens_browser and sys.stdout.isatty():
            page = opening_page(Path(folder), address)
            threading.Timer(0.5, webbrowser.open, [page.as_uri()]).start()
        uvicorn.Server(config).run(sockets=[listener])


def configured(app: FastAPI, limits: Limits) -> uvicorn.Config:
    """Return how uvicorn serves the application: nothing is logged of requests, and no client is waited for long."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        # Anybody could write there that they come from another address.
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )


def limits_for(host: str, workers: int | None, seconds: float) -> Limits:
    """Return the limits of a server that listens at `host`."""
    limits = Limits()
    count = limits.workers if workers is None else workers
    return replace(
        limits,
        seconds=seconds,
        waiting_seconds=10 * seconds,
        workers=count,
        # Where others can connect, one of them must not hold every worker.
        running_per_address=None if _is_loopback(host) else max(1, count - 1),
        connections=min(limits.connections, _most_files() // 2),
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _most_files() -> int:
    """Return how many files and connections this process may have open."""
    if sys.platform == "win32":
        return 1024
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def opening_page(folder: Path, address: str) -> Path:
    """Write a page that leads to the address: as an argument of the browser everybody on the machine could read it."""
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(address)}">'
        "<title>epstar</title>",
        encoding="utf-8",
    )
    return page


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Said to be TCP, connections send at once; otherwise they wait 40 ms for the other side, with every answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    listener.listen(512)
    return listener


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"
