"""The active set of members: at which orders and thresholds a program reads the notions that are families.

Those at which its mechanism breaks a family join (the exchange method for semi-infinite programs, Blankenship and Falk
1976), and of linear programs those that have not bound for some rounds leave. Curved ones stay: without them a program
comes back to orders that it had, and converges no more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from epstar.claims import Setting
from epstar.claims.readings import Reading, read_at
from epstar.exact import Rational
from epstar.notions.constraints import SumBound
from epstar.notions.family import Family
from epstar.notions.pairs import ordered_pairs
from epstar.solve.program.model import Solution
from epstar.solve.wider.excesses import channel_of
from epstar.solve.wider.laws import Laws
from epstar.solve.wider.program import Program
from epstar.solve.wider.table import Member

Place = tuple[int, int, tuple[int, int]]
# Rounds in which members join, and in which others leave, which might else go on for ever; rounds without binding after
# which they do.
_MOST_ROUNDS, _LEAVING, _MOST_IDLE = 60, 30, 3
# By how much members are broken that join, what binds, and how near numbers come.
_BROKEN, _BINDING, _NEAR = 1e-11, 1e-8, Rational(1, 10**6)


class Members:
    """The members of all families of a setting that are read, under the laws of which there is a list."""

    def __init__(self, setting: Setting, laws: Laws) -> None:
        self._setting, self._laws = setting, laws
        self._first: set[Member] = set()
        for which, place, family, reading in self._families():
            pairs = [(first, second) for first, second, _ in ordered_pairs(reading.universe)]
            for number in family.first_members():
                self._first |= {Member(which, place, pair, number) for pair in pairs}
        self._bound: set[Member] = set()
        """Those that bound in the program that was solved last."""
        self._left: set[Place] = set()
        """Where members left."""
        self._rounds = 0
        self._idle = dict.fromkeys(self._first, 0)
        """Those that are read, with the rounds since each bound."""

    @property
    def read(self) -> frozenset[Member]:
        """Those that are read."""
        return frozenset(self._idle)

    def restart(self) -> None:
        """Read those that bound last, and the first."""
        self._rounds, self._left, self._idle = 0, set(), dict.fromkeys(self._first | self._bound, 0)

    def settle(self, program: Program, solution: Solution) -> None:
        """Remember which bind in a program that was solved."""
        self._bound = set(_binding(program, solution))

    def grown(self, program: Program, solution: Solution, worth: float) -> bool:
        """Let those join at which a solver's mechanism breaks a family by more than it is worth; tell if any did."""
        matrix = np.maximum(program.matrix(solution.values), 0.0)
        fresh: list[tuple[float, Member]] = []
        self._rounds += 1
        for which, place, family, reading in self._families() if self._rounds <= _MOST_ROUNDS else ():
            level = self._setting.guarantees[which][1] or program.table.level
            if not level.is_infinite:
                broken = family.broken(channel_of(reading, matrix), reading.universe, float(level))
                fresh += [(one.excess, Member(which, place, one.pair, one.number)) for one in broken]
        known: dict[Place, list[Rational]] = {}
        for member in self._idle:
            known.setdefault(member.place, []).append(member.number)
        joined: list[Member] = []
        for excess, member in sorted(fresh, key=lambda entry: -entry[0]):
            rivals = known.setdefault(member.place, [])
            if excess > max(worth, _BROKEN) and not any(_is_near(number, member.number) for number in rivals):
                rivals.append(member.number)
                joined.append(member)
        if joined and not program.curved:
            self._drop(program, solution)
        # What is broken again after it left is needed where it does not bind.
        self._idle |= {one: -_MOST_ROUNDS if one.place in self._left else 0 for one in joined}
        return bool(joined)

    def _drop(self, program: Program, solution: Solution) -> None:
        """Let members leave that have not bound for some rounds."""
        binding = set(_binding(program, solution))
        idle = {one: min(rounds, 0) if one in binding else rounds + 1 for one, rounds in self._idle.items()}
        most = _MOST_IDLE if self._rounds <= _LEAVING else _MOST_ROUNDS
        gone = {one for one, rounds in idle.items() if rounds > most} - self._first
        self._left |= {one.place for one in gone}
        self._idle = {one: rounds for one, rounds in idle.items() if one in self._first or one not in gone}

    def _families(self) -> Iterator[tuple[int, int, Family, Reading]]:
        """Yield the guarantees that are families, as they are read under each law."""
        for which, (notion, _) in enumerate(self._setting.guarantees):
            if isinstance(notion, Family):
                for law in self._laws.read[which]:
                    yield which, self._laws.points.index(law), notion, read_at(self._setting, notion, law)


def _binding(program: Program, solution: Solution) -> Iterator[Member]:
    """Yield the members whose bounds have a multiplier, in units of what they allow."""
    table, multipliers = program.table, program.by_tag(solution)
    for u, bound in enumerate(table.bounds):
        if not isinstance(table.setting.guarantees[bound.name[0]][0], Family):
            continue
        largest = max(multipliers.get(("ratio", u, y), 0.0) for y in range(table.shape[1]))
        if isinstance(bound.bound, SumBound):
            # Powers of a large order are huge, and their multipliers tiny.
            largest = multipliers.get(("sum", u), 0.0) * abs(float(bound.bound.scale.bound(bound.bounds.level)))
        if largest > _BINDING:
            which, place, position, first, second = bound.name[:5]
            yield Member(which, place, (first, second), table.numbers[position])


def _is_near(known: Rational, number: Rational) -> bool:
    return abs(number - known) <= _NEAR * max(known - 1, Rational(1, 10**4))
