"""No hostile question ends a worker, at any address of the API, and honest ones are answered afterwards."""

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, cycle
from typing import Any

import httpx
import pytest
from tests.web.live import ASKED, JSON, LONG, Client, Served, server_here

from epstar.web.error_boundary import ErrorBoundary
from epstar.web.jobs import Job
from epstar.web.limits import Limits
from epstar.web.pool import Pool, Worker

pytestmark = pytest.mark.xdist_group("explorer")

ONE_WORKER = Limits(seconds=1800.0, workers=1)
LEVELS = [*range(1, 100, 14), *range(98, 104), *range(100, 2001, 50), 5000, 20_000, 100_000]
# About what a reader, a limit, the stack and a parser make of them.
FEW_LEVELS = [1, 2, 99, 100, 101, 500, 1000, 100_000]
# Ways to be nested: lists, objects, both, and as a part of what is asked for.
SHAPES: dict[str, tuple[str, str]] = {
    "lists": ("[", "]"),
    "objects": ('{"a": ', "}"),
    "both": ('[{"universe": ', "}]"),
}
_numbers = count(2)


@pytest.fixture(scope="module")
def lonely() -> Iterator[Served]:
    """A server whose only worker is not to be lost."""
    with server_here(ONE_WORKER) as served:
        yield served


def honest(client: Client) -> None:
    """Ask something that was never asked before, and get its answer."""
    answer = client.ask("code", {**ASKED, "at": {"distortion": f"1/{next(_numbers)}"}})
    assert "epstar.Frontier(" in answer["program"]
    assert client.http.get("/api/health").status_code == 200


def workers() -> set[int | None]:
    """The processes of the servers in this one."""
    return {child.pid for child in multiprocessing.active_children()}


def until_answered(client: Client) -> None:
    """Ask until somebody is there to answer."""
    while client.answer("code", {**ASKED, "at": {"distortion": f"1/{next(_numbers)}"}}).status_code != 200:
        pass
    honest(client)


def nested(levels: int, shape: str) -> str:
    """A document of so many levels, as good as JSON."""
    opening, closing = SHAPES[shape]
    each = opening.count("[") + opening.count("{")
    return opening * (levels // each) + "1" + closing * (levels // each)


def posted(client: Client) -> list[tuple[str, dict[str, Any]]]:
    """The addresses at which something can be asked, with a request that works."""
    schema = client.http.get("/api/openapi.json").json()
    return [
        (path, entry["post"]["requestBody"]["content"]["application/json"]["example"])
        for path, entry in schema["paths"].items()
        if "post" in entry
    ]


@pytest.mark.parametrize("depths", [FEW_LEVELS, pytest.param(LEVELS, marks=pytest.mark.full)], ids=["few", "all"])
def test_nesting_of_any_depth_ends_no_worker(lonely: Served, depths: list[int]) -> None:
    shapes = cycle(SHAPES)
    with Client.of(lonely) as client:
        addresses = posted(client)
        assert len(addresses) >= 14
        honest(client)
        before = workers()
        for levels in depths:
            for path, example in addresses:
                field = next(iter(example))
                inner = nested(levels, next(shapes))
                for content in (inner, json.dumps(example | {field: 0}).replace(": 0", f": {inner}", 1)):
                    response = client.http.post(f"{path}?wait=30", content=content, headers=JSON)
                    # A list of one number is a list of counts.
                    allowed = (200, 422) if levels == 1 else (422,)
                    assert response.status_code in allowed, (path, levels, response.text[:200])
                    assert response.json().get("error", ".").endswith("."), (path, levels)
                    assert workers() == before, (path, levels)
            honest(client)


def test_other_methods_and_addresses_end_no_worker(lonely: Served) -> None:
    with Client.of(lonely) as client:
        schema = client.http.get("/api/openapi.json").json()
        honest(client)
        before = workers()
        for path in schema["paths"]:
            for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "POST"):
                hostile = b"[" * 700 + b"]" * 700
                address = path.replace("{identifier}", "[" * 700)
                response = client.http.request(method, address, content=hostile, headers=JSON, params={"wait": "0"})
                assert response.status_code < 500, (method, path)
                assert workers() == before, (method, path)
            honest(client)


@pytest.fixture
def alone(request: pytest.FixtureRequest) -> Iterator[Served]:
    """A server of one test, and how long jobs may wait there."""
    limits = replace(ONE_WORKER, waiting_seconds=getattr(request, "param", ONE_WORKER.waiting_seconds))
    with server_here(limits) as served, Client.of(served) as client:
        until_answered(client)
        yield served


