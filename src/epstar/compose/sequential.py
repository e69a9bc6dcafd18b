"""Several mechanisms on the same data: which losses add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.arguments import check_kind
from epstar.convert import Guarantee
from epstar.convert.guarantee import MOST_DIGITS, digits_of, needs_source
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Ball, Real
from epstar.gaussian.mechanism import square_root
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    MaximalLeakage,
    MinEntropyCapacity,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.probability_vectors import listed

ADDITIVE = (
    DifferentialPrivacy,
    RenyiDifferentialPrivacy,
    ConcentratedDifferentialPrivacy,
    MutualInformation,
    Capacity,
    MaximalLeakage,
    MinEntropyCapacity,
)
"""Notions whose levels add up when mechanisms with independent randomness see the same input.

Pure, Rényi and concentrated differential privacy also if each mechanism is chosen after the outputs of those before.
"""


@dataclass(frozen=True)
class Composition:
    """The guarantee of all mechanisms together, and why.

    >>> from epstar import DifferentialPrivacy, Guarantee
    >>> from epstar.compose import sequential
    >>> found = sequential([Guarantee(DifferentialPrivacy(), "log(2)"), Guarantee(DifferentialPrivacy(), "log(3)")])
    >>> str(found.guarantee.level)
    'log(6)'
    """

    guarantee: Guarantee
    reason: str


def is_additive(notion: Notion) -> bool:
    """Return whether levels of this notion add up under sequential composition.

    >>> from epstar import DifferentialPrivacy, GaussianDifferentialPrivacy
    >>> from epstar.compose import is_additive
    >>> is_additive(DifferentialPrivacy()), is_additive(GaussianDifferentialPrivacy())
    (True, False)
    """
    return isinstance(notion, ADDITIVE)


def sequential(guarantees: Sequence[Guarantee]) -> Composition:
    """Return what mechanisms on the same data guarantee together, all guarantees being of one kind.

    Levels add up for the additive notions. For approximate differential privacy levels and deltas both add up, and for
    Gaussian differential privacy squares of levels do (Dong, Roth and Su 2022).

    Raises:
        InvalidInput: for no guarantee, different notions, universes or sources, or a notion whose levels do not add up.

    >>> half = Guarantee(DifferentialPrivacy(), "log(3)")
    >>> str(sequential([half, half]).guarantee.level)
    'log(9)'
    >>> noise = [Guarantee(GaussianDifferentialPrivacy(), level) for level in (3, 4)]
    >>> str(sequential(noise).guarantee.level)
    '5'
    """
    for guarantee in listed(guarantees, "The list of guarantees"):
        check_kind(guarantee, Guarantee, "What is composed", "guarantees only")
    first = guarantees[0]
    for other in guarantees[1:]:
        same = type(other.notion) is type(first.notion) and other.universe == first.universe
        if not same or (needs_source(first.notion) and other.source != first.source):
            raise InvalidInput("Only guarantees of one notion, universe and source add up; convert them first.")
    notion = first.notion
    if isinstance(notion, ApproximateDifferentialPrivacy) and first.curve is None:
        return _approximate(guarantees)
    if isinstance(notion, GaussianDifferentialPrivacy):
        total = root_of_squares([(g.level, 1) for g in guarantees])
        return Composition(Guarantee(notion, total, first.universe), f"squares of levels of {notion.title} add up")
    if not isinstance(notion, Notion) or not is_additive(notion) or any(g.notion != notion for g in guarantees):
        raise InvalidInput("The levels of this notion do not add up; convert to differential privacy first.")
    total = total_of([g.level for g in guarantees])
    return Composition(Guarantee(notion, total, first.universe, first.source), f"levels of {notion.title} add up")


def _approximate(guarantees: Sequence[Guarantee]) -> Composition:
    slack = ZERO
    for guarantee in guarantees:
        notion = guarantee.notion
        assert isinstance(notion, ApproximateDifferentialPrivacy)
        if notion.reading != "event":
            raise InvalidInput("The pointwise reading does not compose; use the event-wise one.")
        slack += notion.delta
    total = total_of([g.level for g in guarantees])
    result = ApproximateDifferentialPrivacy(min(slack, ONE))
    return Composition(Guarantee(result, total, guarantees[0].universe), "levels and deltas add up")


def root_of_squares(levels: Sequence[tuple[Real, int]]) -> Real:
    """Return the root of the sum of squared levels, each with how often it counts; a rational one where it is."""
    if any(level.is_infinite for level, _ in levels):
        return next(level for level, _ in levels if level.is_infinite)
    total = Real.of(ZERO)
    for level, uses in levels:
        total = total + level * level * uses
    if total.rational is None:
        return Real.computed(Ball.sqrt, total)
    return square_root(total.rational)


def total_of(levels: Sequence[Real]) -> Real:
    """Return the sum of levels, which stays the logarithm of a rational where all are, with few digits."""
    if any(level.is_infinite for level in levels):
        return next(level for level in levels if level.is_infinite)
    product, rest = ONE, Real.of(ZERO)
    for level in levels:
        if level.argument_of_log is None:
            rest = rest + level
            continue
        if digits_of(product) > MOST_DIGITS:
            product, rest = ONE, rest + Real.log(product)
        product *= level.argument_of_log
    if product == 1:
        return rest
    return Real.log(product) if rest.rational == 0 else rest + Real.log(product)
