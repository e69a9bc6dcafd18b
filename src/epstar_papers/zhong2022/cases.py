"""The instances on which the verdicts rest: the paper's own, small hand-made ones and seeded random ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from epstar.exact import ONE, ZERO, Rational, rational
from epstar.mechanism import Mechanism
from epstar_papers.theorem import Case, Hypothesis
from epstar_papers.zhong2022.distributions import Point, Points, Setting, flattest, points, tail, uniform

FIGURE_4 = points("0.4 0.3 0.2 0.1")
OPPOSITE = points("0.9 0.1", "0.1 0.9")
"""Two distributions whose hull holds the uniform distribution, which is not one of them."""
ORDERED = points("0.5 0.4 0.1", "0.6 0.2 0.2")
ORDERS = (Rational(3, 2), Rational(2), Rational(4))


def at(distributions: Points, distortion: object, rows: int = 1, **more: object) -> Case:
    """Return the question what must be lost for distributions on databases of some rows at a distortion."""
    categories = round(len(distributions[0]) ** (1 / rows))
    return {"distributions": distributions, "setting": Setting(categories, rows, rational(distortion)), **more}


def distortion_of(case: Case) -> Rational:
    """Return the D of a case."""
    setting: Setting = case["setting"]
    return setting.distortion


def on_grid(distributions: Points, *distortions: str, rows: int = 1) -> Iterator[Case]:
    """Yield distributions at several distortions."""
    return (at(distributions, distortion, rows) for distortion in distortions)


def distribution(random: Random, size: int, least: int = 1, most: int = 12) -> Point:
    """Return a random distribution with small denominators; with `least` positive no entry vanishes."""
    while True:
        weights = [random.randint(least, most) for _ in range(size)]
        if sum(weights) > 0:
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def sorted_distribution(random: Random, size: int) -> Point:
    """Return a random distribution in decreasing order that is not uniform."""
    while True:
        drawn = tuple(sorted(distribution(random, size), reverse=True))
        if drawn[0] > drawn[-1]:
            return drawn


def mechanism(random: Random, inputs: int, outputs: int | None = None, least: int = 1) -> Mechanism:
    """Return a random mechanism, without zeros unless `least` is 0."""
    columns = inputs if outputs is None else outputs
    return Mechanism([distribution(random, columns, least) for _ in range(inputs)])


def between(random: Random, low: Rational, high: Rational) -> Rational:
    """Return a random fraction strictly between two."""
    return low + (high - low) * Rational(random.randint(1, 39), 40)


def any_set(count: int, seed: int, rows: Sequence[int] = (1, 1, 2)) -> Iterator[Case]:
    """Yield priors of full support, now and then three of them, at distortions below that of the uniform mechanism.

    Every other distortion is below the one where the lower bounds of Theorem 6 vanish.
    """
    random = Random(seed)
    for number in range(count):
        n = rows[number % len(rows)]
        categories = 2 if n > 1 else random.randint(2, 4)
        distributions = tuple(distribution(random, categories**n, 4) for _ in range(3 if number % 4 == 3 else 1))
        free = Rational(n * (categories - 1), categories)
        most = flattest(distributions).theta * free if number % 2 else free
        yield at(distributions, between(random, ZERO, most), n)


def at_the_ends() -> Iterator[Case]:
    """Yield sets at the distortion n(m-1)/m of the uniform mechanism, beyond it, and at the largest."""
    for distributions, rows in (
        (points("0.6 0.4"), 1),
        (points("0.5 0.3 0.2", "0.2 0.2 0.6"), 1),
        (points("0.4 0.3 0.2 0.1"), 2),
    ):
        free = at(distributions, rows, rows)["setting"].free
        yield from (at(distributions, wrong, rows) for wrong in (free, (free + rows) / 2, rows))


def class_one(rows: Sequence[int] = (1, 2)) -> Iterator[Case]:
    """Yield the uniform distribution, sets that hold it and sets whose hull does, for one and for several rows."""
    if 1 in rows:
        yield from on_grid((uniform(2),), "0.1", "0.45", "0.6")
        yield from on_grid((uniform(3),), "0.2", "0.6")
        yield from on_grid((uniform(5),), "0.3")
        yield from on_grid(OPPOSITE, "0.1", "0.3")
        yield from on_grid(points("0.5 0.3 0.2", "0.2 0.5 0.3", "0.3 0.2 0.5"), "0.25")
        yield from on_grid((uniform(3), *points("0.7 0.2 0.1")), "0.4")
    if 2 in rows:
        yield from on_grid((uniform(4),), "0.2", "0.5", "0.9", "1.2", rows=2)
        yield at(points("0.4 0.3 0.2 0.1", "0.1 0.2 0.3 0.4"), "0.6", 2)
        yield from on_grid((uniform(9),), "0.6", rows=2)
    if 3 in rows:
        yield from on_grid((uniform(8),), "0.675", "1.2", rows=3)


def with_uniform(case: Case) -> bool:
    """Return whether the uniform distribution itself is one of the distributions of a case."""
    return uniform(len(case["distributions"][0])) in case["distributions"]


WITH_UNIFORM = Hypothesis("the uniform distribution belongs to the set", with_uniform)
CLASS_ONE = Hypothesis(
    "the set is of Class I: its hull holds the uniform distribution",
    lambda case: flattest(case["distributions"]).theta == 1,
)
UNIFORM_ALONE = Hypothesis(
    "the distribution is uniform", lambda case: case["distributions"] == (uniform(len(case["distributions"][0])),)
)
DISTRIBUTION_OF_A_ROW = Hypothesis(
    "the distribution is that of one row", lambda case: len(case["distribution"]) == case["setting"].categories
)
ONE_ROW = Hypothesis("$n = 1$", lambda case: case["setting"].rows == 1)
BELOW_UNIFORM = Hypothesis("$D < n(m-1)/m$", lambda case: case["setting"].distortion < case["setting"].free)


def one_distribution(count: int, seed: int, deltas: Sequence[str] = ("0",)) -> Iterator[Case]:
    """Yield sorted priors, some with ties, below the distortion where nothing need be lost, and thresholds between."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 5)
        drawn = sorted_distribution(random, size)
        delta = rational(deltas[number % len(deltas)])
        free = (1 - delta) * tail(drawn, size - 1)
        wrong = between(random, ZERO, free)
        if number % 3 == 2:  # one of the thresholds (1-delta) D^(k)
            wrong = (1 - delta) * tail(drawn, random.randint(1, size - 1))
        yield at((drawn,), wrong, delta=delta)
    yield at(points("0.4 0.4 0.2"), "0.33", delta=rational(deltas[0]))
    yield at(FIGURE_4, "0.33", delta=rational(deltas[-1]))