def sabotaged(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the next job that is given to a worker meet an error."""
    ask = Worker.ask

    def fail_once(worker: Worker, job: Job) -> None:
        if job.question.task != "code":
            # What the page opens with may still be under way.
            return ask(worker, job)
        monkeypatch.setattr(Worker, "ask", ask)
        raise error

    monkeypatch.setattr(Worker, "ask", fail_once)


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), ValueError("x"), KeyError(1), AssertionError(), OSError(), EOFError()]
)
def test_an_error_boundary_lets_no_error_out(error: Exception) -> None:
    with ErrorBoundary("hand over a job") as attempt:
        raise error
    assert attempt.met_error


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), GeneratorExit()])
def test_an_error_boundary_lets_whoever_wants_to_end_do_so(error: BaseException) -> None:
    attempt = ErrorBoundary("hand over a job")
    with pytest.raises(type(error)), attempt:
        raise error
    assert not attempt.met_error


@pytest.mark.parametrize("error", [RecursionError(), EOFError()])
def test_no_error_while_a_job_is_handed_over_ends_the_pool(
    lonely: Served, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    with Client.of(lonely) as client:
        sabotaged(monkeypatch, error)
        status, sentence = client.refusal("code", ASKED)
        assert status == 500
        assert sentence == "The computation ended unexpectedly; ask about something smaller, or report it."
        honest(client)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_ends_is_replaced(lonely: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with Client.of(lonely) as client:
        sabotaged(monkeypatch, SystemExit(1))
        assert client.refusal("code", ASKED)[0] == 500
        honest(client)


def test_a_process_that_dies_while_nobody_asks_is_replaced_before_anybody_does(alone: Served) -> None:
    with Client.of(alone) as client:
        for _ in range(2):
            dead = workers()
            for pid in dead:
                assert pid is not None
                os.kill(pid, signal.SIGKILL)
            while workers() <= dead:
                time.sleep(0.01)
            honest(client)


@pytest.mark.parametrize("alone", [2.0], indirect=True)
def test_a_pool_without_workers_is_seen_and_nobody_waits_for_ever(
    alone: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot_start(worker: Worker, limits: Limits) -> None:
        raise OSError("no more processes")

    start = Worker.__init__
    with Client.of(alone) as client:
        monkeypatch.setattr(Worker, "__init__", cannot_start)
        for child in multiprocessing.active_children():
            child.kill()
        while (seen := client.http.get("/api/health")).status_code == 200:
            time.sleep(0.05)
        assert seen.status_code == 503
        assert seen.json()["error"] == "No worker is alive, so that no question is answered; restart the server."
        status, sentence = client.refusal("code", ASKED)
        assert status == 503
        assert sentence == "No worker was free for 2 seconds; try again later."
        monkeypatch.setattr(Worker, "__init__", start)
        until_answered(client)


def test_a_pool_that_was_not_started_does_not_work() -> None:
    assert not Pool(ONE_WORKER).is_working


def test_many_jobs_without_cookies_hold_nobody_up() -> None:
    """Whoever leaves cookies out, or makes them up, gets past no quota and takes nobody's turn."""
    limits = replace(ONE_WORKER, workers=2, queued_per_user=8, queued_per_address=20)
    with server_here(limits) as served, Client.of(served) as client:
        honest(client)
        statuses = []
        # A context for certificates takes longer to make than all that is asked with it.
        stranger = httpx.Client(base_url=served.address, verify=False)
        for i in range(30):
            stranger.cookies.clear()
            slow = json.dumps({**LONG, "points": 150 + i})
            statuses.append(stranger.post("/api/curve?wait=0", content=slow, headers=JSON).status_code)
        assert sorted(set(statuses)) == [202, 429]
        assert statuses.count(202) == 8
        # A worker is free for who is known, however much of that is under way.
        honest(client)
        for i in range(30):
            stranger.cookies.clear()
            made_up = {"cookie": f"epstar_user={i:040d}"}
            slow = json.dumps({**LONG, "points": 100 + i})
            response = stranger.post("/api/curve?wait=0", content=slow, headers=JSON | made_up)
            statuses.append(response.status_code)
        stranger.close()
        assert statuses.count(202) == 20
        assert response.json()["error"].startswith("Too many computations are under way for your address")
