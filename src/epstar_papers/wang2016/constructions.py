r"""The paper's constants and mechanisms, exact: h, epsilon_X, the two levels of a prior, E_i with p_Y, and E_d.

A level epsilon enters as its ratio R = e^epsilon, so that every entry of a mechanism is a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Interval, Rational, Real, rational, rationals
from epstar.mechanism import DistanceMechanism, Mechanism
from epstar.query import informed, response_distortion, response_level
from epstar.source import Prior
from epstar.universe import Databases

Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Database:
    """A database of `rows` rows over `categories` categories with a joint prior in lexicographic order.

    >>> Database.independent(["0.9 0.1", "0.5 0.5"]).prior
    (9/20, 9/20, 1/20, 1/20)
    """

    prior: Point
    categories: int
    rows: int = 1

    def __post_init__(self) -> None:
        if self.categories < 2 or self.rows < 1 or len(self.prior) != self.categories**self.rows:
            raise InvalidInput(
                f"{self.rows} rows over {self.categories} categories do not have {len(self.prior)} databases; "
                "give one probability for each tuple of categories."
            )

    @classmethod
    def of(cls, prior: str, categories: int, rows: int = 1) -> Database:
        """Return a database whose prior is written with spaces between the numbers."""
        return cls(rationals(prior.split()), categories, rows)

    @classmethod
    def independent(cls, distributions: Sequence[str | Point]) -> Database:
        """Return a database with independent rows of the given distributions."""
        rows = [
            rationals(distribution.split()) if isinstance(distribution, str) else distribution
            for distribution in distributions
        ]
        joint: Point = (ONE,)
        for distribution in rows:
            joint = tuple(p * q for p in joint for q in distribution)
        return cls(joint, len(rows[0]), len(rows))

    @property
    def universe(self) -> Databases:
        """All the databases, neighbours differing in one row."""
        return Databases(self.categories, self.rows)

    @property
    def source(self) -> Prior:
        """The prior as a source."""
        return Prior(self.prior)

    @property
    def has_full_support(self) -> bool:
        """Whether no database is impossible."""
        return all(p > 0 for p in self.prior)

    def groups(self) -> Iterator[tuple[int, ...]]:
        """Yield the sets of databases that agree in all rows but one: what an informed adversary still considers."""
        for row in range(self.rows):
            place = self.categories ** (self.rows - 1 - row)
            for first in range(len(self.prior)):
                if first // place % self.categories == 0:
                    yield tuple(first + step * place for step in range(self.categories))


h = response_distortion
h_inverse = response_level


def prior_level(database: Database) -> Real:
    """Return epsilon_X, the greatest log ratio of the probabilities of neighbours, equation (11)."""
    return informed.prior_level(database.prior, database.categories, database.rows)


def output_distribution(database: Database, ratio: Rational) -> Point:
    """Return the one p_Y with which the posteriors (20) average to the prior; its entries may be negative.

    Raises:
        InvalidInput: unless the ratio exceeds 1.
    """
    return informed.output_law(database.prior, ratio, database.categories, database.rows)


def is_feasible(database: Database, ratio: Rational) -> bool:
    """Return whether the posteriors (20) can be had at this level, that is whether some p_Y is a distribution.

    At level 0 they are all uniform, which any p_Y averages to the uniform prior and none to another.

    >>> is_feasible(Database.of("1/2 1/2", 2), ONE), is_feasible(Database.of("0.6 0.4", 2), ONE)
    (True, False)
    """
    if ratio <= 1:
        return ratio == 1 and len(set(database.prior)) == 1
    return min(output_distribution(database, ratio)) >= 0


@cache
def feasible_from(database: Database, bits: int = 60) -> Interval:
    """Return the level tilde epsilon_X from which on the posteriors (20) can be had, enclosed by bisection.

    The feasible levels form a half-line, so bisection is safe. The upper end is feasible. Zero for the uniform prior.

    Raises:
        InvalidInput: without full support, where no finite level is feasible.

    >>> str(feasible_from(Database.of("0.6 0.3 0.1", 3)).upper)
    'log(8)'
    """
    return informed.feasible_level(database.prior, database.categories, database.rows, bits)


def mechanism_i(database: Database, ratio: object) -> Mechanism:
    """Return E_i of equation (21): Q(y|x) = p_Y(y) R^-d(x,y) / (p_X(x) (1 + (m-1)/R)^n), with its p_Y.

    Raises:
        InvalidInput: below tilde epsilon_X, where p_Y is not a distribution.

    >>> coin = Database.of("0.55 0.45", 2)
    >>> mechanism_i(coin, 4).rows
    ((28/33, 5/33), (7/27, 20/27))
    """
    exact = rational(ratio)
    if not database.has_full_support:
        raise InvalidInput("E_i needs a prior of full support; give every database some probability.")
    distribution = output_distribution(database, exact)
    if min(distribution) < 0:
        raise InvalidInput(f"E_i does not exist at level log({exact}) for this prior; raise the level.")
    posterior = mechanism_d(database.categories, database.rows, exact)
    rows = [
        [distribution[y] * posterior.entry(x, y) / p for y in range(len(database.prior))]
        for x, p in enumerate(database.prior)
    ]
    return Mechanism(rows, database.universe)


def mechanism_d(categories: int, rows: int, ratio: object) -> DistanceMechanism:
    """Return E_d of equation (22): Q(y|x) proportional to R^-d(x,y), any number of rows.

    >>> str(mechanism_d(3, 2, 4).mean_distance)
    '2/3'
    """
    exact = rational(ratio)
    if exact < 1:
        raise InvalidInput(f"The ratio {exact} belongs to a negative level; give one of at least 1.")
    databases = Databases(categories, rows)
    total = (1 + (categories - 1) / exact) ** rows
    weights = [size / exact**distance / total for distance, size in enumerate(databases.sphere_sizes())]
    return DistanceMechanism(databases, weights)


def distance_profile(distribution: Sequence[Rational], databases: Databases, output: int) -> Point:
    """Return P_l, the probability under `prior` of being at distance l from `output`, for l = 0 to rows (Lemma 1)."""
    profile = [ZERO] * (databases.rows + 1)
    for x, p in enumerate(distribution):
        profile[int(databases.distance(x, output).p)] += p
    return tuple(profile)


def sphere_size(categories: int, rows: int, distance: int) -> int:
    """Return N_l, how many databases lie at distance l from a given one."""
    return math.comb(rows, distance) * int((categories - 1) ** distance)
