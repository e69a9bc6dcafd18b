r"""Least distortion under approximate differential privacy over events, from that of pure differential privacy.

Answer with the best purely private mechanism, and with probability delta with the cheapest answer of the input. That
keeps every excess within delta, and its cost (1 - delta) V(0) + delta V(1) lies on the chord of the least cost
V(delta), a convex function. If it is least for one delta strictly between 0 and 1 it is so for all of them, and the
same multipliers say so for all: optimal prices lambda(x) of pure privacy and flows f(x,x',y) >= 0 from x to x' with

    sum over x' of (f(x,x',y) - E f(x',x,y))  >=  lambda(x) - cost(x,y),
    f(x,x',y)  <=  f(x,x',y*)  where y* is the cheapest output of x,
    sum over x' of f(x,x',y*)  =  lambda(x) - cost(x,y*),

so that delta is charged for the flows at y* alone. They are a point of a polyhedron, and most of them are not needed.
Where no point is found a cleverer mechanism may exist, and this file is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from epstar.completion.converse import mixed
from epstar.deadline import Deadline
from epstar.errors import TimeLimit
from epstar.exact import ONE, Real
from epstar.notions.constraints import Constraints
from epstar.problem import Problem
from epstar.reading import nearest_floats
from epstar.solve.methods.spread import SpreadOptimum, least_cost
from epstar.solve.program.column_program import laws_of, least_by_columns
from epstar.solve.program.formulation import Found
from epstar.solve.program.highs import feasible_point
from epstar.solve.program.laws import Members, is_listed, mixture
from epstar.solve.program.model import Solution
from epstar.solve.program.pairs import least_under_divergences
from epstar.solve.program.ratios import kept_to_ratios
from epstar.solve.program.robust import member_near, region_of
from epstar.source import Box

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The share of the inputs that count as large, of which a pair needs one, and the doubt about who gives and who takes.
_ATTEMPTS = ((0.5, 0.0), (1.0, 0.25))
# A purely private output of a smaller probability is one that the solver left out.
_FAINT = 1e-12
# The share of the bounds that is left alone, so that a rounded mechanism stays within them.
_MARGIN = 2.0**-42
_GOOD = 1e-10
# No more flows are found in a second, and a solver that has begun with millions cannot be stopped.
_FLOWS_IN_A_SECOND = 20_000
# Below this many entries HiGHS is as quick, and ends on a corner; outside these levels it is more precise.
_LARGE_SPREAD, _LEAST_SPREAD_LEVEL, _MOST_SPREAD_LEVEL = 200, 1e-6, 12.0


def least_under_events(cost: Floats, ratio: float, slack: float, left: Callable[[], float | None]) -> Found | None:
    """Return the mechanism of least cost under sum_y (Q(y|x) - ratio Q(y|x'))_+ <= slack, with its multipliers.

    The multipliers have the tags ("ratio", i), the pairs in the order of `Spread.ratios`. None where the mixture
    is not least, or that is not found out; `left` is asked for the seconds left and may raise to stop.
    """
    pure = least_cost(cost, np.ones(len(cost)), ratio, left)
    value = float((1 - slack) * pure.prices.sum() + slack * cost.min(axis=1).sum())
    for large, doubt in _ATTEMPTS:
        possible = _possible(cost, pure, large, doubt)
        seconds = left()
        if seconds is not None and possible.sum() > _FLOWS_IN_A_SECOND * seconds:
            raise TimeLimit("A point among so many flows is not found in time; raise the limit.")
        flows = _flows(cost, possible, float(pure.prices.sum()), ratio, left)
        prices = (cost + flows.sum(axis=1) - ratio * flows.sum(axis=0)).min(axis=1)
        if value - float(prices.sum() - slack * flows.max(axis=2).sum()) <= _GOOD * max(1.0, abs(value)):
            break
    else:
        return None
    used = np.argwhere((flows > 0).any(axis=2)).tolist()
    ratios: dict[Hashable, Floats] = {("ratio", _place(x, other, len(cost))): flows[x, other] for x, other in used}
    matrix = _mixture(pure.matrix, cost, (1 - _MARGIN) * slack)
    return Found(matrix, Solution(matrix.ravel(), {("point", 0): 1.0}, {}, value, True, "done", ratios))


def _mixture(pure: Floats, cost: Floats, share: float) -> Floats:
    """Return the purely private answers, without faint ones and a hair from their bounds, mixed with the cheapest."""
    kept = np.where(pure.max(axis=0) > _FAINT, np.maximum(pure, 0.0), 0.0)
    kept /= kept.sum(axis=1, keepdims=True)
    matrix: Floats = (1 - share) * ((1 - _MARGIN) * kept + _MARGIN * kept.mean(axis=0))
    matrix[np.arange(len(cost)), cost.argmin(axis=1)] += share
    return matrix


def _place(x: int, other: int, size: int) -> int:
    """Return the position of a pair among the ratio bounds: pairs in order, each in both directions."""
    first, second = min(x, other), max(x, other)
    before = first * (2 * size - first - 1) // 2
    return 2 * (before + second - first - 1) + (x > other)


def _possible(cost: Floats, pure: SpreadOptimum, large: float, doubt: float) -> Flags:
    """Return which flows may be positive: from inputs whose price exceeds the cost to inputs where it falls short.

    The prices are in the middle of the optimal ones, of which others may be needed: they can tell the two apart for
    outputs that are given, and for others up to a `doubt`. Pairs of inputs that both trade little are left out.
    """
    every, cheapest = np.arange(len(cost)), cost.argmin(axis=1)
    margin = pure.prices[:, None] - cost
    most = margin.max(axis=1)
    unsure = np.where(pure.matrix.max(axis=0) > _FAINT, 0.0, doubt) * most[:, None]
    gives, takes = margin > -unsure, margin < unsure
    gives[every, cheapest], takes[every, cheapest] = True, False
    spare = np.maximum(-margin, 0.0).sum(axis=1)
    large_giver, large_taker = (size >= np.quantile(size, 1 - large) for size in (most, spare))
    # A flow needs a capacity: the same pair's flow in the cheapest output of the giver.
    pairs = (large_giver[:, None] | large_taker) & takes[:, cheapest].T
    np.fill_diagonal(pairs, False)
    return np.asarray(gives[:, None, :] & takes & pairs[:, :, None])


def _flows(cost: Floats, possible: Flags, total: float, ratio: float, left: Callable[[], float | None]) -> Floats:
    """Return flows with prices that sum to `total`, zero if there seem to be none.

    The variables are the flows, then what each price exceeds the cost of the cheapest output by.
    """
    inputs, outputs = cost.shape
    every, cheapest, least = np.arange(inputs), cost.argmin(axis=1), cost.min(axis=1)
    x, other, y = np.nonzero(possible)
    flow = np.arange(x.size)
    position = np.zeros(possible.shape, dtype=np.int64)
    position[x, other, y] = flow
    capped = flow[y != cheapest[x]]
    capacity = position[x, other, cheapest[x]][capped]
    cells, last = inputs * outputs, inputs * outputs + capped.size
    entries = [
        (x * outputs + y, flow, 1.0),
        (other * outputs + y, flow, -ratio),
        (np.arange(cells), x.size + np.arange(cells) // outputs, -1.0),
        (np.arange(cells, last), capped, -1.0),
        (np.arange(cells, last), capacity, 1.0),
        (np.full(inputs, last), x.size + every, 1.0),
    ]
    left()
    rows, columns = (np.concatenate([entry[k] for entry in entries]) for k in (0, 1))
    values = np.concatenate([np.full(row.size, value) for row, _, value in entries])
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(last + 1, x.size + inputs))
    left()
    lower = np.concatenate([(least[:, None] - cost).ravel(), np.zeros(capped.size), [total - least.sum()]])
    upper = np.full(last + 1, np.inf)
    upper[every * outputs + cheapest] = 0.0
    point = feasible_point(matrix, lower, upper, left())
    flows = np.zeros(possible.shape)
    if point is not None:
        flows[x, other, y] = np.maximum(point[: x.size], 0.0)
    return flows


@dataclass
class Round:
    """One solved program together with what its multipliers refer to."""

    found: Found
    constraints: Constraints
    members: Members
    saddle: bool

    @property
    def law(self) -> Floats:
        """The law of the source at which the distortion is worst: the members by their multipliers."""
        weights = [self.found.multiplier("point", j) for j in range(len(self.members.for_distortion))]
        return nearest_floats(mixed(mixture(weights, self.members.for_distortion)))


def structured_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round | None:
    """Solve at a level by the method made for the shape of the bounds, None where there is none.

    Under one law: a spread, events, or divergences of pairs. Under several, or a region: ratio bounds between rows.
    """
    region = region_of(problem.source) if isinstance(problem.source, Box) else None
    is_known = is_listed(problem.source) or (region is not None and not problem.notion.needs_source)
    if level is None or not is_known:
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    cost = problem.distortion.floats(problem.universe)
    if len(members.for_distortion) == 1 and region is None:
        priced = nearest_floats(members.for_distortion[0])[:, None] * cost
        found = _least_under_one_law(priced, constraints, level, deadline.left)
        if found is not None:
            return Round(found, constraints, members, False)
    laws = laws_of(problem.source, members.for_distortion)
    solved = least_by_columns(cost, constraints, level, laws, deadline.left)
    if solved is None:
        return None
    weights = dict(enumerate(solved.weights.tolist()))
    if region is not None:
        law = solved.weights @ laws.vectors
        members, weights = replace(members, for_distortion=[member_near(problem.source, law / law.sum())]), {0: 1.0}
    tags: dict[Hashable, float] = {("point", j): weight for j, weight in weights.items()}
    solution = replace(solved.found.solution, multipliers=solved.found.solution.multipliers | tags)
    points = [nearest_floats(point) for point in members.for_distortion]
    kept = kept_to_ratios(replace(solved.found, solution=solution), cost, points, constraints, level, is_corner=False)
    return Round(kept, constraints, members, False)


def _least_under_one_law(
    cost: Floats, constraints: Constraints, level: Real, left: Callable[[], float | None]
) -> Found | None:
    """Return the mechanism of least cost, where the bounds have a shape that there is a method for."""
    spread = constraints.spread
    if spread is None:
        return least_under_divergences(cost[None], constraints, level, left)
    if cost.size < _LARGE_SPREAD or not _LEAST_SPREAD_LEVEL < float(level) < _MOST_SPREAD_LEVEL:
        return None
    ratio = float(Real.exp(level))
    if spread.slack > 0:
        is_even = spread.events and spread.slack < 1 and set(spread.scales) == {ONE}
        return least_under_events(cost, ratio, float(spread.slack), left) if is_even else None
    optimum = least_cost(cost, nearest_floats(spread.scales), ratio, left)
    if not optimum.is_near:
        return None
    tags: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    value = float((cost * optimum.matrix).sum())
    return Found(optimum.matrix, Solution(optimum.matrix.ravel(), tags | {("point", 0): 1.0}, {}, value, True, "done"))
