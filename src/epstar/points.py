"""The points of a curve, as they come: solved here, by processes, or on any executor.

Points are solved in chains: each begins with what its predecessor knew (a warm start), so that the same points have the
same answers whoever solves them. An executor is any of `concurrent.futures`: threads, processes, or what a cluster
offers in that form.
"""

from __future__ import annotations

import copyreg
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, TypeAlias

from epstar.answer import Answer, checked_answer, refutation
from epstar.claims import Bracket
from epstar.completion import AnyProof
from epstar.deadline import Deadline
from epstar.errors import InvalidInput, NoSolution, SolverFailure, TimeLimit
from epstar.exact import INFINITY, Rational, Real
from epstar.memory import Memory, in_use
from epstar.problem import Problem

if TYPE_CHECKING:
    from epstar.solve import Bracket as Solution

# Starting workers costs a few seconds of imports on a busy machine; shorter work is done sooner without them.
_TRIAL_SECONDS = 1.0
_WORTH_SECONDS = 10.0
# Points of one chain at the most: a longer one keeps others waiting. A short curve has as many chains as this.
_CHAIN, _CHAINS = 8, 16

Outcome: TypeAlias = "Solution | Answer | Unanswered"
Chain: TypeAlias = "Sequence[tuple[int, Problem]]"
"""Neighbouring points with their places in the curve."""


@dataclass(frozen=True)
class Unanswered:
    """A point without an answer: provably no mechanism, a solver that gave up, or a time limit that passed.

    Where there is no mechanism, `proof` shows it to others if the reason is one of weak duality.

    >>> from epstar import Frontier, Limits
    >>> curve = Frontier("leakage", [0.5, 0.5], "hamming", limits=Limits(upper="9/10")).curve(distortions=[0])
    >>> [(type(found).__name__, found.is_impossible) for found in curve.answers]
    [('Unanswered', True)]
    """

    reason: str
    is_impossible: bool
    timed_out: bool = False
    proof: AnyProof | None = None
    claims: Bracket | None = None
    """What is claimed instead, where it was read from a file."""


def stream(
    problems: Sequence[Problem],
    workers: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    executor: Executor | None = None,
    far_first: bool = False,
) -> Iterator[tuple[int, Answer | Unanswered]]:
    """Yield the answers to `problems` with their places, as they come.

    The problems differ only in the point that they ask about. Work that would take more than a few seconds is shared by
    worker processes, one for each core, unless `workers` says how many, or an `executor` is given, to which all of it
    goes. Workers import the running script again, so that a script which has no `if __name__ == "__main__":` is not
    given any, unless `workers` asks for them.

    `time_limit` is in seconds and for all points together: each may take half of what is left of it, so that a hard one
    leaves time for others; those that are not reached are `Unanswered`. `memory_limit` is in bytes, for this process
    with what it holds and all workers together, on an executor for each of its processes; unless given, half of what is
    free is added to what a process holds. With `far_first` points far apart come before those between them.

    >>> from epstar.problem_file import read_problems
    >>> coin = {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]}}
    >>> asked = {**coin, "distortion": {"name": "hamming"}, "at": {"curve": [0, "1/4"]}}
    >>> [(place, str(answer.interval.upper)) for place, answer in stream(read_problems(asked), workers=1)]
    [(0, 'log(2)'), (1, 'log(3/2)')]
    """
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidInput("The number of workers must be an integer of at least 1; leave it out to choose it.")
    if executor is not None and (workers is not None or not isinstance(executor, Executor)):
        raise InvalidInput("An executor of concurrent.futures has its own workers; give one of the two.")
    left = Deadline(time_limit).remaining
    end = None if left is None else time.time() + left
    memory = None if executor is not None and memory_limit is None else Memory(memory_limit).limit
    limits = _Limits(end, memory)
    chains = _chains(problems, far_first)
    outcomes = _outcomes(chains, workers, limits) if executor is None else _on(executor, chains, limits)
    return ((place, answered(problems[place], outcome)) for place, outcome in outcomes)


