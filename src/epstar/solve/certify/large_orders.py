r"""Notions of a large order (Rényi's, Sibson's) over any source: cutting planes over laws, Newton's search.

A program knows some laws of the source; the one under which its mechanism does worst joins them (Kelley, 1960). The
least distortion at a level falls with the level as fast as the multipliers and the growth of the bounds say, so that
Newton's method finds the level at which it is what is allowed in a few programs. What they establish is kept, for when
time runs out.

Rényi privacy compares pairs of inputs.
Sibson's information is at most a level if for some law r of the output the sum over x and y of p(x) q (q / r)^(order-1)
is at most e^((order-1) level), for all priors p: inputs are compared with one more row, the law, and each prior is a
budget that all inputs share. Priors of a list that is not convex have a law each.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import Point, mixed
from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Interval, Rational, Real, dot
from epstar.exact.enclosure import bits_taken
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.solve.certify.exact_optimum import MOST_ENTRIES
from epstar.solve.certify.mechanism import STEEP_BITS, rounded, useful_mechanism, within_level
from epstar.solve.certify.multipliers import HALF_RANGE, at_cheapest, trivial_converse
from epstar.solve.program.laws import MOST_ROUNDS, ROUGHLY_WORSE, Members, exact, mixture
from epstar.solve.program.level import NARROW, LevelSearch
from epstar.solve.program.measured import PLACE_BITS
from epstar.solve.program.power_cones import Optimum, SteepPairs, least_cost
from epstar.solve.shapes import order_of_norms, order_of_pairs
from epstar.source import Prior

Floats = NDArray[np.float64]

# By how many times what a distortion is known to it is lowered until it is proven, where each takes a program.
_GAPS = (4, 16, 256)
# How much more than a level is asked for, one after the other, where floats cannot tell that from nothing.
_HAIRS = (0.0, 1e-10, 1e-9, 1e-8)
# To what share of the largest cost the barrier finds a distortion: roughly, and as far as floats go.
_ROUGH, _PRECISE = 1e-6, 1e-11


def steeply(problem: Problem, above: Proof, deadline: Deadline) -> Proof:
    """Return a proof around the answer for a large order, from that for order infinity.

    Raises:
        SolverFailure: if the problem is too large, or the numbers break down.
        TimeLimit: if there was no time for a single program.
    """
    inputs, outputs = problem.distortion.shape(problem.universe)
    if inputs * outputs > MOST_ENTRIES or above.converse is None:
        raise SolverFailure("The program for a large order would be too large; merge some categories.")
    of_pairs, of_norms = order_of_pairs(problem.notion), order_of_norms(problem.notion)
    kind, order = (_Divergences, of_pairs) if of_norms is None else (_Informations, of_norms)
    assert order is not None
    laws = [point for weight, point in above.converse.distortion_law if weight > 0]
    return kind(problem, order, laws, float(above.check().upper) if problem.asks == "loss" else 1.0, deadline).proof()


@dataclass(frozen=True)
class _Solved:
    """A program at a level: its mechanism, the least distortion, how fast that falls with the level, and its gap.

    `excluded` are levels at which multipliers should ask for more than is allowed, best first, and `converse` is what
    they prove at a level.
    """

    level: float
    matrix: Floats
    distortion: float
    slope: float
    gap: float
    excluded: Callable[[], list[float]]
    converse: Callable[[Real], Converse]


class _Divergences:
    """Rényi privacy: one problem's programs, which share the laws of the source that turned out to matter."""

    # Whether multipliers exclude the levels below one that they name.
    names_levels = True
    # How many laws of the output there are next to the rows of the mechanism.
    output_laws = 0

    def __init__(self, problem: Problem, order: Rational, laws: list[Point], level: float, deadline: Deadline) -> None:
        self.problem, self.order, self.laws, self.deadline = problem, order, laws, deadline
        self._halfway, self._mostly = deadline.halfway(), deadline.mostly()
        self.ends: dict[bool, _Solved] = {}
        self.costs = problem.distortion.floats(problem.universe)
        self.largest = float(np.abs(self.costs).max()) or 1.0
        self.cheapest, self.least = problem.distortion.cheapest(problem.universe).costs, at_cheapest(problem).value
        # Costs count above the cheapest answers: where little more is allowed, hardly a digit would be left of it.
        self.above = self.costs - nearest_floats(self.cheapest)[:, None]
        self.rounding = float_info.epsilon / 4 * self.largest
        self.room = max(self.rounding, float(problem.given - Real.of(self.least))) if problem.asks == "loss" else inf
        self.precision = _PRECISE * min(self.largest, self.room)
        self.first = level if problem.asks == "loss" else float(problem.given)

    def is_too_private(self, _: _Solved) -> bool:
        """Return whether there were priors to add, under which the mechanism loses more than the level."""
        return False

    def proof(self) -> Proof:
        """Return what the programs nearest to the answer prove."""
        problem = self.problem
        try:
            self._search_level() if problem.asks == "loss" else self._search_laws()
        except TimeLimit:
            self.deadline.missed()
        except SolverFailure:
            if not self.ends:
                raise
        if not self.ends:
            raise self.deadline.missed()
        proven = reached = Proof(problem, None, trivial_converse(problem) if problem.asks == "distortion" else None)
        for end in reversed(self.ends.values()):
            with suppress(TimeLimit, SolverFailure):
                proven = max(proven, self._excluding(end), key=lambda proof: proof.lower.lower)
            with suppress(TimeLimit):
                reached = min(reached, self._reaching(end), key=lambda proof: proof.upper.upper)
            if Interval(proven.lower, reached.upper).width <= NARROW:
                break
        return proven.with_mechanism_of(reached)

    def _search_laws(self) -> None:
        """Solve at the level, or a hair above it, under all laws that matter."""
        for hair in _HAIRS:
            # Nothing is looked for under one law.
            roughly = not isinstance(self.problem.source, Prior)
            with suppress(SolverFailure):
                for _ in range(MOST_ROUNDS):
                    solved = self._solved(self.first + hair, roughly)
                    if not self._has_grown(solved, roughly):
                        if not roughly:
                            return
                        roughly = False
        raise SolverFailure("Newton's method finds no mechanism of so small a loss.")

    def _search_level(self) -> None:
        """Solve at the least level; a program may both let a law join and say at which level the next one is."""
        search, roughly = LevelSearch(0.0, self.room, level=self.first, hair=_ROUGH), True
        for _ in range(MOST_ROUNDS):
            solved = self._solved(search.level, roughly)
            search.hair = _ROUGH if roughly else max(10 * _PRECISE, solved.gap / self.largest / 10)
            search.tell(solved.distortion, solved.slope)
            is_done, level, low = search.is_done, search.level, search.low
            has_grown = self._has_grown(solved, roughly)
            if is_done and not has_grown and not roughly:
                return
            if is_done or has_grown:
                # Under more laws the distortion is larger; what was known but roughly may be on the wrong side.
                search = LevelSearch(0.0, self.room, 0.0 if roughly or not has_grown else low, level)
                roughly = roughly and not is_done
        raise SolverFailure("The search for the least level went astray; ask at a slightly different distortion.")

    def _solved(self, level: float, roughly: bool) -> _Solved:
        """Return the program at a level, and keep it: the last ones on both sides of the answer are the nearest."""
        with self.searching.kept():
            solved = self.program(level, roughly)
        is_below = solved.distortion > self.room
        self.ends.pop(is_below, None)
        self.ends[is_below] = solved
        return solved

    @property
    def searching(self) -> Deadline:
        """The deadline of the next program: as long as nothing is known, there is nothing to leave time for."""
        return self._halfway if self.ends else self._mostly

    def _has_grown(self, solved: _Solved, roughly: bool) -> bool:
        """Add the law under which a mechanism does worst; return whether that is worse than all known ones."""
        more = (self.above * solved.matrix).sum(axis=1).tolist()
        worst = self.problem.source.maximum(
            [cost + exact(above) for cost, above in zip(self.cheapest, more, strict=True)]
        )
        worse = float(Real.of(worst.value - self.least)) - solved.distortion - solved.gap
        if worst.point in self.laws or worse <= (ROUGHLY_WORSE * self.largest if roughly else self.precision):
            return self.is_too_private(solved)
        self.laws.append(worst.point)
        return True

    def _reaching(self, solved: _Solved) -> Proof:
        """Return the proof of what a mechanism reaches that is made to keep to the distortion or level allowed."""
        problem = self.problem
        if problem.asks == "loss":
            return Proof(problem, useful_mechanism(solved.matrix, problem), None)
        return Proof(problem, self.private(solved), None)

    def _excluding(self, solved: _Solved) -> Proof:
        """Return the proof that excludes as much as the multipliers of a program do."""
        if self.problem.asks == "distortion":
            return Proof(self.problem, None, solved.converse(self.problem.given))
        if not self.names_levels:
            return Proof(self.problem, None, solved.converse(Real.of(exact(solved.level))))
        for level in solved.excluded():
            proof = Proof(self.problem, None, solved.converse(Real.of(exact(level))))
            with suppress(ProofRejected):
                proof.check()
                return proof
        return Proof(self.problem, None, None)

    def compared(self) -> list[tuple[int, int, Rational]]:
        """Return the pairs of rows that are compared, with their distances."""
        return list(ordered_pairs(self.problem.universe))

    def shared(self) -> Floats | None:
        """Return which share each budget takes of the pairs, None where every pair has its own."""
        return None

    def evidence(self, found: Optimum, laws: tuple[Point, ...], level: Real) -> Converse:
        """Return the multipliers as they are in units of the bounds, whatever the level they were found at."""
        order = float(Real.of(self.order))
        # Answers that are never given may be held back by slopes of a pair that weighs next to nothing itself.
        steepest = order * found.pairs * np.exp((order - 1) * found.logs.max(axis=1))
        # A tenth of what costs are known to is a rounding.
        sums = np.where(steepest > self.precision / 10, found.pairs, 0.0).tolist()
        bits, pairs = PLACE_BITS + bits_taken(self.order), zip(self.compared(), sums, found.logs.tolist(), strict=True)
        slopes = tuple(
            (i, 0, y, (Real.exp(level * distance + Real.of(exact(log))).below(bits),))
            for i, ((*_, distance), share, row) in enumerate(pairs)
            if share > 0
            for y, log in enumerate(row)
        )
        return Converse(
            exact(float(found.laws.sum())),
            mixture(found.laws.tolist(), laws),
            level=level if self.problem.asks == "loss" else None,
            sums=tuple(map(exact, sums)),
            slopes=slopes,
            relative=True,
        )

    def program(self, level: float, roughly: bool) -> _Solved:
        """Return the least distortion by the barrier for powers of a large order."""
        first, second, distances = zip(*self.compared(), strict=True)
        reach = np.array([float(Real.of(distance)) for distance in distances])
        order, size = float(Real.of(self.order)), len(self.costs)
        pairs = SteepPairs(np.array(first), np.array(second), np.exp(level * reach), order, self.shared())
        weights = np.array([[float(Real.of(p)) for p in law] for law in self.laws])
        costs = np.pad(weights[:, :, None] * self.above, ((0, 0), (0, self.output_laws), (0, 0)))
        offsets = np.array([float(Real.of(dot(law, self.cheapest) - self.least)) for law in self.laws])
        precision = _ROUGH * min(self.largest, self.room) if roughly else self.precision
        self.found = found = least_cost(costs, pairs, precision, self.searching.left, offsets)
        # The distortion falls as fast as the right sides of ratios that bind grow.
        binding = (found.matrix[list(first)] * np.exp((order - 1) * found.logs)).sum(axis=1)
        slope = float(found.pairs * (order - 1) * binding @ reach) / float(found.laws.sum())
        laws, doubt = tuple(self.laws), max(found.gap, self.rounding, 10 * self.precision)
        return _Solved(
            level,
            found.matrix[:size],
            found.cost,
            slope,
            found.gap,
            lambda: [max(0.0, level + (found.cost - self.room - times * doubt) / slope) for times in _GAPS],
            lambda named: self._again(named) if self._is_below(named, level) else self.evidence(found, laws, named),
        )

    def _is_below(self, named: Real, level: float) -> bool:
        return self.problem.asks == "loss" and float(named) < level

    def _again(self, named: Real) -> Converse:
        """Return the multipliers at a level below: those found above it hardly ask for more there."""
        self.program(float(named), roughly=False)
        return self.evidence(self.found, tuple(self.laws), named)

    def private(self, solved: _Solved) -> Mechanism | None:
        """Return the mechanism in many digits, moved towards a constant one."""
        return within_level(self.problem, rounded(solved.matrix, self.problem, STEEP_BITS), self.problem.given)


