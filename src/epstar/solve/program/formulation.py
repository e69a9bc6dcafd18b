"""The linear program of a notion's ratio bounds and sums of maxima, in floats or in fractions.

The variables are the entries of the mechanism. Two questions are asked: the least distortion at a level, and (for sum
bounds that share a scale) the least bound at a distortion.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epstar.completion.converse import Converse, Mixture, Point
from epstar.deadline import Deadline, in_time
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Constraints, Form, Maximum, RatioBound, Spread, SumBound
from epstar.solve.program.coefficients import Array, Coefficients, is_compact, is_over_events
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.laws import NEGLIGIBLE, exact, weighed
from epstar.solve.program.lazy import Place, Read, Start, UnreadRatios, needed_ratios, unlikely_ratios
from epstar.solve.program.model import NOISE, Assembly, Basis, Model, Places, Solution
from epstar.solve.program.robust import Envelope, LawRatios


@dataclass(frozen=True)
class Found:
    """A solver's answer in the program's own terms; see `Formulation` for the tags of the multipliers."""

    matrix: Array
    solution: Solution

    def multiplier(self, *tag: object) -> Any:
        """Return the non-negative multiplier of a row, zero where the program has no such row."""
        return max(0, self.solution.multipliers.get(tag, 0))

    @property
    def prices(self) -> Array:
        """The prices of the rows."""
        return np.array([-self.solution.multipliers["row", x] for x in range(len(self.matrix))])


class Formulation:
    """Minimise distortion (or a bound) over mechanisms with `cost.shape` inputs and outputs.

    `most` is what the distortion is bounded by: variables and a number. Tags of multipliers: ("point", j), ("row", x),
    ("sum", i), and of those in blocks ("ratio", i), by output, and ("maximum", i, k), by output and input, with i the
    position among the pairwise ratio bounds or the sums. A spread without events is written compactly, and its rows are
    not tagged because its proof needs the row prices alone.
    """

    def __init__(
        self, cost: Array, points: Sequence[Array], model: Model, numbers: Coefficients, region: Envelope | None
    ) -> None:
        self.cost, self.points, self.model, self.numbers, self.region = cost, points, model, numbers, region
        inputs, outputs = cost.shape
        self.entries = np.asarray(model.variables(inputs * outputs)).reshape(inputs, outputs)
        for x in range(inputs):
            model.equal(dict.fromkeys(self.entries[x].tolist(), 1), 1, ("row", x))
        self.most: tuple[dict[int, int], Any] = {}, 0
        self._ratios: Sequence[RatioBound] = ()
        self._forms: dict[tuple[tuple[int, Any], ...], Places] = {}

    def _ask_distortion(self, constraints: Constraints, worst: int) -> None:
        """Ask for the least worst-case distortion, under all bounds but those on ratios that are no compact spread."""
        self.model.objective = {worst: 1}
        self._distortion_at_most({worst: -1}, 0)
        for i, total in enumerate(in_time(constraints.sums)):
            self._sum(i, total, {}, self.numbers.bound(total.scale))
        if constraints.spread is not None and is_compact(constraints):
            self._spread(constraints.spread)
        else:
            self._ratios = constraints.pairwise()

    def _ask_bound(self, constraints: Constraints, distortion: Any) -> None:
        """Ask for the least common bound of the sums when the distortion is at most `distortion`."""
        largest = self.model.variable(-math.inf)
        self.model.objective = {largest: 1}
        self._distortion_at_most({}, distortion)
        for i, total in enumerate(in_time(constraints.sums)):
            self._sum(i, total, {largest: -1}, 0)

    def _distortion_at_most(self, most: dict[int, int], bound: Any) -> None:
        """Bound the distortion under all laws: at each point, or over a region."""
        self.most = most, bound
        if self.region is None:
            for j, point in enumerate(self.points):
                self.model.at_most(self._expected(point) | most, bound, ("point", j))
            return
        means = self.model.variables(len(self.cost), -math.inf)
        for mean, entries, costs in zip(means, self.entries.tolist(), self.cost.tolist(), strict=True):
            self.model.equal(dict(zip(entries, costs, strict=True)) | {mean: -1}, 0)
        self.model.at_most(self.region.add(self.model, means, "distortion") | most, bound, ("region",))

    def _expected(self, point: Array) -> dict[int, Any]:
        weights = point[:, None] * self.cost
        return dict(zip(self.entries.ravel().tolist(), weights.ravel().tolist(), strict=True))

    def _variables(self) -> Places:
        """Add a variable for each output."""
        return np.asarray(self.model.variables(self.cost.shape[1]))

    def _form(self, form: Form) -> tuple[Places, Any]:
        """Return, per output, a variable that is, up to the factor returned with it, a form of the column."""
        shares = self.numbers.array(form.values()).tolist()
        if len(form) == 1:
            return self.entries[next(iter(form))], shares[0]
        key = tuple(sorted(zip(form, shares, strict=True)))
        if key not in self._forms:
            self._forms[key] = self._variables()
            terms = [(self.entries[x], weight) for x, weight in key]
            self.model.all_equal(*terms, (self._forms[key], -1), bound=0)
        return self._forms[key], 1

    def _spread(self, spread: Spread) -> None:
        scales, least = self.numbers.array(spread.scales)[:, None], self._variables()
        self.model.all_at_most((least, 1), (self.entries, -scales), bound=0)
        slack, ratio = self.numbers.number(spread.slack), self.numbers.growth(ONE)
        self.model.all_at_most((self.entries, scales), (least, -ratio), bound=slack)

    def _ratio(self, i: int, output: int | None) -> None:
        """Read a bound at one output, or at all."""
        bound = self._ratios[i]
        ratio, slack = self.numbers.growth(bound.distance), self.numbers.slack(bound)
        if output is not None:
            self.model.at_most(self._excess(bound, ratio, [output]), slack, ("ratio", i, output))
            return
        (left, factor), (right, other) = self._form(bound.left), self._form(bound.right)
        terms: list[tuple[Places, Any]] = [(left, factor), (right, -ratio * other)]
        if np.array_equal(left, right):
            # Under a law that is certain of one input both sides are about that input.
            terms = [(left, factor - ratio * other)]
        if is_over_events(bound):
            excess = self._variables()
            self.model.all_at_most(*terms, (excess, -1), bound=0, tag=("ratio", i))
            self.model.at_most(dict.fromkeys(excess.tolist(), 1), slack)
        else:
            self.model.all_at_most(*terms, bound=slack, tag=("ratio", i))

    def _excess(self, bound: RatioBound, ratio: Any, outputs: Sequence[int]) -> dict[int, Any]:
        """Return by how much the left side exceeds the right one, summed over some outputs."""
        row: dict[int, Any] = {}
        for form, scale in ((bound.left, 1), (bound.right, -ratio)):
            for x, share in zip(form, self.numbers.array(form.values()).tolist(), strict=True):
                for place in self.entries[x, list(outputs)].tolist():
                    row[place] = row.get(place, 0) + scale * share
        return row

    def _sum(self, i: int, total: SumBound, extra: dict[int, int], bound: Any) -> None:
        """Bound a sum of maxima: a variable for each output is at least every entry of its column, by its weight."""
        row: dict[int, Any] = dict(extra)
        for k, (weight, atom) in enumerate(total.terms):
            assert isinstance(atom, Maximum), "smooth sums have a method of their own"
            values, weights = self._variables(), self.numbers.array(atom.weights.values())
            entries = self.entries[list(atom.weights)].T
            self.model.all_at_most((entries, weights), (values[:, None], -1), bound=0, tag=("maximum", i, k))
            row |= dict.fromkeys(values.tolist(), self.numbers.number(weight))
        self.model.at_most(row, bound, ("sum", i))

    def _found(self, solution: Solution) -> Found:
        """Return a solution with the multipliers of ratio bounds in one block each, and a region as its worst law."""
        single, blocks = dict(solution.multipliers), dict(solution.block_multipliers)
        for kind, i, output in [tag for tag in single if isinstance(tag, tuple) and len(tag) == 3]:
            block = blocks.setdefault((kind, i), np.zeros(self.cost.shape[1], dtype=self.cost.dtype))
            block[output] = single.pop((kind, i, output))
        if self.region is not None:
            # The multipliers of the distortion are those of the one law that they make, which becomes the point.
            self.points = [self.region.law(single, "distortion")[0]]
            single["point", 0] = max(0, single["region",])
        return Found(solution.values[self.entries], replace(solution, multipliers=single, block_multipliers=blocks))


class Program(Formulation):
    """A program in floats, whose bounds join as they are broken; HiGHS solves it, from where the last one ended."""

    def __init__(
        self,
        cost: Array,
        points: Sequence[Array],
        read: Read | None = None,
        region: Envelope | None = None,
        law_ratios: LawRatios | None = None,
    ) -> None:
        """Write the rows of a mechanism.

        `region` has all laws of a convex source, instead of some points of it; the worst of them is then the point
        found. `law_ratios` bound ratios to the law of the output under all laws, instead of those at some.
        """
        self._assembly = Assembly()
        super().__init__(cost, points, self._assembly, Coefficients(None), region)
        self.read, self.law_ratios = Read() if read is None else read, law_ratios
        self._unread = UnreadRatios((), (), self.numbers)
        # What is asked for from the start, None without a level, and the rows that joined, in their order.
        self._bounds_read: Hashable = None
        self._rows_read: list[Place] = []

    def least_distortion(self, constraints: Constraints, level: Real) -> None:
        """Ask for the least worst-case distortion at `level`."""
        self.numbers = Coefficients(level)
        # Next to large ratios a solver takes a variable without a lower bound for an unbounded one; this never binds.
        self._ask_distortion(
            constraints, self.model.variable(-math.inf if constraints.sums else float(self.cost.min()) - 1)
        )
        needed = needed_ratios(self._ratios, level)
        unread = unlikely_ratios(self._ratios, needed, level)
        first = [(i, None) for i in needed if i not in unread]
        self._unread = UnreadRatios(self._ratios, sorted(unread), self.numbers)
        outputs = self.cost.shape[1]
        mentioned = sum(len(self._ratios[i].left) + len(self._ratios[i].right) for i, _ in first)
        self._assembly.reserve(len(first) * outputs, mentioned * outputs)
        self._bounds_read = (tuple(first), is_compact(constraints), len(constraints.sums), self.model.width)
        self._rows_read = [place for place in self.read.ratios if place[0] in unread]
        for i, output in in_time([*first, *self._rows_read]):
            self._ratio(i, output)
        if self.law_ratios is not None:
            growths = {ratio.distance: self.numbers.growth(ratio.distance) for ratio in self.law_ratios.ratios}
            finite = {distance: value for distance, value in growths.items() if not self.numbers.is_vacuous(distance)}
            self.law_ratios.add(self.model, self.entries, finite)

    def least_bound(self, constraints: Constraints, distortion: float) -> None:
        """Ask for the least common bound of the sums when the distortion is at most `distortion`."""
        self._ask_bound(constraints, distortion)

    def _ratio(self, i: int, output: int | None) -> None:
        if not self.numbers.is_vacuous(self._ratios[i].distance):
            super()._ratio(i, output)

    def solve(self, deadline: Deadline) -> Found:
        """Hand the program to the solver, again with the bounds that its mechanism breaks."""
        while True:
            solution = solve_linear(self._assembly, deadline.left(), self._start())
            if solution.basis is not None and self._bounds_read is not None:
                rows = tuple(self._rows_read)
                self.read.start = Start(solution.basis, self._bounds_read, len(self.points), rows)
            if solution.is_cut_short or not self._has_read_broken(solution):
                return self._found(solution)

    def _has_read_broken(self, solution: Solution) -> bool:
        """Read the bounds that a mechanism breaks; return whether there are any."""
        broken = self._unread.broken(solution.values[self.entries])
        added = [place for place in broken if place not in self.read.ratios]
        self.read.ratios.update(dict.fromkeys(added))
        for i, output in added:
            self._ratio(i, output)
        self._rows_read += added
        return bool(added)

    def _start(self) -> Basis | None:
        """Return the basis of the last program if this one has the same rows, and laws and lazy rows joined at most."""
        known, rows = self.read.start, tuple(self._rows_read)
        if self._bounds_read is None or known is None or known.bounds != self._bounds_read:
            return None
        joined = len(self.points) - known.laws
        if joined < 0 or rows[: len(known.rows)] != known.rows:
            return None
        # The laws come after the inputs; rows that are not named are basic.
        last = len(self.cost) + known.laws
        return Basis(known.basis.columns, frozenset(i + joined * (i >= last) for i in known.basis.tight_rows))


def fall(found: Found, constraints: Constraints, numbers: Coefficients, law: Array, cost: Array) -> Any:
    """Return how fast the least distortion falls as the level rises: what the bounds that bind would gain.

    `law` is the one under which it is worst, by its multiplier.
    """
    total, matrix = numbers.number(ONE) * 0, found.matrix
    if constraints.spread is not None and is_compact(constraints):
        # The prices of the rows say what each entry lacks, of which the least of its column is worth its growth.
        scales = numbers.array(constraints.spread.scales)[:, None]
        lacking = (found.prices[:, None] - law[:, None] * cost) / scales
        total += numbers.growth(ONE) * ((scales * matrix).min(axis=0) @ np.maximum(lacking, 0).sum(axis=0))
        return total
    bounds = constraints.pairwise()
    for tag, block in found.solution.block_multipliers.items():
        weights = np.maximum(block, 0)
        if isinstance(tag, tuple) and tag[0] == "ratio" and weights.any():
            bound = bounds[tag[1]]
            rise = numbers.number(bound.distance) * numbers.growth(bound.distance)
            total += rise * (weights @ numbers.at(bound.right, matrix))
            if bound.slack_grows:
                total += numbers.slack(bound) * (weights.max() if bound.events else weights.sum())
    for i, sum_bound in enumerate(constraints.sums):
        total += found.multiplier("sum", i) * numbers.rise(sum_bound.scale)
    return total


def multipliers(
    found: Found,
    constraints: Constraints,
    law_points: Sequence[Point],
    notion_points: Sequence[Mixture],
    level: Real | None = None,
) -> Converse:
    """Return the solver's multipliers as a converse, scaled so that they are used as they came."""
    is_exact = found.matrix.dtype == object
    weights = [found.multiplier("point", j) for j in range(len(law_points))]
    ratios: list[tuple[int, int, Rational]] = []
    maxima: list[tuple[int, int, int, int, Rational]] = []
    for tag, block in found.solution.block_multipliers.items():
        if isinstance(tag, tuple):
            used = np.flatnonzero(block > (0 if is_exact else NEGLIGIBLE)).tolist()
            values = list(map(exact, block[used].tolist()))
            if tag[0] == "ratio":
                ratios += [(tag[1], y, value) for y, value in zip(used, values, strict=True)]
            else:
                _, i, k = tag
                atom = constraints.sums[i].terms[k][1]
                inputs = list(atom.weights) if isinstance(atom, Maximum) else []
                pairs = (divmod(place, len(inputs)) for place in used)
                maxima += [(i, k, y, inputs[x], value) for (y, x), value in zip(pairs, values, strict=True)]
    shares = [found.multiplier("sum", i) for i in range(len(constraints.sums))]
    least = 0 if is_exact else NOISE * max(shares, default=0.0)
    sums = [exact(share) if share > least else ZERO for share in shares]
    weight, law = weighed(weights, law_points)
    return Converse(
        weight=weight,
        distortion_law=law,
        points=tuple(notion_points),
        level=level,
        ratios=tuple(ratios),
        maxima=tuple(_within_sums(maxima, sums, constraints)),
        sums=tuple(sums),
    )


def _within_sums(
    maxima: list[tuple[int, int, int, int, Rational]], sums: list[Rational], constraints: Constraints
) -> Iterator[tuple[int, int, int, int, Rational]]:
    """Scale the multipliers of each maximum down to what the multiplier of its sum allows."""
    totals: dict[tuple[int, int, int], Rational] = {}
    for i, k, y, _, value in maxima:
        totals[i, k, y] = totals.get((i, k, y), ZERO) + value
    for i, k, y, x, value in maxima:
        allowed = sums[i] * constraints.sums[i].terms[k][0]
        yield i, k, y, x, value if totals[i, k, y] <= allowed else value * allowed / totals[i, k, y]
