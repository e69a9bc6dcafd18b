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
from dataclasses import replace

import numpy as np

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import mixed
from epstar.completion.level_zero import answering_alike
from epstar.distortion import Gain, Hamming, Matrix
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
# More entries are left as they are: writing them in other units takes longer than a program in floats.
_MOST_ENTRIES = 1 << 14


class PlainNames(Reduction):
    """Same bounds under another name, and Hamming distortion in other units."""

    name = "canonical form"

    def accepts(self, problem: Problem) -> bool:
        """Return whether the notion has a plainer name, or the costs are Hamming's up to a unit and an offset."""
        if isinstance(problem.universe, Databases):
            return False
        return _own_name(problem.notion) != problem.notion or _costs_of_hamming(problem) is not None

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the plain problem."""
        plain = replace(problem, notion=_own_name(problem.notion))
        costs = _costs_of_hamming(problem)
        if costs is None:
            return (plain,)
        truth, error = costs
        plain = replace(plain, distortion=Hamming())
        if problem.asks == "loss":
            plain = replace(plain, given=(problem.given - Real.of(truth)) / (error - truth))
        return (plain,)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the same mechanism and multipliers, in the units asked about."""
        (found,) = outcomes
        truth, error = _costs_of_hamming(problem) or (ZERO, ONE)
        yield from _restored(problem, found, error - truth, truth, _theorem(problem.notion))


class Units(Reduction):
    """Tiny costs in units of their own size."""

    name = "units of the cost"
    is_plain = True

    def accepts(self, problem: Problem) -> bool:
        """Return whether all costs are tiny."""
        return _unit_of(problem) != 1

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the problem with costs in the unit."""
        return (_in_units(problem, _unit_of(problem)),)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the same mechanism and multipliers, in the units asked about."""
        (found,) = outcomes
        yield from _restored(problem, found, _unit_of(problem), ZERO, "")


def _restored(problem: Problem, found: Outcome, unit: Rational, truth: Rational, theorem: str) -> Claims:
    """Offer what was proven in other units and from another origin on; a refusal is one of the problem asked."""
    if isinstance(found, NoSolution):
        if isinstance(found.witness, Proof):
            found.witness = _weighed(found.witness, problem, unit, truth)
        raise found
    named = "; ".join(filter(None, (theorem, found.cited)))
    yield Offer(_weighed(found.proof, problem, unit, truth), found.method, named, settles=True)


def _weighed(proof: Proof, problem: Problem, unit: Rational, truth: Rational) -> Proof:
    """Return what a proof proves of a problem whose costs are in another unit, `truth` of which every answer costs."""
    converse = proof.converse
    if converse is None:
        return replace(proof, problem=problem)
    weight, prices = converse.weight / unit, converse.prices
    if prices is not None and truth != 0:
        law = mixed(converse.distortion_law)
        prices = tuple(price + weight * truth * p for price, p in zip(prices, law, strict=True))
    steps = tuple(replace(step, weight=step.weight / unit) for step in converse.steps)
    weighed: Converse = replace(converse, weight=weight, prices=prices, steps=steps)
    return Proof(problem, proof.mechanism, weighed)


def _own_name(notion: Notion) -> Notion:
    """Return the plain notion that has the same bounds, if there is one."""
    return next((plain for plain in _PLAIN if are_the_same(plain, notion)), notion)


def _theorem(notion: Notion) -> str:
    """Return by which result a notion is the plain one; nothing where it is its own name."""
    return _THEOREMS.get((notion.name, _own_name(notion).name), "")


def _costs_of_hamming(problem: Problem) -> tuple[Rational, Rational] | None:
    """Return what a truth and an error cost, where all cost the same; None if less than a truth is allowed."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    # Of the named kinds the others are Hamming's for two letters alone.
    is_table = isinstance(problem.distortion, Matrix | Gain) or (inputs == 2 and problem.distortion != Hamming())
    if not is_table or not isinstance(problem.universe, Alphabet) or not inputs == outputs > 1:
        return None
    if tuple(problem.distortion.outputs(problem.universe)) != tuple(problem.universe.labels):
        return None
    floats = problem.distortion.floats(problem.universe)
    errors = floats[~np.eye(inputs, dtype=bool)]
    if np.ptp(np.diag(floats)) > 0 or np.ptp(errors) > 0 or errors[0] <= floats[0, 0]:
        return None
    table = problem.distortion.matrix(problem.universe)
    truths = {row[x] for x, row in enumerate(table)}
    costs = {cost for x, row in enumerate(table) for y, cost in enumerate(row) if x != y}
    if len(truths) > 1 or len(costs) > 1:
        return None
    (truth,), (error,) = truths, costs
    too_little = problem.asks == "loss" and problem.given < Real.of(truth)
    return None if too_little else (truth, error)


def _unit_of(problem: Problem) -> Rational:
    """Return the power of ten below the largest cost if that is tiny, else one."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    if isinstance(problem.distortion, Hamming) or inputs * outputs > _MOST_ENTRIES:
        return ONE
    largest = max(abs(entry) for row in problem.distortion.matrix(problem.universe) for entry in row)
    unit = ONE
    while 0 < largest < _TINY and largest < unit:
        unit /= 10
    return unit


def _in_units(problem: Problem, unit: Rational) -> Problem:
    """Return the question with distortions in another unit."""
    outputs = problem.distortion.outputs(problem.universe)
    costs = [[entry / unit for entry in row] for row in problem.distortion.matrix(problem.universe)]
    gains = isinstance(problem.distortion, Gain)
    distortion = Gain([[-entry for entry in row] for row in costs], outputs) if gains else Matrix(costs, outputs)
    return replace(
        problem, distortion=distortion, given=problem.given / unit if problem.asks == "loss" else problem.given
    )


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
        return () if _are_one(classes, possible) else (_of_classes(problem, classes),)

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
    from epstar.solve.certify.level_zero import carriers

    return carriers(problem) if problem.notion.needs_source else ()


def _classes(problem: Problem) -> tuple[list[list[int]], set[int]]:
    """Return the inputs that must answer alike, class by class, and the inputs that are possible at all."""
    members = [mixed(point) for point in _points(problem)]
    constraints = problem.notion.constraints(problem.universe, members)
    every = range(problem.universe.size)
    possible = {x for x in every if not members or any(member[x] > 0 for member in members)}
    return answering_alike(constraints, problem.universe.size), possible


def _are_one(classes: list[list[int]], possible: set[int]) -> bool:
    return any(possible <= set(alike) for alike in classes)


def _of_classes(problem: Problem, classes: list[list[int]]) -> Problem:
    edges = [(alike[0], other) for alike in classes for other in alike[1:]]
    gains = [[-cost for cost in row] for row in problem.distortion.matrix(problem.universe)]
    graph = Graph(range(problem.universe.size), edges)
    return replace(problem, notion=DifferentialPrivacy(), universe=graph, distortion=Gain(gains))
