"""Jobs: they do not block, stop in time, can be cancelled, and belong to their user; workers that die are replaced."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from tests.web.live import ASKED, LONG, PROBLEM, Client, server_here

from epstar.web.jobs import Job, Kept, Outcome, failure
from epstar.web.limits import Limits
from epstar.web.pool import Queue, TooManyJobs
from epstar.web.tasks.frontier import curve
from epstar.web.worker import Context

pytestmark = pytest.mark.xdist_group("explorer")

SMALL = Limits(seconds=5.0, workers=1, queued_per_user=3, queued=4)


@contextmanager
def small_server(limits: Limits) -> Iterator[str]:
    """A server in this process with one worker and a short queue."""
    with server_here(limits) as address, Client.of(address) as first:
        # The worker has started, and what the page opens with is done, once it has answered this.
        for distortion in ("1/5", "1/6", "1/7", "1/8"):
            first.ask("solve", {**ASKED, "at": {"distortion": distortion}})
        yield address


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    """A small server on which no job comes near its time limit."""
    with small_server(replace(SMALL, seconds=1800.0)) as address:
        yield address


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


def test_nobody_sees_or_cancels_the_job_of_another(client: Client, address: str) -> None:
    job = client.start("curve", LONG)
    with Client.of(address) as stranger:
        assert stranger.http.get(f"/api/jobs/{job}").status_code == 404
        assert stranger.http.delete(f"/api/jobs/{job}").status_code == 404
    assert client.http.get(f"/api/jobs/{job}").status_code == 202
    client.cancel(job)


def test_the_time_limit_ends_a_job_and_the_next_one_runs() -> None:
    with small_server(SMALL) as address, Client.of(address) as client:
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


def test_a_worker_that_dies_is_replaced(small: str) -> None:
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


def test_the_queue_is_bounded_for_a_user_and_for_all(small: str) -> None:
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


def test_the_same_question_is_computed_once_for_a_user_and_apart_for_others(client: Client, address: str) -> None:
    asked = {**ASKED, "source": {"prior": ["5/10", "3/10", "1/10", "1/10"]}}
    first = client.answer("solve", asked).json()["job"]
    again = client.answer("solve", dict(reversed(asked.items()))).json()["job"]
    assert first == again
    with Client.of(address) as other:
        assert other.answer("solve", asked).json()["job"] != first


def test_users_take_turns() -> None:
    queue = Queue(replace(SMALL, queued_per_user=10, queued=20))
    for owner in "aaab":
        queue.put(Job(owner, "solve", {}, "question"))
    taken = [queue.take() for _ in range(4)]
    assert [job.owner for job in taken if job is not None] == ["a", "b", "a", "a"]


def test_work_in_the_background_leaves_a_worker_free() -> None:
    queue = Queue(replace(SMALL, workers=2, queued_per_user=10, queued=20))
    marks = [Job("a", "breakpoints", {}, str(i)) for i in range(2)]
    for job in marks:
        queue.put(job)
    assert queue.take() is marks[0]
    click = Job("a", "solve", {}, "click")
    queue.put(click)
    assert queue.take() is click
    queue.release(marks[0])
    assert queue.take() is marks[1]


def test_a_closed_queue_lets_go_of_those_who_wait() -> None:
    queue = Queue(SMALL)
    found: list[Job | None] = []
    waiting = threading.Thread(target=lambda: found.append(queue.take()))
    waiting.start()
    assert queue.close() == []
    waiting.join(60)
    assert found == [None]


def test_finished_jobs_make_room_in_the_queue() -> None:
    queue = Queue(SMALL)
    jobs = [Job("a", "solve", {}, str(i)) for i in range(3)]
    for job in jobs:
        queue.put(job)
    with pytest.raises(TooManyJobs, match="You have too many"):
        queue.put(Job("a", "solve", {}, "one more"))
    jobs[0].finish(failure(422, "No."))
    queue.put(Job("a", "solve", {}, "one more"))


def test_results_are_forgotten_when_they_take_too_much_memory() -> None:
    kept = Kept(most_bytes=5000)
    jobs = [Job("a", "solve", {}, str(i)) for i in range(4)]
    for job in jobs:
        kept.add(job)
        job.finish(Outcome("done", 200, b"1" * 1000))
    assert [kept.find("a", job.identifier) is job for job in jobs] == [False, False, True, True]
    assert kept.same("a", "0") is None
    assert kept.same("a", "3") is jobs[3]
    assert kept.find("b", jobs[3].identifier) is None


def test_a_problem_in_the_limits_and_one_beyond_them() -> None:
    limits = Limits(inputs=4)
    assert limits.check_problem(PROBLEM) is PROBLEM
    with pytest.raises(ValueError, match="at most 4 inputs"):
        limits.check_problem({"universe": {"databases": {"size": 2, "rows": 3}}})
