"""A trade-off at many points: the answers in order, with their proven bands."""

from __future__ import annotations

import copyreg
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from epstar.answer import Answer, checked_answer, refutation, unit_asked
from epstar.breakpoints import Breakpoint, breakpoints
from epstar.claims import Bracket
from epstar.errors import InvalidInput, NoSolution, SolverFailure, TimeLimit
from epstar.exact import INFINITY, Rational, Real
from epstar.memory import Memory, in_use
from epstar.notebook.face import Displayed, Saved, Tabular, late
from epstar.problem import Asked, Problem
from epstar.proof import AnyProof, CurveProof

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from epstar.solve import Bracket as Solution

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

# Starting workers costs a few seconds of imports on a busy machine; shorter work is done sooner without them.
_TRIAL_SECONDS = 1.0
_WORTH_SECONDS = 10.0


@dataclass(frozen=True)
class Unanswered:
    """A point without an answer: provably no mechanism, a solver that gave up, or a time limit that passed.

    Where there is no mechanism, `proof` shows it to others if the reason is one of weak duality.
    """

    reason: str
    is_impossible: bool
    timed_out: bool = False
    proof: AnyProof | None = None
    claims: Bracket | None = None
    """What is claimed instead, where it was read from a file."""


@dataclass(frozen=True, repr=False)
class Curve(Displayed, Tabular, Saved):
    """Answers to the same question at many points, in the order in which they were asked.

    `lower` and `upper` are the proven ends of what was asked for: losses at given distortions, or distortions
    (utilities, for a gain) at given losses. A point without a mechanism has an infinite loss or distortion.

    For one prior under Hamming distortion, and a notion with a closed form, all points share one `proof`, which was
    checked when the curve was made; the answers, each with its mechanism and a proof of its own, are made when they are
    asked for.

    >>> from epstar.distortion import Hamming
    >>> from epstar.frontier import Frontier
    >>> from epstar.notions import MaximalLeakage
    >>> from epstar.source import Prior
    >>> curve = Frontier(MaximalLeakage(), Prior(["1/2", "1/2"]), Hamming()).curve(distortions=["1/4", "1/2"])
    >>> [str(answer.interval.upper) for answer in curve.answers]
    ['log(3/2)', '0']
    """

    _face: ClassVar[str] = "curves"

    problems: tuple[Problem, ...]
    answers: Sequence[Answer | Unanswered]
    proof: CurveProof | None = None
    """The proof of all ends at once, where there is one."""
    time_limit: float | None = None
    """The seconds that the points were given together; the breakpoints are given as many."""

    @property
    def asks(self) -> Asked:
        """What was asked for at every point: "loss" or "distortion"."""
        return self.problems[0].asks

    @property
    def unit(self) -> str:
        """What the ends are measured in: "nats", "distortion" or "utility"."""
        return unit_asked(self.problems[0])

    @property
    def timed_out(self) -> bool:
        """Whether a time limit left a point without an answer, or with a wider interval than it would have had."""
        return self.proof is None and any(answer.timed_out for answer in self.answers)

    @property
    def too_large(self) -> bool:
        """Whether the memory allowed left a point with a wider interval than it would have had."""
        return self.proof is None and any(isinstance(answer, Answer) and answer.too_large for answer in self.answers)

    @property
    def distortion(self) -> Floats:
        """The distortion of each point: as given, or the proven upper end, which the mechanism attains."""
        return self._given if self.asks == "loss" else self._attained

    @property
    def loss(self) -> Floats:
        """The loss of each point: as given, or the proven upper end, which the mechanism attains."""
        return self._attained if self.asks == "loss" else self._given

    @cached_property
    def lower(self) -> Floats:
        """The proven lower ends."""
        if self.proof is not None:
            return np.array([point.lower.lower for point in self.proof.points])
        return np.array([self._ends(answer)[0] for answer in self.answers])

    @cached_property
    def upper(self) -> Floats:
        """The proven upper ends."""
        if self.proof is not None:
            return np.array([point.upper.upper for point in self.proof.points])
        return np.array([self._ends(answer)[1] for answer in self.answers])

    @cached_property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints of the whole trade-off; found when they are first asked for.

        Raises:
            TimeLimit: if the curve has a time limit, and as many seconds are not enough.
        """
        return breakpoints(self.problems[0], self.time_limit)

    def plot(self, axes: Axes | None = None, breakpoints: bool = True) -> Axes:
        """Draw the trade-off with its proven band onto `axes`, or onto new ones, and return them.

        With `breakpoints` they are marked; to find them takes a scan where there is no closed form.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        drawn: Axes = late("pictures").plot(self, axes, breakpoints)
        return drawn

    @property
    def _given(self) -> Floats:
        return np.array([float(problem.given) for problem in self.problems])

    @property
    def _attained(self) -> Floats:
        # A utility is a distortion turned round, and its lower end is the one attained.
        return -self.lower if self._is_utility else self.upper

    @property
    def _is_utility(self) -> bool:
        return self.unit == "utility"

    def _ends(self, answer: Answer | Unanswered) -> tuple[float, float]:
        if isinstance(answer, Answer):
            return answer.lower, answer.upper
        if answer.is_impossible:
            end = -np.inf if self._is_utility else np.inf
            return end, end
        return (0.0 if self.asks == "loss" else -np.inf), np.inf


