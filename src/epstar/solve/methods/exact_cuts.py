r"""Linear programs over mechanisms in exact rationals, with cuts that are added as they are broken.

A program in floats cannot hold e^25 next to 1. This one minimises a linear cost of a mechanism, or the largest of
several, by the dual simplex method: it starts from the cheapest answers, which are optimal as long as nothing else is
asked, and mends each inequality that is added (a cut) by pivots that keep every reduced cost non-negative. The reduced
costs of the cuts are the multipliers that prove the optimum.

Pivots are made in balls. Where they end, one square system in fractions gives the mechanism, its transpose the
multipliers, and every sign is checked: if one is wrong, all is done again with more digits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational
from epstar.solve.methods.ball_tableau import BallTableau
from epstar.solve.methods.exact_system import solution

Entry = tuple[int, int]
Table = Sequence[Sequence[Rational]]
# Of a probability of 1e-150 next to one, so many digits leave as many again.
_BITS = 1024


@dataclass(frozen=True)
class Cut:
    """constant + the sum of coefficients * Q(y|x), plus the largest cost if `worst`, is at least zero.

    `name` says what it is; no two cuts share one, and none is a pair of integers.
    """

    name: Hashable
    constant: Rational
    coefficients: Mapping[Entry, Rational]
    worst: bool = False

    def at(self, values: Mapping[Entry, Rational], largest_cost: Rational) -> Rational:
        """Return its left side at a mechanism."""
        start = self.constant + largest_cost if self.worst else self.constant
        return sum((share * values[entry] for entry, share in self.coefficients.items() if entry in values), start)


@dataclass(frozen=True)
class _Shares:
    """A linear form of mechanisms as a constant and shares of what is zero: of cuts and of entries."""

    constant: Rational
    cuts: dict[Hashable, Rational]
    entries: list[Rational]

    def all(self) -> list[Rational]:
        return [*self.cuts.values(), *self.entries]


@dataclass(frozen=True)
class _Tight:
    """The square system of a point: the places of entries that may differ from zero, and what holds with equality."""

    size: int
    places: dict[Entry, int]
    cuts: list[Cut]
    rows: list[dict[int, Rational]]
    bounds: list[Rational]

    @property
    def is_square(self) -> bool:
        return len(self.rows) == self.size


class CutProgram:
    """Minimise the sum of cost(x, y) Q(y|x) over the answers that each input may be given.

    With the name of a cost as `worst` the minimum is over a variable that is at least this cost, and at least others
    that cuts name.
    """

    def __init__(self, answers: Sequence[Sequence[int]], cost: Table, worst: Hashable = None) -> None:
        self.shape = (len(cost), len(cost[0]))
        self._base = [
            min(zip((row[y] for y in choices), choices, strict=True))[1]
            for row, choices in zip(cost, answers, strict=True)
        ]
        self._costs = {(x, y): cost[x][y] for x, choices in enumerate(answers) for y in choices}
        self._values = {(x, y): ONE if y == self._base[x] else ZERO for x, y in self._costs}
        self._multipliers: dict[Hashable, Rational] = {}
        self.value = sum((self._costs[entry] for entry in enumerate(self._base)), ZERO)
        """The least cost under the cuts so far."""
        # The variable that is at least all costs is what is minimised, and the first of them is a cut like the others.
        self._first = Cut(worst, ZERO, {entry: -value for entry, value in self._costs.items()}, worst=True)
        self._has_worst = worst is not None
        self._objective = Cut("objective", ZERO, {} if self._has_worst else self._costs, self._has_worst)
        self._cuts: dict[Hashable, Cut] = {worst: self._first} if self._has_worst else {}
        self._bits = _BITS
        self._tableau: BallTableau | None = None
        self.zero: frozenset[Hashable] = frozenset()
        """The entries and cuts that are zero at the optimum, as many as it takes to make it."""

    def mechanism(self) -> list[list[Rational]]:
        """Return the mechanism of the least cost."""
        inputs, outputs = self.shape
        return [[self._values.get((x, y), ZERO) for y in range(outputs)] for x in range(inputs)]

    def multipliers(self) -> dict[Hashable, Rational]:
        """Return the positive multipliers of the cuts that prove that the cost cannot be less, by name."""
        return {name: value for name, value in self._multipliers.items() if value > 0}

    def solve(
        self,
        broken: Callable[[CutProgram], Sequence[Cut]],
        known: Iterable[Cut] = (),
        zero: frozenset[Hashable] = frozenset(),
    ) -> dict[Hashable, Rational] | None:
        """Add the cuts that `broken` returns until it returns none.

        Some may be known before, and what is `zero` at the optimum of a similar program with cuts of the same names.

        Returns None, or the multipliers of cuts that no mechanism meets together.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        least = self.value
        self._cuts |= {cut.name: cut for cut in known if cut.name not in self._cuts}
        is_optimal = bool(zero) and self._is_settled(zero)
        while True:
            impossible = None if is_optimal else self._mend()
            is_optimal = False
            if impossible is not None:
                return impossible
            if self.value > least:
                self._drop_loose()
                least = self.value
            cuts = [cut for cut in broken(self) if cut.name not in self._cuts]
            if not cuts:
                return None
            for cut in cuts:
                self._cuts[cut.name] = cut
                if self._tableau is not None:
                    self._write(cut, self._tableau)

    def _drop_loose(self) -> None:
        """Forget the cuts that do not bind any more, which would only slow the pivots down."""
        for name, cut in [*self._cuts.items()]:
            if cut is not self._first and cut.at(self._values, self.value) > 0:
                del self._cuts[name]
                if self._tableau is not None:
                    self._tableau.drop(name)

    def _started(self) -> BallTableau:
        """Return the tableau in which every input is given its cheapest answer, with the cuts so far."""
        others = [(x, y) for x, y in self._costs if y != self._base[x]]
        rises = [self._costs[x, y] - self._costs[x, self._base[x]] for x, y in others]
        start = sum((self._costs[entry] for entry in enumerate(self._base)), ZERO)
        columns: list[Hashable] = [*others, self._first.name] if self._has_worst else [*others]
        tableau = BallTableau(columns, [start, *rises, *([ONE] if self._has_worst else [])], self._bits)
        for x, y in enumerate(self._base):
            # Rows are laws: the cheapest answer gets what the others leave.
            tableau.add((x, y), ONE, {entry: -ONE for entry in others if entry[0] == x})
        for cut in self._cuts.values():
            if cut is not self._first:
                self._write(cut, tableau)
        return tableau

    def _write(self, cut: Cut, tableau: BallTableau) -> None:
        known = {entry: share for entry, share in cut.coefficients.items() if entry in self._costs and share != 0}
        tableau.add(cut.name, cut.constant, known, with_objective=cut.worst)

    def _mend(self) -> dict[Hashable, Rational] | None:
        """Find the least cost under the cuts so far; return the multipliers that show that there is none, if so."""
        while True:
            tableau = self._tableau = self._tableau or self._started()
            stuck, zero = tableau.mend(), frozenset(tableau.columns)
            if stuck is None:
                if self._is_settled(zero):
                    return None
            else:
                form = (
                    self._cuts[stuck]
                    if stuck in self._cuts
                    else Cut(stuck, ZERO, {entry: ONE for entry in self._costs if entry == stuck})
                )
                shares = self._shares(form, zero)
                if shares is not None and shares.constant < 0 and max(shares.all(), default=ZERO) <= 0:
                    broken = {stuck: ONE} if stuck in self._cuts else {}
                    return broken | {name: -share for name, share in shares.cuts.items() if share < 0}
            self._bits, self._tableau = 2 * self._bits, None

    def _is_settled(self, zero: frozenset[Hashable]) -> bool:
        """Take over the point at which these are zero, if it is the optimum."""
        tight = self._tight(zero)
        point = solution(tight.rows, tight.bounds) if tight.is_square else None
        shares = None if point is None else self._shares(self._objective, zero)
        if point is None or shares is None or min(shares.all(), default=ZERO) < 0:
            return False
        values = dict.fromkeys(self._costs, ZERO) | {entry: point[k] for entry, k in tight.places.items()}
        if min(values.values()) < 0 or any(cut.at(values, shares.constant) < 0 for cut in self._cuts.values()):
            return False
        self._values, self._multipliers, self.value, self.zero = values, shares.cuts, shares.constant, zero
        return True

    def _tight(self, zero: frozenset[Hashable]) -> _Tight:
        """Return the equations of the point at which these are zero: rows are laws, and some cuts hold tightly."""
        places = {entry: k for k, entry in enumerate(entry for entry in self._costs if entry not in zero)}
        rows = [{places[x, y]: ONE for x, y in places if x == row} for row in range(self.shape[0])]
        cuts = [cut for name, cut in self._cuts.items() if name in zero]
        rows += [self._over(cut, places) for cut in cuts]
        size = len(places) + int(self._has_worst)
        return _Tight(size, places, cuts, rows, [ONE] * self.shape[0] + [-cut.constant for cut in cuts])

    def _over(self, form: Cut, places: Mapping[Entry, int]) -> dict[int, Rational]:
        """Return the coefficients of a form at the places of variables; the largest cost comes last."""
        found = {places[entry]: share for entry, share in form.coefficients.items() if entry in places}
        return found | {len(places): ONE} if form.worst else found

    def _shares(self, form: Cut, zero: frozenset[Hashable]) -> _Shares | None:
        """Return a form as shares of what is zero."""
        tight = self._tight(zero)
        transposed: list[dict[int, Rational]] = [{} for _ in range(tight.size)]
        for i, row in enumerate(tight.rows):
            for k, value in row.items():
                transposed[k][i] = value
        right = self._over(form, tight.places)
        found = solution(transposed, [right.get(k, ZERO) for k in range(tight.size)]) if tight.is_square else None
        if found is None:
            return None
        prices, cuts = (
            found[: self.shape[0]],
            {cut.name: share for cut, share in zip(tight.cuts, found[self.shape[0] :], strict=True)},
        )
        left = {
            entry: form.coefficients.get(entry, ZERO) - prices[entry[0]]
            for entry in self._costs
            if entry not in tight.places
        }
        constant = form.constant + sum(prices, ZERO)
        for cut in tight.cuts:
            share = cuts[cut.name]
            constant -= share * cut.constant
            if share != 0:
                for entry, value in cut.coefficients.items():
                    if entry in left:
                        left[entry] -= share * value
        return _Shares(constant, cuts, [*left.values()])
