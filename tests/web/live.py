"""A server in a process of its own, as `epstar serve` starts it, and clients that are somebody."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx
import uvicorn

from epstar.web.app import create_app
from epstar.web.authentication import Token
from epstar.web.limits import Limits
from epstar.web.server import configured, listening

PROBLEM: dict[str, Any] = {
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["a", "b", "c", "d"]},
    "source": {"prior": ["4/10", "3/10", "2/10", "1/10"]},
    "distortion": {"name": "hamming"},
}
# Seconds after which something hangs; a busy machine is no fault.
PATIENCE = 600.0
ASKED: dict[str, Any] = {**PROBLEM, "at": {"distortion": "1/5"}}
# Minutes of work, if nobody stops it.
LONG: dict[str, Any] = {
    "problem": {
        "notion": {"name": "local_information_privacy"},
        "source": {"ball": {"center": [f"{i + 1}/78" for i in range(12)], "radius": "1/10"}},
        "distortion": {"name": "squared"},
    },
    "points": 201,
}


@dataclass(frozen=True)
class Served:
    """A running server: where it is, and the token that opens it, if it needs one."""

    address: str
    token: str | None = None

    @classmethod
    def at(cls, printed: str) -> Served:
        """Return the server at an address as it was printed."""
        parts = urlsplit(printed)
        token = dict(parse_qsl(parts.query)).get("token")
        return cls(urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), token)

    @property
    def port(self) -> int:
        """The port at which it listens."""
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def page(self, path: str = "") -> str:
        """The address of a page as it is opened first, such as "api.html" or "#view=audit"."""
        name, mark, state = path.partition("#")
        token = "" if self.token is None else f"?token={self.token}"
        return f"{self.address}{name}{token}{mark}{state}"

    @property
    def opened_by(self) -> dict[str, str]:
        """The header by which a program shows the token."""
        return {} if self.token is None else {"authorization": f"Bearer {self.token}"}


@contextmanager
def running_server(*more: str, seconds: float = 1800, workers: int = 2) -> Iterator[Served]:
    """Start a server as the command does, and end it."""
    options = ["--port", "0", "--time-limit", str(seconds), "--workers", str(workers), "--no-browser", "--json", *more]
    command = [sys.executable, "-m", "epstar.cli.main", "serve", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        served = Served.at(json.loads(process.stdout.readline())["address"])
        assert served.address.startswith("http://127.0.0.1:")
        yield served
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


@contextmanager
def server_here(limits: Limits, token: Token | None = None) -> Iterator[Served]:
    """Start a server in this process, whose workers are then children of it."""
    listener = listening("127.0.0.1", 0)
    server = uvicorn.Server(configured(create_app(limits, token=token), limits))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    try:
        yield Served(address) if token is None else Served.at(token.address(address))
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()
    assert not thread.is_alive()


@dataclass
class Client:
    """One user: a cookie of its own, and answers waited for."""

    http: httpx.Client

    @classmethod
    @contextmanager
    def of(cls, served: Served) -> Iterator[Client]:
        """Yield a new user of a server, who has opened its page by the address that was printed."""
        with httpx.Client(base_url=served.address, timeout=PATIENCE) as http:
            opened = http.get("/api/explorer", params={} if served.token is None else {"token": served.token})
            assert opened.status_code == 200, opened.text
            yield cls(http)

    def answer(self, task: str, document: object) -> httpx.Response:
        """Return the answer to a question; while the job is under way the same question waits for it."""
        content = json.dumps(document)
        while True:
            response = self.http.post(f"/api/{task}?wait=30", content=content, headers=JSON)
            if response.status_code != 202:
                return response

    def ask(self, task: str, document: object) -> Any:
        """Return the result of a question."""
        response = self.answer(task, document)
        assert response.status_code == 200, response.text
        job = response.json()
        assert job["state"] == "done", job
        return job["result"]

    def start(self, task: str, document: object) -> str:
        """Begin a job that takes long, and return what names it."""
        response = self.http.post(f"/api/{task}?wait=0", json=document)
        assert response.status_code == 202, response.text
        job: str = response.json()["job"]
        return job

    def end(self, job: str) -> Any:
        """Return a job once it has ended."""
        while (found := self.http.get(f"/api/jobs/{job}?wait=30")).status_code == 202:
            pass
        return found.json()

    def cancel(self, job: str) -> Any:
        """Cancel a job and return it as it ended."""
        assert self.http.delete(f"/api/jobs/{job}").status_code == 200
        return self.end(job)

    def refusal(self, task: str, document: object) -> tuple[int, str]:
        """Return the status and the sentence with which a question is refused."""
        response = self.answer(task, document)
        return response.status_code, response.json()["error"]


JSON = {"content-type": "application/json"}
