"""Jobs: they do not block, stop in time, can be cancelled, and belong to their user; workers that die are replaced."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from tests.web.live import ASKED, LONG, PROBLEM, Client, Served, server_here

from epstar.web.limits import Limits
from epstar.web.tasks.frontier import curve
from epstar.web.worker import Context

pytestmark = pytest.mark.xdist_group("explorer")

SMALL = Limits(seconds=5.0, workers=1, queued_per_user=3, queued=4)


@contextmanager
def small_server(limits: Limits) -> Iterator[Served]:
    """A server in this process with one worker and a short queue."""
    with server_here(limits) as served, Client.of(served) as first:
        # The worker has started, and what the page opens with is done, once it has answered this.
        for distortion in ("1/5", "1/6", "1/7", "1/8"):
            first.ask("solve", {**ASKED, "at": {"distortion": distortion}})
        yield served


@pytest.fixture(scope="module")
def small() -> Iterator[Served]:
    """A small server on which no job comes near its time limit."""
    with small_server(replace(SMALL, seconds=1800.0)) as served:
        yield served


def test_a_long_solve_is_a_job_that_reports_its_progress_and_can_be_cancelled(client: Client) -> None:
    job = client.start("curve", LONG)
    assert len(job) >= 32
    while "progress" not in (seen := client.http.get(f"/api/jobs/{job}?wait=0.2").json()):
        assert seen["state"] in ("queued", "running")
    assert 0 < seen["progress"]["done"] < seen["progress"]["total"] == 201
    # Somebody who asks for something short is not held up.
    assert client.ask("solve", ASKED)["upper_exact"] == "log(12)"
    ended = client.cancel(job)
    assert ended["state"] == "cancelled"
    assert ended["error"] == "The computation was cancelled."


def test_a_computation_that_nobody_waits_for_makes_room() -> None:
    with small_server(replace(SMALL, seconds=1800.0, abandoned_seconds=2.0)) as served, Client.of(served) as left:
        job = left.start("curve", LONG)
        # As a page that is closed while the computation is under way, and told nobody.
        with Client.of(served) as next_one:
            assert next_one.ask("solve", {**ASKED, "at": {"distortion": "1/9"}})["status"] == "proven"
        assert left.http.get(f"/api/jobs/{job}").json()["state"] == "cancelled"


def test_breakpoints_that_take_minutes_do_not_hold_up_a_curve(small: Served) -> None:
    with Client.of(small) as client:
        slow = client.start("breakpoints", LONG["problem"])
        while client.http.get(f"/api/jobs/{slow}").json()["state"] == "queued":
            time.sleep(0.01)
        assert len(client.ask("curve", {"problem": PROBLEM, "points": 5})["points"]) == 5
        # They are begun anew.
        assert client.http.get(f"/api/jobs/{slow}").json()["state"] in ("queued", "running")
        client.cancel(slow)


def test_nobody_sees_or_cancels_the_job_of_another(client: Client, served: Served) -> None:
    job = client.start("curve", LONG)
    with Client.of(served) as stranger:
        assert stranger.http.get(f"/api/jobs/{job}").status_code == 404
        assert stranger.http.delete(f"/api/jobs/{job}").status_code == 404
    assert client.http.get(f"/api/jobs/{job}").status_code == 202
    client.cancel(job)


def test_the_time_limit_ends_a_job_and_the_next_one_runs() -> None:
    with small_server(SMALL) as served, Client.of(served) as client:
        ended = client.end(client.start("breakpoints", LONG["problem"]))
        assert ended["state"] == "failed"
        assert ended["error"] == "The time limit of 5 seconds passed; ask about something smaller."
        client.ask("solve", {**ASKED, "at": {"distortion": "1/4"}})


class Brief(Context):
    """The context of a job with time for so many points, whatever a clock says."""

    def __init__(self, points: int) -> None:
        super().__init__(Limits(), time.monotonic() + 1800, self.count)
        self.points = points

    def count(self, done: int, total: int) -> None:
        self.points -= 1

    @property
    def is_over(self) -> bool:
        return self.points <= 0


def test_a_curve_shows_what_the_time_allowed() -> None:
    problem = {**LONG["problem"], "source": {"ball": {"center": ["1/6", "2/6", "3/6"], "radius": "1/10"}}}
    result: Any = curve({"problem": problem, "points": 41}, Brief(7))
    places = [point["x"] for point in result["points"]]
    assert len(places) == 7
    assert result["asked"] == 41
    assert places == sorted(places)
    # However few there are, they are spread over the whole range.
    assert max(b - a for a, b in pairwise(places)) < 0.3 * (places[-1] - places[0])


def test_a_worker_that_dies_is_replaced(small: Served) -> None:
    with Client.of(small) as client:
        job = client.start("curve", {**LONG, "points": 200})
        while client.http.get(f"/api/jobs/{job}").json()["state"] == "queued":
            time.sleep(0.01)
        for child in multiprocessing.active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)
        error = "The computation ended unexpectedly; ask about something smaller, or report it."
        assert client.end(job)["error"] == error
        client.ask("solve", {**ASKED, "at": {"distortion": "1/3"}})


def test_the_queue_is_bounded_for_a_user_and_for_all(small: Served) -> None:
    with Client.of(small) as first, Client.of(small) as second, Client.of(small) as third:
        jobs = [first.start("curve", {**LONG, "points": points}) for points in (199, 198, 197)]
        refused = first.answer("curve", {**LONG, "points": 196})
        assert refused.status_code == 429
        assert refused.headers["retry-after"]
        assert refused.json()["error"] == "You have too many computations under way; wait for some, or cancel them."
        other = second.start("curve", {**LONG, "points": 195})
        full = third.answer("curve", {**LONG, "points": 194})
        assert full.status_code == 429
        assert full.json()["error"] == "The server has too much to compute at the moment; try again in a minute."
        for user, started in ((second, [other]), (first, jobs)):
            assert [user.cancel(job)["state"] for job in started] == ["cancelled"] * len(started)


def test_the_same_question_is_computed_once_for_a_user_and_apart_for_others(client: Client, served: Served) -> None:
    asked = {**ASKED, "source": {"prior": ["5/10", "3/10", "1/10", "1/10"]}}
    first = client.answer("solve", asked).json()["job"]
    again = client.answer("solve", dict(reversed(asked.items()))).json()["job"]
    assert first == again
    with Client.of(served) as other:
        assert other.answer("solve", asked).json()["job"] != first


def test_a_problem_in_the_limits_and_one_beyond_them() -> None:
    limits = Limits(inputs=4, table=4)
    assert limits.check_problem(PROBLEM) is PROBLEM
    with pytest.raises(ValueError, match="at most 4 inputs"):
        limits.check_problem({"universe": {"databases": {"size": 2, "rows": 3}}})