def _chains(problems: Sequence[Problem], far_first: bool) -> list[Chain]:
    if far_first:
        return [[(place, problems[place])] for place in _far_first(len(problems))]
    length = min(_CHAIN, 1 + len(problems) // _CHAINS)
    places = list(enumerate(problems))
    return [places[start : start + length] for start in range(0, len(places), length)]


def _far_first(count: int) -> list[int]:
    """Return 0 to count - 1 so that every beginning is spread over all of them.

    >>> _far_first(6)
    [0, 5, 4, 2, 1, 3]
    """
    step = 1 << max(0, count - 1).bit_length()
    order = [0, count - 1]
    while step > 1:
        order += range(step // 2, count, step)
        step //= 2
    return list(dict.fromkeys(order))


@dataclass(frozen=True)
class _Limits:
    """When the time for the whole curve is over, if ever, and how much memory a process may hold."""

    end: float | None = None
    memory: float | None = None

    def shared_by(self, workers: int) -> _Limits:
        """Return the limits of one of some workers."""
        return self if self.memory is None else _Limits(self.end, max(1.0, (self.memory - in_use()) / workers))


def _outcomes(chains: Sequence[Chain], workers: int | None, limits: _Limits) -> Iterator[tuple[int, Outcome]]:
    """Solve in order: here at first, by workers once the rest has proved long enough to pay for them."""
    count = _cores() if workers is None else workers
    start = time.monotonic()
    for done, chain in enumerate(chains):
        spent = time.monotonic() - start
        slow = spent > _TRIAL_SECONDS and spent / max(done, 1) * (len(chains) - done) > _WORTH_SECONDS
        if count > 1 and (workers is not None or (slow and _can_start_workers())):
            yield from _shared(chains[done:], min(count, len(chains) - done), limits)
            return
        yield from _linked(chain, limits)


def _shared(chains: Sequence[Chain], count: int, limits: _Limits) -> Iterator[tuple[int, Outcome]]:
    """Solve by worker processes."""
    executor = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield from _on(executor, chains, limits.shared_by(count))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _on(executor: Executor, chains: Sequence[Chain], limits: _Limits) -> Iterator[tuple[int, Outcome]]:
    """Solve on an executor; what it cannot finish, because its workers died, is finished here."""
    left = {chain[0][0]: chain for chain in chains}
    futures: list[Future[list[tuple[int, Outcome]]]] = []
    try:
        futures += [executor.submit(_solved_chain, chain, limits) for chain in chains]
        for future in as_completed(futures):
            found = future.result()
            del left[found[0][0]]
            yield from found
    except BrokenExecutor:
        for chain in list(left.values()):
            yield from _linked(chain, limits)
    finally:
        for future in futures:
            future.cancel()


def _solved_chain(chain: Chain, limits: _Limits) -> list[tuple[int, Outcome]]:
    return list(_linked(chain, limits))


def _linked(chain: Chain, limits: _Limits) -> Iterator[tuple[int, Outcome]]:
    """Solve the points of a chain, each from what is known of the one before."""
    known: tuple[AnyProof, ...] = ()
    for place, problem in chain:
        outcome = solved(problem, limits, known)
        known = () if isinstance(outcome, Unanswered | Answer) else (outcome.evidence,)
        yield place, outcome


def solved(problem: Problem, limits: _Limits | None = None, known: Sequence[AnyProof] = ()) -> Outcome:
    """Solve one point within the limits of the whole curve."""
    from epstar.solve import solve

    limits = _Limits() if limits is None else limits
    left = None if limits.end is None else limits.end - time.time()
    if left is not None and left <= 0:
        return Unanswered("The time limit passed before this point; raise it, or ask for fewer points.", False, True)
    try:
        return solve(problem, None, None if left is None else left / 2, limits.memory, known)
    except NoSolution as error:
        return Unanswered(str(error), True, proof=refutation(error))
    except TimeLimit as error:
        return Unanswered(str(error), False, True)
    except SolverFailure as error:
        return Unanswered(str(error), False)


def answered(problem: Problem, outcome: Outcome) -> Answer | Unanswered:
    """Return the answer to a point, whoever found it: what a check returns cannot be sent between processes."""
    return outcome if isinstance(outcome, Unanswered | Answer) else checked_answer(problem, outcome)


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
