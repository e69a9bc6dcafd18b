"""Databases: all tuples of rows over one alphabet, at Hamming distance, never listed unless asked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.universe.base import Alphabet, Label, Labels, Pairs, Universe, check_pair_count

# All sphere sizes together take about rows squared bits.
_MOST_ROWS_FOR_SPHERES = 1 << 14
# Of the number of databases, which takes seconds to compute beyond that.
_MOST_BITS = 1 << 24


@dataclass(frozen=True, init=False)
class Databases(Universe):
    """All databases of `rows` rows over an alphabet; neighbours differ in one row: the global model.

    Databases are in lexicographic order and labelled by tuples. Their number may have a million digits: index
    and label convert to and from base m, and nothing is enumerated.

    >>> databases = Databases(["no", "yes"], 3)
    >>> databases.size, databases.label(5), databases.index(("yes", "no", "yes"))
    (8, ('yes', 'no', 'yes'), 5)
    """

    alphabet: Alphabet
    rows: int

    def __init__(self, alphabet: Alphabet | Labels, rows: int) -> None:
        letters = alphabet if isinstance(alphabet, Alphabet) else Alphabet(alphabet)
        object.__setattr__(self, "alphabet", letters)
        object.__setattr__(self, "rows", whole_number(rows, "The number of rows", 1))

    @cached_property
    def _size(self) -> int:
        return number_of_databases(self.alphabet.size, self.rows)

    @property
    def size(self) -> int:
        return self._size

    @property
    def labels(self) -> Sequence[Label]:
        return _DatabaseLabels(self)

    def label(self, i: int) -> tuple[Label, ...]:
        names = self.alphabet.labels
        return tuple(names[digit] for digit in self.letters(i))

    def index(self, label: Label) -> int:
        if not isinstance(label, tuple | list) or len(label) != self.rows:
            raise InvalidInput(f"{shown(label)} is not a database; give a tuple of {self.rows} labels, one per row.")
        return from_digits([self.alphabet.index(entry) for entry in label], self.alphabet.size)

    def letters(self, i: int) -> list[int]:
        """Return the alphabet index of every row of database `i`."""
        return digits(self.read_index(i), self.alphabet.size, self.rows)

    def distance(self, i: int, j: int) -> Rational:
        return Rational(sum(a != b for a, b in zip(self.letters(i), self.letters(j), strict=True)))

    @property
    def diameter(self) -> Rational:
        return Rational(self.rows if self.alphabet.size > 1 else 0)

    @property
    def number_of_pairs(self) -> int:
        return self.size * self.rows * (self.alphabet.size - 1) // 2

    def pairs(self) -> Pairs:
        size, base = self.size, self.alphabet.size
        check_pair_count(self.number_of_pairs)
        index = np.arange(size, dtype=np.int64)
        first: list[NDArray[np.int64]] = []
        second: list[NDArray[np.int64]] = []
        for row in range(self.rows):
            place = base ** (self.rows - 1 - row)
            letter = index // place % base
            for step in range(1, base):
                smaller = index[letter < base - step]
                first.append(smaller)
                second.append(smaller + step * place)
        if not first:
            return Pairs(index[:0], index[:0])
        return Pairs(np.concatenate(first), np.concatenate(second))

    def lines(self, row: int) -> Iterator[range]:
        """Yield the databases that differ in one row alone, in the order of its values."""
        base = self.alphabet.size
        place = base ** (self.rows - 1 - row)
        for first in range(self.size):
            if first // place % base == 0:
                yield range(first, first + base * place, place)

    def sphere_size(self, distance: int) -> int:
        """Return how many databases are at Hamming distance `distance` from any one of them."""
        steps = whole_number(distance, "A Hamming distance", 0)
        return math.comb(self.rows, steps) * int((self.alphabet.size - 1) ** steps)

    def sphere_sizes(self) -> tuple[int, ...]:
        """Return the sphere sizes for distances 0 to `rows`, by their recursion.

        Raises:
            InvalidInput: beyond 16,384 rows, where together they would fill the memory.
        """
        if self.rows > _MOST_ROWS_FOR_SPHERES:
            raise InvalidInput(
                f"The {self.rows + 1} sphere sizes of {self.rows} rows would fill the memory; "
                "ask for single ones with sphere_size(distance)."
            )
        sizes = [1]
        for distance in range(self.rows):
            sizes.append(sizes[-1] * (self.rows - distance) * (self.alphabet.size - 1) // (distance + 1))
        return tuple(sizes)


def digits(number: int, base: int, length: int) -> list[int]:
    """Return `length` digits of `number`, most significant first.

    Halves the number, so a million digits take seconds rather than hours.

    >>> from epstar.universe import digits
    >>> digits(6, base=2, length=4)
    [0, 1, 1, 0]
    """
    if base == 1:
        return [0] * length
    if length <= 64:
        found = []
        for _ in range(length):
            number, digit = divmod(number, base)
            found.append(int(digit))
        return found[::-1]
    # The numerator of a rational is an integer type with fast division of long numbers.
    low = length // 2
    high_part, low_part = divmod(Rational(number).p, Rational(base).p ** low)
    return digits(int(high_part), base, length - low) + digits(int(low_part), base, low)


def from_digits(found: Sequence[int], base: int) -> int:
    """Return the number with the given digits, most significant first.

    >>> from_digits([1, 0, 1], 2), digits(5, 2, 3)
    (5, [1, 0, 1])
    """
    if len(found) <= 64:
        number = 0
        for digit in found:
            number = number * base + digit
        return number
    low = len(found) // 2
    return from_digits(found[:-low], base) * int(base**low) + from_digits(found[-low:], base)


@dataclass(frozen=True)
class _DatabaseLabels(Sequence[Label]):
    """The labels of all databases, each made when it is asked for."""

    databases: Databases

    def __len__(self) -> int:
        return self.databases.size

    @overload
    def __getitem__(self, i: int) -> Label: ...

    @overload
    def __getitem__(self, i: slice) -> Sequence[Label]: ...

    def __getitem__(self, i: int | slice) -> Label | Sequence[Label]:
        if isinstance(i, slice):
            return tuple(self.databases.label(k) for k in range(*i.indices(self.databases.size)))
        if not -self.databases.size <= i < self.databases.size:
            raise IndexError("a label beyond the last database")
        return self.databases.label(i % self.databases.size)

    def __iter__(self) -> Iterator[Label]:
        return (self.databases.label(k) for k in range(self.databases.size))


def number_of_databases(letters: int, rows: int) -> int:
    """Return how many databases there are.

    Raises:
        InvalidInput: if that number has so many digits that it takes seconds to compute.
    """
    if rows * letters.bit_length() > _MOST_BITS:
        raise InvalidInput(f"Databases of {shown(rows)} rows are too many to be counted; give fewer rows.")
    return int(letters**rows)
