"""From a question to a proven interval: reduce it, ask the methods cheapest first, keep the best two claims.

    problem - REDUCTIONS -> smaller problem - METHODS, cheapest first -> evidence -> bracket - lift -> answer

`METHODS` are generators of claims, each naming the theorem that it used. What one needs of another problem it asks for,
and this loop answers: nothing below calls back. A deadline stops the iteration, and the bracket is the answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from epstar.completion import AnyProof
from epstar.deadline import WORKING, Deadline
from epstar.errors import EpstarError, InvalidInput, NoSolution, ProofRejected, SolverFailure, TimeLimit
from epstar.memory import Memory, TooLarge
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Bracket, Claims, Question, by_weak_duality
from epstar.solve.explanation import BEST_DESIGN, Asked, Explanation, Plan, Stopped, asked_for
from epstar.solve.method import Method, Task
from epstar.solve.portfolio import METHODS, methods_for
from epstar.solve.reductions import REDUCTIONS, Outcome, Reduction
from epstar.statistic import Statistic

__all__ = ["METHODS", "REDUCTIONS", "Bracket", "Explanation", "Plan", "select_methods", "solve"]

KINDS = ("closed form", "program")
# The share of a time limit that programs leave to fallbacks, where there are any but the first claims.
_SPARE = 0.25


@np.errstate(all="ignore")
def solve(
    problem: Problem,
    method: str | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    known: Sequence[AnyProof] = (),
) -> Bracket:
    """Return the bracket of the answer, within some seconds and with some bytes for all that the process holds.

    `method` forces closed forms or programs, so that tests can make them agree. Programs start from what is `known` of
    a neighbouring point. What floats find is a proposal, so that nobody is warned where they overflow on the way.

    Raises:
        NoSolution: if no mechanism meets what was asked, with the proof of it as witness.
        SolverFailure: if a solver gave up, and no mechanism is known.
    """
    if method is not None and method not in KINDS:
        raise InvalidInput(f"{method!r} is not a method; choose one of {', '.join(KINDS)}, or leave it out.")
    limit = Deadline(time_limit)
    with Memory(memory_limit).kept():
        return _Solution(problem, method, limit, known).run()


def select_methods(problem: Problem) -> Plan:
    """Return who would be asked about a problem, and in which order, without solving anything.

    >>> from epstar.distortion import Hamming
    >>> from epstar.exact import Real
    >>> from epstar.notions import SibsonMutualInformation
    >>> from epstar.source import Prior
    >>> from epstar.universe import Alphabet
    >>> notion, source = SibsonMutualInformation("infinity"), Prior(["1/2", "3/10", "1/5"])
    >>> print(select_methods(Problem(notion, source, Hamming(), Alphabet(3), "loss", Real.of("1/4"))))
    the least loss under Sibson mutual information (order infinity) at distortion 1/4
      canonical form asks:
        the least loss under maximal leakage at distortion 1/4
          maximal leakage
    """
    if isinstance(problem.distortion, Statistic):
        return Plan(asked_for(problem), None, (), (BEST_DESIGN,))
    name, questions = None, tuple[Plan, ...]()
    for reduction in _reductions(problem):
        if reduction.accepts(problem):
            name, questions = reduction.name, tuple(map(select_methods, reduction.apply(problem)))
            if not reduction.is_relaxation:
                return Plan(asked_for(problem), name, questions, ())
            break
    accepted = [
        method for method in methods_for(problem) if method.accepts(problem) and not method.is_fallback(problem)
    ]
    chosen = [method for method in accepted if method.kind == "closed form" and method.first(problem)] or accepted
    return Plan(asked_for(problem), name, questions, tuple(method.name for method in chosen))


def _reductions(problem: Problem) -> tuple[Reduction, ...]:
    """Return the reductions that know of all that a problem says: one leaves secrets, limits, guarantees out."""
    return tuple(reduction for reduction in REDUCTIONS if not problem.is_wider or reduction.knows_additions)


class _Solution:
    """The solution of one problem under a limit: reductions, then methods; what they ask on the way are others."""

    def __init__(self, problem: Problem, kind: str | None, whole: Deadline, known: Sequence[AnyProof] = ()) -> None:
        self.problem = problem
        self.kind = kind
        self.whole = whole
        self.bracket = Bracket(problem)
        self.failure: EpstarError | None = None
        self.is_over = False
        self.known = [by_weak_duality(replace(found, problem=problem)) for found in known]
        self._clock = time.process_time()

    def run(self) -> Bracket:
        """Return the bracket once it is settled, or nobody is left to ask."""
        for reduction in _reductions(self.problem):
            if (self.kind != "program" or reduction.is_plain) and reduction.accepts(self.problem):
                with self._surviving(reduction.name):
                    self._listen(reduction.name, self._reduced(reduction), self.whole)
                if self.bracket.is_settled or self.bracket.width <= reduction.worth:
                    return self.bracket
        self._ask_all()
        is_refused = isinstance(self.failure, TooLarge) or not self.bracket.is_cut
        if self.bracket.mechanism is None and self.failure is not None and is_refused:
            raise self.failure
        return self.bracket

    def _reduced(self, reduction: Reduction) -> Claims:
        """Ask what a reduction asks instead, and offer what it makes of the answers."""
        outcomes: list[Outcome] = []
        for problem in reduction.apply(self.problem):
            try:
                found = yield Question(problem)
                assert found is not None
                outcomes.append(found)
            except NoSolution as refusal:
                outcomes.append(refusal)
        yield from reduction.lift(self.problem, outcomes)

    def _ask_all(self) -> None:
        """Ask the methods in order, each under its deadline."""
        is_limited = self.whole.remaining is not None
        spare = _SPARE if is_limited and any(not method.is_quick for method in self._fallbacks()) else 0.0
        # To tell whether there are fallbacks loads engines, which takes some of the time.
        left = self.whole.remaining
        deadline = Deadline(None if left is None else WORKING * left, spare)
        for method in methods_for(self.problem):
            if not method.is_fallback(self.problem) and self._is_worth(method, deadline):
                while method.kind == "program" and self.known:
                    self.bracket.offer(self.known.pop(), "neighbouring point")
                self._ask(method, deadline)
            if self.bracket.is_settled:
                break
        if self.kind == "closed form" and not self.bracket.is_settled:
            raise InvalidInput("No closed form is known for this problem; leave the method out to use a program.")
        is_late = deadline.is_missed or (deadline.remaining == 0 and self.bracket.method == "program")
        self.bracket.timed_out = self.bracket.timed_out or is_late
        is_ended = self.bracket.is_cut or self.failure is not None
        if is_ended or self.bracket.width > NARROW:
            afterwards = deadline.afterwards()
            for method in self._fallbacks():
                # What takes no time may narrow the answer of a program that went its whole way, too.
                if (is_ended or method.is_quick) and self.bracket.width > method.worth:
                    self._ask(method, afterwards)

    def _fallbacks(self) -> list[Method]:
        methods = methods_for(self.problem)
        return [method for method in methods if method.is_fallback(self.problem) and method.accepts(self.problem)]

    def _is_worth(self, method: Method, deadline: Deadline) -> bool:
        is_allowed = self.kind is None or method.kind in ("ends", self.kind)
        is_open = not self.bracket.is_settled and self.bracket.width > method.worth
        # What is too large for one program is too large for the others.
        is_open = is_open and not (self.is_over and method.kind == "program")
        if is_allowed and is_open and self._is_late(method, deadline):
            # Whether it would accept the problem may itself take long to tell.
            self.bracket.timed_out = True
            return False
        return is_allowed and is_open and method.accepts(self.problem)

    @staticmethod
    def _is_late(method: Method, deadline: Deadline) -> bool:
        return deadline.remaining == 0 and not method.is_quick

    def _ask(self, method: Method, deadline: Deadline) -> None:
        """Take up what a method claims, as far as its time goes."""
        if self._is_late(method, deadline):
            self.bracket.timed_out = True
            return
        kept = Deadline(None) if method.is_bounded else deadline.last_moment() if method.is_quick else deadline
        with self._surviving(method.name), kept.kept():
            self._listen(method.name, method.claims(Task(self.problem, self.bracket, deadline)), deadline)

    @contextmanager
    def _surviving(self, name: str) -> Iterator[None]:
        """Let a limit or a failure end one method, and no more; remember which one, and why."""
        try:
            yield
        except TimeLimit as limit:
            self.bracket.timed_out = True
            self.bracket.steps.append(Stopped(name, str(limit)))
        except (TooLarge, SolverFailure, ProofRejected) as failure:
            self.failure = failure
            if isinstance(failure, TooLarge):
                self.bracket.too_large = self.is_over = True
            self.bracket.steps.append(Stopped(name, str(failure)))

    def _listen(self, name: str, claims: Claims, deadline: Deadline) -> None:
        """Take up what is offered, and answer what is asked, until the bracket is settled."""
        reply: Bracket | None = None
        refusal: EpstarError | None = None
        while True:
            try:
                said = claims.send(reply) if refusal is None else claims.throw(refusal)
            except StopIteration:
                return
            reply = refusal = None
            if isinstance(said, Question):
                try:
                    reply = self._answered(said, deadline)
                    self.bracket.steps.append(Asked(name, reply.explanation))
                    self._clock = time.process_time()
                except EpstarError as error:
                    refusal = error
                continue
            now = time.process_time()
            self.bracket.offer(said, name, now - self._clock)
            self._clock = now
            if self.bracket.is_settled:
                claims.close()
                return

    def _answered(self, question: Question, deadline: Deadline) -> Bracket:
        left = deadline.remaining
        limit = Deadline(None if left is None else question.share * left)
        found = _Solution(question.problem, self.kind, limit).run()
        self.bracket.timed_out = self.bracket.timed_out or found.timed_out
        self.bracket.too_large = self.bracket.too_large or found.too_large
        return found
