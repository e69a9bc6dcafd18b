"""What is proven when a program takes too long: the ends of the trade-off, and what is sooner told.

The ends cost nothing. One law of the source alone asks for less, in a smaller program, and so does the mutual
information, where that is no more than the loss: both give lower bounds, and mechanisms to start from. Single outputs
ask for less than events do. Differential privacy asks for more than Rényi privacy, and is much sooner told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf

from epstar.deadline import Deadline
from epstar.errors import InvalidInput, NoSolution, ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE
from epstar.mechanism import AnyMechanism
from epstar.memory import TooLarge
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, RenyiDifferentialPrivacy
from epstar.problem import Problem
from epstar.proof import Mixture, Proof
from epstar.proof.converse import mixed
from epstar.solve.informed import informed, is_told_of
from epstar.solve.programs.constant import best_constant, constant_mechanism, good_constant
from epstar.solve.programs.evidence import trivial_converse
from epstar.solve.programs.fitted import fitted
from epstar.solve.programs.forced import cheapest_mechanism, mixed_with_uniform
from epstar.source import Prior

# The share of a time limit that is kept for what is sooner told.
_SPARE = 0.25
# The seconds in which a good constant answer is looked for when time is over.
_MOMENT = 0.5
_WIDE = 5e-8

Solve = Callable[[Problem, float | None], Proof]


def share_to_spare(problem: Problem) -> float:
    """Return the share of a time limit that programs should leave over."""
    is_sooner_told = is_told_of(problem) or _by_single_outputs(problem) is not None
    return _SPARE if is_sooner_told or not isinstance(problem.source, Prior) else 0.0


def known_ends(problem: Problem) -> Proof:
    """Return what is known without solving anything: the ends of the trade-off."""
    if problem.asks == "loss":
        return Proof(problem, mixed_with_uniform(problem) or cheapest_mechanism(problem), None)
    constant = constant_mechanism(problem, good_constant(problem, _MOMENT).law)
    loss = problem.notion.loss(constant, problem.source).upper
    is_allowed = loss is not None and loss <= problem.given
    return Proof(problem, constant if is_allowed else None, trivial_converse(problem))


def improved(proof: Proof, deadline: Deadline, solve: Solve) -> Proof:
    """Return a proof that was cut short with better ends, where other ways know some.

    An end that is not checked in time is left out.
    """
    known = _KnownEnds(proof.problem)
    with deadline.last_moment().kept():
        known.learn(proof)
    if not known.is_narrow():
        with suppress(TimeLimit, TooLarge), deadline.last_moment().kept():
            known.learn(known_ends(proof.problem))
        with suppress(TimeLimit, TooLarge), deadline.kept():
            for other in _others(proof, deadline, solve):
                known.learn(other)
    return known.proof()


class _KnownEnds:
    """The best ends of a problem so far, each with the proof that it comes from."""

    def __init__(self, problem: Problem) -> None:
        converse = None if problem.asks == "loss" else trivial_converse(problem)
        self._nothing = Proof(problem, None, converse)
        self._lowers = {self._nothing.lower.lower: self._nothing}
        self._uppers = {self._nothing.upper.upper: self._nothing}

    def learn(self, proof: Proof) -> None:
        """Take up the ends that a proof has, as far as they are checked in time."""
        with suppress(ProofRejected, TimeLimit, TooLarge):
            self._lowers.setdefault(proof.lower.lower, proof)
        with suppress(ProofRejected, TimeLimit, TooLarge):
            self._uppers.setdefault(proof.upper.upper, proof)

    def is_narrow(self) -> bool:
        """Return whether the ends are so close that no other will be looked for."""
        return min(self._uppers) - max(self._lowers) <= _WIDE

    def proof(self) -> Proof:
        """Return the proof of both ends."""
        return self._lowers[max(self._lowers)].with_mechanism_of(self._uppers[min(self._uppers)])


def _others(proof: Proof, deadline: Deadline, solve: Solve) -> Iterator[Proof]:
    problem = proof.problem
    told = informed(problem, deadline.left)
    if told is not None:
        yield told
    by_outputs = _by_single_outputs(problem)
    if by_outputs is not None:
        with suppress(NoSolution, SolverFailure):
            # What holds of mechanisms that keep to single outputs holds of those that keep to events.
            yield Proof(problem, None, solve(by_outputs, deadline.halfway().left()).converse)
    if isinstance(problem.notion, RenyiDifferentialPrivacy) and problem.notion.order != inf:
        with suppress(InvalidInput, NoSolution, SolverFailure):
            # A mechanism with differential privacy has as much of Rényi's.
            at_once = replace(problem, notion=DifferentialPrivacy())
            yield replace(proof, mechanism=solve(at_once, deadline.halfway().left()).mechanism)
    if not isinstance(problem.source, Prior):
        with suppress(InvalidInput, NoSolution, SolverFailure):
            yield _from_one_law(problem, deadline, solve)


def _by_single_outputs(problem: Problem) -> Problem | None:
    """Return the question of which a notion of events asks more, and much longer."""
    notion = problem.notion
    if not isinstance(notion, ApproximateDifferentialPrivacy) or notion.reading != "event" or notion.delta == 0:
        return None
    return replace(problem, notion=ApproximateDifferentialPrivacy(notion.delta, "pointwise"))


def _from_one_law(problem: Problem, deadline: Deadline, solve: Solve) -> Proof:
    """Return what one law of the source proves: it is judged less by than the whole source."""
    law = _law(problem)
    found = solve(replace(problem, source=Prior(mixed(law))), deadline.halfway().left())
    assert found.converse is not None or problem.asks == "loss"
    converse = None if found.converse is None else replace(found.converse, distortion_law=law)
    mechanism: AnyMechanism | None = None
    with suppress(TimeLimit):
        mechanism = None if found.mechanism is None else fitted(problem, found.mechanism.dense().floats)
    return Proof(problem, mechanism, converse)


def _law(problem: Problem) -> Mixture:
    """Return a law at which much is to be told: the flattest, or that under which constant answers cost most."""
    flattest = problem.source.flattest
    if flattest is not None and problem.notion.needs_source:
        return ((ONE, flattest.probabilities),)
    law = best_constant(problem).least_favourable
    if problem.source.is_convex or not problem.notion.needs_source:
        return law
    return ((ONE, max(law, key=lambda pair: pair[0])[1]),)
