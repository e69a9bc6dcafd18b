"""A query asked of every database in turn: its answers, and which of them are neighbours.

For a query with a name, two databases that differ in one row and give two neighbouring answers are made without looking
through all of them: one individual has one of two values and the others have fixed ones; which, is known for every
query with a name. The tests enumerate all of them for small u and v.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.universe import Databases, Label

Values = tuple[int, ...]
Pair = tuple[Values, Values]
Neighbours = Callable[[int, int], Pair]
"""From the places of two neighbouring answers to databases that give them, in the same order."""


def of_counts(individuals: int) -> Neighbours:
    """Counting, also modulo a number: the individual has the value 1 or not."""

    def found(first: int, second: int) -> Pair:
        # Around the circle the last answer has the smaller count, and one more is the first answer.
        turned = abs(first - second) > 1
        ones = max(first, second) if turned else min(first, second)
        others = (1,) * ones + (0,) * (individuals - 1 - ones)
        values = (0, 1) if (first > second) == turned else (1, 0)
        return (values[0], *others), (values[1], *others)

    return found


def of_sums(individuals: int, values: int) -> Neighbours:
    """Summing: the individual has as much as leaves room for the step, and the others have the rest."""

    def found(first: int, second: int) -> Pair:
        step = abs(first - second)
        own = min(first, second, values - 1 - step)
        full, part = divmod(min(first, second) - own, values - 1)
        others = ((values - 1,) * full + (part,) + (0,) * individuals)[: individuals - 1]
        return (own + max(0, first - second), *others), (own + max(0, second - first), *others)

    return found


def of_choices(others: Values) -> Neighbours:
    """The answer is the individual's own value, the others having these."""
    return lambda first, second: ((first, *others), (second, *others))


def of_distinct(individuals: int) -> Neighbours:
    """The individual repeats a value or adds one."""

    def found(first: int, second: int) -> Pair:
        kinds = min(first, second) + 1
        others = (*range(kinds), *(0,) * (individuals - 1 - kinds))
        return (kinds if first > second else 0, *others), (kinds if second > first else 0, *others)

    return found


def of_votes(individuals: int, values: int) -> Neighbours:
    """Plurality with "tie" as the last answer: two candidates are level, or one is a vote ahead."""

    def found(first: int, second: int) -> Pair:
        if second < first:
            right, left = found(second, first)
            return left, right
        half, is_odd = divmod(individuals - 1, 2)
        if second < values:  # two leaders: the individual decides
            third = next(value for value in range(values) if value not in (first, second))
            others = (first,) * half + (second,) * half + (third,) * is_odd
            return (first, *others), (second, *others)
        rival = 0 if first else 1
        if is_odd:  # the leader is one vote ahead of a rival
            others = (first,) * (half + 1) + (rival,) * half
            return (first, *others), (rival, *others)
        third = next(value for value in range(values) if value not in (first, rival))
        others = (first,) * half + (rival,) * half
        return (first, *others), (third, *others)

    return found


def pivotal_median(individuals: int, values: int) -> Values:
    """The others, as many at the bottom as at the top, so that the lower median is the individual's value."""
    below = (individuals - 1) // 2
    return (0,) * below + (values - 1,) * (individuals - 1 - below)


def pivotal_votes(individuals: int, values: int) -> Values:
    """The others, level but for one more vote for each of the last, who lose a tie: the individual's vote decides."""
    each, more = divmod(individuals - 1, values)
    return tuple(range(values)) * each + tuple(range(values - more, values))


Indices = NDArray[np.int64]
Row: TypeAlias = "tuple[Label, ...]"
Function: TypeAlias = "Callable[[Any], Hashable]"
Predicate: TypeAlias = "Callable[[Any], object]"

