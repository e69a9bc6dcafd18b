"""Jobs: what was asked, by whom, how far it is, and what came out."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from epstar.web.question import EVERYBODY, Asker, Question

# What fills a picture while people look at it, and what only adds to one; everything else is waited for.
_PICTURES = ("curve", "figure", "convert", "rerun")
_ADDITIONS = ("breakpoints", "baselines")
State = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Outcome:
    """How a job ended: the status code that says so, and its result or one sentence, as JSON."""

    state: State
    status: int
    body: bytes

    @property
    def size(self) -> int:
        """The memory that remembering it takes, about."""
        return len(self.body) + 1024


def failure(status: int, sentence: str) -> Outcome:
    """Return the outcome of a job that has no result."""
    return Outcome("failed", status, json.dumps(sentence).encode())


CANCELLED = Outcome("cancelled", 200, json.dumps("The computation was cancelled.").encode())


@dataclass(eq=False)
class Job:
    """One computation for one user. The identifier cannot be guessed, and another user's is never shown."""

    asker: Asker
    question: Question
    identifier: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    asked_at: float = field(default_factory=time.monotonic)
    heard_until: float = field(default_factory=time.monotonic)
    progress: tuple[int, int] | None = None
    partial: bytes | None = None
    is_running: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)
    future: Future[Outcome] = field(default_factory=Future)

    @property
    def rank(self) -> int:
        """Its place in the queue: 0 for what somebody waits for, 1 for pictures, 2 for additions, and for strangers."""
        if self.question.task in _ADDITIONS or not self.asker.is_known:
            return 2
        return 1 if self.question.task in _PICTURES else 0

    def listen(self, seconds: float) -> None:
        """Somebody waits for it for some seconds from now on."""
        self.heard_until = max(self.heard_until, time.monotonic() + seconds)

    def is_abandoned(self, seconds: float) -> bool:
        """Return whether nobody has waited for it for some seconds, as when a page was closed before it was told."""
        return self.asker != EVERYBODY and time.monotonic() > self.heard_until + seconds

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None while it has not."""
        return self.future.result() if self.future.done() else None

    def set_back(self) -> None:
        """It runs no more, and waits to be begun anew."""
        self.is_running, self.progress, self.partial = False, None, None

    def finish(self, outcome: Outcome) -> None:
        """End the job, unless it has ended already."""
        with suppress(InvalidStateError):
            self.future.set_result(outcome)
            # What was asked may be long, and only its digest is needed any more.
            self.question = replace(self.question, text="")

    def to_json(self) -> bytes:
        """Return the job as JSON: its state, and its result or the sentence that says why there is none.

        "question" is the beginning of the digest of what was asked: files that are made of the result are named by it.
        """
        outcome = self.outcome
        head: dict[str, object] = {"job": self.identifier, "question": self.question.digest[:16]}
        if outcome is None:
            head["state"] = "running" if self.is_running else "queued"
            if self.progress is not None:
                head["progress"] = {"done": self.progress[0], "total": self.progress[1]}
            written = json.dumps(head).encode()
            return written if self.partial is None else written[:-1] + b', "partial": ' + self.partial + b"}"
        start = json.dumps({**head, "state": outcome.state})[:-1].encode()
        name = b"result" if outcome.state == "done" else b"error"
        return start + b', "' + name + b'": ' + outcome.body + b"}"


class Kept:
    """The jobs that can still be asked about, and which of them answered which question of which user.

    The oldest finished ones are forgotten when their results take too much memory.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._by_question: dict[tuple[str, str], Job] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, owner: str, identifier: str) -> Job | None:
        """Return a user's own job."""
        with self._lock:
            job = self._jobs.get(identifier)
        return job if job is not None and secrets.compare_digest(job.asker.identity, owner) else None

    def same(self, owner: str, question: Question) -> Job | None:
        """Return the job in which this user asked the same, unless it ended without a result."""
        with self._lock:
            job = self._by_question.get((owner, question.digest))
        if job is None or job.cancelled.is_set():
            return None
        return job if job.outcome is None or job.outcome.state == "done" else None

    def add(self, job: Job) -> None:
        """Remember a job."""
        with self._lock:
            self._jobs[job.identifier] = job
            self._by_question[_key(job)] = job
        job.future.add_done_callback(lambda done: self._make_room(done.result()))

    def _make_room(self, outcome: Outcome) -> None:
        with self._lock:
            self._bytes += outcome.size
            for identifier, job in list(self._jobs.items()):
                if self._bytes <= self._most_bytes:
                    break
                if job.outcome is not None:
                    self._bytes -= job.outcome.size
                    del self._jobs[identifier]
                    if self._by_question.get(_key(job)) is job:
                        del self._by_question[_key(job)]


def _key(job: Job) -> tuple[str, str]:
    return job.asker.identity, job.question.digest
