"""Multipliers as solvers find them: the converse half of an answer before it is a claim.

Write c(x,y) = weight * p(x) * d(x,y) with p in the hull of the source. Add to it, for each constraint of the notion, a
non-negative multiple of a linear form that the constraint keeps below its bound: the excess of a ratio bound; the
gradient of a sum bound at a positive direction. Every mechanism that meets the constraints then satisfies

    weight * distortion + (multipliers on bounds)  >=  sum over x of min over y of price(x, y),

because its rows are probability laws. Nothing here is trusted: `epstar.completion.excluded` makes of it what the rule
of claims reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.claims.claim import Mixture, Point, mixed
from epstar.exact import Rational, Real

__all__ = ["BITS", "Converse", "Mixture", "Point", "Step", "Table", "mixed"]

Table = tuple[tuple[Rational, ...], ...]
BITS = 160


@dataclass(frozen=True)
class Step:
    """Multipliers at an infinite level: the answers whose price is not the least of their input are never given.

    `weight` multiplies the distortion under `distortion_law`; `ratios` holds (bound, output, multiplier) for outputs
    that no input on the right of the bound may give.
    """

    weight: Rational
    distortion_law: Mixture
    ratios: tuple[tuple[int, int, Rational], ...] = ()


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
    ratios: tuple[tuple[int, int, Rational], ...] = ()
    maxima: tuple[tuple[int, int, int, int, Rational], ...] = ()
    sums: tuple[Rational, ...] = ()
    slopes: tuple[tuple[int, int, int, tuple[Rational, ...]], ...] = ()
    prices: tuple[Rational, ...] | None = None
    forced: bool = False
    weights: tuple[Rational, ...] | None = None
    steps: tuple[Step, ...] = ()
    relative: bool = False
    order: Rational | None = None
