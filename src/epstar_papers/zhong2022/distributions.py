"""The notation of the paper: m types, n individuals, a distortion D, priors in decreasing order and their tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

from epstar.exact import ONE, ZERO, Rational, fraction, rationals
from epstar.exact_linear import LinearSystem, Optimum

Point = tuple[Rational, ...]
Points = tuple[Point, ...]


def points(*distributions: str) -> Points:
    """Return distributions written as decimals or fractions with spaces between them.

    >>> points("0.6 0.3 0.1")
    ((3/5, 3/10, 1/10),)
    """
    return tuple(rationals(distribution.split()) for distribution in distributions)


def uniform(size: int) -> Point:
    """Return the distribution P_U."""
    return (Rational(1, size),) * size


def tail(distribution: Sequence[Rational], count: int) -> Rational:
    """Return D^(k): the probability of the k last categories, which are the rarest in a sorted distribution."""
    return sum(distribution[len(distribution) - count :], ZERO)


def as_float(value: Rational) -> float:
    """Return the nearest float."""
    return float(fraction(value))


@dataclass(frozen=True)
class Setting:
    """Databases of n `rows` with m `categories` each, and the number D of rows that may be wrong on average."""

    categories: int
    rows: int
    distortion: Rational

    def __str__(self) -> str:
        return f"(m = {self.categories}, n = {self.rows}, D = {self.distortion})"

    @property
    def size(self) -> int:
        """The number m^n of databases."""
        return int(self.categories**self.rows)

    @property
    def odds(self) -> Rational:
        """The ratio A = (m-1)(n-D)/D between a right and a wrong answer for one row."""
        return (self.categories - 1) * (self.rows - self.distortion) / self.distortion

    @property
    def free(self) -> Rational:
        """The distortion n(m-1)/m of the uniform mechanism, which loses nothing."""
        return Rational(self.rows * (self.categories - 1), self.categories)

    def sphere(self, distance: int) -> int:
        """Return N_l, the number of databases at distance l from any one."""
        return int(comb(self.rows, distance) * (self.categories - 1) ** distance)


@dataclass(frozen=True)
class Flattest:
    """The distribution P' of a set whose least entry is largest, scaled as the paper scales it."""

    theta: Rational
    """theta* = m^n max_P min_x P(x)."""
    eta: Rational
    """eta = max_x P'(x)."""


@lru_cache(maxsize=1024)
def flattest(distributions: Points) -> Flattest:
    """Return theta* and eta of the hull of some distributions, exactly.

    >>> flattest(points("0.9 0.1", "0.2 0.8")).theta
    1
    """
    size, count = len(distributions[0]), len(distributions)
    matrix = tuple((*(-distribution[x] for distribution in distributions), ONE) for x in range(size))
    system = LinearSystem(count + 1, matrix, (ZERO,) * size, ((ONE,) * count + (ZERO,),), (ONE,))
    optimum = system.maximise([ZERO] * count + [ONE])
    assert isinstance(optimum, Optimum), "the weights form a simplex"
    distribution = [
        sum((w * p[x] for w, p in zip(optimum.point, distributions, strict=False)), ZERO) for x in range(size)
    ]
    return Flattest(size * optimum.value, max(distribution))
