r"""Relaxations and restrictions: what sooner told problems say of one whose program takes too long.

One law of the source asks for less than all of them, and single outputs ask for less than events: each excludes.
Differential privacy asks for more than Rényi's: its mechanisms attain. And the mutual information is no more than some
losses. For any law r on the outputs, sum_x p(x) KL(Q(.|x) || r) is at least the mutual information at p. Pointwise
leakage bounds each of these divergences with the law of the output as r, Rényi privacy of an order from one on with the
answers to any one input; Sibson's information grows with its order. So the row prices of a rate-distortion function,
which is found quickly, say something about these notions too. With the multiplier s of the information, the law p, and
the law of the distortion times its weight as b, they follow from the tangents at the ratios

    exp((price(x) - b(x) d(x,y)) / (s p(x))),

whose mean under p is at most one for every output, so that nothing costs less than the price of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, DistanceProof, Mixture, Proof
from epstar.completion.converse import mixed
from epstar.completion.evidence import achieved
from epstar.distortion import nearest_costs
from epstar.errors import ProofRejected, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, Capacity, DifferentialPrivacy, MutualInformation
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer, attempted, by_weak_duality
from epstar.solve.method import Task
from epstar.solve.program import MOST_MULTIPLES
from epstar.solve.program.laws import exact
from epstar.solve.shapes import (
    bounds_each_entropy,
    is_information,
    order_of_norms,
    order_of_pairs,
    plain_spread,
)
from epstar.source import Finite, Hull, Prior

Floats = NDArray[np.float64]

# Each may take half of the time that is left, so that some is left for the others and for its evidence.
_SHARE = 0.5
# A smaller ratio changes no price, and a checker holds this one.
_DEEPEST = -100.0


def has_events(problem: Problem) -> bool:
    """Return whether events of outputs are compared, of which single outputs are a few."""
    spread = plain_spread(problem.notion)
    return spread is not None and spread.events


def from_single_outputs(task: Task) -> Claims:
    """Offer what holds of mechanisms that keep to single outputs: it holds of those that keep to events."""
    spread = plain_spread(task.problem.notion)
    assert spread is not None
    weaker = replace(task.problem, notion=ApproximateDifferentialPrivacy(spread.slack, "pointwise"))
    found = yield from attempted(weaker, _SHARE)
    if found is not None:
        yield by_weak_duality(Proof(task.problem, None, found.converse))


def has_divergences(problem: Problem) -> bool:
    """Return whether divergences between inputs are bounded, which no ratio within e^loss exceeds."""
    return order_of_pairs(problem.notion) is not None


def from_pure_privacy(task: Task) -> Claims:
    """Offer a mechanism of differential privacy: it has as much of Rényi's."""
    found = yield from attempted(replace(task.problem, notion=DifferentialPrivacy()), _SHARE)
    if found is not None:
        yield by_weak_duality(Proof(task.problem, found.mechanism, None))


def has_many_laws(problem: Problem) -> bool:
    """Return whether the source holds more than one law."""
    return not isinstance(problem.source, Prior)


def from_one_law(task: Task) -> Claims:
    """Offer what one law of the source proves, and its mechanism as far as it can be fitted to all of them."""
    from epstar.solve.certify.mechanism import fitted

    problem, law = task.problem, _telling_law(task.problem)
    found = yield from attempted(replace(problem, source=Prior(mixed(law))), _SHARE)
    if found is None:
        return
    if isinstance(found.evidence, DistanceProof):
        # The uniform law is in the source, and the mechanism is known to do as well under that law alone.
        yield Offer(replace(found.evidence, problem=problem, mechanism=None), found.method, found.theorem)
        return
    converse = None if found.converse is None else replace(found.converse, distortion_law=law)
    mechanism: AnyMechanism | None = None
    with suppress(TimeLimit):
        mechanism = None if found.mechanism is None else fitted(problem, found.mechanism.dense().floats)
    yield by_weak_duality(Proof(problem, mechanism, converse))


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


# -- Mutual information ------------------------------------------------------------------------------------------------


def has_information(problem: Problem) -> bool:
    """Return whether the mutual information says anything about the loss."""
    return next(_questions(problem), None) is not None


def from_information(task: Task) -> Claims:
    """Offer what the rate-distortion function says of another notion."""
    told = informed(task.problem, task.deadline.left)
    if told is not None:
        yield by_weak_duality(told)


