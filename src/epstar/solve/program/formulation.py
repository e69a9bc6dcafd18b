"""The linear program of a notion's ratio bounds and sums of maxima.

The variables are the entries of the mechanism. Two questions are asked: the least distortion at a level, and (for sum
bounds that share a scale) the least bound at a distortion.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import Deadline, in_time
from epstar.exact import Real
from epstar.notions.constraints import (
    Constraints,
    Form,
    Maximum,
    RatioBound,
    Spread,
    SumBound,
)
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.lazy import Place, Read, Start, UnreadRatios, coefficients, needed_ratios
from epstar.solve.program.model import Assembly, Basis, Places, Solution
from epstar.solve.program.robust import Envelope, LawRatios

Floats = NDArray[np.float64]

# Exponents of ratios beyond which a coefficient would swamp the others in floats.
_VACUOUS = 25


@dataclass(frozen=True)
class Found:
    """A solver's answer in the program's own terms; see `Program` for the tags of the multipliers."""

    matrix: Floats
    solution: Solution

    def multiplier(self, *tag: object) -> float:
        """Return the non-negative multiplier of a row, zero where the program has no such row."""
        return max(0.0, self.solution.multipliers.get(tag, 0.0))


@dataclass
class Program:
    """Minimise distortion (or a bound) over mechanisms with `cost.shape` inputs and outputs.

    Tags of multipliers: ("point", j), ("row", x), ("sum", i), and of those in blocks ("ratio", i), by output, and
    ("maximum", i, k), by output and input, with i the position among the pairwise ratio bounds or the sums. A spread
    without events is written compactly, and its rows are not tagged because its proof needs the row prices alone.
    """

    cost: Floats
    points: Sequence[Floats]
    read: Read = field(default_factory=Read)
    region: Envelope | None = None
    """All laws of a convex source, instead of some points of it; the worst of them is then the point found."""
    law_ratios: LawRatios | None = None
    """Bounds on ratios to the law of the output under all laws, instead of those at some."""
    assembly: Assembly = field(default_factory=Assembly)

    def __post_init__(self) -> None:
        inputs, outputs = self.cost.shape
        self.entries = np.asarray(self.assembly.variables(inputs * outputs)).reshape(inputs, outputs)
        for x in range(inputs):
            self.assembly.equal(dict.fromkeys(self.entries[x].tolist(), 1.0), 1.0, ("row", x))
        self._ratios: Sequence[RatioBound] = ()
        self._level = Real.of(0)
        self._unread_ratios = UnreadRatios((), (), self._level, self.read, inputs)
        self._has_level, self._has_sums = True, False
        self._forms: dict[tuple[tuple[int, float], ...], Places] = {}
        # What is asked for from the start, and the rows that joined, in their order.
        self._bounds_read: Hashable = None
        self._rows_read: list[Place] = []

    def least_distortion(self, constraints: Constraints, level: Real) -> None:
        """Ask for the least worst-case distortion at `level`."""
        # Next to large ratios a solver takes a variable without a lower bound for an unbounded one; this never binds.
        worst = self.assembly.variable(-math.inf if constraints.sums else float(self.cost.min()) - 1)
        self.assembly.objective = {worst: 1.0}
        self._distortion_at_most({worst: -1.0}, 0.0)
        compact = constraints.spread
        if compact is not None and not (compact.events and compact.slack > 0):
            self._spread(compact, float(Real.exp(level)))
            self._ratios = constraints.ratios
        else:
            self._ratios = constraints.pairwise()
        self._level = level
        needed = needed_ratios(self._ratios, level)
        self._unread_ratios = UnreadRatios(self._ratios, needed, level, self.read, len(self.cost))
        unread = set(self._unread_ratios.places)
        first = [(i, None) for i in needed if i not in unread]
        rows, outputs = len(first), self.cost.shape[1]
        mentioned = sum(len(self._ratios[i].left) + len(self._ratios[i].right) for i, _ in first)
        self.assembly.reserve(rows * outputs, mentioned * outputs)
        self._bounds_read = (tuple(first), compact is None, len(constraints.sums), len(self.assembly.lower))
        self._rows_read = [place for place in self.read.ratios if place[0] in unread]
        for i, output in in_time([*first, *self._rows_read]):
            self._ratio(i, output)
        if self.law_ratios is not None:
            exponents = {ratio.distance: float(level * ratio.distance) for ratio in self.law_ratios.ratios}
            growths = {distance: math.exp(e) for distance, e in exponents.items() if e <= _VACUOUS}
            self.law_ratios.add(self.assembly, self.entries, growths)
        for i, total in enumerate(in_time(constraints.sums)):
            self._sum(i, total, {}, float(total.scale.bound(level)))

    def least_bound(self, constraints: Constraints, distortion: float) -> None:
        """Ask for the least common bound of the sums when the distortion is at most `distortion`."""
        largest = self.assembly.variable(-math.inf)
        self.assembly.objective = {largest: 1.0}
        self._distortion_at_most({}, distortion)
        self._has_level = False
        for i, total in enumerate(in_time(constraints.sums)):
            self._sum(i, total, {largest: -1.0}, 0.0)

    def solve(self, deadline: Deadline) -> Found:
        """Hand the program to the solver, again with the bounds that its mechanism breaks."""
        solution = self._solved(deadline)
        while not solution.is_cut_short and self._has_read_broken(solution):
            solution = self._solved(deadline)
        restored: dict[Hashable, float] = {
            tag: value for tag, value in solution.multipliers.items() if isinstance(tag, tuple)
        }
        blocks = dict(solution.block_multipliers)
        for kind, i, output in [tag for tag in restored if isinstance(tag, tuple) and len(tag) == 3]:
            block = blocks.setdefault((kind, i), np.zeros(self.cost.shape[1]))
            block[output] = restored.pop((kind, i, output))
        if self.region is not None:
            restored = self._with_law(restored, self.region)
        solution = replace(solution, multipliers=restored, block_multipliers=blocks)
        return Found(solution.values[self.entries], solution)

    def _solved(self, deadline: Deadline) -> Solution:
        """Hand the program over with the basis of the one before it, from which a few steps are left."""
        solution = solve_linear(self.assembly, deadline.left(), self._start())
        if solution.basis is not None and self._has_level:
            rows = tuple(self._rows_read)
            self.read.start = Start(solution.basis, self._bounds_read, len(self.points), rows)
        return solution

    def _start(self) -> Basis | None:
        """Return the basis of the last program if this one has the same rows, and laws and lazy rows joined at most."""
        known, rows = self.read.start, tuple(self._rows_read)
        if not self._has_level or known is None or known.bounds != self._bounds_read:
            return None
        joined = len(self.points) - known.laws
        is_longer = rows[: len(known.rows)] == known.rows and (len(rows) == len(known.rows) or not self._has_sums)
        if joined < 0 or not is_longer:
            return None
        # The laws come after the inputs; rows that are not named are basic.
        last = len(self.cost) + known.laws
        return Basis(known.basis.columns, frozenset(i + joined * (i >= last) for i in known.basis.tight_rows))

    def _distortion_at_most(self, most: dict[int, float], bound: float) -> None:
        """Bound the distortion under all laws: at each point, or over a region."""
        if self.region is None:
            for j, point in enumerate(self.points):
                self.assembly.at_most(self._expected(point) | most, bound, ("point", j))
            return
        means = self.assembly.variables(len(self.cost), -math.inf)
        for mean, entries, costs in zip(means, self.entries.tolist(), self.cost.tolist(), strict=True):
            self.assembly.equal(dict(zip(entries, costs, strict=True)) | {mean: -1.0}, 0.0)
        self.assembly.at_most(self.region.add(self.assembly, means, "distortion") | most, bound, ("region",))

    def _with_law(self, multipliers: dict[Hashable, float], region: Envelope) -> dict[Hashable, float]:
        """Return the multipliers of the distortion as those of the one law that they make, which becomes the point."""
        weight = max(0.0, multipliers.get(("region",), 0.0))
        self.points = [region.law(multipliers, "distortion")[0]]
        return multipliers | {("point", 0): weight}

    def _expected(self, point: Floats) -> dict[int, float]:
        weights = point[:, None] * self.cost
        return dict(zip(self.entries.ravel().tolist(), weights.ravel().tolist(), strict=True))

    def _variables(self, lower: float = 0.0) -> Places:
        """Add a variable for each output."""
        return np.asarray(self.assembly.variables(self.cost.shape[1], lower))

    def _form(self, form: Form) -> tuple[Places, float]:
        """Return, per output, a variable that is, up to the factor returned with it, a form of the column."""
        if len(form) == 1:
            ((x, weight),) = form.items()
            return self.entries[x], float(weight)
        key = tuple((x, float(weight)) for x, weight in sorted(form.items()))
        if key not in self._forms:
            self._forms[key] = self._variables()
            terms = [(self.entries[x], weight) for x, weight in key]
            self.assembly.all_equal(*terms, (self._forms[key], -1.0), bound=0.0)
        return self._forms[key], 1.0

    def _spread(self, spread: Spread, ratio: float) -> None:
        scales = np.array([float(scale) for scale in spread.scales])[:, None]
        least = self._variables()
        self.assembly.all_at_most((least, 1.0), (self.entries, -scales), bound=0.0)
        self.assembly.all_at_most((self.entries, scales), (least, -ratio), bound=float(spread.slack))

    def _has_read_broken(self, solution: Solution) -> bool:
        """Read the bounds that a mechanism breaks; return whether there are any."""
        ratios = self._unread_ratios.broken(solution.values[self.entries])
        for i, output in ratios:
            self._ratio(i, output)
        self._rows_read += ratios
        return bool(ratios)

    def _ratio(self, i: int, output: int | None) -> None:
        """Read a bound at one output, or at all."""
        bound = self._ratios[i]
        if self._level * bound.distance > _VACUOUS:
            # Such a ratio asks for no more than a trace of the right side, which the repair of the mechanism adds.
            return
        ratio, slack = coefficients(bound, self._level)
        if output is not None:
            row: dict[int, float] = {}
            for form, scale in ((bound.left, 1.0), (bound.right, -ratio)):
                for x, share in form.items():
                    place = int(self.entries[x, output])
                    row[place] = row.get(place, 0.0) + scale * float(share)
            self.assembly.at_most(row, slack, ("ratio", i, output))
            return
        (left, factor), (right, other) = self._form(bound.left), self._form(bound.right)
        terms: list[tuple[Places, float]] = [(left, factor), (right, -ratio * other)]
        if np.array_equal(left, right):
            # Under a law that is certain of one input both sides are about that input.
            terms = [(left, factor - ratio * other)]
        if bound.events and slack > 0:
            excess = self._variables()
            self.assembly.all_at_most(*terms, (excess, -1.0), bound=0.0, tag=("ratio", i))
            self.assembly.at_most(dict.fromkeys(excess.tolist(), 1.0), slack)
        else:
            self.assembly.all_at_most(*terms, bound=slack, tag=("ratio", i))

    def _sum(self, i: int, total: SumBound, extra: dict[int, float], bound: float) -> None:
        """Bound a sum of maxima: a variable for each output is at least every entry of its column, by its weight."""
        self._has_sums = True
        row = dict(extra)
        for k, (weight, atom) in enumerate(total.terms):
            assert isinstance(atom, Maximum), "smooth sums have a method of their own"
            values = self._variables(-math.inf)
            weights = np.array([float(share) for share in atom.weights.values()])
            entries = self.entries[list(atom.weights)].T
            self.assembly.all_at_most((entries, weights), (values[:, None], -1.0), bound=0.0, tag=("maximum", i, k))
            row |= dict.fromkeys(values.tolist(), float(weight))
        self.assembly.at_most(row, bound, ("sum", i))
