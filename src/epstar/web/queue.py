"""The queue before the workers: who may wait in it, and whose turn it is."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator

from epstar.web.jobs import CANCELLED, Job, failure
from epstar.web.limits import Limits

# So long others wait before work that only adds to a picture is put off: it is begun anew, by a new process.
GIVE_WAY_SECONDS = 2.0


class TooManyJobs(Exception):
    """The queue is full, for this user or for everybody."""


class Turns:
    """Jobs that wait: addresses take turns, at each address its users, and the jobs of each user are in order.

    So nobody waits for all that another asked, however many users an address claims to have.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Job]]] = OrderedDict()

    def put(self, job: Job) -> None:
        """Add a job after the user's others."""
        users = self._waiting.setdefault(job.asker.address, OrderedDict())
        users.setdefault(job.asker.turn, deque()).append(job)

    def put_back(self, job: Job) -> None:
        """Add a job before all others: it was taken, and could not be begun."""
        users = self._waiting.setdefault(job.asker.address, OrderedDict())
        users.setdefault(job.asker.turn, deque()).appendleft(job)
        users.move_to_end(job.asker.turn, last=False)
        self._waiting.move_to_end(job.asker.address, last=False)

    def take(self, has_room: Callable[[str], bool]) -> Job | None:
        """Return the next job from an address for which there is room, or None; what has ended is left out."""
        for address in [address for address in self._waiting if has_room(address)]:
            while address in self._waiting:
                job = self._take_from(address)
                if job.outcome is None:
                    self._let_others_first(address)
                    return job
        return None

    def _take_from(self, address: str) -> Job:
        users = self._waiting[address]
        turn, jobs = next(iter(users.items()))
        job = jobs.popleft()
        users.move_to_end(turn)
        if not jobs:
            del users[turn]
        if not users:
            del self._waiting[address]
        return job

    def _let_others_first(self, address: str) -> None:
        if address in self._waiting:
            self._waiting.move_to_end(address)

    def __iter__(self) -> Iterator[Job]:
        return (job for users in self._waiting.values() for jobs in users.values() for job in jobs)


class Queue:
    """What waits for a worker, by rank: long work never takes the last worker, so that who clicks is served."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._turns = (Turns(), Turns(), Turns())
        self._room_for_long = max(1, limits.workers - 1)
        self._running: Counter[str] = Counter()
        self._unfinished: Counter[tuple[str, ...]] = Counter()
        self._bytes = 0
        self._changed = threading.Condition()
        self.closed = threading.Event()

    def put(self, job: Job) -> None:
        """Add a job.

        Raises:
            TooManyJobs: if too many wait or run already.
        """
        size = len(job.question.text)
        with self._changed:
            self._check_room(job, size)
            self._bytes += size
            self._unfinished.update(_counted(job))
            self._turns[job.rank].put(job)
            # All, because the one that is woken may be one that must leave the job to another.
            self._changed.notify_all()
        job.future.add_done_callback(lambda _: self._finished(job, size))

    def _check_room(self, job: Job, size: int) -> None:
        limits, (everybody, address, user) = self._limits, _counted(job)
        if self._unfinished[user] >= limits.queued_per_user:
            raise TooManyJobs("You have too many computations under way; wait for some, or cancel them.")
        if self._unfinished[address] >= limits.queued_per_address:
            raise TooManyJobs("Too many computations are under way for your address; wait for some, or cancel them.")
        if self._unfinished[everybody] >= limits.queued or self._bytes + size > limits.queued_bytes:
            raise TooManyJobs("The server has too much to compute at the moment; try again in a minute.")

    def take(self, seconds: float) -> Job | None:
        """Return the next job to run; None if there is none for some seconds, or the queue is closed."""
        end = time.monotonic() + seconds
        with self._changed:
            while not self.closed.is_set():
                job = self._next()
                left = end - time.monotonic()
                if job is not None or left <= 0:
                    return job
                self._changed.wait(left)
        return None

    def _next(self) -> Job | None:
        for turns in self._turns[: None if self._room_for_long > 0 else 1]:
            job = turns.take(self._has_room)
            if job is not None:
                self._room_for_long -= job.rank > 0
                self._running[job.asker.address] += 1
                return job
        return None

    def _has_room(self, address: str) -> bool:
        most = self._limits.running_per_address
        return most is None or self._running[address] < most

    def should_give_way(self, job: Job) -> bool:
        """Return whether a job that runs only adds to a picture, while others wait for what somebody looks at."""
        if job.rank < 2:
            return False
        before = time.monotonic() - GIVE_WAY_SECONDS
        with self._changed:
            waiting = [other for turns in self._turns[: job.rank] for other in turns]
        return any(other.asked_at < before and other.outcome is None for other in waiting)

    def put_back(self, job: Job) -> None:
        """Take back a job that could not be begun, or gives way; the next worker that is free for it begins it."""
        with self._changed:
            self._turns[job.rank].put_back(job)
        self.release(job)

    def release(self, job: Job) -> None:
        """Say that a job that was taken runs no more."""
        with self._changed:
            self._room_for_long += job.rank > 0
            self._running -= Counter([job.asker.address])
            self._changed.notify_all()

    def end_overdue(self) -> None:
        """End the jobs that have waited too long: whoever asked should hear of it, and not wait for ever.

        What nobody waits for any more is cancelled.
        """
        longest = self._limits.waiting_seconds
        before = time.monotonic() - longest
        with self._changed:
            waiting = [job for turns in self._turns for job in turns]
        for job in waiting:
            if job.is_abandoned(self._limits.abandoned_seconds):
                job.cancelled.set()
                job.finish(CANCELLED)
        for job in [job for job in waiting if job.asked_at < before]:
            job.finish(failure(503, f"No worker was free for {longest:g} seconds; try again later."))

    def close(self) -> list[Job]:
        """Wake everybody who waits for a job, and return the jobs that will not be run."""
        with self._changed:
            self.closed.set()
            self._changed.notify_all()
            return [job for turns in self._turns for job in turns]

    def _finished(self, job: Job, size: int) -> None:
        with self._changed:
            self._bytes -= size
            self._unfinished -= Counter(_counted(job))


def _counted(job: Job) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return under what an unfinished job is counted: all jobs, those of its address, those of its user."""
    return (), (job.asker.address,), (job.asker.address, job.asker.turn)
