r"""The pieces of a trade-off whose programs are linear, in exact fractions.

At a level the least distortion is the optimum of a linear program whose coefficients are powers of r = e^(level/k), for
a whole k that makes all distances whole. A basis of the program makes a rational function of r, which is the least
distortion wherever the basis is optimal: that is decided exactly, sign by sign. From the least level up each basis is
followed in steps to the end of its range, and the next one is that of the program just beyond. So no change of the
slope is too small to be seen. Only a basis that gives way to others and comes back within one step hides them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import lcm

from epstar.deadline import Deadline
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import times
from epstar.problem import Problem
from epstar.solve.certify.exact_level import simplest
from epstar.solve.certify.exact_optimum import grow_exactly
from epstar.solve.program.exact_mechanism import Event, ExactFound, MechanismProgram, broken_events
from epstar.solve.program.laws import Members
from epstar.solve.program.model import Basis

WIDTH = Rational(1, 2**60)
"""The width of a bracket, as a share of the ratio."""
# Steps along a basis, as shares of the ratio: the first one, from which they are doubled, and the largest of e^level.
_FIRST_STEP, _LAST_STEP = Rational(1, 2**10), Rational(1, 2)
# How curved margins are thought to be at first, and by which factors more or less as steps miss or hit.
_FIRST_BEND, _MORE_BEND, _LESS_BEND = Rational(8), 32, 8
# Where floats lead to no basis they may do so further on, to one that is optimal here too: how far, in widths.
_FURTHER = (0, 2**10, 2**20, 2**30, 2**40)
_MOST_PIECES = 2000
_MOST_MEMBERS = 60


@dataclass(frozen=True)
class Place:
    """A ratio r, the least distortion there, and how fast it changes with r."""

    ratio: Rational
    distortion: Rational
    slope: Rational


@dataclass(frozen=True)
class Part:
    """One part of a problem: how often it counts, the members of the source that it knows, a basis, and its events."""

    problem: Problem
    count: int
    members: Members
    basis: Basis
    events: tuple[Event, ...]


@dataclass(frozen=True)
class _Reading:
    """What bases make at a ratio: the numbers that must not be negative, and the place if they are optimal.

    `lacking` are the events, part by part, that the bases do not know and that their mechanisms break.
    """

    ratio: Rational
    margins: Sequence[Rational]
    place: Place | None
    lacking: tuple[tuple[Event, ...], ...] = ()


@dataclass(frozen=True)
class Piece:
    """Bases, with the first and the last place at which they were found to be optimal."""

    parts: tuple[Part, ...]
    root: int
    first: Place
    last: Place

    def at(self, ratio: Rational) -> Place | None:
        """Return the least distortion at a ratio, None where the bases are not optimal."""
        return _read(self.parts, self.root, ratio).place


class Pieces:
    """The least distortion of a problem over its levels; or of the parts, with their numbers, that it is the sum of."""

    def __init__(self, parts: Sequence[tuple[Problem, int]], deadline: Deadline) -> None:
        self.parts = parts
        self.deadline = deadline
        self.members = [Members.start(problem) for problem, _ in parts]
        self.events: list[tuple[Event, ...]] = [() for _ in parts]
        self.root = lcm(*(_root(problem, members) for (problem, _), members in zip(parts, self.members, strict=True)))

    def ratio(self, level: Real) -> Real:
        """Return r at a level."""
        return Real.exp(times(level, ONE / self.root))

    def at(self, ratio: Rational) -> Place | None:
        """Return the least distortion at one ratio, None if no basis is found."""
        parts = self._solved(ratio)
        return None if parts is None else self._read(parts, ratio).place

    def after(self, ratio: Rational, least: Rational, most: Rational) -> Iterator[Piece]:
        """Yield the pieces just after a ratio, until the distortion is the least of all or the ratio the largest.

        Raises:
            SolverFailure: if floats lead to no basis somewhere.
            TimeLimit: if the time is up.
        """
        ahead: Rational | None = ratio * (1 + WIDTH)
        for _ in range(_MOST_PIECES):
            assert ahead is not None
            piece, ahead = self._piece(ahead, most)
            yield piece
            if ahead is None or piece.last.distortion == least:
                return
        raise SolverFailure("There are too many pieces.")

    def _piece(self, ratio: Rational, most: Rational) -> tuple[Piece, Rational | None]:
        """Return the piece that begins at a ratio, and a ratio within a width of its end unless it goes on for ever."""
        for widths in _FURTHER:
            parts = self._solved(ratio * (1 + widths * WIDTH))
            first = None if parts is None else self._read(parts, ratio)
            if parts is not None and first is not None and first.place is not None:
                last, beyond = self._end(parts, first, most)
                return Piece(parts, self.root, first.place, last), beyond
        raise SolverFailure("Floats lead to no basis.")

    def _solved(self, ratio: Rational) -> tuple[Part, ...] | None:
        """Return optimal bases at a ratio, adding members of the source as they matter."""
        found = [self._part(k, _asked(problem, self.root, ratio)) for k, (problem, _) in enumerate(self.parts)]
        known = tuple(part for part in found if part is not None)
        return known if len(known) == len(found) else None

    def _part(self, k: int, asked: Problem) -> Part | None:
        """Return a part with an optimal basis; the events that matter once are likely to matter again."""
        (problem, count), members = self.parts[k], self.members[k]
        for _ in range(_MOST_MEMBERS):
            events, known = self.events[k], _copy(members)
            program = MechanismProgram(asked, members, asked.given, events=events)
            optimum = program.solve(self.deadline.left())
            if optimum is None:
                return None
            if members == known and not grow_exactly(asked, members, optimum, asked.given):
                tight, basis = program.tight_events(optimum.basis)
                return Part(problem, count, known, basis, tight)
            self.events[k] = (*events, *_lacking(asked, members, events, optimum))
            if members == known and self.events[k] == events:
                return None
        return None

    def _end(self, parts: tuple[Part, ...], first: _Reading, most: Rational) -> tuple[Place, Rational | None]:
        """Return the last place at which bases are optimal, and a ratio within a width of it at which they are not."""
        good, step = first, _FIRST_STEP
        while True:
            ahead = simplest(good.ratio * (1 + step / 2), good.ratio * (1 + step))
            bad = self._read(parts, ahead)
            if any(bad.lacking):
                # Their margins tell how far the bases hold.
                parts = self._with_events(parts, bad.lacking)
                good, bad = self._read(parts, good.ratio), self._read(parts, ahead)
            if bad.place is None:
                break
            if ahead >= most:
                return bad.place, None
            good, step = bad, min(2 * step, _LAST_STEP / self.root)
        bend = _FIRST_BEND
        while bad.ratio - good.ratio > WIDTH * bad.ratio:
            gap = bad.ratio - good.ratio
            guess = _guess(good, bad, bend)
            share = ONE / 2 if guess is None else guess
            near = gap * min(share, 1 - share) / 4
            middle = self._read(parts, simplest(good.ratio + share * gap - near, good.ratio + share * gap + near))
            if any(middle.lacking):
                parts = self._with_events(parts, middle.lacking)
                good, middle = self._read(parts, good.ratio), self._read(parts, middle.ratio)
            good, bad = (good, middle) if middle.place is None else (middle, bad)
            if guess is not None:
                # A guess that does worse than a half shows that margins are more curved than was thought.
                bend = bend / _LESS_BEND if 2 * (bad.ratio - good.ratio) <= gap else bend * _MORE_BEND
        assert good.place is not None
        return good.place, bad.ratio

    def _with_events(self, parts: Sequence[Part], lacking: Sequence[tuple[Event, ...]]) -> tuple[Part, ...]:
        """Return the parts with more events, which their bases leave loose, and which matter to the next ones."""
        for k, more in enumerate(lacking):
            self.events[k] = tuple(dict.fromkeys((*self.events[k], *more)))
        return tuple(replace(part, events=(*part.events, *more)) for part, more in zip(parts, lacking, strict=True))

    def _read(self, parts: tuple[Part, ...], ratio: Rational) -> _Reading:
        self.deadline.left()
        return _read(parts, self.root, ratio)


def _guess(good: _Reading, bad: _Reading, bend: Rational) -> Rational | None:
    """Return where to look next between two ratios, as a share of their gap: next to where a margin runs out.

    `bend` is what a straight line misses of a margin, in shares of the gap per share of the ratio; None where that is
    too much, or something else than a margin decides.
    """
    gap = bad.ratio - good.ratio
    missed = bend * gap / bad.ratio
    if len(good.margins) != len(bad.margins) or 4 * missed > 1:
        return None
    roots = [here / (here - there) for here, there in zip(good.margins, bad.margins, strict=True) if there < 0 <= here]
    if not roots:
        return None
    root = min(roots)
    # No closer to the ends than the brackets are wide.
    closest = min(ONE / 4, WIDTH * bad.ratio / gap / 2)
    return max(closest, min(1 - closest, root + missed if 2 * root < 1 else root - missed))


def _read(parts: tuple[Part, ...], root: int, ratio: Rational) -> _Reading:
    margins: list[Rational] = []
    lacking: list[tuple[Event, ...]] = []
    distortion, slope = ZERO, ZERO
    is_optimal = True
    for part in parts:
        asked = _asked(part.problem, root, ratio)
        made = MechanismProgram(asked, part.members, asked.given, events=part.events).made_by(part.basis)
        if made is None:
            return _Reading(ratio, (), None)
        margins += made[0]
        found = made[1]
        if found is None or grow_exactly(asked, _copy(part.members), found, asked.given):
            is_optimal = False
            lacking.append(() if found is None else _lacking(asked, part.members, part.events, found))
        else:
            lacking.append(())
            distortion += part.count * found.value
            slope += part.count * found.slope * root * ratio ** (root - 1)
    return _Reading(ratio, margins, Place(ratio, distortion, slope) if is_optimal else None, tuple(lacking))


def _lacking(asked: Problem, members: Members, events: Sequence[Event], found: ExactFound) -> tuple[Event, ...]:
    """Return the events that a mechanism breaks and that are not among those known."""
    constraints = asked.notion.constraints(asked.universe, members.for_notion)
    return tuple(event for event in broken_events(constraints, found.mechanism, asked.given) if event not in events)


def _copy(members: Members) -> Members:
    return Members([*members.for_distortion], [*members.for_notion])


def _asked(problem: Problem, root: int, ratio: Rational) -> Problem:
    return replace(problem, asks="distortion", given=Real.log(ratio**root))


def _root(problem: Problem, members: Members) -> int:
    """Return the least k that makes all distances whole."""
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    return lcm(*(int(bound.distance.q) for bound in constraints.ratios))
