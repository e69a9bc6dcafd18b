"""Worker processes, each with a thread that hands it jobs: whatever happens to either, both are there again."""

from __future__ import annotations

import multiprocessing
import threading
import time
from dataclasses import dataclass

from epstar.web.error_boundary import ErrorBoundary
from epstar.web.jobs import CANCELLED, Job, Outcome, failure
from epstar.web.limits import Limits
from epstar.web.queue import Queue
from epstar.web.worker import UNEXPECTED, Message, serve

_POLL_SECONDS = 0.05
# A worker that has not imported the library by then never will.
_START_SECONDS = 120.0
_GRACE_SECONDS = 2.0
_MOMENT_SECONDS = 1.0


class Worker:
    """One process and our end of its pipe; it is free unless it is busy with a job, or dead."""

    def __init__(self, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, limits), daemon=True)
        self._process.start()
        theirs.close()
        self._started_at = time.monotonic()
        self._is_ready = False
        self.is_free = True

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, and is not overdue to be ready."""
        is_late = not self._is_ready and time.monotonic() > self._started_at + _START_SECONDS
        return self._process.is_alive() and not is_late

    def is_ready(self) -> bool:
        """Return whether it has imported the library, waiting a moment for it: that is no time of a job."""
        if not self._is_ready and self._pipe.poll(_MOMENT_SECONDS):
            self._pipe.recv()
            self._is_ready = True
        return self._is_ready

    def ask(self, job: Job) -> None:
        """Give the process a job."""
        self.is_free = False
        self._pipe.send((job.question.task, job.question.text))
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
        if kind == "partial":
            job.partial = content
            return None
        self.is_free = True
        return Outcome("done", 200, content) if kind == "done" else failure(*content)

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


@dataclass(eq=False)
class Place:
    """A place for one worker: its process, None while there is none, and the thread that hands it jobs."""

    thread: threading.Thread
    worker: Worker | None = None

    @property
    def is_alive(self) -> bool:
        """Whether jobs can be answered here, now or once the library is imported."""
        worker = self.worker
        return self.thread.is_alive() and worker is not None and worker.is_alive

    def living_worker(self, limits: Limits) -> Worker:
        """Return the worker, a new one if it has died."""
        if self.worker is not None and not self.worker.is_alive:
            self.discard_worker()
        if self.worker is None:
            self.worker = Worker(limits)
        return self.worker

    def discard_worker(self) -> None:
        """End the worker; the next one is made when it is needed."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.kill()


class Pool:
    """A fixed number of places for workers; what dies there, process or thread, is replaced."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._queue = Queue(limits)
        self._places: list[Place] = []
        self._watch = threading.Thread(target=self._watch_over, daemon=True)

    def start(self) -> None:
        """Start the workers."""
        self._places = [self._new_place() for _ in range(self._limits.workers)]
        self._watch.start()

    def stop(self) -> None:
        """End the workers and every job."""
        for job in self._queue.close():
            job.finish(CANCELLED)
        self._watch.join()
        for place in self._places:
            place.thread.join()

    @property
    def is_working(self) -> bool:
        """Whether anybody is there to answer."""
        return self._watch.is_alive() and any(place.is_alive for place in self._places)

    def submit(self, job: Job) -> None:
        """Queue a job.

        Raises:
            TooManyJobs: if too many wait or run already.
        """
        self._queue.put(job)

    def _new_place(self) -> Place:
        place = Place(threading.Thread(target=lambda: self._attend(place), daemon=True))
        place.thread.start()
        return place

    def _watch_over(self) -> None:
        """Replace threads that have ended, and end jobs that have waited too long."""
        while not self._queue.closed.wait(_MOMENT_SECONDS):
            with ErrorBoundary("replace a thread"):
                for i, place in enumerate(self._places):
                    if not place.thread.is_alive():
                        self._places[i] = self._new_place()
                        place.discard_worker()
            with ErrorBoundary("end what waited too long"):
                self._queue.end_overdue()

    def _attend(self, place: Place) -> None:
        """Hand jobs to the worker of a place, whatever happens, until the queue is closed."""
        try:
            while not self._queue.closed.is_set():
                with ErrorBoundary("hand over a job") as attempt:
                    self._hand_over(place)
                if attempt.met_error:
                    with ErrorBoundary("end a worker"):
                        place.discard_worker()
                    self._queue.closed.wait(_MOMENT_SECONDS)
        finally:
            place.discard_worker()

    def _hand_over(self, place: Place) -> None:
        """Let the worker of a place do the next job, if there is one within a moment."""
        worker = place.living_worker(self._limits)
        # Nothing is taken that cannot be begun at once.
        job = self._queue.take(_MOMENT_SECONDS) if worker.is_ready() else None
        if job is None:
            return
        if not worker.is_alive:
            # It died while nobody asked; whoever asks now need not notice.
            self._queue.put_back(job)
            return
        outcome: Outcome | None = failure(500, UNEXPECTED)
        try:
            outcome = CANCELLED if job.cancelled.is_set() else self._outcome(worker, job)
        finally:
            if outcome is None:
                job.set_back()
                self._queue.put_back(job)
            else:
                self._queue.release(job)
                job.finish(outcome)
        if not worker.is_free:
            place.discard_worker()

    def _outcome(self, worker: Worker, job: Job) -> Outcome | None:
        """Return how a job ended, None if it gives way to another; the worker is free again, or has to be replaced."""
        worker.ask(job)
        deadline = time.monotonic() + self._limits.seconds + _GRACE_SECONDS
        while time.monotonic() < deadline:
            if self._queue.closed.is_set():
                return CANCELLED
            if job.is_abandoned(self._limits.abandoned_seconds):
                job.cancelled.set()
            if job.cancelled.is_set() and job.outcome is None:
                # Nobody waits for it; a moment, because a worker that ends by itself need not be replaced.
                job.finish(CANCELLED)
                deadline = min(deadline, time.monotonic() + _MOMENT_SECONDS)
            outcome = worker.hear(job)
            if outcome is not None:
                return outcome
            if job.outcome is None and self._queue.should_give_way(job):
                return None
        return failure(504, f"The time limit of {self._limits.seconds:g} seconds passed; ask about something smaller.")
