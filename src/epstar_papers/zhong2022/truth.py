"""What is true: values that epstar proves from the definitions, never from a formula of the paper."""

from __future__ import annotations

from functools import lru_cache

from epstar.answer import Answer
from epstar.distortion import Hamming
from epstar.exact import INFINITY, ZERO, Interval, Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Finite, Hull, Prior, Rows, Source
from epstar.universe import Alphabet, Databases
from epstar_papers.zhong2022.distributions import Points

DIFFERENTIAL = DifferentialPrivacy()
INFORMATION_RATIO = MaximalInformation()
LEAKAGE = MaximalLeakage()
SHANNON = MutualInformation()
RENYI = RenyiDifferentialPrivacy(2)
SIBSON = SibsonMutualInformation(2)
POINTWISE = ApproximateDifferentialPrivacy("1/10", reading="pointwise")
EVENTS = ApproximateDifferentialPrivacy("1/10")

ONE_OF_EACH: tuple[Notion, ...] = (DIFFERENTIAL, POINTWISE, INFORMATION_RATIO, LEAKAGE, RENYI, SIBSON, SHANNON)
"""The seven notions of Definition 3, with delta = 1/10 and order 2."""

NO_CLAIM = Interval(Real.of(ZERO), INFINITY)
"""What a corrected statement says of a case outside its hypotheses: nothing."""


def hull(distributions: Points) -> Source:
    """Return the convex hull of the distributions."""
    return Prior(distributions[0]) if len(distributions) == 1 else Hull(distributions)


def members(distributions: Points) -> Source:
    """Return the distributions themselves, without their mixtures."""
    return Prior(distributions[0]) if len(distributions) == 1 else Finite(distributions)


def at_most(bound: Real) -> Interval:
    """Return the claim that a loss is at most a bound."""
    return Interval(Real.of(ZERO), bound)


@lru_cache(maxsize=8192)
def optimum(notion: Notion, source: Source, distortion: Rational, rows: int = 1, method: str | None = None) -> Answer:
    """Return the proven least loss of mechanisms on databases of `rows` rows, with a mechanism that attains it."""
    return Frontier(notion, source, Hamming(), _universe(source, rows)).loss_at(distortion, method)


def least_loss(
    notion: Notion, source: Source, distortion: Rational, rows: int = 1, method: str | None = None
) -> Interval:
    """Return the interval of `optimum`."""
    return optimum(notion, source, distortion, rows, method).interval


@lru_cache(maxsize=4096)
def least_distortion(notion: Notion, source: Source, loss: Real | Rational, rows: int = 1) -> Interval:
    """Return the proven least distortion at a bound on the loss."""
    return Frontier(notion, source, Hamming(), _universe(source, rows)).distortion_at(loss).interval


def optimal_mechanism(notion: Notion, source: Source, distortion: Rational) -> Mechanism:
    """Return a mechanism on an alphabet that attains `least_loss`."""
    mechanism = optimum(notion, source, distortion).mechanism
    assert mechanism is not None, "every answer for Hamming distortion comes with a mechanism"
    return mechanism.dense()


def independent_rows(distributions: Points, rows: int) -> Source:
    """Return databases whose rows all follow one of the distributions, independently, as joint distributions.

    A joint distribution makes the solver treat the database as a whole instead of row by row.
    """
    return members(tuple(Rows(Prior(distribution), rows).joint().probabilities for distribution in distributions))


def loss(notion: Notion, mechanism: AnyMechanism, source: Source | None = None) -> Interval:
    """Return the enclosed loss of an exact mechanism, by definition."""
    found = notion.loss(mechanism, source)
    assert found.lower is not None, "exact mechanisms have a proven lower end"
    assert found.upper is not None, "exact mechanisms have a proven upper end"
    return Interval(found.lower, found.upper)


def distortion(mechanism: AnyMechanism, source: Source) -> Rational:
    """Return the exact worst expected distortion of a mechanism."""
    return mechanism.distortion(Hamming(), source).value


def same(left: Interval, right: Interval, tolerance: float = 1e-7) -> bool:
    """Return whether two enclosed numbers agree, up to a tolerance."""
    return below(left, right, tolerance) and below(right, left, tolerance)


def below(left: Interval, right: Interval, tolerance: float = 1e-7) -> bool:
    """Return whether one enclosed number does not exceed another, up to a tolerance."""
    if right.upper.is_infinite:
        return True
    return not left.upper.is_infinite and left.lower.lower <= right.upper.upper + tolerance


def _universe(source: Source, rows: int) -> Alphabet | Databases:
    categories = round(source.size ** (1 / rows))
    return Alphabet(categories) if rows == 1 else Databases(categories, rows)