class AnswersOnDemand(Sequence[Answer | Unanswered]):
    """The answers of a curve whose ends are known: each is made, and its proof checked, when it is first asked for."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        self._made: dict[int, Answer | Unanswered] = {}

    def __len__(self) -> int:
        return len(self._problems)

    @overload
    def __getitem__(self, place: int) -> Answer | Unanswered: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Answer | Unanswered]: ...

    def __getitem__(self, place: int | slice) -> Answer | Unanswered | Sequence[Answer | Unanswered]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]
        if i not in self._made:
            self._made[i] = _answered(self._problems[i], _solved(self._problems[i]))
        return self._made[i]


def solved_curve(
    problems: Sequence[Problem],
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
) -> Curve:
    """Return the curve through the answers to `problems`, which differ only in the point that they ask about.

    Work that would take more than a few seconds is shared by worker processes, one for each core, unless `workers`
    says how many; the answers are the same. Workers import the running script again, so that a script which has no
    `if __name__ == "__main__":` is not given any, unless `workers` asks for them. `progress` is called with the
    number of points done and the number of all points.

    `time_limit` is in seconds and for all points together. In order, each may take half of what is left of it, so that
    a hard one leaves time for others; those that are not reached are `Unanswered`. One proof for all points is never
    cut short. `memory_limit` is in bytes, for this process with what it holds and all workers together; unless given,
    half of what is free is added to what it holds.
    """
    if not problems:
        raise InvalidInput("A curve needs at least one point; give distortions, losses or a number of points.")
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidInput("The number of workers must be an integer of at least 1; leave it out to choose it.")
    limits = _Limits(_end(time_limit), Memory(memory_limit).limit)
    proven = proven_curve(problems)
    if proven is not None:
        if progress is not None:
            progress(len(problems), len(problems))
        return proven
    answers: list[Answer | Unanswered] = []
    for outcome in _outcomes(problems, workers, limits):
        answers.append(_answered(problems[len(answers)], outcome))
        if progress is not None:
            progress(len(answers), len(problems))
    return Curve(tuple(problems), tuple(answers), time_limit=time_limit)


def proven_curve(problems: Sequence[Problem]) -> Curve | None:
    """Return the curve with one proof for all its points, checked; None where only single answers can be proven.

    It takes some fifty microseconds for each point, however many letters there are.
    """
    # Solvers are loaded when there is something to solve.
    from epstar.solve.forms.ranked_curve import curve_proof

    proof = curve_proof(problems)
    if proof is None:
        return None
    proof.check()
    return Curve(tuple(problems), AnswersOnDemand(tuple(problems)), proof)


def _end(limit: float | None) -> float | None:
    """Return when a time limit from now on is over, by the clock that processes share; None for no limit."""
    from epstar.deadline import Deadline

    left = Deadline(limit).remaining
    return None if left is None else time.time() + left


@dataclass(frozen=True)
class _Limits:
    """When the time for the whole curve is over, if ever, and how much memory a process may hold."""

    end: float | None = None
    memory: float | None = None

    def shared_by(self, workers: int) -> _Limits:
        """Return the limits of one of some workers."""
        return self if self.memory is None else _Limits(self.end, max(1.0, (self.memory - in_use()) / workers))


def _outcomes(problems: Sequence[Problem], workers: int | None, limits: _Limits) -> Iterator[Solution | Unanswered]:
    """Solve in order: here at first, by workers once the rest has proved long enough to pay for them."""
    count = _cores() if workers is None else workers
    start = time.monotonic()
    for done, problem in enumerate(problems):
        spent = time.monotonic() - start
        slow = spent > _TRIAL_SECONDS and spent / max(done, 1) * (len(problems) - done) > _WORTH_SECONDS
        if count > 1 and (workers is not None or (slow and _can_start_workers())):
            yield from _shared(problems[done:], min(count, len(problems) - done), limits)
            return
        yield _solved(problem, limits)


def _shared(problems: Sequence[Problem], count: int, limits: _Limits) -> Iterator[Solution | Unanswered]:
    """Solve by worker processes; what they cannot finish, because they died, is finished here."""
    done = 0
    solved = partial(_solved, limits=limits.shared_by(count))
    executor: Executor = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        for outcome in executor.map(solved, problems):
            yield outcome
            done += 1
    except BrokenProcessPool:
        yield from map(partial(_solved, limits=limits), problems[done:])
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _solved(problem: Problem, limits: _Limits | None = None) -> Solution | Unanswered:
    """Solve one point within the limits of the whole curve."""
    from epstar.solve import solve

    limits = _Limits() if limits is None else limits
    left = None if limits.end is None else limits.end - time.time()
    if left is not None and left <= 0:
        return Unanswered("The time limit passed before this point; raise it, or ask for fewer points.", False, True)
    try:
        return solve(problem, None, None if left is None else left / 2, limits.memory)
    except NoSolution as error:
        return Unanswered(str(error), True, proof=refutation(problem, error))
    except TimeLimit as error:
        return Unanswered(str(error), False, True)
    except SolverFailure as error:
        return Unanswered(str(error), False)


def _answered(problem: Problem, outcome: Solution | Unanswered) -> Answer | Unanswered:
    # Proofs are checked here, whoever found them: what a check returns cannot be sent between processes.
    return outcome if isinstance(outcome, Unanswered) else checked_answer(problem, outcome)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_start_workers() -> bool:
    """Return whether importing the running script again is harmless: it is guarded, or there is none."""
    if multiprocessing.parent_process() is not None:
        return False
    script = getattr(sys.modules["__main__"], "__file__", None)
    try:
        return script is None or "__main__" in Path(script).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _reduced(real: Real) -> tuple[Callable[[Rational | None, Rational | None], Real], tuple[Rational | None, ...]]:
    if real.rational is None and real.argument_of_log is None and not real.is_infinite:
        raise PicklingError("A number that is known by enclosures alone cannot be sent to another process.")
    return _restored, (real.rational, real.argument_of_log)


def _restored(value: Rational | None, argument_of_log: Rational | None) -> Real:
    if argument_of_log is not None:
        return Real.log(argument_of_log)
    return INFINITY if value is None else Real.of(value)


# Questions and proofs hold such numbers only; losses that are not, a check computes anew.
copyreg.pickle(Real, _reduced)
