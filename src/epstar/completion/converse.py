"""Multipliers as solvers find them: the converse half of an answer before it is a claim.

Write c(x,y) = weight * p(x) * d(x,y) with p in the hull of the source. Add to it, for each constraint of the notion, a
non-negative multiple of a linear form that the constraint keeps below its bound: the excess of a ratio bound; the
gradient of a sum bound at a positive direction. Every mechanism that meets the constraints then satisfies

    weight * distortion + (multipliers on bounds)  >=  sum over x of min over y of price(x, y),

because its rows are probability laws. Nothing here is trusted: `epstar.completion.excluded` makes of it what the rule
of claims reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.claims import claim
from epstar.claims.bounds import Bounds
from epstar.claims.claim import Mixture, Point, mixed
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Name
from epstar.source import Finite, Hull, Source

__all__ = ["BITS", "Converse", "Mixture", "Point", "Step", "laws_of", "members_of", "mixed", "named"]

Ratios = tuple[tuple[int, int, Rational], ...]
BITS = 160


@dataclass(frozen=True)
class Step:
    """Multipliers at an infinite level: the answers whose price is not the least of their input are never given.

    `weight` multiplies the distortion under `distortion_law`; `ratios` holds (bound, output, multiplier) for outputs
    that no input on the right of the bound may give.
    """

    weight: Rational
    distortion_law: Mixture
    ratios: Ratios = ()

    def of_claim(self, bounds: Bounds, source: Source) -> claim.Step:
        """Return this as a step of a claim, without multiples of rows."""
        laws = laws_of(self.distortion_law, self.weight, source) if self.weight != 0 else ()
        return claim.Step(laws=laws, ratios=named(self.ratios, bounds))


@dataclass(frozen=True)
class Converse:
    """Multipliers of a lower bound; what they multiply is said by the notion's constraints.

    `ratios` holds (bound, output, multiplier), `maxima` (sum, term, output, input, multiplier), `sums` one multiplier
    per sum bound, `slopes` (sum, term, output, place) the places at which smooth terms are linearised: the ratio
    left/right, or the direction of the column for a norm. `prices` is one number per input where the notion is a
    spread. `distortion_law` weighs members of the source; `points` are the members (mixtures of members, where the
    source is convex) at which a source-dependent notion is read. `level` is the level that is ruled out, where the
    question is which level is possible. `forced` says that the distortion allowed is the least there is and leaves
    few answers at a finite loss, by the zeros that the `steps` prove: where they make a single mechanism, or none, that
    is all, and elsewhere the multipliers speak about these answers alone. `weights` says of a law written out
    why it is a mixture of members: one weight for each point that the source lists. `relative` says that multipliers of
    sums are in units of the bounds at the level, which may be out of reach of numbers with few digits. `order` is a
    smaller order at which a notion that grows with its order is read.
    """

    weight: Rational
    distortion_law: Mixture
    points: tuple[Mixture, ...] = ()
    level: Real | None = None
    ratios: Ratios = ()
    maxima: tuple[tuple[int, int, int, int, Rational], ...] = ()
    sums: tuple[Rational, ...] = ()
    slopes: tuple[tuple[int, int, int, tuple[Rational, ...]], ...] = ()
    prices: tuple[Rational, ...] | None = None
    forced: bool = False
    weights: tuple[Rational, ...] | None = None
    steps: tuple[Step, ...] = ()
    relative: bool = False
    order: Rational | None = None

    def laws(self, source: Source) -> tuple[tuple[Rational, Point], ...]:
        """Return what the weight multiplies as multiples of members of a source."""
        if self.weight == 0:
            return ()
        if self.weights is not None and isinstance(source, Finite | Hull):
            pairs = zip(self.weights, source.points, strict=True)
            return tuple((self.weight * share, point) for share, point in pairs if share != 0)
        return laws_of(self.distortion_law, self.weight, source)


def laws_of(mixture: Mixture, weight: Rational, source: Source) -> tuple[tuple[Rational, Point], ...]:
    """Return a multiple of a mixture of laws as multiples of members, of points where the source lists them."""
    return tuple((weight * share, law) for share, law in members_of(mixture, source) if share != 0)


def members_of(mixture: Mixture, source: Source) -> Mixture:
    """Return a mixture of members of a source; those of a hull as mixtures of its points."""
    if not isinstance(source, Hull) or all(law in source.points for _, law in mixture):
        return mixture
    shares: dict[Point, Rational] = {}
    for share, law in mixture:
        weights = None if law in source.points else source.weights_of(law)
        # A law that is not in the source at all is left for the rule to refuse.
        parts = {law: ONE} if weights is None else dict(zip(source.points, weights, strict=True))
        for point, weight in parts.items():
            shares[point] = shares.get(point, ZERO) + share * weight
    return tuple((share, point) for point, share in shares.items() if share != 0)


def named(ratios: Sequence[tuple[int, int, Rational]], bounds: Bounds) -> tuple[tuple[Name, int, Rational], ...]:
    """Return multiples of bounds by the names of these, in place of their positions."""
    used = [(i, y, multiple) for i, y, multiple in ratios if multiple != 0]
    names = {i: bounds.constraints.ratio(i).name for i in {i for i, _, _ in used}}
    return tuple((names[i], y, multiple) for i, y, multiple in used)
