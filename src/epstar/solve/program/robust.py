"""Robust counterparts: bounds that hold under every law of a convex source, written with a few rows of their own.

The largest mean of numbers c over mixtures w of vectors v with matrix w <= bounds is the least t + bounds.u over u >= 0
and t with t + u.matrix[:, k] >= c.v[k] for all k (linear programming duality; Ben-Tal and Nemirovski 1999). The
multipliers of those rows weigh the vectors: they make the law under which the bound is worst. So a box or a ball of
laws costs a program a few rows, where its corners are without number.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Point
from epstar.exact import ONE, Rational
from epstar.exact.vectors import sum_of
from epstar.notions.constraints import RatioBound
from epstar.problem import Problem
from epstar.solve.program.coefficients import Array, Coefficients
from epstar.solve.program.model import NOISE, Model
from epstar.source import Ball, Box, Source
from epstar.source.base import Mixtures

Floats = NDArray[np.float64]
Multipliers = Mapping[Hashable, Any]

FEW_LETTERS = 6
"""A region of so few letters is given by its corners, of which there are few, and exact numbers are recognised."""


def region_of(source: Source) -> Mixtures | None:
    """Return the laws of a source that a program takes all at once; None where it takes them one by one."""
    return source.mixtures if isinstance(source, Box | Ball) and source.size > FEW_LETTERS else None


def member_near(source: Source, law: Floats) -> Point:
    """Return a member of a box or a ball next to a law in floats."""
    near = [Rational(*max(0.0, p).as_integer_ratio()) for p in law.tolist()]
    if isinstance(source, Box):
        near = [min(max(p, low), high) for p, low, high in zip(near, source.lower, source.upper, strict=True)]
        left = ONE - sum_of(near)
        for x, (low, high) in enumerate(zip(source.lower, source.upper, strict=True)):
            moved = min(max(left, low - near[x]), high - near[x])
            near[x] += moved
            left -= moved
        return tuple(near)
    assert isinstance(source, Ball)
    total = sum_of(near)
    near = [p / total for p in near]
    distance = sum_of([abs(p - c) for p, c in zip(near, source.center, strict=True)])
    share = min(ONE, source.radius / distance) if distance > 0 else ONE
    return tuple(c + share * (p - c) for p, c in zip(near, source.center, strict=True))


class Envelope:
    """The largest (or least) mean of variables over the laws of a region, for one program after the other."""

    def __init__(self, region: Mixtures, numbers: Coefficients) -> None:
        self._vectors = np.array([numbers.array(vector) for vector in region.vectors])
        lines = [numbers.array(line) for line in region.matrix]
        self._matrix = np.array(lines).reshape(len(lines), len(self._vectors))
        self._bounds = numbers.array(region.bounds).tolist()
        # What most vectors have in common is written once, which keeps rows short.
        self._base = np.sort(self._vectors, axis=0)[len(self._vectors) // 2]

    def add(self, model: Model, values: Sequence[int], name: Hashable, sign: int = 1) -> dict[int, Any]:
        """Add rows and return an expression that is at least every mean of the values; at most, for a sign of -1."""
        top, prices = model.variable(-math.inf), model.variables(len(self._bounds))
        common: dict[int, int] = {}
        if self._base.any():
            shared = model.variable(-math.inf)
            row = dict(zip(values, self._base.tolist(), strict=True))
            model.equal(row | {shared: -1}, 0)
            common = {shared: sign}
        for k, vector in enumerate(self._vectors - self._base):
            row = {values[x]: sign * vector.item(x) for x in np.flatnonzero(vector).tolist()}
            row |= {prices[j]: -self._matrix.item(j, k) for j in np.flatnonzero(self._matrix[:, k]).tolist()}
            model.at_most(row | common | {top: -1}, 0, ("vector", (name, k)))
        return {top: sign} | {price: sign * bound for price, bound in zip(prices, self._bounds, strict=True)}

    def law(self, multipliers: Multipliers, name: Hashable) -> tuple[Array, Any]:
        """Return the law that the multipliers of an expression make, and how much they weigh."""
        weights = np.array([max(0, multipliers.get(("vector", (name, k)), 0)) for k in range(len(self._vectors))])
        total = weights.sum()
        law: Array = self._vectors.sum(axis=0) / len(weights) if total == 0 else weights @ self._vectors / total
        return law, total


def envelope_of(source: Source) -> Envelope | None:
    """Return the means over the laws of a source that a program takes all at once; None for any other."""
    region = region_of(source)
    return None if region is None else Envelope(region, Coefficients(None))


@dataclass(frozen=True)
class LawRatio:
    """A ratio bound between one input and the law of the output, under every law: which side the law is on."""

    input: int
    has_law_left: bool
    distance: Rational


def law_ratios(problem: Problem) -> tuple[LawRatio, ...] | None:
    """Return the bounds of a notion where all compare an input with the law of the output, over a region of laws."""
    if not problem.notion.needs_source or region_of(problem.source) is None:
        return None
    priors, flattest = problem.notion.priors(problem.source), problem.source.flattest
    if priors != problem.source or flattest is None:
        return None
    law = {x: p for x, p in enumerate(flattest.probabilities) if p != 0}
    constraints = problem.notion.constraints(problem.universe, [flattest.probabilities])
    if constraints.sums or constraints.spread is not None or len(law) < 2:
        return None
    found = [_law_ratio(bound, law) for bound in constraints.ratios]
    return tuple(ratio for ratio in found if ratio is not None) if None not in found else None


def _law_ratio(bound: RatioBound, law: Mapping[int, Rational]) -> LawRatio | None:
    for single, other, is_left in ((bound.left, bound.right, False), (bound.right, bound.left, True)):
        if other == law and list(single.values()) == [ONE] and bound.slack == 0:
            return LawRatio(next(iter(single)), is_left, bound.distance)
    return None


class LawRatios:
    """The rows of such bounds, and the laws and multipliers that they find: some for each output and side."""

    def __init__(self, ratios: Sequence[LawRatio], region: Mixtures) -> None:
        self.ratios = ratios
        self._envelope = Envelope(region, Coefficients(None))
        self._sides = sorted({ratio.has_law_left for ratio in ratios})

    def add(self, model: Model, entries: NDArray[np.int64], growths: Mapping[Rational, float]) -> None:
        """Add the bounds whose growth with the distance is known, at every output."""
        for y, column in enumerate(entries.T.tolist()):
            means: dict[bool, int] = {}
            for is_left in self._sides:
                means[is_left] = model.variable(-math.inf)
                mean = self._envelope.add(model, column, (y, is_left), 1 if is_left else -1)
                model.equal(mean | {means[is_left]: -1}, 0)
            for j, ratio in enumerate(self.ratios):
                growth, sides = growths.get(ratio.distance), (column[ratio.input], means[ratio.has_law_left])
                if growth is not None:
                    left, right = reversed(sides) if ratio.has_law_left else sides
                    model.at_most({left: 1, right: -growth}, 0, ("law", (j, y)))

    def found(
        self, multipliers: Multipliers, outputs: int, source: Source
    ) -> tuple[list[Point], dict[Hashable, Floats]]:
        """Return the laws at which bounds bind, and the multipliers of the ratio bounds at them, one law by one."""
        laws: list[Point] = []
        blocks: dict[Hashable, Floats] = {}
        for y in range(outputs):
            for is_left in self._sides:
                law, weight = self._envelope.law(multipliers, (y, is_left))
                if weight <= NOISE:
                    continue
                for j, ratio in enumerate(self.ratios):
                    value = multipliers.get(("law", (j, y)), 0.0)
                    if ratio.has_law_left == is_left and value > 0:
                        block = blocks.setdefault(("ratio", len(laws) * len(self.ratios) + j), np.zeros(outputs))
                        block[y] = value
                laws.append(member_near(source, law))
        return laws, blocks
