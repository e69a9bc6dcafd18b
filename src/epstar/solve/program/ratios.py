r"""Ratio bounds between rows, where floats lose them: mechanisms and multipliers that keep to them after all.

Between inputs that are far apart probabilities fall to e^(-level * distance), far below what a solver calls zero.

There its entries are errors; each row x' must give at least 1/ratio of what a row x gives that it is compared with, and
so must the rows beyond. Raising them takes next to nothing. Some constant answer then evens out the sums of the rows,
and enough of it that its shares keep to the bounds too.

And its multipliers leave entries cheaper than their rows, on which nothing depends that it sees. A multiplier between
x and x' moves value from x' to x, at the price of the ratio. An entry that lacks some takes back what it gave, which is
worth less where it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Real
from epstar.notions.constraints import Constraints, RatioBound
from epstar.solve.program import FEW_ENTRIES
from epstar.solve.program.arithmetic import ROUNDING
from epstar.solve.program.formulation import Found
from epstar.solve.program.lazy import Pairs, needed_ratios
from epstar.solve.program.model import WORSE

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

MARGIN = 2.0**-42
"""The share of the bounds that is left alone, so that a rounded mechanism stays within them."""
# Rows with a smaller ratio than this above one are equal: no row can be above another without being below elsewhere.
_NEAR = 1e-11


@dataclass(frozen=True, eq=False)
class Ratios:
    """Bounds: what row `first` gives is at most `ratios` times what row `second` does, and `slacks`, for each pair.

    The slacks are by pair and output.
    """

    inputs: int
    first: Places
    second: Places
    ratios: Floats
    slacks: Floats

    def kept_by(self, matrix: Floats) -> Floats | None:
        """Return the mechanism next above a matrix; None if there is none but with all that is compared alike."""
        alike, count = self._alike
        between = alike[self.first] != alike[self.second]
        if not between.any() or not self.ratios[between].min() > 1 + _NEAR:
            return None
        raised = np.zeros((count, matrix.shape[1]))
        np.add.at(raised, alike, np.maximum(matrix, 0.0))
        raised /= np.bincount(alike)[:, None]
        first, second = alike[self.first[between]], alike[self.second[between]]
        ratios, slacks = self.ratios[between] * (1 - MARGIN), self.slacks[between]
        for _ in range(count):
            before = raised.copy()
            np.maximum.at(raised, second, (before[first] - slacks) / ratios[:, None])
            if (raised == before).all():
                break
        sums = raised.sum(axis=1)
        slack = float(ratios.min())
        kept = (slack - 1) / (slack * float(sums.max()) - float(sums.min()))
        mean = raised.sum(axis=0) / sums.sum()
        mechanism: Floats = kept * raised + (1 - kept * sums)[:, None] * mean
        return mechanism[alike]

    @cached_property
    def _alike(self) -> tuple[Places, int]:
        """Which inputs must be answered alike, by a number that they share, and how many such numbers there are."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        near = (self.ratios < 1 + _NEAR) & ~self.slacks.any(axis=1)
        shape = (self.inputs, self.inputs)
        graph = csr_array((near[near], (self.first[near], self.second[near])), shape)
        count, numbers = connected_components(graph, directed=False)
        return numbers, int(count)

    @cached_property
    def farthest(self) -> float:
        """The logarithm of the largest ratio between two rows that the bounds imply, of those they compare at all."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import shortest_path

        graph = csr_array((np.log(self.ratios), (self.first, self.second)), (self.inputs, self.inputs))
        distances = shortest_path(graph)
        return float(distances[np.isfinite(distances)].max())

    def balanced(self, multipliers: Floats, values: Floats) -> Floats:
        """Return the multipliers, by pair and output, changed so that no entry is worth less than nothing.

        `values` are what the entries are worth with the multipliers as they are. What an entry never gave is left.
        """
        changed, left = multipliers.copy(), values.copy()
        if not (self.ratios > 1).all():
            return changed
        least = ROUNDING * float(np.abs(values).max())
        for x, y in zip(*np.nonzero(values < -least), strict=True):
            place = int(x)
            for _ in range(len(values)):
                if left[place, y] >= -least:
                    break
                # A little more, so that rounding leaves nothing of it.
                lacking = -float(left[place, y]) * (1 + WORSE)
                taken = self._towards[place]
                worth = changed[taken, y] * self.ratios[taken]
                if worth.max(initial=0.0) < lacking:
                    break
                best = int(taken[worth.argmax()])
                # What another input gave up for this one is worth less there.
                share = lacking / float(self.ratios[best])
                changed[best, y] -= share
                left[place, y] = 0.0
                place = int(self.first[best])
                left[place, y] -= share
        return changed

    @cached_property
    def _towards(self) -> list[Places]:
        """The pairs of which each input is the second."""
        order = np.argsort(self.second, kind="stable")
        return np.split(order, np.searchsorted(self.second[order], np.arange(1, self.inputs)))


# Nats: rows whose entries may differ by more are given by floats as they are.
_FAR = 20.0
# The largest exponent that floats hold.
_MOST_LOG = 700.0


def kept_to_ratios(
    found: Found,
    cost: Floats,
    laws: Sequence[Floats],
    constraints: Constraints,
    level: Real | None,
    is_corner: bool = True,
) -> Found:
    """Return a mechanism and its multipliers with the ratio bounds between rows kept where floats lose them.

    A small one whose inputs are near each other may be a corner, whose exact numbers may be recognised; it is left.
    """
    is_plain = all(len(b.left) == len(b.right) == 1 and not b.slack_grows for b in constraints.ratios)
    if level is None or not constraints.ratios or not is_plain:
        return found
    needed = needed_ratios(constraints.ratios, level)
    pairs = Pairs.of(constraints.ratios, needed, level)
    scales, ratios = pairs.lefts, np.exp(np.minimum(pairs.exponents, _MOST_LOG))
    left, right = found.matrix[pairs.first], ratios[:, None] * found.matrix[pairs.second]
    excesses = scales[:, None] * np.maximum(left - right, 0.0)
    shares = [_share(constraints.ratios[i], excess) for i, excess in zip(needed, excesses, strict=True)]
    rows = Ratios(len(found.matrix), pairs.first, pairs.second, ratios, np.array(shares) / scales[:, None])
    is_apart = not is_corner or found.matrix.size >= FEW_ENTRIES or rows.farthest > _FAR
    kept = rows.kept_by(found.matrix) if is_apart else None
    if kept is None:
        return found
    known = found.solution.block_multipliers
    nothing = np.zeros(found.matrix.shape[1])
    weights = np.array([np.maximum(known.get(("ratio", i), nothing), 0.0) for i in needed])
    weights *= scales[:, None]
    law = sum(found.multiplier("point", j) * point for j, point in enumerate(laws))
    values = np.asarray(law)[:, None] * cost - found.prices[:, None]
    np.add.at(values, rows.first, weights)
    np.subtract.at(values, rows.second, ratios[:, None] * weights)
    weights = rows.balanced(weights, values) / scales[:, None]
    blocks = dict(known) | dict(zip((("ratio", i) for i in needed), weights, strict=True))
    return replace(found, matrix=kept, solution=replace(found.solution, block_multipliers=blocks))


def _share(bound: RatioBound, excesses: Floats) -> Floats:
    """Return what each output may take of the slack of a bound: all of it, or its share of the sum over events."""
    slack, total = float(bound.slack), excesses.sum()
    if not bound.events:
        return np.full(excesses.size, slack)
    shared: Floats = excesses * min(1.0, slack / total if total > 0 else 1.0)
    return shared
