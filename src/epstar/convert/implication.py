"""One implication between two notions: what it needs, which theorem it is, and the level it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from epstar.convert.guarantee import Guarantee, Kind, needs_source
from epstar.convert.privacy_curve import PrivacyCurve
from epstar.exact import Ball, Real
from epstar.notions import Notion
from epstar.source import Source

Rule: TypeAlias = "Callable[[Guarantee, Kind, Source | None], Real | PrivacyCurve | None]"
"""The level or the curve that follows for a notion at a source; None where the edge does not apply."""


@dataclass(frozen=True)
class Implication:
    """Every mechanism with a guarantee of the kind `start` has one of the kind `end`, at the level that `rule` gives.

    `start_is_curve` and `end_is_curve` say that a whole privacy curve is meant. `theorem` is the source; `tight` says
    for which inputs and priors some mechanism attains the level (empty: none is known); `needs` says what else must be
    known.

    >>> from epstar import Alphabet, DifferentialPrivacy, Guarantee, MaximalLeakage
    >>> from epstar.convert import convert
    >>> found = convert(Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(4)), MaximalLeakage())
    >>> [(edge.start.name, edge.end.name) for edge in found.chain]
    [('differential_privacy', 'maximal_leakage')]
    """

    name: str
    start: type[Notion]
    end: type[Notion]
    rule: Rule
    theorem: str
    tight: str = ""
    needs: tuple[str, ...] = ()
    start_is_curve: bool = False
    end_is_curve: bool = False

    @property
    def direction(self) -> str:
        """From which kind of guarantee to which, in words."""
        ends = ((self.start, self.start_is_curve), (self.end, self.end_is_curve))
        return " => ".join(f"{kind.title}{', the whole curve' if is_curve else ''}" for kind, is_curve in ends)

    def leaves(self, kind: Kind) -> bool:
        """Return whether a guarantee of this kind is where the edge starts."""
        return _matches(kind, self.start, self.start_is_curve)

    def reaches(self, kind: Kind) -> bool:
        """Return whether the edge ends at this kind."""
        return _matches(kind, self.end, self.end_is_curve)

    def apply(self, guarantee: Guarantee, target: Kind, source: Source | None) -> Guarantee | None:
        """Return the guarantee that follows, or None where the edge does not apply or says nothing."""
        if guarantee.curve is None and guarantee.level.is_infinite:
            return None
        if needs_source(target) and source is None:
            return None
        found = self.rule(guarantee, target, source)
        if found is None:
            return None
        kept = source if needs_source(target) else None
        if isinstance(found, PrivacyCurve):
            return Guarantee(target, None, guarantee.universe, kept, found, guarantee.outputs)
        return Guarantee(target, found, guarantee.universe, kept, outputs=guarantee.outputs)


def _matches(kind: Kind, wanted: type[Notion], is_curve: bool) -> bool:
    return kind is wanted if is_curve else isinstance(kind, wanted)


def log_of(value: Real) -> Real:
    """Return the logarithm of a positive number, exactly where it is rational."""
    if value.rational is not None:
        return Real.log(value.rational)
    return Real.computed(Ball.log, value)


def larger(left: Real, right: Real) -> Real:
    """Return the larger of two numbers, exactly where both are rational."""
    if left.rational is not None and right.rational is not None:
        return left if left.rational >= right.rational else right
    return Real.computed(Ball.max, left, right)


def smaller(left: Real, right: Real) -> Real:
    """Return the smaller of two numbers, exactly where both are rational."""
    if left.rational is not None and right.rational is not None:
        return left if left.rational <= right.rational else right
    return Real.computed(Ball.min, left, right)
