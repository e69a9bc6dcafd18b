"""A proof that no radius of a ball has a larger divergence than the spheres of a given law, up to a stated excess."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real, working_precision
from epstar.gaussian.quadrature import GUARD
from epstar.gaussian.spheres import LargestDivergence, Spheres, largest_of

_MOST_CELLS = 4000
# Away from the spheres K is well below the top, and few bits are enough.
_FEW_BITS = 40
_FEWER_BITS = 20
_MOST_STEPS = 40


@dataclass(frozen=True)
class _Taylor:
    """The derivatives of K at one radius, and a bound on the third one everywhere."""

    slope: Ball
    curvature: Ball
    third: Ball


def cover(spheres: Spheres, bits: int) -> LargestDivergence:
    """Return a bound on K over all radii, from cells that cover [0, R]; see `largest_divergence`."""
    tops: list[Real] = []
    covered: list[tuple[Rational, Rational]] = []
    with working_precision(bits + GUARD):
        radius = spheres.radius.enclose(bits)
        for part in spheres.parts:
            taylor = _taylor(spheres, part, bits)
            if part == 1:
                tops.append(spheres.divergence(part))
                region = part - _below(_rising(taylor) / radius), part
            else:
                region = _concave(spheres, part, taylor, radius)
                tops.append(_concave_top(spheres, part, region))
            if region[0] >= region[1]:
                raise Undecided("The spheres are not the best ones for this ball; find better ones.")
            covered.append(region)
        top = max((real.enclose(bits) for real in tops), key=lambda ball: float(ball.lower()))
        cells = _fill(spheres, sorted(covered), top, radius)
    return LargestDivergence(largest_of(tops), cells)


def _fill(spheres: Spheres, covered: list[tuple[Rational, Rational]], top: Ball, radius: Ball) -> int:
    """Check that K stays below `top` on what is not yet covered; the number of cells it took."""
    waiting, edge = [], ZERO
    for low, high in covered:
        if low > edge:
            waiting.append((edge, low))
        edge = max(edge, high)
    if edge < 1:
        raise Undecided("The outermost sphere of the law lies inside the ball; find better spheres.")
    cells = 0
    while waiting:
        low, high = waiting.pop()
        cells += 1
        if cells > _MOST_CELLS:
            raise Undecided("The spheres are not the best ones for this ball; find better ones.")
        middle = (low + high) / 2
        if not _is_below(spheres, middle, radius * (high - low) / 2, top):
            waiting += [(low, middle), (middle, high)]
    return cells


def _is_below(spheres: Spheres, middle: Rational, width: Ball, top: Ball) -> bool:
    """Whether Taylor's formula keeps K below `top` within `width` of a radius."""
    for bits in (_FEWER_BITS, _FEW_BITS):
        value, slope = spheres.tangent(middle, bits)
        if value + abs(slope) * width + width * width / 2 <= top:
            return True
        if value + abs(slope) * width >= top or width > 1:
            return False
    taylor = _taylor(spheres, middle, _FEW_BITS)
    bend = (taylor.curvature + taylor.third * width).min(Ball(1)).max(Ball(0))
    return bool(value + abs(slope) * width + bend * width * width / 2 <= top)


def _concave(spheres: Spheres, part: Rational, taylor: _Taylor, radius: Ball) -> tuple[Rational, Rational]:
    """An interval around an inner sphere on which K is concave, grown step by step on both sides."""
    first = _below(-taylor.curvature / taylor.third / radius)
    ends = [part - first, part + first]
    for side, sign in ((0, -1), (1, 1)):
        for _ in range(_MOST_STEPS if first > 0 else 0):
            # K is even, so a radius below zero stands for its opposite.
            here = abs(ends[side])
            curvature = spheres.divergence(here, 2).ball(_FEWER_BITS)
            step = _below(-curvature / taylor.third / radius)
            if step <= first / 4 or here >= 1:
                break
            ends[side] += sign * step
    return ends[0], min(ends[1], ONE)


def _taylor(spheres: Spheres, part: Rational, bits: int) -> _Taylor:
    slope, curvature = (spheres.divergence(part, derivative).enclose(bits) for derivative in (1, 2))
    radius = spheres.radius.enclose(bits)
    third = (2 * radius) ** 3 / (6 * Ball(3).sqrt())
    return _Taylor(slope, curvature, third)


def _rising(taylor: _Taylor) -> Ball:
    """How far inside R the value at R is provably the largest: K(R - u) <= K(R) - u K'(R) + b u^2 / 2."""
    width = Ball(2) * taylor.slope
    for _ in range(40):
        bend = (taylor.curvature + taylor.third * width).min(Ball(1)).max(Ball(2) ** -20)
        if 2 * taylor.slope >= bend * width:
            return width
        width = width * 3 / 4
    return Ball(0)


def _concave_top(spheres: Spheres, part: Rational, region: tuple[Rational, Rational]) -> Real:
    """A bound on K where it is concave, from its tangent at an inner sphere; zero is a sphere of slope zero."""
    value = spheres.divergence(part)
    if part == 0:
        return value
    slope, reach = spheres.divergence(part, 1), max(region[1] - part, part - region[0])

    def enclose(bits: int) -> Ball:
        return value.enclose(bits) + abs(slope.enclose(bits)) * spheres.radius.enclose(bits) * reach

    return Real.from_ball(enclose)


def _below(width: Ball) -> Rational:
    """A short rational just below a ball."""
    scaled = (width.lower() * (1 << 40)).floor().unique_fmpz()
    return ZERO if scaled is None else Rational(int(scaled), 1 << 40)
