"""A server in a process of its own, as `epstar serve` starts it, and clients that are somebody."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from epstar.web.app import create_app
from epstar.web.limits import Limits

PROGRAM = """
from epstar.web.server import serve
serve("127.0.0.1", 0, seconds={seconds}, workers={workers}, opens_browser=False)
"""
PROBLEM: dict[str, Any] = {
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["a", "b", "c", "d"]},
    "source": {"prior": ["4/10", "3/10", "2/10", "1/10"]},
    "distortion": {"name": "hamming"},
}
ASKED: dict[str, Any] = {**PROBLEM, "at": {"distortion": "1/5"}}
# Some ten seconds of work, if nobody stops it.
LONG: dict[str, Any] = {
    "problem": {
        "notion": {"name": "local_information_privacy"},
        "source": {"ball": {"center": [f"{i + 1}/78" for i in range(12)], "radius": "1/10"}},
        "distortion": {"name": "squared"},
    },
    "points": 201,
}


@contextmanager
def running_server(seconds: float = 60, workers: int = 2) -> Iterator[str]:
    """Start a server, and end it: yields its address."""
    program = PROGRAM.format(seconds=seconds, workers=workers)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, line
        yield line.split()[3]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def server_here(limits: Limits) -> Iterator[str]:
    """Start a server in this process, whose workers are then children of it: yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(limits), log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@dataclass
class Client:
    """One user: a cookie of its own, and answers waited for."""

    http: httpx.Client

    @classmethod
    @contextmanager
    def of(cls, address: str) -> Iterator[Client]:
        """Yield a new user of a server."""
        with httpx.Client(base_url=address, timeout=90) as http:
            yield cls(http)

    def ask(self, task: str, document: object) -> Any:
        """Return the result of a question, waiting for it."""
        response = self.http.post(f"/api/{task}?wait=30", json=document)
        assert response.status_code in (200, 202), response.text
        job = response.json()
        while job["state"] in ("queued", "running"):
            job = self.http.get(f"/api/jobs/{job['job']}?wait=30").json()
        assert job["state"] == "done", job
        return job["result"]

    def refusal(self, task: str, document: object) -> tuple[int, str]:
        """Return the status and the sentence with which a question is refused."""
        response = self.http.post(f"/api/{task}?wait=30", content=json.dumps(document), headers=JSON)
        return response.status_code, response.json()["error"]


JSON = {"content-type": "application/json"}
