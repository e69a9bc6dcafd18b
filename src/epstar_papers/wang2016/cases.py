"""The instances on which the verdicts rest: the priors of the paper, hand-made correlated ones, seeded random ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar_papers.theorem import Case, Hypothesis
from epstar_papers.wang2016.constructions import (
    Database,
    Point,
    feasible_from,
    h,
    is_feasible,
    output_distribution,
    prior_level,
)

EXAMPLE = Database.of("0.55 0.45", 2)
SKEWED = Database.of("0.9 0.1", 2)
THREE = Database.of("0.6 0.3 0.1", 3)
FOUR = Database.of("0.4 0.3 0.2 0.1", 4)
UNIFORM = Database.of("1/3 1/3 1/3", 3)
UNLIKE_ROWS = Database.independent(["0.7 0.3", "0.55 0.45"])
EQUAL_ROWS = Database.independent(["0.5 0.3 0.2", "0.5 0.3 0.2"])
CORRELATED = Database.of("0.4 0.1 0.2 0.3", 2, 2)
POSITIVE = Database.of("0.5 0.2 0.2 0.1", 2, 2)
NEGATIVE = Database.of("0.1 0.35 0.3 0.25", 2, 2)
CORRELATED_THREE = Database.of("0.2 0.08 0.1 0.07 0.15 0.06 0.09 0.11 0.14", 3, 2)
THREE_ROWS = Database.of("0.22 0.1 0.08 0.12 0.14 0.09 0.07 0.18", 2, 3)
UNIFORM_PAIR = Database.of("1/4 1/4 1/4 1/4", 2, 2)

SMALL = (EXAMPLE, SKEWED, THREE, FOUR, UNLIKE_ROWS, CORRELATED, POSITIVE, NEGATIVE)
"""Priors whose programs are solved in a moment."""
ALL = (*SMALL, EQUAL_ROWS, CORRELATED_THREE, THREE_ROWS)


def at(database: Database, distortion: object, **more: object) -> Case:
    """Return the question what level this expected number of wrong rows needs."""
    return {"database": database, "distortion": rational(distortion), **more}


def at_ratio(database: Database, ratio: object) -> Case:
    """Return the level log(ratio) with the distortion h that goes with it."""
    exact = rational(ratio)
    return at(database, h(exact, database.categories, database.rows), ratio=exact)


def threshold_ratio(database: Database) -> Rational:
    """Return a ratio just above e^(tilde epsilon_X): feasible, with numerator and denominator of a few digits."""
    level = feasible_from(database).upper.argument_of_log
    assert level is not None, "bisection ends at a fraction"
    exact = max(level, Rational(101, 100))
    rounded = Rational(int((exact * 1000).ceil()), 1000)
    return exact if exact.q < 1000 else rounded


def within(databases: Sequence[Database], *factors: str) -> Iterator[Case]:
    """Yield levels at multiples (at least 1) of the threshold ratio: distortions up to h of the threshold."""
    for database in databases:
        for factor in factors:
            yield at_ratio(database, threshold_ratio(database) * rational(factor))


def beyond(databases: Sequence[Database], *shares: str) -> Iterator[Case]:
    """Yield distortions at given shares of the way from the threshold to the number of rows."""
    for database in databases:
        start = h(threshold_ratio(database), database.categories, database.rows)
        for share in shares:
            yield at(database, start + rational(share) * (database.rows - start))


def everywhere(databases: Sequence[Database]) -> Iterator[Case]:
    """Yield a few distortions on both sides of the threshold."""
    yield from within(databases, "1", "1.7")
    yield from beyond(databases, "0.05", "0.3")
    for database in databases[:3]:
        yield from (at(database, end) for end in (0, database.rows))


def is_within(case: Case) -> bool:
    """Return whether D <= h(tilde epsilon_X), decided exactly from the ratio of h^-1(D)."""
    database, distortion = case["database"], case["distortion"]
    if distortion == 0:
        return bool(database.has_full_support)
    ratio = (database.rows / distortion - 1) * (database.categories - 1)
    return is_feasible(database, ratio)


def is_strictly_within(case: Case) -> bool:
    """Return whether 0 < D < h(tilde epsilon_X): more noise still leaves every output of (20) a positive chance."""
    database, distortion = case["database"], case["distortion"]
    if not 0 < distortion < database.rows:
        return False
    ratio = (database.rows / distortion - 1) * (database.categories - 1)
    return bool(ratio > 1) and min(output_distribution(database, ratio)) > 0


WITHIN = Hypothesis(r"$D \le h(\tilde\epsilon_X)$", is_within)
STRICTLY_WITHIN = Hypothesis(r"$0 < D < h(\tilde\epsilon_X)$", is_strictly_within)
PAST = Hypothesis(r"$D > h(\tilde\epsilon_X)$", lambda case: not is_within(case))
FEASIBLE = Hypothesis(r"$\epsilon \ge \tilde\epsilon_X$", lambda case: is_feasible(case["database"], case["ratio"]))
ABOVE_PRIOR = Hypothesis(
    r"$\epsilon \ge \epsilon_X$", lambda case: bool(Real.log(case["ratio"]) >= prior_level(case["database"]))
)
FULL_SUPPORT = Hypothesis("the prior has full support", lambda case: case["database"].has_full_support)
ONE_ROW = Hypothesis("$n = 1$", lambda case: case["database"].rows == 1)
TWO_BITS = Hypothesis("$n = m = 2$", lambda case: case["database"].rows == case["database"].categories == 2)
UNIFORM_PRIOR = Hypothesis("the prior is uniform", lambda case: len(set(case["database"].prior)) == 1)


def distribution(random: Random, size: int, least: int = 1) -> Point:
    """Return a random distribution with small denominators; with `least` positive no entry vanishes."""
    while True:
        weights = [random.randint(least, 9) for _ in range(size)]
        if sum(weights) > 0:
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def database(random: Random) -> Database:
    """Return a random database of full support and at most nine tuples."""
    categories, rows = random.choice([(2, 1), (3, 1), (4, 1), (2, 2), (2, 2), (3, 2), (2, 3)])
    return Database(distribution(random, categories**rows), categories, rows)


def mechanisms(count: int, seed: int) -> Iterator[Case]:
    """Yield random mechanisms without zeros on random databases."""
    random = Random(seed)
    for _ in range(count):
        drawn = database(random)
        size = len(drawn.prior)
        yield {
            "database": drawn,
            "mechanism": Mechanism([distribution(random, size) for _ in range(size)], drawn.universe),
        }


def small_databases(count: int, seed: int, shapes: Sequence[tuple[int, int]]) -> Iterator[Database]:
    """Yield random databases of given numbers of categories and rows."""
    random = Random(seed)
    for number in range(count):
        categories, rows = shapes[number % len(shapes)]
        yield Database(distribution(random, categories**rows), categories, rows)
