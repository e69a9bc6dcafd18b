r"""The dual simplex method in balls: which variables are zero at the optimum of a linear program.

Everything is written as constant + coefficients . (variables that are zero), in balls of many digits, so that numbers
of very different sizes stand next to each other and a pivot takes the same time however many there were before it. A
sign that a ball shows is right. A ball around zero is taken for zero, which it may not be: whether the variables that
end up at zero make the optimum is for others to decide, and where they do not, more digits do.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Mapping, Sequence

from epstar.deadline import keep_time
from epstar.exact import Ball, Rational, ball, working_precision

# Any numbers without a pattern do.
_TIE_SEED, _TIE_SIZE = 1, 1 << 16
_NOTHING = Ball(0)


class BallTableau:
    """Minimise an objective whose coefficients are not negative; variables are added, and mended where negative."""

    def __init__(self, columns: Iterable[Hashable], objective: Sequence[Rational], bits: int) -> None:
        self.columns = list(columns)
        """The variables that are zero."""
        self._bits = bits
        self._rows: dict[Hashable, list[Ball]] = {}
        # Among points of equal cost a second cost decides: without one, pivots would wander among them.
        generator = random.Random(_TIE_SEED)
        with working_precision(bits):
            self._objective = [ball(value) for value in objective]
            self._second = [_NOTHING, *(Ball(generator.randint(1, _TIE_SIZE)) for _ in self.columns)]

    def add(
        self,
        name: Hashable,
        constant: Rational,
        coefficients: Mapping[tuple[int, int], Rational],
        with_objective: bool = False,
    ) -> None:
        """Add the variable constant + coefficients . variables, plus the objective if asked for."""
        places = {column: place for place, column in enumerate(self.columns, start=1)}
        with working_precision(self._bits):
            row = [*self._objective] if with_objective else [_NOTHING] * len(self._objective)
            row[0] += ball(constant)
            for variable, coefficient in coefficients.items():
                share = ball(coefficient)
                if variable in places:
                    row[places[variable]] += share
                else:
                    for k, value in enumerate(self._rows[variable]):
                        if value != 0:
                            row[k] += share * value
        self._rows[name] = row

    def drop(self, name: Hashable) -> None:
        """Forget a variable that is not zero."""
        del self._rows[name]

    def mend(self) -> Hashable | None:
        """Pivot until no variable is negative; return one that no other values mend, if there is one.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        with working_precision(self._bits):
            while True:
                keep_time()
                negative = [name for name, row in self._rows.items() if row[0] < 0]
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

    def _pivot(self, leaving: Hashable, entering: int) -> None:
        row = self._rows.pop(leaving)
        scale = row[entering]
        entered = [-value / scale if value != 0 else _NOTHING for value in row]
        entered[entering] = 1 / scale
        support = [k for k, value in enumerate(entered) if value != 0 and k != entering]
        for other in (self._objective, self._second, *self._rows.values()):
            factor = other[entering]
            other[entering] = _NOTHING
            if factor != 0:
                for k in support:
                    other[k] += factor * entered[k]
                other[entering] = factor * entered[entering]
        self._rows[self.columns[entering - 1]] = entered
        self.columns[entering - 1] = leaving
