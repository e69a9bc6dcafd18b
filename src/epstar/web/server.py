"""The server: it listens, says where, and runs until it is interrupted."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace

import uvicorn

from epstar.web.app import create_app
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
) -> None:
    """Serve the explorer; `announce` is called with its address as soon as connections are accepted.

    Raises:
        OSError: if the address cannot be listened at.
    """
    limits = replace(Limits(), seconds=seconds)
    if workers is not None:
        limits = replace(limits, workers=workers)
    listener = _listening(host, port)
    address = _address(host, listener.getsockname()[1])
    announce(address)
    if opens_browser and sys.stdout.isatty():
        threading.Timer(0.5, webbrowser.open, [address]).start()
    config = uvicorn.Config(
        create_app(limits, host, names),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
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
