"""Engines made for one shape of bounds, each beside the general one on the same program: what it is kept for.

All are in floats, without proofs: the rate-distortion saddle point and the barrier for power cones beside the smooth
interior-point method; the methods for spreads, for diagonals and for hockey-stick divergences beside HiGHS.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.local import LEVEL, compact_program, law, line
from benchmarks.way import Found, Job
from epstar.deadline import Deadline
from epstar.exact import Rational, Real
from epstar.notions import ApproximateDifferentialPrivacy, MutualInformation, Notion, RenyiDifferentialPrivacy
from epstar.solve.forms.many_priors import best_diagonal
from epstar.solve.program.column_equations import Laws
from epstar.solve.program.exchange import compared_events
from epstar.solve.program.formulation import Program
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.hockey_stick import least_cost as least_under_events
from epstar.solve.program.interior import interior_optimum
from epstar.solve.program.model import Assembly
from epstar.solve.program.power_cones import SteepPairs
from epstar.solve.program.power_cones import least_cost as least_of_large_order
from epstar.solve.program.saddle import Trade, saddle_point
from epstar.solve.program.smooth_program import SmoothProgram
from epstar.solve.program.spread import least_cost as least_of_spread
from epstar.universe import Alphabet

Floats = NDArray[np.float64]
GROWTH = math.exp(LEVEL)
PRIORS = 100
EVENTS = ApproximateDifferentialPrivacy("1/20")
ORDER = 16
# A share of the largest cost, as precise as the answers for large orders are.
PRECISION = 1e-9


def _unlimited() -> None:
    return None


def _smooth(notion: Notion, letters: int) -> Job:
    """The smooth interior-point method at level 1, cost |x - y|."""
    point = _exact(law(letters))
    cost = [[Rational(abs(x - y)) for y in range(letters)] for x in range(letters)]
    sums = notion.constraints(Alphabet(letters), [point]).sums
    program = SmoothProgram(cost, [point], sums, None, Real.of(Rational(LEVEL)), [[True] * letters] * letters)
    return Job(lambda: interior_optimum(program, _unlimited), lambda found: Found(float(found.optimum.value)))


def _exact(probabilities: Floats) -> tuple[Rational, ...]:
    parts = [Rational(*p.as_integer_ratio()) for p in probabilities.tolist()]
    total = sum(parts, Rational(0))
    return tuple(p / total for p in parts)


def saddle_by_epstar(letters: int) -> Job:
    """The saddle point of the rate-distortion function."""
    cost, laws = line(letters), law(letters)[None]

    def check(kernel: Floats) -> Found:
        return Found(float((laws[0][:, None] * cost * kernel).sum()))

    return Job(lambda: saddle_point(Trade(cost, laws, laws, LEVEL, "distortion")).kernel(cost), check)


def saddle_by_smooth(letters: int) -> Job:
    """The smooth interior-point method."""
    return _smooth(MutualInformation(), letters)


def order_by_epstar(letters: int) -> Job:
    """The barrier for power cones."""
    first, second = np.nonzero(~np.eye(letters, dtype=bool))
    pairs = SteepPairs(first, second, np.full(first.size, GROWTH), float(ORDER))
    costs = law(letters)[None, :, None] * line(letters)
    return Job(
        lambda: least_of_large_order(costs, pairs, PRECISION * float(costs.max())), lambda found: Found(found.cost)
    )


def order_by_smooth(letters: int) -> Job:
    """The smooth interior-point method."""
    return _smooth(RenyiDifferentialPrivacy(ORDER), letters)


def spread_by_epstar(letters: int) -> Job:
    """The interior-point method for a spread."""
    costs = law(letters)[:, None] * line(letters)
    return Job(
        lambda: least_of_spread(costs, np.ones(letters), GROWTH, _unlimited).matrix,
        lambda matrix: Found(float((costs * matrix).sum())),
    )


def spread_by_highs(letters: int) -> Job:
    """HiGHS with the smallest program."""
    prior, cost = law(letters), line(letters)
    return Job(
        lambda: compact_program(prior[None], cost),
        lambda matrix: Found(float((prior[:, None] * cost * matrix).sum())),
    )


def _priors(letters: int) -> Floats:
    return np.random.default_rng(letters).dirichlet(np.ones(letters), size=PRIORS)


def diagonal_by_epstar(letters: int) -> Job:
    """The interior-point method for the diagonal."""
    priors = _priors(letters)
    return Job(lambda: best_diagonal(priors, GROWTH).diagonal, lambda diagonal: Found(float((priors @ diagonal).min())))


def diagonal_by_highs(letters: int) -> Job:
    """HiGHS with one variable for each letter."""
    priors = _priors(letters)

    def work() -> float:
        program = Assembly()
        diagonal, cap = np.asarray(program.variables(letters)), program.variable()
        value = program.variable(-math.inf)
        program.objective = {value: -1.0}
        for prior in priors:
            program.at_most(_terms(diagonal, -prior) | {value: 1.0}, 0.0)
        program.all_at_most((diagonal, 1.0), (cap, -1.0), bound=0.0)
        program.at_most(_terms(diagonal, np.ones(letters)) | {cap: GROWTH - 1}, GROWTH)
        return -solve_linear(program).objective

    return Job(work, Found)


def _terms(variables: NDArray[np.int64], values: Floats) -> dict[int, float]:
    return dict(zip(_listed(variables), values.tolist(), strict=True))


def _listed(variables: NDArray[np.int64]) -> Sequence[int]:
    return [int(variable) for variable in variables]


def events_by_epstar(letters: int) -> Job:
    """The interior-point method for hockey-stick divergences."""
    laws = Laws(law(letters)[None], np.zeros((0, 1)), np.zeros(0))
    events = compared_events(EVENTS.constraints(Alphabet(letters), []), Real.of(Rational(LEVEL)))
    assert events is not None
    return Job(lambda: least_under_events(line(letters), laws, events), lambda found: Found(found.upper))


def events_by_highs(letters: int) -> Job:
    """HiGHS with an excess for each pair and output."""

    def work() -> float:
        program = Program(line(letters), [law(letters)])
        program.least_distortion(EVENTS.constraints(Alphabet(letters), []), Real.of(Rational(LEVEL)))
        return program.solve(Deadline(None)).solution.objective

    return Job(work, Found)
