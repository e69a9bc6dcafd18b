"""A guarantee: a notion, a level, and for which inputs and which priors it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from epstar.arguments import check_kind, shown, typed, whole_number
from epstar.convert.privacy_curve import PrivacyCurve
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    LocalInformationPrivacy,
    Notion,
)
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet, Metric, Universe

Family: TypeAlias = "type[ApproximateDifferentialPrivacy] | type[LocalInformationPrivacy]"
"""A notion with a slack stands, as a class, for its whole curve: the least delta at every level."""

Kind: TypeAlias = "Notion | Family"

MOST_DIGITS = 1 << 13
"""The bits up to which the argument of a logarithm is multiplied out; a longer one is not worth its digits."""


@dataclass(frozen=True, init=False)
class Guarantee:
    """The loss under `notion` is at most `level` nats, on `universe`, for every prior of `source`.

    For a whole privacy curve the notion is the class `ApproximateDifferentialPrivacy` or `LocalInformationPrivacy` and
    a curve takes the place of the level. Without a universe the guarantee is for any alphabet, all pairs of inputs
    counting. `outputs`, where given, says that the mechanism has at most so many of them.

    Raises:
        InvalidInput: for a negative level, a notion that depends on the prior without a source that names the class
            of priors, a universe of another size than the source, a curve of approximate differential privacy where
            distances are not all 1, or a number of outputs below 1.

    >>> from epstar.notions import DifferentialPrivacy
    >>> str(Guarantee(DifferentialPrivacy(), "log(3)").level)
    'log(3)'
    """

    notion: Kind
    level: Real
    universe: Universe | None
    source: Source | None
    curve: PrivacyCurve | None
    outputs: int | None

    def __init__(
        self,
        notion: Kind,
        level: object = None,
        universe: Universe | None = None,
        source: Source | None = None,
        curve: PrivacyCurve | None = None,
        outputs: int | None = None,
    ) -> None:
        check_kind_asked(notion)
        if isinstance(notion, Notion) == (level is None) or isinstance(notion, Notion) == (curve is not None):
            raise InvalidInput("A guarantee has a notion and its level, or the class of a notion and its curve.")
        if universe is not None:
            check_kind(universe, Universe, "The universe of a guarantee", "one such as Alphabet(4)")
        if source is not None:
            check_kind(source, Source, "The source of a guarantee", "a Prior, a set of priors or Everything(size)")
        if curve is not None:
            check_kind(curve, PrivacyCurve, "The curve of a guarantee", "a SegmentCurve or another PrivacyCurve")
        real = INFINITY if level is None else Real.of(typed(level))
        if real.upper < 0:
            raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
        if needs_source(notion) and source is None:
            raise InvalidInput(
                f"A guarantee of {notion.title} holds for some priors; name them with source=, "
                "as a Prior, a set of priors or Everything(size)."
            )
        if universe is None and source is not None:
            universe = Alphabet(source.size)
        if notion is ApproximateDifferentialPrivacy and not has_unit_pairs(universe):
            raise InvalidInput(
                "A curve of approximate differential privacy is about neighbours, and this universe has other "
                "distances; give a level at one delta."
            )
        if universe is not None and source is not None and source.size != universe.size:
            raise InvalidInput(
                f"The source has {source.size} categories and the universe {universe.size}; make them equal."
            )
        for name, value in (
            ("notion", notion),
            ("level", real),
            ("universe", universe),
            ("source", source),
            ("curve", curve),
            ("outputs", None if outputs is None else whole_number(outputs, "The number of outputs", 1)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, mechanism: AnyMechanism, notion: Notion, source: Source | None = None) -> Guarantee:
        """Return what an exact mechanism guarantees under a notion: its loss, rounded up where it is not exact.

        Raises:
            InvalidInput: if the mechanism is of floats, which prove nothing.
        """
        check_kind(mechanism, AnyMechanism, "What gives a guarantee", "a mechanism")
        check_kind(notion, Notion, "The notion of a guarantee", "one such as DifferentialPrivacy()")
        if source is not None:
            check_kind(source, Source, "The source of a guarantee", "a Prior, a set of priors or Everything(size)")
        upper = notion.loss(mechanism, source).upper
        if upper is None:
            raise InvalidInput("Floats prove nothing about the loss of a mechanism; make it exact with .exact(bits).")
        kept = source if needs_source(notion) else None
        return cls(notion, upper, mechanism.universe, kept, outputs=mechanism.shape[1])

    def restricted(self, source: Source) -> Guarantee:
        """Return the same guarantee for a smaller set of priors.

        Raises:
            InvalidInput: if the class is not contained in the one for which the guarantee holds.
        """
        check_kind(source, Source, "What is known about the prior", "a Prior, a set of priors or Everything(size)")
        if self.source is None or source is self.source or isinstance(self.source, Everything):
            return replace_source(self, source)
        inside = isinstance(source, Prior) and self.source.contains(source.probabilities)
        if not inside and source != self.source:
            raise InvalidInput(
                "The guarantee does not hold for the priors that are asked for; give priors of its source."
            )
        return replace_source(self, source)


def replace_source(guarantee: Guarantee, source: Source) -> Guarantee:
    """Return the guarantee with another source; whether it still holds is for the caller to know."""
    level = guarantee.level if guarantee.curve is None else None
    return Guarantee(guarantee.notion, level, guarantee.universe, source, guarantee.curve, guarantee.outputs)


def check_kind_asked(notion: object) -> None:
    """Refuse anything that is neither a notion nor the class of one that has a curve.

    Raises:
        InvalidInput: for anything else.
    """
    curves = (ApproximateDifferentialPrivacy, LocalInformationPrivacy)
    if not isinstance(notion, Notion) and not any(notion is kind for kind in curves):
        raise InvalidInput(f"{shown(notion)} is not a notion; give one such as DifferentialPrivacy().")


def needs_source(notion: Kind) -> bool:
    """Return whether a loss depends on the set of priors; a capacity is over all of them."""
    return notion.needs_source and not isinstance(notion, Capacity)


def least_probability(source: Source) -> Rational:
    """Return the smallest probability that a prior of the source gives to any input."""
    if isinstance(source, Prior):
        return min(source.probabilities)
    size = source.size
    return min(source.minimum([ONE if i == x else ZERO for i in range(size)]).value for x in range(size))


def has_unit_pairs(universe: Universe | None) -> bool:
    """Return whether all constrained pairs are at distance 1, so that a level is the level of every pair."""
    return not isinstance(universe, Metric) or universe.pairs().distance is None


def diameter(universe: Universe | None) -> Rational | None:
    """Return the largest distance of two inputs, 1 where nothing is known of them; None if some are not connected."""
    return ONE if universe is None else universe.diameter


def times(level: Real, count: Rational) -> Real:
    """Return a multiple of a level, which stays the logarithm of a rational where it is one with few digits."""
    if count == 1:
        return level
    argument = level.argument_of_log
    if argument is not None and count.q == 1 and digits_of(argument) * abs(int(count.p)) <= MOST_DIGITS:
        return Real.log(argument ** int(count.p))
    return level * count


def digits_of(value: Rational) -> int:
    """Return how many bits a fraction has."""
    return int(value.p).bit_length() + int(value.q).bit_length()
