r"""Databases under Hamming distortion when the uniform law is possible: mechanisms by the number of wrong rows.

By symmetry some optimum gives all databases at one distance the same probability, so a law on the distances 0 to n
is all there is to find (zhong2022, findings items 4 to 6):

* maximal leakage: as likely as allowed inside a Hamming ball, what is left on its surface;
* Sibson's information of order a: N_l (c - l)_+^(1/(a-1)), or N_l (c + l)^(1/(a-1)) for a < 1;
* pointwise approximate differential privacy: in `pointwise_distances`.

The radius of the ball, c or -c is also the price that proves the lower bound. Small databases get exact numbers; for
large ones the law is rounded to fewer digits and asked for a hair less than is allowed, to stay within it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from epstar.errors import InvalidInput, NoSolution
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism, ProductMechanism
from epstar.notions import ApproximateDifferentialPrivacy, MaximalInformation, SibsonMutualInformation
from epstar.notions.distances import is_uniform
from epstar.problem import Problem
from epstar.proof.converse import BITS
from epstar.proof.distances import DistanceProof, conjugate, fits_distances
from epstar.reading import sum_of
from epstar.solve.pointwise_distances import at_distortion, at_level
from epstar.universe import Databases

# Numbers of databases with at most this many bits leave exact weights readable.
_EXACT_BITS = 512
_MOST_ROWS = 1 << 14
_MARGIN = 1 - Rational(1, 1 << 100)
_STEPS = 110
# Prices beyond 2 to this power times the rows change the bound by less than a float shows, but cost it digits.
_LARGEST_EXPONENT = 44
_LEAST_EXPONENT = 4096


def by_distances(problem: Problem) -> DistanceProof | None:
    """Return a proof by distances, or None for a problem of another kind.

    Raises:
        NoSolution: for a negative distortion.
        InvalidInput: beyond 16,384 rows.
    """
    universe, notion = problem.universe, problem.notion
    if not isinstance(universe, Databases) or not fits_distances(problem):
        return None
    if isinstance(notion, MaximalInformation) and not is_uniform(problem.source):
        return None
    if universe.rows > _MOST_ROWS:
        raise InvalidInput(
            f"{universe.rows} rows have too many distances for this notion; ask about at most {_MOST_ROWS} rows."
        )
    identity = DistanceMechanism(universe, [ONE] + [ZERO] * universe.rows)
    if problem.asks == "loss":
        if problem.given < 0:
            raise NoSolution("No mechanism has a negative number of wrong rows; allow more distortion.")
        if problem.given >= Rational(universe.rows * (universe.alphabet.size - 1), universe.alphabet.size):
            return DistanceProof(problem, _uniform(universe), None)
    else:
        loss = notion.loss(identity, problem.source).upper
        if loss is not None and loss <= problem.given:
            return DistanceProof(problem, identity, None)
    if isinstance(notion, ApproximateDifferentialPrivacy):
        return (at_distortion if problem.asks == "loss" else at_level)(problem, universe, notion.delta)
    power = conjugate(notion)
    if power == 1 or not isinstance(notion, SibsonMutualInformation) or isinstance(notion.order, float):
        return _leakage(problem, universe)
    if problem.asks == "loss" and problem.given.rational == 0:
        return DistanceProof(problem, identity, _price_of_truth(universe, notion.order))
    return _sibson(problem, universe, notion.order)


def _uniform(databases: Databases) -> ProductMechanism:
    """Return the mechanism that ignores its input and answers evenly."""
    letters = databases.alphabet
    row = [Rational(1, letters.size)] * letters.size
    return ProductMechanism(Mechanism([row] * letters.size, letters, letters.labels), databases.rows)


def _leakage(problem: Problem, databases: Databases) -> DistanceProof:
    """Solve maximal leakage by a ball whose surface takes what is left."""
    spheres, size = databases.sphere_sizes(), databases.size
    exact = size.bit_length() <= _EXACT_BITS
    inside = list(accumulate(spheres))
    moments = list(accumulate(distance * sphere for distance, sphere in enumerate(spheres)))
    if problem.asks == "loss":
        given = problem.given.below(BITS)
        radius = next(j for j in range(1, len(spheres)) if given * inside[j] <= moments[j])
        wanted = given if exact else given * _MARGIN
        height = (radius - wanted) / (radius * inside[radius - 1] - moments[radius - 1])
    else:
        ratio = Real.exp(problem.given).below(BITS)
        ratio = ratio if exact else ratio * _MARGIN
        if ratio <= 1:
            return DistanceProof(problem, _uniform(databases), Rational(databases.rows))
        radius = next(j for j in range(1, len(spheres)) if ratio * inside[j] >= size)
        height = ratio / size
    weights = [height * sphere for sphere in spheres[:radius]]
    weights.append(1 - height * inside[radius - 1])
    if not exact:
        weights = _rounded(weights, _digits(problem, databases))
    weights += [ZERO] * (databases.rows - radius)
    return DistanceProof(problem, DistanceMechanism(databases, weights), Rational(radius))


def _price_of_truth(databases: Databases, order: Rational) -> Rational:
    """Return the price that proves what the truth loses: any up to one, and for orders below one a tiny one."""
    if order > 1:
        return ONE
    bits = (databases.size.bit_length() + 64) * (1 - order) / order
    return -_power_of_two(-min(_LEAST_EXPONENT, 1 + int(bits.floor())))


class _Family:
    """The laws N_l |c - l|^(1/(a-1)) on the distances, in balls, for a centre c > 0 (behind zero for a < 1)."""

    def __init__(self, databases: Databases, order: Rational) -> None:
        self.spheres = databases.sphere_sizes()
        self.size = databases.size
        self.order = order

    def gaps(self, centre: Rational) -> list[Rational]:
        """Return c - l for the distances l below c, or c + l for all distances."""
        if self.order < 1:
            return [centre + distance for distance in range(len(self.spheres))]
        return [centre - distance for distance in range(len(self.spheres)) if distance < centre]

    def weights(self, centre: Rational) -> list[Ball]:
        """Return the law before it is divided by its sum."""
        power = 1 / (self.order - 1)
        gaps = self.gaps(centre)
        if power == 1:
            return [ball(gap * sphere) for gap, sphere in zip(gaps, self.spheres, strict=False)]
        return [(ball(gap).log() * power).exp() * s for gap, s in zip(gaps, self.spheres, strict=False)]

    def mean(self, centre: Rational) -> Ball:
        """Return the mean distance."""
        weights = self.weights(centre)
        return _sum(w * distance for distance, w in enumerate(weights)) / _sum(iter(weights))

    def loss(self, centre: Rational) -> Ball:
        """Return the information of the law: log M - log sum + log |c - mean| / (a - 1)."""
        weights = self.weights(centre)
        total = _sum(iter(weights))
        mean = _sum(w * distance for distance, w in enumerate(weights)) / total
        gap = centre - mean if self.order > 1 else mean + centre
        return (ball(Rational(self.size)) / total).log() + gap.log() / ball(self.order - 1)


def _sibson(problem: Problem, databases: Databases, order: Rational) -> DistanceProof:
    """Solve Sibson's information by a search for the centre of its family of laws."""
    family = _Family(databases, order)
    asks_loss = problem.asks == "loss"
    with working_precision(2 * BITS):
        wanted = problem.given.enclose(2 * BITS) * _MARGIN

        def is_small(centre: Rational) -> bool:
            # A larger centre means more wrong rows and less information.
            return bool(family.mean(centre) <= wanted if asks_loss else family.loss(centre) > wanted)

        low, high = _between(is_small, databases.rows)
        centre = low if asks_loss else high
        linear = _linear_centre(problem, family, centre) if asks_loss else None
        if linear is not None:
            shares = [gap * sphere for gap, sphere in zip(family.gaps(linear), family.spheres, strict=False)]
            total = sum_of(shares)
            weights, centre = [share / total for share in shares], linear
        else:
            balls = family.weights(centre)
            total_ball = _sum(iter(balls))
            weights = [(w / total_ball).mid().fmpq() for w in balls]
            weights = _rounded(weights, _digits(problem, databases))
    mechanism: AnyMechanism = DistanceMechanism(databases, weights + [ZERO] * (databases.rows + 1 - len(weights)))
    price = min(centre, Rational(databases.rows << _LARGEST_EXPONENT))
    loss = problem.notion.loss(mechanism, problem.source).upper
    if not asks_loss and (loss is None or loss > problem.given):
        mechanism = _uniform(databases)  # The level is so small that the search ended before it.
    return DistanceProof(problem, mechanism, price if order > 1 else -price)


