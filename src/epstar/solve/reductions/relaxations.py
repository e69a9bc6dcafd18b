"""Relaxations and restrictions: what sooner told problems say of one whose program takes too long.

One law of the source asks for less than all of them, the mutual information is no more than some losses, and single
outputs ask for less than events: each excludes. Differential privacy asks for more than Rényi's: its mechanisms attain.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from epstar.completion import DistanceProof, Mixture, Proof
from epstar.completion.converse import mixed
from epstar.errors import InvalidInput, NoSolution, SolverFailure, TimeLimit
from epstar.exact import ONE
from epstar.mechanism import AnyMechanism
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer, asked
from epstar.solve.method import Task
from epstar.solve.shapes import order_of_pairs, plain_spread
from epstar.source import Prior

_DUALITY = "weak duality"
# Each may take half of the time that is left, so that some is left for the others and for its evidence.
_SHARE = 0.5


def has_information(problem: Problem) -> bool:
    """Return whether the mutual information says anything about the loss."""
    from epstar.solve.reductions.from_mutual_information import is_told_of

    return is_told_of(problem)


def from_information(task: Task) -> Claims:
    """Offer what the rate-distortion function says of another notion."""
    from epstar.solve.reductions.from_mutual_information import informed

    told = informed(task.problem, task.deadline.left)
    if told is not None:
        yield Offer(told, "program", _DUALITY)


def has_events(problem: Problem) -> bool:
    """Return whether events of outputs are compared, of which single outputs are a few."""
    spread = plain_spread(problem.notion)
    return spread is not None and spread.events


def from_single_outputs(task: Task) -> Claims:
    """Offer what holds of mechanisms that keep to single outputs: it holds of those that keep to events."""
    spread = plain_spread(task.problem.notion)
    assert spread is not None
    with suppress(NoSolution, SolverFailure):
        weaker = replace(task.problem, notion=ApproximateDifferentialPrivacy(spread.slack, "pointwise"))
        found = yield from asked(weaker, _SHARE)
        yield Offer(Proof(task.problem, None, found.converse), "program", _DUALITY)


def has_divergences(problem: Problem) -> bool:
    """Return whether divergences between inputs are bounded, which no ratio within e^loss exceeds."""
    return order_of_pairs(problem.notion) is not None


def from_pure_privacy(task: Task) -> Claims:
    """Offer a mechanism of differential privacy: it has as much of Rényi's."""
    with suppress(InvalidInput, NoSolution, SolverFailure):
        found = yield from asked(replace(task.problem, notion=DifferentialPrivacy()), _SHARE)
        yield Offer(Proof(task.problem, found.mechanism, task.bracket.converse), "program", _DUALITY)


def has_many_laws(problem: Problem) -> bool:
    """Return whether the source holds more than one law."""
    return not isinstance(problem.source, Prior)


def from_one_law(task: Task) -> Claims:
    """Offer what one law of the source proves, and its mechanism as far as it can be fitted to all of them."""
    from epstar.solve.certify.mechanism import fitted

    problem = task.problem
    with suppress(InvalidInput, NoSolution, SolverFailure):
        law = _telling_law(problem)
        found = yield from asked(replace(problem, source=Prior(mixed(law))), _SHARE)
        if isinstance(found.evidence, DistanceProof):
            # The uniform law is in the source, and the mechanism is known to do as well under that law alone.
            yield Offer(replace(found.evidence, problem=problem, mechanism=None), found.method, found.theorem)
            return
        converse = None if found.converse is None else replace(found.converse, distortion_law=law)
        mechanism: AnyMechanism | None = None
        with suppress(TimeLimit):
            mechanism = None if found.mechanism is None else fitted(problem, found.mechanism.dense().floats)
        yield Offer(Proof(problem, mechanism, converse), "program", _DUALITY)


def _telling_law(problem: Problem) -> Mixture:
    """Return a law at which much is to be told: the flattest, or that under which constant answers cost most."""
    from epstar.solve.program.constant import best_constant

    flattest = problem.source.flattest
    if flattest is not None and problem.notion.needs_source:
        return ((ONE, flattest.probabilities),)
    law = best_constant(problem).least_favourable
    if problem.source.is_convex or not problem.notion.needs_source:
        return law
    return ((ONE, max(law, key=lambda pair: pair[0])[1]),)
