"""Facial reduction at the least distortion: which answers every mechanism of finite loss never gives.

The steps are those of Borwein and Wolkowicz (1981), at an infinite level; the cheapest answers are what is left.

A mechanism has a finite loss if and only if, for every ratio bound, the outputs that its right side never gives have at
most the slack on its left. Given which answers are possible at all, that is a linear condition on the outputs that no
input on the right may give. One exact program asks for the mechanism that gives most of the answers of which it is not
known whether they are ever given. If it gives none, its multipliers prove so: a step, after which fewer answers are
possible and more is asked. If every possible answer is given by some mechanism, the mean of these has a finite loss.

Sums have no slack: zeros spread by their divergences, and by the laws under which the cheapest of the answers left cost
all that is allowed. Such a law is a step too; where there is none, every answer left is given by some mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epstar.completion import Converse, Proof
from epstar.completion.converse import Mixture, Point, Step, mixed
from epstar.completion.evidence import is_kept
from epstar.completion.excluded import left_at_infinity
from epstar.completion.forced import answers as answers_of
from epstar.completion.forced import cheapest_of
from epstar.distortion import EXACT_LIMIT, check_entries
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.common_denominator import narrowed
from epstar.mechanism import Mechanism
from epstar.notions.constraints import RatioBound
from epstar.problem import Problem
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.laws import initial_members

# More answers to choose between would take minutes: in exact programs, and where none is needed.
_MOST_CHOICES, _MOST_FREE_CHOICES = 64, 300
# How fast a preference among the worst laws fades until it does not change which are worst, and how often.
_FADING, _MOST_PREFERENCES = Rational(1, 16), 64


@dataclass(frozen=True)
class AtInfinity:
    """What the least distortion leaves at a finite loss, None for nothing, and the steps that show it."""

    answers: list[set[int]] | None
    steps: tuple[Step, ...]


def at_infinity(problem: Problem, points: list[Point], law: Mixture | None = None) -> AtInfinity:
    """Return what the least distortion leaves at a finite loss, under a law to begin with.

    `points` are the members at which the notion is read; the list grows by those that turn out to matter.
    """
    steps: list[Step] = []
    while True:
        constraints = problem.notion.constraints(problem.universe, points)
        # The steps name every law, so that no checker has to find the same ones.
        converse = Converse(ZERO, law or (), tuple(((ONE, point),) for point in points), steps=tuple(steps))
        left = left_at_infinity(problem, converse, searches=False)
        answers = None if left.done else [set(choices) for choices in answers_of(left)]
        choices = 0 if answers is None else sum(len(possible) - 1 for possible in answers)
        tight = None if answers is None else _tight_step(problem, answers)
        if tight is not None:
            steps.append(tight)
            continue
        if answers is None or choices == 0:
            return AtInfinity(answers, tuple(steps))
        if constraints.sums:
            if choices > _MOST_FREE_CHOICES:
                return AtInfinity(answers, tuple(steps))
            found: Mechanism | Step = _even(problem, answers)
        else:
            broken = _broken_bound(constraints.pairwise(), answers)
            if broken:
                return AtInfinity(None, (*steps, Step(ZERO, _worst_law(problem), broken)))
            if choices > _MOST_CHOICES or problem.given.rational is None:
                return AtInfinity(answers, tuple(steps))
            found = _Limit(problem, points, answers, problem.given.rational).decide()
        if isinstance(found, Step):
            steps.append(found)
            continue
        loss = problem.notion.loss(found, problem.source)
        prior = loss.witness.prior
        if loss.upper is None or not loss.upper.is_infinite or prior is None or prior in points:
            return AtInfinity(answers, tuple(steps))
        points.append(prior)
        steps = []


def _tight_step(problem: Problem, answers: list[set[int]]) -> Step | None:
    """Return a law under which the cheapest answers cost more than is allowed, or all and dearer ones are left, if any.

    Among the worst laws those are preferred that use inputs with dearer answers; a preference that is weak enough
    chooses among the worst laws alone.
    """
    cost = problem.distortion.matrix(problem.universe)
    cheapest = [min(row[y] for y in choices) for row, choices in zip(cost, answers, strict=True)]
    undecided = [
        any(row[y] > least for y in choices) for row, choices, least in zip(cost, answers, cheapest, strict=True)
    ]
    worst = problem.source.maximum(cheapest)
    if Real.of(worst.value) > problem.given:
        return Step(ONE, ((ONE, worst.point),))
    if not any(undecided) or Real.of(worst.value) < problem.given:
        return None
    preference = ONE
    for _ in range(_MOST_PREFERENCES):
        preferred = [least + preference * int(free) for least, free in zip(cheapest, undecided, strict=True)]
        point = problem.source.maximum(preferred).point
        if dot(point, cheapest) == worst.value:
            is_new = any(p > 0 and free for p, free in zip(point, undecided, strict=True))
            return Step(ONE, ((ONE, point),)) if is_new else None
        preference *= _FADING
    return None


def _worst_law(problem: Problem) -> Mixture:
    cost = problem.distortion.matrix(problem.universe)
    return ((ONE, problem.source.maximum([min(row) for row in cost]).point),)


def _even(problem: Problem, answers: list[set[int]]) -> Mechanism:
    """Return the mechanism that gives each input its answers with equal chances."""
    outputs = problem.distortion.outputs(problem.universe)
    rows = [[Rational(int(y in choices), len(choices)) for y in range(len(outputs))] for choices in answers]
    return Mechanism(rows, problem.universe, outputs)


def _broken_bound(bounds: Sequence[RatioBound], answers: list[set[int]]) -> tuple[tuple[int, int, Rational], ...]:
    """Return the multipliers of a bound that no mechanism on the answers meets, where one is easily seen; else none.

    The inputs on its left that share no answer with those on its right have more than the slack together.
    """
    for i, bound in enumerate(bounds):
        excluded = _excluded(bound, answers)
        alone = sum((share for x, share in bound.left.items() if answers[x] <= excluded), ZERO)
        if alone > bound.slack * (1 if bound.events else len(excluded)):
            return tuple((i, y, ONE) for y in sorted(excluded))
    return ()


def _excluded(bound: RatioBound, answers: list[set[int]]) -> set[int]:
    """Return the outputs that a bound limits at an infinite level: those that its left may give, its right may not."""
    if bound.slack_grows and bound.slack > 0:
        return set()
    left, right = (set().union(*(answers[x] for x, w in form.items() if w > 0)) for form in (bound.left, bound.right))
    return left - right


class _Limit:
    """The mechanisms on the answers left that keep to the distortion, and to the bounds at an infinite level."""

    def __init__(self, problem: Problem, points: list[Point], answers: list[set[int]], allowed: Rational) -> None:
        self._problem, self._allowed = problem, allowed
        self._cost = problem.distortion.matrix(problem.universe)
        self._program = ExactProgram()
        entries = [(x, y) for x, choices in enumerate(answers) for y in sorted(choices)]
        self._places = dict(zip(entries, self._program.variables(len(entries)), strict=True))
        for x, choices in enumerate(answers):
            self._program.at_most({self._places[x, y]: ONE for y in sorted(choices)}, ONE, equal=True)
        self._laws: dict[int, Point] = {}
        self._events: dict[int, tuple[int, tuple[int, ...]]] = {}
        for i, bound in enumerate(problem.notion.constraints(problem.universe, points).pairwise()):
            excluded = tuple(sorted(_excluded(bound, answers)))
            for outputs in [excluded] if bound.events and excluded else [(y,) for y in excluded]:
                left = {(x, y): share for x, share in bound.left.items() for y in outputs}
                row = {self._places[entry]: share for entry, share in left.items() if entry in self._places}
                self._events[self._program.at_most(row, bound.slack)] = i, outputs

    def decide(self) -> Mechanism | Step:
        """Return a mechanism that gives every answer left, or a step that shows that some are never given."""
        unknown = set(self._places)
        found: list[list[list[Rational]]] = []
        while unknown:
            self._program.objective = {self._places[entry]: -ONE for entry in unknown}
            optimum = self._program.pivoted(self._broken)
            assert optimum is not None
            if isinstance(optimum, Impossible) or self._program.value(optimum) == 0:
                return self._step(optimum.multipliers)
            found.append(self._rows(optimum))
            unknown = {(x, y) for x, y in unknown if found[-1][x][y] == 0}
        rows = [
            [sum(entries, ZERO) / len(found) for entries in zip(*same, strict=True)]
            for same in zip(*found, strict=True)
        ]
        return Mechanism(rows, self._problem.universe, self._problem.distortion.outputs(self._problem.universe))

    def _rows(self, optimum: ExactOptimum) -> list[list[Rational]]:
        places, outputs = self._places, range(len(self._cost[0]))
        return [
            [optimum.values[places[x, y]] if (x, y) in places else ZERO for y in outputs]
            for x in range(len(self._cost))
        ]

    def _step(self, multipliers: Sequence[Rational]) -> Step:
        laws = [(multipliers[row], point) for row, point in self._laws.items() if multipliers[row] > 0]
        weight = sum((value for value, _ in laws), ZERO)
        law = tuple((value / weight, point) for value, point in laws) if weight > 0 else _worst_law(self._problem)
        ratios: dict[tuple[int, int], Rational] = {}
        for row, (i, outputs) in self._events.items():
            for y in outputs if multipliers[row] > 0 else ():
                ratios[i, y] = ratios.get((i, y), ZERO) + multipliers[row]
        return Step(weight, law, tuple((i, y, value) for (i, y), value in ratios.items()))

    def _broken(self, optimum: ExactOptimum) -> list[int]:
        """Add the law under which a mechanism costs more than is allowed, if there is one."""
        rows = self._rows(optimum)
        worst = self._problem.source.maximum([dot(row, costs) for row, costs in zip(rows, self._cost, strict=True)])
        if worst.value <= self._allowed:
            return []
        row = {place: worst.point[x] * self._cost[x][y] for (x, y), place in self._places.items()}
        added = self._program.at_most(row, self._allowed)
        self._laws[added] = worst.point
        return [added]


# A larger share of random answers would show in the distortion.
_MOST = Rational(1, 10**10)


def cheapest_mechanism(problem: Problem) -> Mechanism:
    """Return the mechanism that gives every input its cheapest answer, the first of several."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    check_entries(inputs * outputs, EXACT_LIMIT)
    tickets = np.zeros((inputs, outputs), dtype=np.int64)
    tickets[np.arange(len(tickets)), problem.distortion.cheapest(problem.universe).outputs] = 1
    return Mechanism.of_tickets(tickets, 1, problem.universe, problem.distortion.outputs(problem.universe))