def _linear_centre(problem: Problem, family: _Family, near: Rational) -> Rational | None:
    """Return the exact centre at order 2, where the mean equation is linear between two whole numbers."""
    given = problem.given.rational
    if family.order != 2 or given is None or family.size.bit_length() > _EXACT_BITS:
        return None
    inside = [(distance - given) * sphere for distance, sphere in enumerate(family.spheres) if distance < near]
    divisor = sum_of(inside)
    if divisor == 0:
        return None
    centre = sum_of([value * distance for distance, value in enumerate(inside)]) / divisor
    return centre if len(inside) - 1 <= centre <= len(inside) else None


def _between(is_small: Callable[[Rational], bool], rows: int) -> tuple[Rational, Rational]:
    """Return two close centres of which the first is small and the second is not, as far as the ends allow."""
    most = _LEAST_EXPONENT if not is_small(ONE) else rows.bit_length() + 2 * _LARGEST_EXPONENT
    sign = 1 if is_small(ONE) else -1
    # First the powers of two on both sides, by doubling the exponent and then by halving the gap.
    near, far = 0, 1
    while far < most and is_small(_power_of_two(sign * far)) == (sign > 0):
        near, far = far, 2 * far
    while far - near > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if is_small(_power_of_two(sign * middle)) == (sign > 0) else (near, middle)
    low, high = sorted((_power_of_two(sign * near), _power_of_two(sign * far)))
    for _ in range(_STEPS):
        centre = (low + high) / 2
        low, high = (centre, high) if is_small(centre) else (low, centre)
    return low, high


def _power_of_two(exponent: int) -> Rational:
    return Rational(1 << max(exponent, 0), 1 << max(-exponent, 0))


def _sum(balls: Iterator[Ball]) -> Ball:
    total = Ball(0)
    for entry in balls:
        total += entry
    return total


def _digits(problem: Problem, databases: Databases) -> int:
    """Return how many bits a rounded law needs after the point, so that rounding stays far below the margin."""
    bits = 192 + 2 * databases.rows.bit_length()
    given = problem.given.above(BITS)
    if problem.asks == "loss":
        bits += max(0, int(given.q).bit_length() - int(given.p).bit_length())
    notion = problem.notion
    below_one = isinstance(notion, SibsonMutualInformation) and notion.order < 1
    return bits + databases.size.bit_length() if below_one else bits


def _rounded(weights: Sequence[Rational], bits: int) -> list[Rational]:
    """Return the law rounded down to whole tickets, what is missing added to the likeliest distance."""
    tickets = [int((weight * (1 << bits)).floor()) for weight in weights]
    likeliest = max(range(len(tickets)), key=tickets.__getitem__)
    tickets[likeliest] += (1 << bits) - sum(tickets)
    return [Rational(ticket, 1 << bits) for ticket in tickets]