class _Informations(_Divergences):
    """Sibson's information of a large order: under the priors of a convex set, or of a list with a law for each."""

    # A bound that all sums share says which level is possible, so that none is named.
    names_levels = False

    def __init__(self, problem: Problem, order: Rational, laws: list[Point], level: float, deadline: Deadline) -> None:
        super().__init__(problem, order, laws, level, deadline)
        self.priors = Members.start(problem).for_notion
        self.is_convex = problem.notion.priors(problem.source).is_convex
        self.output_laws = 1 if self.is_convex else len(self.priors)

    def compared(self) -> list[tuple[int, int, Rational]]:
        """Return every input that a prior gives, with its law."""
        size = len(self.costs)
        if not self.is_convex:
            return [(x, size + j, ONE) for j, prior in enumerate(self.priors) for x, p in enumerate(prior) if p > 0]
        units = ([ONE if x == letter else ZERO for x in range(size)] for letter in range(size))
        return [(x, size, ONE) for x, unit in enumerate(units) if self.problem.source.maximum(unit).value > 0]

    def shared(self) -> Floats | None:
        """Return the priors, each at the inputs that are compared with its law."""
        size = len(self.costs)
        compared = self.compared()

        def share(j: int, prior: Point, x: int, law: int) -> float:
            return float(Real.of(prior[x])) if self.is_convex or law == size + j else 0.0

        return np.array([[share(j, prior, x, law) for x, law, _ in compared] for j, prior in enumerate(self.priors)])

    def program(self, level: float, roughly: bool) -> _Solved:
        """Return the least distortion, where inputs that no prior gives answer like the others on average.

        Divergences are convex: they then lose no more than the others, which a proof can say without powers that nobody
        can write down.
        """
        solved = super().program(level, roughly)
        is_given = np.isin(np.arange(len(self.costs)), [x for x, *_ in self.compared()])
        matrix = np.where(is_given[:, None], solved.matrix, solved.matrix[is_given].mean(axis=0))
        return replace(solved, matrix=matrix)

    def is_too_private(self, solved: _Solved) -> bool:
        """Return whether there is a prior of a convex set that is worse for the law of the output, and add it."""
        if not self.is_convex:
            return False
        steepness = float(Real.of(self.order - 1))
        ratios = np.log(solved.matrix / self.found.matrix[-1])
        sums = (solved.matrix * np.exp(np.minimum(steepness * (ratios - solved.level), HALF_RANGE))).sum(axis=1)
        sums = np.where(np.isin(np.arange(len(sums)), [x for x, *_ in self.compared()]), sums, 0.0)
        worst = self.problem.source.maximum([exact(total) for total in sums.tolist()])
        if float(Real.of(worst.value)) <= 1.0 + _PRECISE * steepness or worst.point in self.priors:
            return False
        self.priors.append(worst.point)
        return True

    def evidence(self, found: Optimum, laws: tuple[Point, ...], _: Real) -> Converse:
        """Return the multipliers; norms are linearised where powers are, and weigh what the largest slopes need."""
        order, bits = float(Real.of(self.order)), PLACE_BITS + bits_taken(self.order)
        priors, compared = self.priors[: len(found.budgets)], self.compared()
        points: list[Mixture] = [((ONE, prior),) for prior in priors]
        budgets = found.budgets.tolist()
        if self.is_convex:
            points, budgets = [mixture(budgets, priors)], [float(found.budgets.sum())]
        sums, slopes = [], []
        for j, (point, budget) in enumerate(zip(points, budgets, strict=True)):
            law = mixed(point)
            rows = [i for i, (x, k, _) in enumerate(compared) if k == len(self.costs) + j and law[x] > 0]
            shares = np.array([float(Real.of(law[compared[i][0]])) for i in rows])
            norms = (shares[:, None] * np.exp(order * found.logs[rows])).sum(axis=0) ** (1 - 1 / order)
            sums.append(exact(order * budget * float(norms.max())))
            logs = found.logs[rows] - found.logs[rows].max(axis=0)
            slopes += [
                (j, 0, y, tuple(Real.exp(Real.of(exact(log))).below(bits) for log in column))
                for y, column in enumerate(logs.T.tolist())
            ]
        law_of_cost = mixture(found.laws.tolist(), laws)
        weight = exact(float(found.laws.sum()))
        return Converse(weight, law_of_cost, tuple(points), sums=tuple(sums), slopes=tuple(slopes))
