r"""The dual simplex method in balls: which variables are zero at the optimum of a linear program.

Everything is written as constant + coefficients . (variables that are zero), in balls of many digits, so that numbers
of very different sizes stand next to each other and a pivot takes the same time however many there were before it. A
sign that a ball shows is right. A ball around zero is taken for zero, which it may not be: whether the variables that
end up at zero make the optimum is decided by the exact program, and where they do not, more digits do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from epstar.deadline import keep_time
from epstar.exact import Ball, Rational, ball, working_precision

_NOTHING = Ball(0)


class Tableau:
    """Minimise an objective over variables by number, of which some are free; rows are added, and mended where broken.

    A row says that constant + coefficients . variables is a variable of its own, which is not negative.
    """

    def __init__(self, costs: Sequence[Rational], bits: int) -> None:
        self.columns = list(range(len(costs)))
        """The variables that are zero."""
        self._bits = bits
        self._rows: dict[int, list[Ball]] = {}
        self._free: set[int] = set()
        with working_precision(bits):
            self._objective = [_NOTHING, *map(ball, costs)]
        self._second: list[Ball] = []

    def eliminate(self, variable: int, row: int, constant: Rational, coefficients: Mapping[int, Rational]) -> None:
        """Add a row that says what a free variable is."""
        self.add(row, constant, coefficients)
        self._free.add(variable)
        with working_precision(self._bits):
            self._pivot(row, self.columns.index(variable) + 1)

    def equate(self, row: int, constant: Rational, coefficients: Mapping[int, Rational]) -> bool:
        """Add a row that is zero for ever; return whether it says anything that is not said yet.

        The variable that enters is the one that costs least, so that none of the others costs less than nothing.
        """
        self.add(row, constant, coefficients)
        best: tuple[Ball, int] | None = None
        with working_precision(self._bits):
            found = self._rows[row]
            sign = -1 if any(value < 0 for value in found[1:]) else 1
            for k, value in enumerate(found):
                if k > 0 and sign * value > 0:
                    cost = self._objective[k] / value * sign
                    best = (cost, k) if best is None or cost < best[0] else best
            if best is None:
                return False
            _, entering = best
            self._pivot(row, entering)
            for kept in (self._objective, *self._rows.values()):
                del kept[entering]
            del self.columns[entering - 1]
        return True

    @property
    def is_started(self) -> bool:
        """Whether no variable that is zero would lower the objective, as the method needs."""
        return not any(cost < 0 for cost in self._objective[1:])

    def add(self, row: int, constant: Rational, coefficients: Mapping[int, Rational]) -> None:
        """Add a row under a number of its own."""
        places = {column: place for place, column in enumerate(self.columns, start=1)}
        with working_precision(self._bits):
            found = [ball(constant), *[_NOTHING] * len(self.columns)]
            for variable, coefficient in coefficients.items():
                share = ball(coefficient)
                if variable in places:
                    found[places[variable]] += share
                elif variable in self._rows:
                    for k, value in enumerate(self._rows[variable]):
                        if value != 0:
                            found[k] += share * value
        self._rows[row] = found

    def drop(self, rows: Iterable[int]) -> None:
        """Forget rows that are not zero."""
        for row in rows:
            self._rows.pop(row, None)

    def mend(self) -> int | None:
        """Pivot until no row or variable is negative; return one that no other values mend, if there is one.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        with working_precision(self._bits):
            if not self._second:
                # Among points of equal cost a second cost decides: without one, pivots would wander among them.
                self._second = [_NOTHING, *map(Ball, range(1, 1 + len(self.columns)))]
            while True:
                keep_time()
                negative = [name for name, row in self._rows.items() if row[0] < 0 and name not in self._free]
                if not negative:
                    return None
                leaving = min(negative, key=lambda name: float(self._rows[name][0].mid()))
                entering = self._entering(self._rows[leaving])
                if entering is None:
                    return leaving
                self._pivot(leaving, entering)

    def _entering(self, row: Sequence[Ball]) -> int | None:
        """Return the place of the variable that rises first as a row is mended: by the first cost, then the second."""
        found: tuple[Ball, Ball, int] | None = None
        for k, value in enumerate(row):
            if k > 0 and value > 0:
                ratio = self._objective[k] / value
                if found is None or not ratio > found[0]:
                    second = self._second[k] / value
                    if found is None or ratio < found[0] or second < found[1]:
                        found = ratio, second, k
        return None if found is None else found[2]

    def _pivot(self, leaving: int, entering: int) -> None:
        row = self._rows.pop(leaving)
        scale = row[entering]
        entered = [-value / scale if value != 0 else _NOTHING for value in row]
        entered[entering] = 1 / scale
        support = [k for k, value in enumerate(entered) if value != 0 and k != entering]
        for other in (self._objective, *([self._second] if self._second else []), *self._rows.values()):
            factor = other[entering]
            other[entering] = _NOTHING
            if factor != 0:
                for k in support:
                    other[k] += factor * entered[k]
                other[entering] = factor * entered[entering]
        self._rows[self.columns[entering - 1]] = entered
        self.columns[entering - 1] = leaving