def below_free(case: Case) -> bool:
    """Return whether a sorted distribution must lose something: D < (1-delta) D^(m-1)."""
    drawn: Point = case["distributions"][0]
    return bool(distortion_of(case) < (1 - case["delta"]) * tail(drawn, len(drawn) - 1))


BELOW_FREE = Hypothesis(r"$D < (1-\delta)D^{(m-1)}$", below_free)


def ordered_sets(count: int, seed: int, deltas: Sequence[str] = ("0", "1/10")) -> Iterator[Case]:
    """Yield sets of two or three distributions in decreasing order (Class II), below their free distortion."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(3, 4)
        distributions = tuple(dict.fromkeys(sorted_distribution(random, size) for _ in range(2 + number % 2)))
        delta = rational(deltas[number % len(deltas)])
        free = (1 - delta) * max(tail(drawn, size - 1) for drawn in distributions)
        yield at(distributions, between(random, ZERO, free), delta=delta)


def mechanisms(count: int, seed: int, least: int = 1) -> Iterator[Case]:
    """Yield random mechanisms with 2 to 4 inputs and 2 to 5 outputs, each with a distribution of full support."""
    random = Random(seed)
    for _ in range(count):
        inputs = random.randint(2, 4)
        yield {
            "mechanism": mechanism(random, inputs, random.randint(2, 5), least),
            "distribution": distribution(random, inputs),
        }


def pairs(count: int, seed: int) -> Iterator[Case]:
    """Yield two mechanisms of one shape with a distribution and a weight for mixing them."""
    random = Random(seed)
    for number in range(count):
        inputs, outputs = random.randint(2, 4), random.randint(2, 4)
        yield {
            "first": mechanism(random, inputs, outputs),
            "second": mechanism(random, inputs, outputs, number % 2),
            "distribution": distribution(random, inputs),
            "weight": between(random, ZERO, ONE),
        }


def mixture(case: Case) -> Mechanism:
    """Return the mixture of the two mechanisms of a case."""
    weight: Rational = case["weight"]
    rows = zip(case["first"].rows, case["second"].rows, strict=True)
    return Mechanism([[weight * a + (1 - weight) * b for a, b in zip(*both, strict=True)] for both in rows])


def is_decreasing(drawn: Point) -> bool:
    """Return whether a distribution is in decreasing order."""
    return all(first >= second for first, second in pairwise(drawn))


def _is_one_sorted_distribution(case: Case) -> bool:
    distributions: Points = case["distributions"]
    return len(distributions) == 1 and case["setting"].rows == 1 and is_decreasing(distributions[0])


SORTED = Hypothesis(r"there is one distribution, of one row, and $P_1 \ge \dots \ge P_m$", _is_one_sorted_distribution)
