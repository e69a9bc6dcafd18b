"""The capacity of normal noise over inputs in a ball: two proven bounds and the law that attains the lower one."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from epstar.arguments import whole_number
from epstar.errors import InvalidInput, TimeLimit, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, rational, text
from epstar.gaussian.active_set import ActiveSet, best_spheres
from epstar.gaussian.capacity_bounds import SphereBounds, Spheres
from epstar.gaussian.closed_forms import ball_bounds

_PART_BITS = 60
# Beyond this radius, in deviations of the noise over sqrt(order), the best law has many spheres, and finding them takes
# longer than anybody waits.
LARGEST_RADIUS = 30
# The bounds for higher orders cost more and more, and the orders lie close together.
_LARGEST_ORDER = 128
# Orders nearer to 1 than this have the best law of order 1, as far as floats can tell.
_NEARLY_ONE = 1e-6


@dataclass(frozen=True)
class BallCapacity:
    """The capacity in nats between two proven bounds; an input distribution on spheres; how the bounds were found.

    The lower bound is the information of that distribution, unless `status` says that other bounds were used.

    >>> from epstar.gaussian import ball_capacity
    >>> found = ball_capacity(dimension=1, radius=1)
    >>> found.status, found.lower <= found.upper
    ('one sphere is proven to be the best distribution', True)
    """

    lower: Real
    upper: Real
    spheres: Spheres
    status: str

    @property
    def width(self) -> float:
        """The distance of the two bounds, rounded up."""
        return 0.0 if self.lower is self.upper else max(0.0, self.upper.upper - self.lower.lower)


def ball_capacity(dimension: int, radius: object, time_limit: float | None = None, order: object = ONE) -> BallCapacity:
    """Return the capacity of noise of variance one over inputs in a ball of this radius.

    The lower bound is the information of an explicit distribution, uniform on spheres; the upper one is the largest
    divergence over the ball from the output of that distribution. Both are certified integrals; for order 1 and a
    radius of at most 1 they are the same number, because one sphere is then provably the best. Source: ngo2024, Section
    II (the constraint), after Smith. For another `order` it is the supremum of Sibson's information, whose best
    distributions are on spheres, too.

    Beyond radius 30 / sqrt(order) or order 128, or when `time_limit` seconds have passed, what is proven so far is
    returned: closed forms, or for high orders the lower bound of a smaller one.

    Raises:
        InvalidInput: for a time limit, a dimension or an order that is not positive, or a negative radius.

    >>> from epstar.gaussian import ball_capacity
    >>> found = ball_capacity(dimension=1, radius=1)
    >>> round(float(found.upper), 4)
    0.3368
    """
    if time_limit is not None and rational(time_limit) <= 0:
        raise InvalidInput(f"The time limit of {time_limit} seconds leaves no time; give a positive number or None.")
    whole_number(dimension, "The dimension", 1)
    radius, order = Real.of(radius), rational(order)
    if radius < 0:
        raise InvalidInput(f"The radius {radius} is negative; give the radius of a ball.")
    if order <= 0:
        raise InvalidInput(f"The order {text(order)} is not positive; 1 gives Shannon's capacity.")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    if order == 1 and radius <= 1:
        sphere = Spheres.one(dimension, radius)
        value = sphere.divergence(ONE)
        return BallCapacity(value, value, sphere, "one sphere is proven to be the best distribution")
    closed = BallCapacity(*ball_bounds(dimension, radius, order), Spheres.one(dimension, radius), "")
    searched = searched_order(radius, order)
    if searched is None or (searched < order and time.monotonic() > deadline):
        return _with_status(closed, f"beyond radius {LARGEST_RADIUS} / sqrt(order) both bounds are closed forms")
    try:
        found = _searched(closed, searched, deadline)
    except TimeLimit:
        return _with_status(closed, "the time limit passed: both bounds are closed forms")
    except Undecided:
        return _with_status(closed, "an integral could not be certified: both bounds are closed forms")
    if searched == order:
        return found
    status = f"the lower bound is that of order {searched}, the upper one a closed form"
    return BallCapacity(found.lower, closed.upper, found.spheres, status)


def searched_order(radius: Real, order: Rational) -> Rational | None:
    """Return the order for which the best law is searched, at most the one asked for; None if there is none."""
    limit = min(float(_LARGEST_ORDER), (LARGEST_RADIUS / float(radius)) ** 2)
    if float(Real.of(order)) <= limit:
        return order
    return Rational(math.floor(64 * limit), 64) if limit >= 1 else None


def best_information(dimension: int, radius: Real, order: Rational) -> float:
    """Return about Sibson's capacity of an order over a ball, in floats and without proof."""
    nearly = _in_floats(order)
    return best_spheres(dimension, float(radius) * math.sqrt(nearly), nearly).information


def _in_floats(order: Rational) -> float:
    """An order in floats, or 1 where it is too near to 1 for floats to tell."""
    nearly = float(Real.of(order))
    return 1.0 if abs(nearly - 1) < _NEARLY_ONE else nearly


def _with_status(found: BallCapacity, status: str) -> BallCapacity:
    return BallCapacity(found.lower, found.upper, found.spheres, status)


def _searched(closed: BallCapacity, order: Rational, deadline: float) -> BallCapacity:
    dimension, radius, nearly = closed.spheres.dimension, closed.spheres.radius, _in_floats(order)
    found = best_spheres(dimension, float(radius) * math.sqrt(nearly), nearly, deadline)
    spheres = Spheres(dimension, radius, _parts(found), _weights(found))
    bounds = SphereBounds(spheres, order, found.information, deadline=deadline)
    lower = bounds.lower()
    if not lower.is_finite():
        raise Undecided("The information cannot be computed to a single digit; take a less extreme order.")
    below = Real.from_ball(lambda _bits: lower)
    try:
        upper, radii = bounds.upper(lower)
    except TimeLimit:
        status = "the time limit passed: the upper bound is a closed form"
        return BallCapacity(below, closed.upper, spheres, status)
    if not upper.is_finite():
        return BallCapacity(below, closed.upper, spheres, "the upper bound is a closed form: no other was found")
    status = f"divergences at {radii} radii and a bound for the rest of the ball"
    return BallCapacity(below, Real.from_ball(lambda _bits: upper), spheres, status)


def _parts(found: ActiveSet) -> tuple[Rational, ...]:
    share = 1 << _PART_BITS
    return tuple(Rational(round(rho / found.radii[-1] * share), share) for rho in found.radii.tolist())


def _weights(found: ActiveSet) -> tuple[Rational, ...]:
    """Rational weights that sum to 1 exactly; tiny ones keep their size and are taken from the largest."""
    exact = []
    for log in found.logs.tolist():
        halvings = math.floor(log / math.log(2))
        exact.append(Rational(*math.exp(log - halvings * math.log(2)).as_integer_ratio()) * Rational(2) ** halvings)
    heaviest = max(range(len(exact)), key=lambda k: exact[k])
    exact[heaviest] += 1 - sum(exact, ZERO)
    return tuple(exact)
