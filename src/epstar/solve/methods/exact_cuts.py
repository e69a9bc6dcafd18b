r"""Linear programs over mechanisms in exact rationals, with cuts that are added as they are broken.

A program in floats cannot hold e^25 next to 1. This one minimises a linear cost of a mechanism, or the largest of
several, by the dual simplex method: it starts from the cheapest answers, which are optimal as long as nothing else is
asked, and mends each inequality that is added (a cut) by pivots that keep every reduced cost non-negative. The reduced
costs of the cuts are the multipliers that prove the optimum.

Everything is written as constant + coefficients . (variables that are zero). With some tens of variables a pivot takes
a millisecond or so, and small mechanisms are solved in about a second.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational

Entry = tuple[int, int]
Table = Sequence[Sequence[Rational]]
# Any numbers without a pattern do.
_TIE_SEED, _TIE_SIZE = 1, 1 << 16


@dataclass(frozen=True)
class Cut:
    """constant + the sum of coefficients * Q(y|x), plus the largest cost if `worst`, is at least zero.

    `name` says what it is; no two cuts share one, and none is a pair of integers.
    """

    name: Hashable
    constant: Rational
    coefficients: Mapping[Entry, Rational]
    worst: bool = False


class CutProgram:
    """Minimise the sum of cost(x, y) Q(y|x) over the answers that each input may be given.

    With the name of a cost as `worst` the minimum is over a variable that is at least this cost, and at least others
    that cuts name.
    """

    def __init__(self, answers: Sequence[Sequence[int]], cost: Table, worst: Hashable = None) -> None:
        base = [
            min(zip((row[y] for y in choices), choices, strict=True))[1]
            for row, choices in zip(cost, answers, strict=True)
        ]
        entries = [(x, y) for x, choices in enumerate(answers) for y in choices if y != base[x]]
        self.shape = (len(cost), len(cost[0]))
        self._columns: list[Hashable] = [*entries]
        self._objective = [sum((cost[x][y] for x, y in enumerate(base)), ZERO)]
        self._objective += [cost[x][y] - cost[x][base[x]] for x, y in entries]
        # Rows are laws: the cheapest answer gets what the others leave.
        self._rows: dict[Hashable, list[Rational]] = {
            (x, y): [ONE, *(-ONE if x == other else ZERO for other, _ in entries)] for x, y in enumerate(base)
        }
        self._entries = {*entries, *enumerate(base)}
        if worst is not None:
            self._columns.append(worst)
            self._objective.append(ONE)
            for row in self._rows.values():
                row.append(ZERO)
        # Among mechanisms of equal cost a second cost decides: without one, pivots would wander among them.
        generator = random.Random(_TIE_SEED)
        self._second = [ZERO, *(Rational(generator.randint(1, _TIE_SIZE)) for _ in self._columns)]

    @property
    def value(self) -> Rational:
        """The least cost under the cuts so far."""
        return self._objective[0]

    def mechanism(self) -> list[list[Rational]]:
        """Return the mechanism of the least cost."""
        inputs, outputs = self.shape
        return [[self._rows[x, y][0] if (x, y) in self._rows else ZERO for y in range(outputs)] for x in range(inputs)]

    def multipliers(self) -> dict[Hashable, Rational]:
        """Return the positive multipliers of the cuts that prove that the cost cannot be less, by name."""
        return self._positive(self._objective)

    def solve(self, broken: Callable[[CutProgram], Sequence[Cut]]) -> dict[Hashable, Rational] | None:
        """Add the cuts that `broken` returns until it returns none.

        Returns None, or the multipliers of cuts that no mechanism meets together.
        """
        least = self.value
        while True:
            impossible = self._mend()
            if impossible is not None:
                return impossible
            if self.value > least:
                # Cuts that do not bind any more would only slow the pivots down.
                kept = {name: row for name, row in self._rows.items() if name in self._entries or row[0] == 0}
                self._rows, least = kept, self.value
            cuts = [cut for cut in broken(self) if cut.name not in self._rows and cut.name not in self._columns]
            if not cuts:
                return None
            for cut in cuts:
                self._rows[cut.name] = self._written(cut)

    def _written(self, cut: Cut) -> list[Rational]:
        """Return a cut in the variables that are zero."""
        places = {name: place for place, name in enumerate(self._columns, start=1)}
        row = [*self._objective] if cut.worst else [ZERO] * len(self._objective)
        row[0] += cut.constant
        for entry, coefficient in cut.coefficients.items():
            if entry in places:
                row[places[entry]] += coefficient
            elif entry in self._rows:
                for k, value in enumerate(self._rows[entry]):
                    if value != 0:
                        row[k] += coefficient * value
        return row

    def _mend(self) -> dict[Hashable, Rational] | None:
        """Pivot until no variable is negative; return the multipliers that show that there is no such point."""
        while True:
            name = min(self._rows, key=lambda name: self._rows[name][0])
            row = self._rows[name]
            if row[0] >= 0:
                return None
            ratios = [
                (self._objective[k] / row[k], self._second[k] / row[k], k) for k in range(1, len(row)) if row[k] > 0
            ]
            if not ratios:
                broken = {} if name in self._entries else {name: ONE}
                return broken | self._positive([-value for value in row])
            self._pivot(name, min(ratios)[2])

    def _pivot(self, leaving: Hashable, entering: int) -> None:
        row = self._rows.pop(leaving)
        scale = row[entering]
        entered = [-value / scale if value != 0 else ZERO for value in row]
        entered[entering] = 1 / scale
        support = [k for k, value in enumerate(entered) if value != 0 and k != entering]
        for other in (self._objective, self._second, *self._rows.values()):
            factor = other[entering]
            if factor != 0:
                for k in support:
                    other[k] += factor * entered[k]
                other[entering] = factor * entered[entering]
        self._rows[self._columns[entering - 1]] = entered
        self._columns[entering - 1] = leaving

    def _positive(self, row: Sequence[Rational]) -> dict[Hashable, Rational]:
        pairs = zip(self._columns, row[1:], strict=True)
        return {name: value for name, value in pairs if value > 0 and name not in self._entries}