ENUMERATION_LIMIT = 1 << 20


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """The place of the answer of every database, in lexicographic order; -1 outside the domain."""

    databases: Databases
    answers: Sequence[Label]
    places: Indices

    @cached_property
    def members(self) -> Indices:
        """The positions of the databases in the domain."""
        return np.flatnonzero(self.places >= 0)

    def _lines(self, row: int) -> Indices:
        """Return the answers along one row: the others fixed by the first axes, this one on the last."""
        size = self.databases.alphabet.size
        return np.moveaxis(self.places.reshape((size,) * self.databases.rows), row, -1)

    def edges(self) -> Indices:
        """Return the pairs of answers that databases differing in one row give, as places, in order."""
        size, count = self.databases.alphabet.size, len(self.answers)
        found: Indices = np.empty(0, dtype=np.int64)
        for row in range(self.databases.rows):
            lines = self._lines(row).reshape(-1, size)
            for step in range(1, size):
                first, second = lines[:, :-step].ravel(), lines[:, step:].ravel()
                counts = (first >= 0) & (second >= 0) & (first != second)
                low = np.minimum(first, second)[counts]
                high = np.maximum(first, second)[counts]
                found = np.union1d(found, low * count + high)
        return np.stack([found // count, found % count], axis=1)

    def windows(self) -> Iterator[tuple[int, ...]]:
        """Yield each set of answers that one individual chooses from when the others are fixed, as places."""
        seen: set[tuple[int, ...]] = set()
        size = self.databases.alphabet.size
        for row in range(self.databases.rows):
            lines = np.unique(np.sort(self._lines(row).reshape(-1, size), axis=1), axis=0)
            seen.update(tuple(sorted({place for place in line if place >= 0})) for line in lines.tolist())
        return (window for window in sorted(seen) if window)

    def window(self, others: Sequence[int], row: int) -> list[int]:
        """Return the answer for each value of one individual, the others having these categories; -1 outside."""
        line: list[int] = self._lines(row)[tuple(others)].tolist()
        return line

    def neighbours(self, first: int, second: int) -> tuple[Row, Row] | None:
        """Return two databases that differ in one row and give the answers at these places, or None."""
        names = self.databases.alphabet.labels
        for row in range(self.databases.rows):
            lines = self._lines(row)
            found = np.argwhere((lines == first).any(axis=-1) & (lines == second).any(axis=-1))
            if len(found):
                rest = found[0].tolist()
                line = lines[tuple(rest)]
                pair = []
                for place in (first, second):
                    letters = [*rest[:row], int(np.argmax(line == place)), *rest[row:]]
                    pair.append(tuple(names[letter] for letter in letters))
                return pair[0], pair[1]
        return None


def tabulated(
    function: Function,
    databases: Databases,
    null: Label | None = None,
    domain: Predicate | None = None,
    answers: Sequence[Label] | None = None,
) -> AnswerTable:
    """Return the answers for every database; `answers` fixes their order where it is known.

    Raises:
        InvalidInput: beyond 2**20 databases, on an empty domain, and where the function has no usable answer.
    """
    size, rows = databases.alphabet.size, databases.rows
    if rows * math.log2(size) > math.log2(ENUMERATION_LIMIT):
        raise InvalidInput(
            f"The query has {size}^{rows} databases, too many to enumerate (at most 2^20); "
            "use Query.named if its shape is known."
        )
    found: dict[Hashable, int] = {answer: place for place, answer in enumerate(answers or ())}
    places = np.full(databases.size, -1, dtype=np.int64)
    for k, database in enumerate(databases.labels):
        if is_inside(domain, database):
            places[k] = found.setdefault(evaluated(function, database, null), len(found))
    if places.max() < 0:
        raise InvalidInput("No database is in the domain of the query; widen the domain.")
    if answers is None:
        order = _order(list(found))
        answers = [list(found)[k] for k in order]
        # The last entry is where -1 points.
        places = np.append(np.argsort(order), -1)[places]
    places.flags.writeable = False
    return AnswerTable(databases, tuple(answers), places)


def evaluated(function: Function, database: Any, null: Label | None) -> Hashable:
    """Return the answer for one database, whose absent individuals the function does not see."""
    present = database if null is None else tuple(value for value in database if value != null)
    try:
        answer = function(present)
    except Exception as error:
        raise InvalidInput(_failure("The query", database, error)) from error
    try:
        hash(answer)
    except TypeError:
        raise InvalidInput(
            f"The answer for {shown(database)} is a {type(answer).__name__}, which is not hashable; "
            "return a number, a text or a tuple."
        ) from None
    if isinstance(answer, float) and math.isnan(answer):
        raise InvalidInput(f"The answer for {shown(database)} is NaN, which equals no value; return a text.")
    return answer


def is_inside(domain: Predicate | None, database: Any) -> bool:
    """Return whether a database is in the domain; without one, all are."""
    try:
        return domain is None or bool(domain(database))
    except Exception as error:
        raise InvalidInput(_failure("The domain of the query", database, error)) from error


def _failure(what: str, database: object, error: Exception) -> str:
    return (
        f"{what} fails on {shown(database)} with {type(error).__name__}; "
        "define it there, or leave that database out of the domain."
    )


def _order(answers: list[Any]) -> list[int]:
    """Return the places of the answers, sorted where that means something and else as they came."""
    places = list(range(len(answers)))
    for kinds in ((str,), (int, float, np.number, Rational, Fraction)):
        if all(isinstance(answer, kinds) for answer in answers):
            return sorted(places, key=lambda k: answers[k])
    return places
