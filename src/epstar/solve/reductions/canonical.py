r"""Canonical forms: a notion by its plain name, costs that are Hamming's, and costs that are not tiny.

Closed forms are known for the plain notions and for Hamming distortion itself. Two notions with the same bounds are
one. A table with one cost for every truth and another for every error is Hamming distortion, in units of the difference
and from the cost of a truth on. Programs in floats end where errors are small next to one, so that tiny costs are
measured in units of their own size. The proof of the plain problem is one of the problem asked, with another weight of
the distortion.

At level zero a divergence that vanishes is two ratio bounds: the inputs that it compares answer alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import mixed
from epstar.completion.level_zero import answering_alike
from epstar.distortion import EXACT_LIMIT, Distortion, Gain, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy, MaximalLeakage, MutualInformation
from epstar.notions.base import Notion
from epstar.notions.constraints import Maximum
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Outcome, Reduction
from epstar.solve.shapes import are_the_same, shape
from epstar.universe import Alphabet, Databases, Graph

_PLAIN: tuple[Notion, ...] = (DifferentialPrivacy(), MaximalLeakage(), MutualInformation())
# By which result a notion is the plain one, by their names.
_THEOREMS = {
    ("min_entropy_capacity", "maximal_leakage"): "alvim2011, Section 2",
    ("renyi_differential_privacy", "differential_privacy"): "zhong2022, Lemma 20(5)",
    ("sibson_mutual_information", "mutual_information"): "zhong2022, Lemma 20(6)",
    ("sibson_mutual_information", "maximal_leakage"): "zhong2022, Lemma 20(7)",
}
# The largest cost below which a unit is taken: programs in floats leave errors of about 1e-9.
_TINY = Rational(1, 1000)


class CanonicalForm(Reduction):
    """The same question about the plainest notion with the same bounds, its costs from another origin and in a unit."""

    name = "canonical form"
    is_plain = True

    def accepts(self, problem: Problem) -> bool:
        """Return whether the notion has a plainer name, or the costs are tiny, or Hamming's up to unit and origin."""
        return (
            _plain_notion(problem) != problem.notion or _canonical_costs(problem).distortion is not problem.distortion
        )

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the plain problem."""
        costs = _canonical_costs(problem)
        given = (problem.given - Real.of(costs.origin)) / costs.unit if problem.asks == "loss" else problem.given
        return (replace(problem, notion=_plain_notion(problem), distortion=costs.distortion, given=given),)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the same mechanism and multipliers, in the units asked about; a refusal is one of the problem asked."""
        (found,), costs = outcomes, _canonical_costs(problem)
        if isinstance(found, NoSolution):
            if isinstance(found.witness, Proof):
                found.witness = _weighed(found.witness, problem, costs)
            raise found
        named = "; ".join(
            filter(None, (_THEOREMS.get((problem.notion.name, _plain_notion(problem).name)), found.cited))
        )
        yield Offer(_weighed(found.proof, problem, costs), found.method, named, settles=True)


@dataclass(frozen=True)
class _Costs:
    """Costs in a unit and from an origin on, which every answer costs at least."""

    distortion: Distortion
    unit: Rational = ONE
    origin: Rational = ZERO


def _weighed(proof: Proof, problem: Problem, costs: _Costs) -> Proof:
    """Return what a proof about costs in another unit and from another origin proves of a problem."""
    converse = proof.converse
    if converse is None:
        return replace(proof, problem=problem)
    weight, prices = converse.weight / costs.unit, converse.prices
    if prices is not None and costs.origin != 0:
        law = mixed(converse.distortion_law)
        prices = tuple(price + weight * costs.origin * p for price, p in zip(prices, law, strict=True))
    steps = tuple(replace(step, weight=step.weight / costs.unit) for step in converse.steps)
    weighed: Converse = replace(converse, weight=weight, prices=prices, steps=steps)
    return Proof(problem, proof.mechanism, weighed)


def _plain_notion(problem: Problem) -> Notion:
    """Return the plain notion that has the same bounds, if there is one; databases keep the name asked about."""
    if isinstance(problem.universe, Databases):
        return problem.notion
    return next((plain for plain in _PLAIN if are_the_same(plain, problem.notion)), problem.notion)


