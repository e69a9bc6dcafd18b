"""The active set of members: at which orders and thresholds a program reads the notions that are families.

Those at which its mechanism breaks a family join (the exchange method for semi-infinite programs, Blankenship and Falk
1976), and of linear programs those that have not bound for some rounds leave. Curved ones stay: without them a program
comes back to orders that it had, and converges no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.claims import Setting
from epstar.claims.readings import Reading, read_at
from epstar.exact import Rational
from epstar.memory import keep_memory
from epstar.notions.constraints import SumBound
from epstar.notions.family import Family
from epstar.notions.pairs import ordered_pairs
from epstar.solve.program.model import Solution
from epstar.solve.wider.excesses import channel_of
from epstar.solve.wider.laws import Laws
from epstar.solve.wider.program import Program
from epstar.solve.wider.table import Member, Table

Floats = NDArray[np.float64]

# Bytes that a member takes with its places in the sets that hold it.
_BYTES = 600
Place = tuple[int, int, tuple[int, int], frozenset[int] | None]
# Rounds in which members join, and in which others leave, which might else go on for ever; rounds without binding after
# which they do.
_MOST_ROUNDS, _LEAVING, _MOST_IDLE = 60, 30, 3
# By how much members are broken that join, what binds, and how near numbers come.
_BROKEN, _BINDING, _NEAR = 1e-11, 1e-8, Rational(1, 10**6)


class Members:
    """The members of all families of a setting that are read, under the laws of which there is a list."""

    def __init__(self, setting: Setting, laws: Laws) -> None:
        self._first: set[Member] = set()
        outputs = range(setting.distortion.shape(setting.universe)[1])
        for which, place, family, reading in _families(laws):
            pairs = [(first, second) for first, second, _ in ordered_pairs(reading.universe)]
            events = [frozenset([y]) for y in outputs] if family.is_about_events else [None]
            keep_memory(_BYTES * len(pairs) * len(events) * len(family.first_members()))
            for number in family.first_members():
                self._first |= {Member(which, place, pair, number, event) for pair in pairs for event in events}
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
        """Read those that bound last, and the first; of events the first only where none bound."""
        first = {one for one in self._first if one.event is None} if self._bound else self._first
        self._rounds, self._left, self._idle = 0, set(), dict.fromkeys(first | self._bound, 0)

    def settle(self, program: Program, solution: Solution) -> None:
        """Remember which bind in a program that was solved."""
        self._bound = set(_binding(program, solution))

    def grown(self, program: Program, solution: Solution, worth: float) -> bool:
        """Let those join at which a solver's mechanism breaks a family by more than it is worth; tell if any did."""
        self._rounds += 1
        fresh = broken_members(program.table, program.matrix(solution.values)) if self._rounds <= _MOST_ROUNDS else []
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
        gone = {one for one, rounds in idle.items() if rounds > most and not (one in self._first and not one.event)}
        self._left |= {one.place for one in gone}
        self._idle = {one: rounds for one, rounds in idle.items() if one not in gone}


def _families(laws: Laws) -> Iterator[tuple[int, int, Family, Reading]]:
    """Yield the guarantees that are families, as they are read under each law."""
    for which, (notion, _) in enumerate(laws.setting.guarantees):
        if isinstance(notion, Family):
            for law in laws.read[which]:
                yield which, laws.points.index(law), notion, read_at(laws.setting, notion, law)


def broken_members(table: Table, matrix: Floats, share: float = 1.0) -> list[tuple[float, Member]]:
    """Return the members of families that a solver's mechanism breaks at a share of their levels, and by how much."""
    found: list[tuple[float, Member]] = []
    for which, place, family, reading in _families(table.laws):
        level = table.setting.guarantees[which][1] or table.level
        if not level.is_infinite:
            channel = channel_of(reading, np.maximum(matrix, 0.0))
            broken = family.broken(channel, reading.universe, share * float(level))
            found += [(one.excess, Member(which, place, one.pair, one.number, one.event)) for one in broken]
    return found


def _binding(program: Program, solution: Solution) -> Iterator[Member]:
    """Yield the members whose bounds have a multiplier, in units of what they allow."""
    table, multipliers = program.table, program.by_tag(solution)
    for u, bound in enumerate(table.bounds):
        if not isinstance(table.setting.guarantees[bound.name[0]][0], Family):
            continue
        which, place, position, first, second = bound.name[:5]
        member = Member(which, place, (first, second), table.numbers[position])
        largest = max(multipliers.get(("ratio", u, y), 0.0) for y in range(table.shape[1]))
        if isinstance(bound.bound, SumBound):
            # Powers of a large order are huge, and their multipliers tiny.
            largest = multipliers.get(("sum", u), 0.0) * abs(float(bound.bound.scale.bound(bound.bounds.level)))
        if largest > _BINDING:
            events = table.events(bound.name) or (None,)
            yield from (replace(member, event=event) for event in events)


def _is_near(known: Rational, number: Rational) -> bool:
    return abs(number - known) <= _NEAR * max(known - 1, Rational(1, 10**4))
