r"""Linear programs over mechanisms in exact rationals, with cuts that are added as they are broken.

A program in floats cannot hold e^25 next to 1. This one minimises a linear cost of a mechanism, or the largest of
several: it starts from the cheapest answers, which are optimal as long as nothing else is asked, and each inequality
that is added (a cut) is mended by pivots in balls (see `exact`). The multipliers of the cuts prove the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.model import Basis

Entry = tuple[int, int]
Multipliers = dict[Hashable, Rational]


@dataclass(frozen=True)
class Cut:
    """constant + the sum of coefficients * Q(y|x), plus the largest cost if `worst`, is at least zero.

    `name` says what it is; no two cuts share one.
    """

    name: Hashable
    constant: Rational
    coefficients: Mapping[Entry, Rational]
    worst: bool = False


@dataclass(frozen=True)
class Corner:
    """What makes the optimum of a program, and maybe that of a similar one: variables, and cuts that hold tightly."""

    columns: frozenset[int]
    cuts: frozenset[Hashable]


class CutProgram:
    """Minimise the sum of costs(x, y) Q(y|x) over the answers that each input may be given.

    Without costs the minimum is over a variable that is at least what cuts with `worst` say, of which one must be known
    from the start.
    """

    def __init__(self, answers: Sequence[Sequence[int]], outputs: int, costs: Mapping[Entry, Rational] | None) -> None:
        self.shape = (len(answers), outputs)
        self._program = ExactProgram()
        entries = [(x, y) for x, choices in enumerate(answers) for y in choices]
        self._places = dict(zip(entries, self._program.variables(len(entries)), strict=True))
        for x, choices in enumerate(answers):
            self._program.add({self._places[x, y]: ONE for y in choices}, ONE, equal=True)
        self._worst = len(entries)
        if costs is None:
            self._program.variables(1, free=True)
            self._program.objective = {self._worst: ONE}
        else:
            self._program.objective = {self._places[entry]: cost for entry, cost in costs.items()}
        self._rows: dict[Hashable, int] = {}
        self._optimum: ExactOptimum | None = None

    @property
    def value(self) -> Rational:
        """The least cost under the cuts so far."""
        values = self._found.values
        return sum((cost * values[j] for j, cost in self._program.objective.items()), ZERO)

    @property
    def corner(self) -> Corner:
        """What makes the optimum."""
        tight = self._found.basis.tight_rows
        return Corner(self._found.basis.columns, frozenset(name for name, row in self._rows.items() if row in tight))

    @property
    def _found(self) -> ExactOptimum:
        assert self._optimum is not None
        return self._optimum

    def mechanism(self) -> list[list[Rational]]:
        """Return the mechanism of the least cost."""
        inputs, outputs = self.shape
        values, places = self._found.values, self._places
        return [[values[places[x, y]] if (x, y) in places else ZERO for y in range(outputs)] for x in range(inputs)]

    def multipliers(self) -> Multipliers:
        """Return the positive multipliers of the cuts that prove that the cost cannot be less, by name."""
        return self._named(self._found.multipliers)

    def _named(self, multipliers: Sequence[Rational]) -> Multipliers:
        return {name: multipliers[row] for name, row in self._rows.items() if multipliers[row] > 0}

    def solve(
        self, broken: Callable[[CutProgram], Sequence[Cut]], known: Iterable[Cut] = (), start: Corner | None = None
    ) -> Multipliers | None:
        """Add the cuts that `broken` returns until it returns none.

        Some may be known before, and the corner of a similar program with cuts of the same names.

        Returns None, or the multipliers of cuts that no mechanism meets together.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        for cut in known:
            self._add(cut)

        def added(optimum: ExactOptimum) -> list[int]:
            self._optimum = optimum
            return [self._add(cut) for cut in broken(self)]

        found = self._program.pivoted(added, None if start is None else self._basis(start))
        if found is None:
            raise SolverFailure("No cut says what the largest cost is.")
        if isinstance(found, Impossible):
            return self._named(found.multipliers)
        self._optimum = found
        return None

    def _basis(self, corner: Corner) -> Basis | None:
        """Return the basis of a corner, None where it has cuts that this program does not know."""
        if not corner.cuts <= self._rows.keys():
            return None
        return Basis(corner.columns, frozenset(range(self.shape[0])) | {self._rows[name] for name in corner.cuts})

    def _add(self, cut: Cut) -> int:
        """Return the place of a cut, which is added if it is new."""
        if cut.name not in self._rows:
            row = {self._places[entry]: -share for entry, share in cut.coefficients.items() if entry in self._places}
            if cut.worst:
                row[self._worst] = -ONE
            self._rows[cut.name] = self._program.add(row, cut.constant)
        return self._rows[cut.name]