def _canonical_costs(problem: Problem) -> _Costs:
    """Return the costs as Hamming distortion if all truths cost the same and all errors more, else in their unit."""
    distortion, universe = problem.distortion, problem.universe
    inputs, outputs = distortion.shape(universe)
    is_written = isinstance(distortion, Matrix | Gain) or inputs * outputs <= EXACT_LIMIT
    if isinstance(distortion, Hamming) or not is_written:
        return _Costs(distortion)
    if isinstance(universe, Alphabet) and inputs == outputs > 1 and _are_two_costs(distortion.floats(universe)):
        table, labels = distortion.matrix(universe), tuple(distortion.outputs(universe))
        truths = {row[x] for x, row in enumerate(table)}
        errors = {cost for x, row in enumerate(table) for y, cost in enumerate(row) if x != y}
        # Less than a truth costs is refused in the words of the question.
        is_too_little = problem.asks == "loss" and problem.given < Real.of(min(truths))
        if len(truths) == len(errors) == 1 and labels == tuple(universe.labels) and not is_too_little:
            (truth,), (error,) = truths, errors
            return _Costs(Hamming(), error - truth, truth)
    if np.abs(distortion.floats(universe)).max() > float(_TINY):
        return _Costs(distortion)
    largest, unit = max(abs(entry) for row in distortion.matrix(universe) for entry in row), ONE
    while 0 < largest < min(_TINY, unit):
        unit /= 10
    if unit == 1:
        return _Costs(distortion)
    names = distortion.outputs(universe)
    costs = [[entry / unit for entry in row] for row in distortion.matrix(universe)]
    if isinstance(distortion, Gain):
        return _Costs(Gain([[-entry for entry in row] for row in costs], names), unit)
    return _Costs(Matrix(costs, names), unit)


def _are_two_costs(costs: NDArray[np.float64]) -> bool:
    """Return whether floats show that every truth costs the same, and every error the same and more."""
    errors = costs[~np.eye(len(costs), dtype=bool)]
    return bool(np.ptp(np.diag(costs)) == np.ptp(errors) == 0 and errors[0] > costs[0, 0])


_LEVEL_ZERO = "level zero leaves constant mechanisms"


class LevelZero(Reduction):
    """At level zero a divergence that vanishes is two ratio bounds: the inputs that it compares answer alike."""

    name = "level zero"
    is_plain = True

    def accepts(self, problem: Problem) -> bool:
        """Return whether nothing may be lost, under a notion made of smooth sums alone."""
        sums = shape(problem.notion).sums
        if problem.asks != "distortion" or problem.given.rational != 0 or not sums:
            return False
        # Few questions are about level zero, and the others do without this form.
        from epstar.solve.forms import hamming_cube

        is_smooth = not any(isinstance(atom, Maximum) for bound in sums for _, atom in bound.terms)
        return is_smooth and not hamming_cube.accepts(problem)

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return differential privacy on a graph of the inputs that must answer alike; none where all of them must.

        At level zero that says nothing else.
        """
        classes, possible = _classes(problem)
        is_one = any(possible <= set(alike) for alike in classes)
        return () if is_one else (_of_classes(problem, classes),)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the best common answers, and the law under which no others cost less."""
        # A solver is loaded where there is something to solve.
        from epstar.solve.program.constant import best_constant, constant_mechanism

        if not outcomes:
            constant = best_constant(problem)
            mechanism, law = constant_mechanism(problem, constant.law), constant.least_favourable
        else:
            (found,) = outcomes
            if isinstance(found, NoSolution):
                raise found
            if found.mechanism is None or found.converse is None:
                return
            rows, law = found.mechanism.dense().rows, found.converse.distortion_law
            mechanism = Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
        proof = Proof(problem, mechanism, Converse(ONE, law, _points(problem)))
        yield Offer(proof, "constant mechanism", _LEVEL_ZERO, settles=True)


def _points(problem: Problem) -> tuple[Mixture, ...]:
    from epstar.solve.certify.next_to_level_zero import carriers

    return carriers(problem) if problem.notion.needs_source else ()


def _classes(problem: Problem) -> tuple[list[list[int]], set[int]]:
    """Return the inputs that must answer alike, class by class, and the inputs that are possible at all."""
    members = [mixed(point) for point in _points(problem)]
    constraints = problem.notion.constraints(problem.universe, members)
    every = range(problem.universe.size)
    possible = {x for x in every if not members or any(member[x] > 0 for member in members)}
    return answering_alike(constraints, problem.universe.size), possible


def _of_classes(problem: Problem, classes: list[list[int]]) -> Problem:
    edges = [(alike[0], other) for alike in classes for other in alike[1:]]
    gains = [[-cost for cost in row] for row in problem.distortion.matrix(problem.universe)]
    graph = Graph(range(problem.universe.size), edges)
    return replace(problem, notion=DifferentialPrivacy(), universe=graph, distortion=Gain(gains))