def informed(problem: Problem, left: Callable[[], float | None]) -> Proof | None:
    """Return what the mutual information proves about another notion; None where it says nothing.

    `left` is called at every step and may raise to stop the work, which then returns the best proof so far.
    """
    from epstar.solve.certify.mechanism import fitted
    from epstar.solve.certify.rate_distortion import rate_distortion

    converses: list[tuple[Real, Converse]] = []
    mechanisms: list[tuple[Real, Mechanism]] = []
    with suppress(TimeLimit):
        for question in _questions(problem):
            left()
            found = rate_distortion(question, left)
            if found is None or found.converse is None or found.mechanism is None:
                continue
            converse, mechanism = _translated(problem, found.converse), fitted(problem, found.mechanism.dense().floats)
            if converse is not None:
                # A law of the hull is no law of a list, and proves nothing about it.
                with suppress(ProofRejected):
                    converses.append((Proof(problem, None, converse).check().lower, converse))
            if mechanism is not None:
                mechanisms.append((achieved(problem, mechanism), mechanism))
    if not converses:
        return None
    best = min(mechanisms, key=lambda pair: float(pair[0]), default=(None, None))[1]
    return Proof(problem, best, max(converses, key=lambda pair: float(pair[0]))[1])


def has_conjugate(proof: Proof) -> bool:
    """Return whether an information is excluded by row prices alone, which its conjugate judges."""
    converse = proof.converse
    return is_information(proof.problem.notion) and converse is not None and converse.prices is not None


def with_tangents(proof: Proof) -> Proof:
    """Return the evidence with tangents of the relative entropies in place of the conjugate of their mean."""
    assert proof.converse is not None
    places = _places(proof.problem, proof.converse)
    slopes = tuple((0, x, y, (exact(place),)) for x, row in enumerate(places.tolist()) for y, place in enumerate(row))
    return replace(proof, converse=replace(proof.converse, prices=None, slopes=slopes))


def _questions(problem: Problem) -> Iterator[Problem]:
    """Return the questions about mutual information whose answers the loss is not below."""
    notion, universe = problem.notion, problem.universe
    of_pairs, of_norms = order_of_pairs(notion), order_of_norms(notion)
    if of_pairs is not None:
        if of_pairs >= 1 and universe.size * (universe.size - 1) <= MOST_MULTIPLES:
            yield replace(problem, notion=Capacity())
    elif is_information(notion) or bounds_each_entropy(notion) or (of_norms is not None and of_norms >= 1):
        about = replace(problem, notion=MutualInformation())
        if isinstance(problem.source, Finite) and not problem.source.is_convex:
            yield from (replace(about, source=Prior(point)) for point in problem.source.points)
            # The worst law of the hull is hardly worse than the worst of the list, so that its mechanism will do.
            yield replace(about, source=Hull(problem.source.points))
        else:
            yield about


def _translated(problem: Problem, converse: Converse) -> Converse | None:
    """Return the row prices of an information as multipliers of the notion's own bounds."""
    notion = problem.notion
    if is_information(notion):
        return converse
    if order_of_norms(notion) is not None:
        return replace(converse, order=ONE)
    law = mixed(converse.points[0])
    share = converse.sums[0]
    places = _places(problem, converse)
    if bounds_each_entropy(notion):
        bounds = {x: x for x, p in enumerate(law) if p > 0}
        sums = [share * p for p in law]
        return replace(converse, prices=None, sums=tuple(sums), slopes=_slopes(bounds, places))
    # The likeliest input is compared with least, so that its answers stand in for the law of the output.
    reference = max(range(len(law)), key=lambda x: law[x])
    pairs = list(ordered_pairs(problem.universe))
    bounds = {i: x for i, (x, other, _) in enumerate(pairs) if other == reference and law[x] > 0}
    if sum((law[x] for x in bounds.values()), law[reference]) != 1 or len({pairs[i][2] for i in bounds}) > 1:
        return None
    weights = [share * law[bounds[i]] if i in bounds else ZERO for i in range(len(pairs))]
    order = None if order_of_pairs(notion) == 1 else ONE
    slopes = _slopes(bounds, places)
    return replace(converse, prices=None, points=(), sums=tuple(weights), slopes=slopes, order=order)


def _places(problem: Problem, converse: Converse) -> Floats:
    """Return the ratios at which the tangents are taken, by input and output."""
    cost = nearest_costs(problem.distortion, problem.universe)
    law, costly = (nearest_floats(mixed(mixture)) for mixture in (converse.points[0], converse.distortion_law))
    share, weight = (float(Real.of(value)) for value in (converse.sums[0], converse.weight))
    prices = nearest_floats(converse.prices or ())
    used = law > 0
    exponents = np.zeros(cost.shape)
    exponents[used] = (prices[:, None] - weight * costly[:, None] * cost)[used] / (share * law[used])[:, None]
    places: Floats = np.exp(np.maximum(exponents, _DEEPEST))
    return places


def _slopes(bounds: dict[int, int], places: Floats) -> tuple[tuple[int, int, int, tuple[Rational, ...]], ...]:
    return tuple((i, 0, y, (exact(place),)) for i, x in bounds.items() for y, place in enumerate(places[x].tolist()))
