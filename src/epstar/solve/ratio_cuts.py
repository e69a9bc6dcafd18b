"""Names for the inequalities of a linear program over mechanisms, and what their multipliers prove.

A mechanism has a law's distortion for each member of the source, and an excess for each ratio bound of the notion and
each event of outputs: too many to write down, few that matter. Each that does is a cut with a name; a converse is
written from the multipliers of named cuts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational
from epstar.notions.constraints import RatioBound
from epstar.problem import Problem
from epstar.proof import Mixture
from epstar.proof.converse import Point
from epstar.solve.exact_cuts import Cut, Entry

Multipliers = Mapping[Hashable, Rational]


@dataclass(frozen=True)
class Law:
    """The name of a cut: the distortion under a law of the source."""

    point: Point


@dataclass(frozen=True)
class Event:
    """The name of a cut: a bound of the notion, read at a point of the source, for some outputs together."""

    point: int
    bound: int
    outputs: tuple[int, ...]


class RatioBounds:
    """The ratio bounds of a problem's notion, point by point of its source."""

    def __init__(self, problem: Problem, points: list[Point]) -> None:
        self.problem = problem
        self.points: list[Point] = []
        self.listed: list[tuple[RatioBound, ...]] = []
        self.are_all = True
        for point in points if problem.notion.needs_source else [None]:
            self.add(point)

    def add(self, point: Point | None) -> None:
        """Read the notion at one more point of the source."""
        points = [] if point is None else [point]
        constraints = self.problem.notion.constraints(self.problem.universe, points)
        self.points += points
        self.listed.append(constraints.pairwise())
        self.are_all = self.are_all and not constraints.sums

    def __getitem__(self, name: Event) -> RatioBound:
        return self.listed[name.point][name.bound]

    def excess_cut(self, name: Event, factor: Rational, slack: Rational) -> Cut:
        """Return the cut: left side less factor times right side, added up over the outputs, is at most the slack."""
        bound = self[name]
        found: dict[Entry, Rational] = {}
        for form, share in ((bound.left, -ONE), (bound.right, factor)):
            for x, weight in form.items():
                for y in name.outputs:
                    found[x, y] = found.get((x, y), ZERO) + share * weight
        return Cut(name, slack, found)

    def distortion_cut(self, name: Law, allowed: Rational | None = None) -> Cut:
        """Return the cut: the distortion under a law is at most what is allowed, or at most the program's worst."""
        cost = self.problem.distortion.matrix(self.problem.universe)
        found = {(x, y): -p * d for x, p in enumerate(name.point) for y, d in enumerate(cost[x]) if p != 0}
        return Cut(name, ZERO if allowed is None else allowed, found, worst=allowed is None)

    def weight_and_law(self, multipliers: Multipliers) -> tuple[Rational, Mixture]:
        """Return the weight of the distortion, and the mixture of laws under which it counts."""
        laws = [(value, name.point) for name, value in multipliers.items() if isinstance(name, Law)]
        weight = sum((value for value, _ in laws), ZERO)
        if weight > 0:
            return weight, tuple((value / weight, point) for value, point in laws)
        cost = self.problem.distortion.matrix(self.problem.universe)
        return ZERO, ((ONE, self.problem.source.maximum([min(row) for row in cost]).point),)

    def ratios(self, multipliers: Multipliers, points: list[Point]) -> tuple[tuple[int, int, Rational], ...]:
        """Return the multipliers of the notion's bounds at some points, by bound and output."""
        bounds = self.problem.notion.constraints(self.problem.universe, points).pairwise()
        found: dict[tuple[int, int], Rational] = {}
        for name, value in multipliers.items():
            if isinstance(name, Event):
                place = bounds.index(self[name])
                for y in name.outputs:
                    found[place, y] = found.get((place, y), ZERO) + value
        return tuple((i, y, value) for (i, y), value in found.items())

    def used_points(self, multipliers: Multipliers) -> list[Point]:
        """Return the points at which some multiplier reads the notion."""
        used = sorted({name.point for name in multipliers if isinstance(name, Event)})
        return [self.points[k] for k in used] if self.points else []
