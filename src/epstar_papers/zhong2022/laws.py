"""The letters of the paper: m types, n individuals, a distortion D, laws in decreasing order and their tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

from epstar.exact import ONE, ZERO, Rational, fraction, rationals
from epstar.exact_linear import LinearSystem, Optimum

Point = tuple[Rational, ...]
Points = tuple[Point, ...]


def points(*laws: str) -> Points:
    """Return laws written as decimals or fractions with spaces between them.

    >>> points("0.6 0.3 0.1")
    ((3/5, 3/10, 1/10),)
    """
    return tuple(rationals(law.split()) for law in laws)


def uniform(size: int) -> Point:
    """Return the law P_U."""
    return (Rational(1, size),) * size


def tail(law: Sequence[Rational], count: int) -> Rational:
    """Return D^(k): the probability of the k last letters, which are the rarest in a sorted law."""
    return sum(law[len(law) - count :], ZERO)


def as_float(value: Rational) -> float:
    """Return the nearest float."""
    return float(fraction(value))


@dataclass(frozen=True)
class Setting:
    """Databases of n `rows` with m `letters` each, and the number D of rows that may be wrong on average."""

    letters: int
    rows: int
    distortion: Rational

    def __str__(self) -> str:
        return f"(m = {self.letters}, n = {self.rows}, D = {self.distortion})"

    @property
    def size(self) -> int:
        """The number m^n of databases."""
        return int(self.letters**self.rows)

    @property
    def odds(self) -> Rational:
        """The ratio A = (m-1)(n-D)/D between a right and a wrong answer for one row."""
        return (self.letters - 1) * (self.rows - self.distortion) / self.distortion

    @property
    def free(self) -> Rational:
        """The distortion n(m-1)/m of the uniform mechanism, which loses nothing."""
        return Rational(self.rows * (self.letters - 1), self.letters)

    def sphere(self, distance: int) -> int:
        """Return N_l, the number of databases at distance l from any one."""
        return int(comb(self.rows, distance) * (self.letters - 1) ** distance)


@dataclass(frozen=True)
class Flattest:
    """The law P' of a set whose least entry is largest, scaled as the paper scales it."""

    theta: Rational
    """theta* = m^n max_P min_x P(x)."""
    eta: Rational
    """eta = max_x P'(x)."""


@lru_cache(maxsize=1024)
def flattest(laws: Points) -> Flattest:
    """Return theta* and eta of the hull of some laws, exactly.

    >>> flattest(points("0.9 0.1", "0.2 0.8")).theta
    1
    """
    size, count = len(laws[0]), len(laws)
    matrix = tuple((*(-law[x] for law in laws), ONE) for x in range(size))
    system = LinearSystem(count + 1, matrix, (ZERO,) * size, ((ONE,) * count + (ZERO,),), (ONE,))
    optimum = system.maximise([ZERO] * count + [ONE])
    assert isinstance(optimum, Optimum), "the weights form a simplex"
    law = [sum((w * p[x] for w, p in zip(optimum.point, laws, strict=False)), ZERO) for x in range(size)]
    return Flattest(size * optimum.value, max(law))
