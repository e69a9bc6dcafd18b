"""Whether the least distortion there is leaves a mechanism of finite loss: steps at an infinite level.

A mechanism has a finite loss if and only if, for every ratio bound, the outputs that its right side never gives have at
most the slack on its left. Given which answers are possible at all, that is a linear condition on the outputs that no
input on the right may give. One exact program asks for the mechanism that gives most of the answers of which it is not
known whether they are ever given. If it gives none, its multipliers prove so: a step, after which fewer answers are
possible and more is asked. If every possible answer is given by some mechanism, the mean of these has a finite loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import RatioBound
from epstar.problem import Problem
from epstar.proof.converse import Mixture, Point, Step, mixed
from epstar.proof.forced import Answers, forced_answers
from epstar.solve.exact_cuts import Cut, CutProgram
from epstar.solve.ratio_cuts import Event, Law, Multipliers, RatioBounds

# More answers to choose between would take minutes.
_MOST_CHOICES = 64


@dataclass(frozen=True)
class AtInfinity:
    """What the least distortion leaves at a finite loss, None for nothing, and the steps that show it."""

    answers: Answers | None
    steps: tuple[Step, ...]


def at_infinity(problem: Problem, law: Mixture, points: list[Point]) -> AtInfinity:
    """Return what the least distortion under `law` leaves at a finite loss.

    `points` are the members at which the notion is read; the list grows by those that turn out to matter.
    """
    steps: list[Step] = []
    bounds: RatioBounds | None = None
    while True:
        constraints = problem.notion.constraints(problem.universe, points)
        answers = forced_answers(problem, mixed(law), constraints, steps)
        if answers is None or problem.given.rational is None or constraints.sums:
            return AtInfinity(answers, tuple(steps))
        choices = sum(len(possible) - 1 for possible in answers)
        broken = _broken_bound(constraints.pairwise(), answers) if choices > 0 else ()
        if broken:
            return AtInfinity(None, (*steps, Step(ZERO, law, broken)))
        if not 0 < choices <= _MOST_CHOICES:
            return AtInfinity(answers, tuple(steps))
        bounds = RatioBounds(problem, points) if bounds is None else bounds
        found = _Limit(bounds, answers, problem.given.rational).decide()
        if isinstance(found, Mechanism):
            loss = problem.notion.loss(found, problem.source)
            prior = loss.witness.prior
            if loss.upper is None or not loss.upper.is_infinite or prior is None or prior in points:
                return AtInfinity(answers, tuple(steps))
            points.append(prior)
            bounds.add(prior)
            steps = []
        else:
            weight, mixture = bounds.weight_and_law(found)
            steps.append(Step(weight, mixture, bounds.ratios(found, points)))


def _broken_bound(bounds: Sequence[RatioBound], answers: Answers) -> tuple[tuple[int, int, Rational], ...]:
    """Return the multipliers of a bound that no mechanism on the answers meets, where one is easily seen; else none.

    The inputs on its left that share no answer with those on its right have more than the slack together.
    """
    for i, bound in enumerate(bounds):
        excluded = _excluded(bound, answers)
        alone = sum((share for x, share in bound.left.items() if answers[x] <= excluded), ZERO)
        if alone > bound.slack * (1 if bound.events else len(excluded)):
            return tuple((i, y, ONE) for y in sorted(excluded))
    return ()


def _excluded(bound: RatioBound, answers: Answers) -> set[int]:
    """Return the outputs that a bound limits at an infinite level: those that its left may give, its right may not."""
    if bound.slack_grows and bound.slack > 0:
        return set()
    left, right = (set().union(*(answers[x] for x, w in form.items() if w > 0)) for form in (bound.left, bound.right))
    return left - right


class _Limit:
    """The mechanisms on the answers left that keep to the distortion, and to the bounds at an infinite level."""

    def __init__(self, bounds: RatioBounds, answers: Answers, allowed: Rational) -> None:
        self._bounds = bounds
        self._problem = bounds.problem
        self._answers = [sorted(choices) for choices in answers]
        self._allowed = allowed
        self._cost = self._problem.distortion.matrix(self._problem.universe)
        self._events = [
            Event(k, i, outputs)
            for k, listed in enumerate(bounds.listed)
            for i, bound in enumerate(listed)
            for outputs in _events(bound, _excluded(bound, answers))
        ]

    def decide(self) -> Mechanism | Multipliers:
        """Return a mechanism that gives every answer left, or multipliers that show that some are never given."""
        unknown = {(x, y) for x, choices in enumerate(self._answers) for y in choices}
        found: list[list[list[Rational]]] = []
        while unknown:
            reward = [
                [-ONE if (x, y) in unknown else ZERO for y in range(len(row))] for x, row in enumerate(self._cost)
            ]
            program = CutProgram(self._answers, reward)
            impossible = program.solve(self._broken)
            if impossible is not None:
                return impossible
            if program.value == 0:
                return program.multipliers()
            found.append(program.mechanism())
            unknown = {(x, y) for x, y in unknown if found[-1][x][y] == 0}
        rows = [
            [sum(entries, ZERO) / len(found) for entries in zip(*same, strict=True)]
            for same in zip(*found, strict=True)
        ]
        return Mechanism(rows, self._problem.universe, self._problem.distortion.outputs(self._problem.universe))

    def _broken(self, program: CutProgram) -> Sequence[Cut]:
        rows = program.mechanism()
        worst = self._problem.source.maximum([dot(row, costs) for row, costs in zip(rows, self._cost, strict=True)])
        cuts = [self._bounds.distortion_cut(Law(worst.point), self._allowed)] if worst.value > self._allowed else []
        for event in self._events:
            bound = self._bounds[event]
            left = sum((share * rows[x][y] for x, share in bound.left.items() for y in event.outputs), ZERO)
            if left > bound.slack:
                cuts.append(self._bounds.excess_cut(event, ZERO, bound.slack))
        return cuts


def _events(bound: RatioBound, excluded: set[int]) -> list[tuple[int, ...]]:
    """Return outputs as the events that a bound compares with its slack: all at once, or each alone."""
    together = [tuple(sorted(excluded))] if excluded else []
    return together if bound.events else [(y,) for y in sorted(excluded)]
