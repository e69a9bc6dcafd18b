"""Weak duality: from the multipliers of a solver, in floats, to a lower bound that holds exactly.

Any non-negative multipliers prove something, so that they are taken as the fractions that their floats are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Proof
from epstar.completion.converse import BITS, Converse, Mixture, Point, mixed
from epstar.completion.excluded import shortfall
from epstar.errors import EpstarError, ProofRejected, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Constraints, Spread
from epstar.problem import Problem
from epstar.solve.program.coefficients import is_compact
from epstar.solve.program.exchange import Round
from epstar.solve.program.formulation import Found, multipliers
from epstar.solve.program.laws import exact, mixture
from epstar.solve.program.measured import PLACE_BITS
from epstar.source.base import Maximum

Floats = NDArray[np.float64]

HALF_RANGE = math.log(float_info.max) / 2
"""The logarithm of a number whose square floats still hold."""


def row_prices(
    found: Found,
    law_points: Sequence[Point],
    notion_points: Sequence[Mixture],
    problem: Problem,
    constraints: Constraints,
    level: Real,
) -> Converse:
    """Return the converse of a spread from the solver's row prices, lowered until every column condition holds."""
    spread = constraints.spread
    if spread is None:
        raise EpstarError("Row prices prove something only for a notion that bounds all pairs of inputs.")
    weights = [found.multiplier("point", j) for j in range(len(law_points))]
    law = mixture(weights, law_points)
    prices = found.prices
    # Below the level of the program every column has room, so that prices can rise.
    room = -float(_estimated_shortfall(prices, mixed(law), spread, problem, level))
    ratio = float(Real.exp(level))
    inverse = sum(1 / float(scale) for scale in spread.scales)
    prices += max(0.0, room) / ((1 + ratio) * inverse) if math.isfinite(ratio) else 0.0
    raw = Converse(
        weight=ONE,
        distortion_law=law,
        points=tuple(notion_points),
        level=level,
        prices=tuple(map(exact, prices.tolist())),
    )
    lacking = shortfall(problem, raw, level)
    # Lowering every price by the same amount closes a column's gap by at least the sum of 1/scale times it.
    step = lacking / sum((1 / scale for scale in spread.scales), ZERO)
    lowered = Rational((step * (1 << PLACE_BITS)).ceil(), 1 << PLACE_BITS)
    return replace(raw, prices=tuple(exact(price) - lowered for price in prices.tolist()))


def _estimated_shortfall(prices: Floats, law: Point, spread: Spread, problem: Problem, level: Real) -> Rational:
    """Return a bound in floats on how far prices fail, negative where they have room."""
    lawful = np.array([float(p) for p in law])[:, None] * problem.distortion.floats(problem.universe)
    scales = np.array([float(scale) for scale in spread.scales])[:, None]
    ratio = float(Real.exp(level))
    gaps = (lawful - prices[:, None]) / scales
    lacking = ratio * np.maximum(-gaps, 0).sum(0) - np.maximum(gaps, 0).sum(0)
    margin = 4e-16 * (ratio * np.abs(gaps).sum(0).max() + 1)
    return exact(float(lacking.max()) + margin)


def at_cheapest(problem: Problem) -> Maximum:
    """Return the least distortion of all, that of the cheapest answers, and the law under which it is largest."""
    return problem.source.maximum(problem.distortion.cheapest(problem.universe).costs)


def trivial_converse(problem: Problem) -> Converse:
    """Return the bound that ignores privacy: every input gets its cheapest output, under the worst law for that."""
    return Converse(weight=ONE, distortion_law=((ONE, at_cheapest(problem).point),))


def converse_of(problem: Problem, solved: Round, level: Real | None) -> Converse:
    """Return what the solver's multipliers prove at `level` (None where the question is the level itself)."""
    members = solved.members
    points: list[Mixture] = [((ONE, point),) for point in members.for_notion]
    if level is not None and is_compact(solved.constraints):
        return row_prices(solved.found, members.for_distortion, points, problem, solved.constraints, level)
    named = level if problem.asks == "loss" else None
    return multipliers(solved.found, solved.constraints, members.for_distortion, points, named)


def proven(proof: Proof) -> tuple[int, Rational]:
    """Return the lower bound that is proven in time, in an order: none, finite by size, infinite."""
    try:
        lower = proof.lower
    except (ProofRejected, TimeLimit):
        return -1, ZERO
    return (1, ZERO) if lower.is_infinite else (0, lower.below(BITS))
