"""Worker processes and the queue before them: jobs run one to a process, users take turns."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator

from epstar.web.jobs import CANCELLED, Job, Outcome, failure
from epstar.web.limits import Limits
from epstar.web.worker import Message, serve

_POLL_SECONDS = 0.05
# A worker that has not imported the library by then never will.
_START_SECONDS = 120.0
_GRACE_SECONDS = 2.0
_MOMENT_SECONDS = 1.0


class TooManyJobs(Exception):
    """The queue is full, for this user or for everybody."""


class Turns:
    """Jobs that wait: each user's in order, and the users in turn, so that nobody waits for all that another asked."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()

    def put(self, job: Job) -> None:
        """Add a job after the user's others."""
        self._waiting.setdefault(job.owner, deque()).append(job)

    def take(self) -> Job | None:
        """Return the next job, or None if there is none."""
        if not self._waiting:
            return None
        owner, jobs = next(iter(self._waiting.items()))
        job = jobs.popleft()
        self._waiting.move_to_end(owner)
        if not jobs:
            del self._waiting[owner]
        return job

    def __iter__(self) -> Iterator[Job]:
        return (job for jobs in self._waiting.values() for job in jobs)


class Queue:
    """What waits for a worker; work in the background never takes the last one, so that who clicks is served."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._foreground, self._background = Turns(), Turns()
        self._room_behind = max(1, limits.workers - 1)
        self._unfinished: dict[str, int] = {}
        self._changed = threading.Condition()
        self.is_closed = False

    def put(self, job: Job) -> None:
        """Add a job.

        Raises:
            TooManyJobs: if too many wait or run already.
        """
        with self._changed:
            if self._unfinished.get(job.owner, 0) >= self._limits.queued_per_user:
                raise TooManyJobs("You have too many computations under way; wait for some, or cancel them.")
            if sum(self._unfinished.values()) >= self._limits.queued:
                raise TooManyJobs("The server has too much to compute at the moment; try again in a minute.")
            self._unfinished[job.owner] = self._unfinished.get(job.owner, 0) + 1
            (self._background if job.is_background else self._foreground).put(job)
            self._changed.notify()
        job.future.add_done_callback(lambda _: self._finished(job))

    def take(self) -> Job | None:
        """Return the next job to run, waiting for one; None once the queue is closed."""
        with self._changed:
            while not self.is_closed:
                job = self._foreground.take()
                if job is None and self._room_behind > 0:
                    job = self._background.take()
                    self._room_behind -= job is not None
                if job is not None:
                    return job
                self._changed.wait()
        return None

    def release(self, job: Job) -> None:
        """Say that a job that was taken runs no more."""
        if job.is_background:
            with self._changed:
                self._room_behind += 1
                self._changed.notify()

    def close(self) -> list[Job]:
        """Wake everybody who waits for a job, and return the jobs that will not be run."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()
            return [*self._foreground, *self._background]

    def _finished(self, job: Job) -> None:
        with self._changed:
            self._unfinished[job.owner] -= 1
            if self._unfinished[job.owner] == 0:
                del self._unfinished[job.owner]


class Worker:
    """One process and our end of its pipe; it is free unless it is busy with a job, or dead."""

    def __init__(self, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, limits), daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready = False
        self.is_free = True

    def ask(self, job: Job) -> None:
        """Give the process a job, once it has imported the library: that does not count as time of a job."""
        self.is_free = False
        if not self._is_ready:
            if not self._pipe.poll(_START_SECONDS):
                raise EOFError
            self._pipe.recv()
            self._is_ready = True
        self._pipe.send((job.task, job.document))
        job.is_running = True

    def hear(self, job: Job) -> Outcome | None:
        """Return how the job ended, if it did within a moment."""
        if not self._pipe.poll(_POLL_SECONDS):
            return None
        message: Message = self._pipe.recv()
        kind, content = message
        if kind == "progress":
            job.progress = content
            return None
        self.is_free = True
        return Outcome("done", 200, content) if kind == "done" else failure(*content)

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Pool:
    """A fixed number of workers; one that dies or is stopped is replaced at once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._queue = Queue(limits)
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(limits.workers)]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the workers and every job."""
        for job in self._queue.close():
            job.finish(CANCELLED)
        for thread in self._threads:
            thread.join()

    def submit(self, job: Job) -> None:
        """Queue a job.

        Raises:
            TooManyJobs: if too many wait or run already.
        """
        self._queue.put(job)

    def _run(self) -> None:
        worker = Worker(self._limits)
        try:
            while (job := self._queue.take()) is not None:
                outcome = CANCELLED if job.cancelled.is_set() else self._outcome(worker, job)
                if not worker.is_free:
                    worker.kill()
                    worker = Worker(self._limits)
                self._queue.release(job)
                job.finish(outcome)
        finally:
            worker.kill()

    def _outcome(self, worker: Worker, job: Job) -> Outcome:
        """Return how a job ended; the worker is free again, or has to be replaced."""
        try:
            worker.ask(job)
            deadline = time.monotonic() + self._limits.seconds + _GRACE_SECONDS
            while time.monotonic() < deadline:
                if self._queue.is_closed:
                    return CANCELLED
                if job.cancelled.is_set() and job.outcome is None:
                    # Nobody waits for it; a moment, because a worker that ends by itself need not be replaced.
                    job.finish(CANCELLED)
                    deadline = min(deadline, time.monotonic() + _MOMENT_SECONDS)
                outcome = worker.hear(job)
                if outcome is not None:
                    return outcome
        except (EOFError, OSError):
            return failure(500, "The computation ended unexpectedly; ask about something smaller, or report it.")
        return failure(504, f"The time limit of {self._limits.seconds:g} seconds passed; ask about something smaller.")
