"""What is proven when a program takes too long: the ends of the trade-off, and what is sooner told.

The ends cost nothing. One law of the source alone asks for less, in a smaller program, and so does the mutual
information, where that is no more than the loss: both give lower bounds, and mechanisms to start from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from epstar.errors import InvalidInput, NoSolution, ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE
from epstar.problem import Problem
from epstar.proof import Mixture, Proof
from epstar.proof.converse import mixed
from epstar.solve.informed import informed, is_told_of
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.programs.evidence import trivial_converse
from epstar.solve.programs.fitted import fitted
from epstar.solve.programs.forced import cheapest_mechanism, mixed_with_uniform
from epstar.solve.programs.general import Deadline
from epstar.source import Prior

# The share of a time limit that is kept for what is sooner told.
_SPARE = 0.25
_WIDE = 5e-8

Solve = Callable[[Problem, float | None], Proof]


def share_to_spare(problem: Problem) -> float:
    """Return the share of a time limit that programs should leave over."""
    return _SPARE if is_told_of(problem) or not isinstance(problem.source, Prior) else 0.0


def known_ends(problem: Problem) -> Proof:
    """Return what is known without solving anything: the ends of the trade-off."""
    if problem.asks == "loss":
        return Proof(problem, mixed_with_uniform(problem) or cheapest_mechanism(problem), None)
    constant = constant_mechanism(problem, best_constant(problem).law)
    loss = problem.notion.loss(constant, problem.source).upper
    is_allowed = loss is not None and loss <= problem.given
    return Proof(problem, constant if is_allowed else None, trivial_converse(problem))


def improved(proof: Proof, deadline: Deadline, solve: Solve) -> Proof:
    """Return a proof that was cut short with better ends, where other ways know some."""
    if proof.check().width <= _WIDE:
        return proof
    ends = [(proof, proof.check())]
    for other in _others(proof.problem, deadline, solve):
        try:
            ends.append((other, other.check()))
        except ProofRejected:
            continue
    mechanism = min(ends, key=lambda pair: pair[1].upper.upper)[0].mechanism
    converse = max(ends, key=lambda pair: pair[1].lower.lower)[0].converse
    return Proof(proof.problem, mechanism, converse)


def _others(problem: Problem, deadline: Deadline, solve: Solve) -> Iterator[Proof]:
    yield known_ends(problem)
    told = informed(problem, deadline.left)
    if told is not None:
        yield told
    if not isinstance(problem.source, Prior):
        try:
            yield _from_one_law(problem, deadline, solve)
        except (InvalidInput, NoSolution, SolverFailure, TimeLimit):
            return


def _from_one_law(problem: Problem, deadline: Deadline, solve: Solve) -> Proof:
    """Return what one law of the source proves: it is judged less by than the whole source."""
    law = _law(problem)
    found = solve(replace(problem, source=Prior(mixed(law))), deadline.left())
    assert found.converse is not None or problem.asks == "loss"
    converse = None if found.converse is None else replace(found.converse, distortion_law=law)
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
