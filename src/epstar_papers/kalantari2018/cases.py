"""The instances on which the verdicts rest: the paper's own sets, small hand-made ones and seeded random ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from epstar.exact import ZERO, Rational, rational
from epstar.mechanism import Mechanism
from epstar.source import Finite
from epstar_papers.kalantari2018.constructions import Permutation, permuted
from epstar_papers.kalantari2018.programs import threshold
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Point, Points, points, uniform
from epstar_papers.theorem import Case, Hypothesis

SKEWED = points("0.6 0.3 0.1")
TWO_STEPS = points("0.6 0.2 0.2", "0.5 0.5 0")


def at(distributions: Points, distortion: object, **more: object) -> Case:
    """Return the question what must be lost for these distributions at this distortion."""
    return {"points": distributions, "distortion": rational(distortion), **more}


def on_grid(distributions: Points, *distortions: str) -> Iterator[Case]:
    """Yield a set at several distortions."""
    return (at(distributions, distortion) for distortion in distortions)


def distribution(random: Random, size: int, least: int = 0) -> Point:
    """Return a random distribution with small denominators; with `least` positive no entry vanishes."""
    while True:
        weights = [random.randint(least, 12) for _ in range(size)]
        if sum(weights) > 0:
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def sorted_distribution(random: Random, size: int, least: int = 0) -> Point:
    """Return a random distribution whose entries decrease and are not all equal."""
    while True:
        drawn = tuple(sorted(distribution(random, size, least), reverse=True))
        if drawn[0] > drawn[-1]:
            return drawn


def strictly_sorted_distribution(random: Random, size: int) -> Point:
    """Return a random distribution without ties, from the likeliest category."""
    while True:
        drawn = sorted_distribution(random, size, 1)
        if all(first > second for first, second in pairwise(drawn)):
            return drawn


def permutation(random: Random, size: int) -> Permutation:
    """Return a random permutation other than the identity."""
    while True:
        order = list(range(size))
        random.shuffle(order)
        if order != sorted(order):
            return tuple(order)


def mechanism(random: Random, size: int) -> Mechanism:
    """Return a random square mechanism without zeros."""
    return Mechanism([distribution(random, size, 1) for _ in range(size)])


def mechanisms(count: int, seed: int) -> Iterator[Case]:
    """Yield random mechanisms, every other one with zeros, each with three random distributions."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 4)
        rows = [distribution(random, size, number % 2) for _ in range(size)]
        yield {"mechanism": Mechanism(rows), "points": tuple(distribution(random, size) for _ in range(3))}


def _between(random: Random, low: Rational, high: Rational) -> Rational:
    return low + (high - low) * Rational(random.randint(1, 39), 40)


def class_one(count: int, seed: int) -> Iterator[Case]:
    """Yield sets whose hull holds the uniform prior: priors with all their rotations, or the uniform one itself."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 5)
        distributions = uniform(size)
        if number % 3:
            drawn = distribution(random, size)
            distributions = tuple(dict.fromkeys(drawn[k:] + drawn[:k] for k in range(size)))
        if number % 3 == 2:
            distributions = (*distributions, distribution(random, size))
        yield at(distributions, _between(random, ZERO, Rational(size - 1, size)))


def class_two(count: int, seed: int, most: int = 3) -> Iterator[Case]:
    """Yield sets of up to `most` decreasing distributions, below the distortion at which nothing need be lost."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(3, 5)
        distributions = tuple(dict.fromkeys(sorted_distribution(random, size) for _ in range(1 + number % most)))
        limit = threshold(distributions, size - 1)
        if limit > 0:
            yield at(distributions, _between(random, ZERO, limit))


def any_class(count: int, seed: int) -> Iterator[Case]:
    """Yield sets of two to four distributions without any structure."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 5)
        distributions = tuple(dict.fromkeys(distribution(random, size) for _ in range(2 + number % 3)))
        yield at(distributions, _between(random, ZERO, Rational(size - 1, size)))


def copies(count: int, seed: int) -> Iterator[Case]:
    """Yield priors without ties with one copy each whose categories are permuted, and the permutations used."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(3, 4)
        base = tuple(dict.fromkeys(strictly_sorted_distribution(random, size) for _ in range(1 + number % 2)))
        step = permutation(random, size)
        distributions = tuple(dict.fromkeys((*base, *(permuted(drawn, step) for drawn in base))))
        case = at(distributions, _between(random, ZERO, Rational(size - 1, size)))
        yield {**case, "base": base, "permutations": (tuple(range(size)), step)}


def paper_sets() -> Iterator[Case]:
    """Yield the sets of Tables I and II at distortions in each of their regimes."""
    yield from on_grid(TABLE_I, "0.01", "0.06", "0.1", "0.12", "0.14", "0.17", "0.2", "0.25", "0.299")
    yield from on_grid(TABLE_II, "0.005", "0.02", "0.1", "0.3", "0.45", "0.55", "0.69")


def is_class(distributions: Points, name: str) -> bool:
    """Return whether a set is of Class I, II or III."""
    return Finite(distributions).kalantari_class().name == name


ONE_DISTRIBUTION = Hypothesis("there is one distribution", lambda case: len(case["points"]) == 1)
CLASS_ONE = Hypothesis("the set is of Class I", lambda case: is_class(case["points"], "I"))
CLASS_TWO = Hypothesis("the set is of Class II", lambda case: is_class(case["points"], "II"))
CLASS_THREE = Hypothesis("the set is of Class III", lambda case: is_class(case["points"], "III"))


def is_decreasing(distributions: Points) -> bool:
    """Return whether every distribution of a set is already in decreasing order."""
    return all(first >= second for drawn in distributions for first, second in pairwise(drawn))


SORTED = Hypothesis(r"$P_1 \ge \dots \ge P_M$ for every distribution", lambda case: is_decreasing(case["points"]))
