"""Questions of users, answered by the pool; the same question of the same user is computed once."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from epstar.web.jobs import CANCELLED, Job, Kept
from epstar.web.limits import Limits
from epstar.web.pool import Pool
from epstar.web.preload import OPENING
from epstar.web.question import EVERYBODY, Asker, Question
from epstar.web.queue import TooManyJobs


class Service:
    """The jobs of all users.

    Results are remembered for each user apart: how fast an answer comes must not tell what somebody else asked.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._pool = Pool(limits)
        self._kept = Kept(limits.kept_bytes)

    @property
    def is_working(self) -> bool:
        """Whether anybody is there to answer."""
        return self._pool.is_working

    def start(self) -> None:
        """Start the workers, and let them compute what the page opens with."""
        self._pool.start()
        # A server with a short queue starts with as much of it as fits.
        with suppress(TooManyJobs):
            for task, document in OPENING:
                self._submit(Job(EVERYBODY, Question.read(task, json.dumps(document))))

    def stop(self) -> None:
        """End the workers."""
        self._pool.stop()

    def ask(self, asker: Asker, question: Question) -> Job:
        """Return the job that answers a question, new or known.

        Raises:
            TooManyJobs: if too many wait or run already.
        """
        everybody = self._kept.same(EVERYBODY.identity, question)
        if everybody is not None and everybody.outcome is not None:
            return everybody
        return self._kept.same(asker.identity, question) or self._submit(Job(asker, question))

    def _submit(self, job: Job) -> Job:
        self._pool.submit(job)
        self._kept.add(job)
        return job

    def find(self, user: str, identifier: str) -> Job | None:
        """Return a user's own job."""
        return self._kept.find(user, identifier)

    def cancel(self, job: Job) -> None:
        """Stop a job, or keep it from starting."""
        job.cancelled.set()
        if not job.is_running:
            job.finish(CANCELLED)

    async def wait(self, job: Job, seconds: float) -> None:
        """Return when the job has ended, or after some seconds."""
        job.listen(seconds)
        if job.outcome is None:
            await asyncio.wait({asyncio.wrap_future(job.future)}, timeout=seconds)