def forced_answer(problem: Problem) -> Proof | None:
    """Return the proof where the least distortion leaves one mechanism, or none of finite loss; else None."""
    law = forcing_law(problem)
    if law is None:
        return None
    points: list[Point] = []
    if problem.notion.needs_source:
        points = initial_members(problem.notion.priors(problem.source))
    left = at_infinity(problem, points, law)
    mechanism = (
        cheapest_mechanism(problem)
        if left.answers is None
        else cheapest_of(problem, [sorted(choices) for choices in left.answers])
    )
    converse = Converse(ZERO, law, tuple(((ONE, point),) for point in points), forced=True, steps=left.steps)
    proof = Proof(problem, mechanism, converse)
    try:
        proof.check()
    except ProofRejected:
        return None
    return proof


def forcing_law(problem: Problem) -> Mixture | None:
    """Return a mixture of members under which only the cheapest answers keep to the distortion allowed, if any."""
    cheapest = problem.distortion.cheapest(problem.universe).costs
    law = _worst_members(problem, cheapest)
    return None if Real.of(dot(mixed(law), cheapest)) < problem.given else law


def mixed_with_uniform(problem: Problem) -> Mechanism | None:
    """Return the cheapest answers mixed with as much of the uniform law as the distortion allowed."""
    cheapest = cheapest_mechanism(problem)
    outputs = len(cheapest.outputs)
    evenly = np.ones(cheapest.shape, dtype=np.int64)
    uniform = Mechanism.of_tickets(evenly, outputs, problem.universe, cheapest.outputs)
    least, most = (m.distortion(problem.distortion, problem.source).value for m in (cheapest, uniform))
    if problem.given.rational is None or problem.given.rational <= least or most <= least:
        return None
    share = min(ONE, (problem.given.rational - least) / (most - least))
    return _blurred(cheapest, share)


def _blurred(cheapest: Mechanism, share: Rational) -> Mechanism:
    """Return certain answers mixed with a share of the uniform law, as whole tickets."""
    outputs, part, whole = len(cheapest.outputs), int(share.p), int(share.q)
    tickets = narrowed([part, (whole - part) * outputs + part])
    chosen = tickets[(cheapest.floats > 0).astype(np.intp)]
    return Mechanism.of_tickets(chosen, whole * outputs, cheapest.universe, cheapest.outputs)


def _worst_members(problem: Problem, cheapest: Sequence[Rational]) -> Mixture:
    """Return an even mixture of the known members that make the cheapest answers cost most.

    The more members, the more inputs have a positive probability and are forced.
    """
    worst = problem.source.maximum(cheapest)
    members = {worst.point: None} | dict.fromkeys(
        member for member in initial_members(problem.source) if dot(member, cheapest) == worst.value
    )
    return tuple((Rational(1, len(members)), member) for member in members)


def nearly_truthful(problem: Problem, least: Rational) -> Mechanism | None:
    """Return the cheapest answers mixed with as little of the uniform law as the level allows, the least share or more.

    None where it allows no share that is next to nothing.
    """
    cheapest, share = cheapest_mechanism(problem), least
    while share < _MOST:
        mechanism = _blurred(cheapest, share)
        if is_kept(problem, mechanism, problem.given):
            return mechanism
        share *= 2
    return None
