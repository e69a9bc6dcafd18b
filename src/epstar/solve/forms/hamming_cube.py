r"""Symmetry: databases under Hamming distortion and a possible uniform law, by the number of wrong rows.

By symmetry some optimum gives all databases at one distance the same probability, so a law on the distances 0 to n
is all there is to find (zhong2022, Theorem 7 made exact):

* maximal leakage: as likely as allowed inside a Hamming ball, what is left on its surface;
* Sibson's information of order a: N_l (c - l)_+^(1/(a-1)), or N_l (c + l)^(1/(a-1)) for a < 1;
* information of order one, and capacity: N_l b^l, which is rows treated alike;
* pointwise approximate differential privacy: f(l) = (f(l-1) - delta)_+ / e^level, from the f(0) that makes
  sum N_l f(l) = 1; on distances up to L the mean of the law N_l e^(-l level) on them is the price.

The radius of the ball, c or -c is also the price that proves the lower bound. Small databases get exact numbers; for
large ones the law is rounded to fewer digits and asked for a hair less than is allowed, to stay within it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from epstar.claims.symmetry import is_of_order_one
from epstar.completion.converse import BITS
from epstar.completion.distances import EXACT_ROWS, DistanceProof, fits_distances
from epstar.completion.evidence import is_kept
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism, ProductMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.measure.by_distance import is_uniform
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.mutual_information import RateDistortion
from epstar.solve.method import Task
from epstar.solve.shapes import bounds_each_entropy, compares_with_the_output, order_of_norms, plain_spread
from epstar.source import Prior
from epstar.universe import Databases

# Numbers of databases with at most this many bits leave exact weights readable.
_EXACT_BITS = 512
# More distances than that would take minutes.
_MOST_ROWS = 1 << 14
# Laws are asked for a hair less than is allowed, and levels are excluded a hair below the root, so that rounding does
# not hide that they keep to it; halvings of a search end beyond that hair.
_MARGIN, _HALVINGS = 1 - Rational(1, 1 << 72), 80
# Prices beyond 2 to this power times the rows change the bound by less than a float shows, but cost it digits.
_LARGEST_EXPONENT = 44
_LEAST_EXPONENT = 4096
# Longer numbers are not read back from a file.
_MOST_BITS = 6500


def accepts(problem: Problem) -> bool:
    """Return whether the uniform law is possible, and the notion is one that averages over symmetries."""
    if not isinstance(problem.universe, Databases) or not fits_distances(problem):
        return False
    if is_of_order_one(problem.notion) and problem.given <= 0 and problem.universe.size**2 <= DENSE_LIMIT:
        # At the ends other evidence is exact.
        return False
    # Compared with the law of the output, an output may tell more under other laws than the uniform one.
    is_compared = compares_with_the_output(problem.notion) or bounds_each_entropy(problem.notion)
    return not is_compared or is_uniform(problem.source)


def claims(task: Task) -> Claims:
    """Offer the law on the distances, and the price that proves it."""
    proof = by_distances(task.problem)
    yield Offer(proof, "closed form", "zhong2022, Theorem 7, made exact by symmetry", settles=True)


def by_distances(problem: Problem) -> DistanceProof:
    """Return the proof by distances of a problem that has that symmetry.

    Raises:
        NoSolution: for a negative distortion.
        InvalidInput: beyond 16,384 rows.
    """
    universe = problem.universe
    assert isinstance(universe, Databases)
    if universe.rows > _MOST_ROWS:
        raise InvalidInput(
            f"{universe.rows} rows have too many distances for this notion; ask about at most {_MOST_ROWS} rows."
        )
    if problem.asks == "loss":
        if problem.given < 0:
            raise NoSolution(
                "No mechanism has a negative number of wrong rows; allow more distortion.",
                witness=DistanceProof(problem, None, None),
            )
        if problem.given >= Rational(universe.rows * (universe.alphabet.size - 1), universe.alphabet.size):
            return DistanceProof(problem, _uniform(universe), None)
    else:
        truth = _truth(universe)
        if _is_admissible(problem, truth):
            return DistanceProof(problem, truth, None)
    spread, order = plain_spread(problem.notion), order_of_norms(problem.notion)
    if spread is not None:
        return (at_distortion if problem.asks == "loss" else at_level)(problem, universe, spread.slack)
    if is_of_order_one(problem.notion):
        return _information(problem, universe)
    if order is None:
        return _leakage(problem, universe)
    if problem.asks == "loss" and problem.given.rational == 0:
        return DistanceProof(problem, _truth(universe), _price_of_truth(universe, order))
    return _sibson(problem, universe, order)


def _truth(databases: Databases) -> DistanceMechanism:
    return DistanceMechanism(databases, [ONE] + [ZERO] * databases.rows)


def _uniform(databases: Databases) -> AnyMechanism:
    """Return the mechanism that ignores its input and answers evenly; of many rows row by row."""
    letters, size = databases.alphabet, databases.size
    if size.bit_length() <= _EXACT_BITS:
        return DistanceMechanism(databases, [Rational(sphere, size) for sphere in databases.sphere_sizes()])
    row = [Rational(1, letters.size)] * letters.size
    return ProductMechanism(Mechanism([row] * letters.size, letters, letters.labels), databases.rows)


def _leakage(problem: Problem, databases: Databases) -> DistanceProof:
    """Solve maximal leakage by a ball whose surface takes what is left."""
    spheres, size = databases.sphere_sizes(), databases.size
    exact = size.bit_length() <= _EXACT_BITS
    inside = list(accumulate(spheres))
    moments = list(accumulate(distance * sphere for distance, sphere in enumerate(spheres)))
    if problem.asks == "loss":
        wanted = problem.given.below(BITS) * (ONE if exact else _MARGIN)
        radius = next(j for j in range(1, len(spheres)) if wanted * inside[j] <= moments[j])
        height = (radius - wanted) / (radius * inside[radius - 1] - moments[radius - 1])
    else:
        ratio = Real.exp(problem.given).below(BITS) * (ONE if exact else _MARGIN)
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


def _information(problem: Problem, databases: Databases) -> DistanceProof:
    """Solve an information of order one: rows are wrong independently, each other value alike (Erokhin)."""
    letters, share = databases.alphabet.size, Rational(1, databases.rows)
    if problem.asks == "loss":
        assert problem.given.rational is not None
        wrong = problem.given.rational * share
    elif problem.given > 0:
        wrong = RateDistortion(Prior.uniform_on(letters).ranking).distortion(Real.of(problem.given.below(BITS) * share))
    else:
        wrong = 1 - Rational(1, letters)
    if wrong == 0:
        return DistanceProof(problem, _truth(databases), 1 - _MARGIN)
    factor = wrong / ((letters - 1) * (1 - wrong))
    unit = (1 - wrong) ** databases.rows
    weights = [unit * size * factor**distance for distance, size in enumerate(databases.sphere_sizes())]
    return DistanceProof(problem, DistanceMechanism(databases, weights), min(factor, _MARGIN))


def _price_of_truth(databases: Databases, order: Rational) -> Rational:
    """Return the price that proves what the truth loses: any up to one, and for orders below one a tiny one."""
    if order > 1:
        return ONE
    bits = (databases.size.bit_length() + 64) * (1 - order) / order
    return -_power_of_two(-min(_LEAST_EXPONENT, 1 + int(bits.floor())))


class _Family:
    """The laws N_l |c - l|^(1/(a-1)) on the distances, in balls, for a centre c > 0 (behind zero for a < 1).

    Above order 2 the outermost distance weighs much even if c is only a hair beyond it. So the laws are searched by a
    place x whose fraction is that weight: c = j + (x - j)^(a-1) for j = floor(x). Up to order 2 the place is c.
    """

    def __init__(self, databases: Databases, order: Rational) -> None:
        self.spheres = databases.sphere_sizes()
        self.size = databases.size
        self.order = order

    def centre(self, place: Rational) -> Rational:
        """Return c at a place, to far more digits than matter."""
        whole = place.floor()
        fraction = place - whole
        if self._is_plain(place):
            return place
        return whole + Rational(
            (_power(fraction, self.order - 1).mid().fmpq() * (1 << _EXACT_BITS)).floor(), 1 << _EXACT_BITS
        )

    def weights(self, place: Rational) -> list[Ball]:
        """Return the law before it is divided by its sum, without the zeros at its end."""
        centre, power = self.centre(place), 1 / (self.order - 1)
        if self.order < 1:
            return [_power(centre + distance, power) * sphere for distance, sphere in enumerate(self.spheres)]
        inside = [(distance, sphere) for distance, sphere in enumerate(self.spheres) if distance < place]
        if self._is_plain(place):
            return [_power(centre - distance, power) * sphere for distance, sphere in inside]
        outermost = ball((place - place.floor()) * inside[-1][1])
        return [_power(centre - distance, power) * sphere for distance, sphere in inside[:-1]] + [outermost]

    def _is_plain(self, place: Rational) -> bool:
        return self.order <= 2 or place.q == 1 or place > len(self.spheres)

    def mean(self, place: Rational) -> Ball:
        """Return the mean distance."""
        weights = self.weights(place)
        return _sum(w * distance for distance, w in enumerate(weights)) / _sum(iter(weights))

    def loss(self, place: Rational) -> Ball:
        """Return the information of the law: log M - log sum + log |c - mean| / (a - 1)."""
        weights, centre = self.weights(place), self.centre(place)
        total = _sum(iter(weights))
        mean = _sum(w * distance for distance, w in enumerate(weights)) / total
        gap = centre - mean if self.order > 1 else mean + centre
        return (ball(Rational(self.size)) / total).log() + gap.log() / ball(self.order - 1)


def _power(base: Rational, power: Rational) -> Ball:
    return ball(base) if power == 1 else (ball(base).log() * power).exp()


def _sibson(problem: Problem, databases: Databases, order: Rational) -> DistanceProof:
    """Solve Sibson's information by a search in its family of laws."""
    family = _Family(databases, order)
    asks_loss = problem.asks == "loss"
    with working_precision(2 * BITS):
        wanted = problem.given.enclose(2 * BITS) * _MARGIN

        def is_small(place: Rational) -> bool:
            # Further out there are more wrong rows and there is less information.
            return bool(family.mean(place) <= wanted if asks_loss else family.loss(place) > wanted)

        low, high = _between(is_small, databases.rows)
        place = low if asks_loss else high
        centre = family.centre(place)
        linear = _linear_centre(problem, family, place) if asks_loss else None
        if linear is None:
            balls = family.weights(place)
            total = _sum(iter(balls))
            weights = [(w / total).mid().fmpq() for w in balls]
            weights = _rounded(weights, _digits(problem, databases, min(weights) if order < 1 else ONE))
        else:
            shares = [
                (linear - distance) * sphere for distance, sphere in enumerate(family.spheres) if distance < linear
            ]
            weights, centre = [share / sum_of(shares) for share in shares], linear
    mechanism: AnyMechanism = DistanceMechanism(databases, weights + [ZERO] * (databases.rows + 1 - len(weights)))
    if not _is_admissible(problem, mechanism):
        # So close to an end that the search stopped before it; the end itself is admissible.
        mechanism = _truth(databases) if asks_loss else _uniform(databases)
    price = min(centre, Rational(databases.rows << _LARGEST_EXPONENT))
    return DistanceProof(problem, mechanism, price if order > 1 else -price)


def _is_admissible(problem: Problem, mechanism: AnyMechanism) -> bool:
    if problem.asks == "loss":
        return Real.of(mechanism.distortion(problem.distortion, problem.source).value) <= problem.given
    return is_kept(problem, mechanism, problem.given)


def _linear_centre(problem: Problem, family: _Family, near: Rational) -> Rational | None:
    """Return the exact centre at order 2, where the mean equation is linear between two whole numbers."""
    given = problem.given.rational
    if family.order != 2 or given is None or family.size.bit_length() > _EXACT_BITS:
        return None
    for inside in (int(near.ceil()), int(near.ceil()) + 1):
        parts = [(distance - given) * sphere for distance, sphere in enumerate(family.spheres[:inside])]
        divisor = sum_of(parts)
        centre = sum_of([part * distance for distance, part in enumerate(parts)]) / divisor if divisor != 0 else ZERO
        if inside - 1 < centre and (centre <= inside or inside >= len(family.spheres)):
            return centre
    return None


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
    for _ in range(_HALVINGS):
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


def _digits(problem: Problem, databases: Databases, least: Rational = ONE) -> int:
    """Return how many bits a rounded law needs after the point, so that rounding stays far below the margin.

    Below order one every weight counts, so that the `least` one must keep its digits.
    """
    small = [least]
    if problem.asks == "loss":
        small.append(problem.given.above(BITS))
    bits = max(0, *(int(value.q).bit_length() - int(value.p).bit_length() for value in small))
    return min(192 + 2 * databases.rows.bit_length() + bits, _MOST_BITS)


def _rounded(weights: Sequence[Rational], bits: int) -> list[Rational]:
    """Return the law rounded down to whole tickets, what is missing added to the likeliest distance."""
    tickets = [int((weight * (1 << bits)).floor()) for weight in weights]
    likeliest = max(range(len(tickets)), key=tickets.__getitem__)
    tickets[likeliest] += (1 << bits) - sum(tickets)
    return [Rational(ticket, 1 << bits) for ticket in tickets]


@dataclass(frozen=True)
class Decay:
    """The optimal law on the distances at E = `ratio`: its entries f(l) as far as they are positive, and the price."""

    spheres: tuple[int, ...]
    ratio: Rational
    delta: Rational
    entries: tuple[Rational, ...]
    price: Rational

    @classmethod
    def at(cls, spheres: tuple[int, ...], ratio: Rational, delta: Rational) -> Decay:
        """Find f(0), and the other entries from it; for many rows in numbers rounded so that the bounds still hold."""
        first, price = _start(spheres, ratio, delta)
        rows = len(spheres) - 1
        while True:
            entries = [first]
            while len(entries) <= rows and entries[-1] > delta:
                # Rounded up, an entry keeps its bound to the one before.
                entries.append(-_short((delta - entries[-1]) / ratio, rows))
            total = sum_of([entry * sphere for entry, sphere in zip(entries, spheres, strict=False)])
            if total >= 1:
                # Dividing keeps every bound, because delta is not divided.
                return cls(spheres, ratio, delta, tuple(entry / total for entry in entries), price)
            first *= 1 + Rational(1, 1 << BITS)

    @property
    def weights(self) -> list[Rational]:
        """The law of the number of wrong rows."""
        inside = [entry * sphere for entry, sphere in zip(self.entries, self.spheres, strict=False)]
        return inside + [ZERO] * (len(self.spheres) - len(inside))

    @property
    def mean(self) -> Rational:
        """The expected number of wrong rows."""
        return sum_of([weight * distance for distance, weight in enumerate(self.weights)])


def at_level(problem: Problem, databases: Databases, delta: Rational) -> DistanceProof:
    """Return the least distortion at the level that the problem gives."""
    spheres = databases.sphere_sizes()
    growth = Real.exp(problem.given)
    decay = Decay.at(spheres, growth.below(BITS), delta)
    _, price = _start(spheres, growth.above(BITS), delta)
    return DistanceProof(problem, DistanceMechanism(databases, decay.weights), price)


def at_distortion(problem: Problem, databases: Databases, delta: Rational) -> DistanceProof:
    """Return the least level at the distortion that the problem gives, by bisection on E."""
    spheres = databases.sphere_sizes()
    wanted = problem.given.below(BITS)
    if wanted == 0 or delta == 1:
        truth = DistanceMechanism(databases, [ONE] + [ZERO] * databases.rows)
        return DistanceProof(problem, truth, ZERO if delta < 1 else None)
    high = Decay.at(spheres, ONE, delta)
    if high.mean <= wanted:
        return DistanceProof(problem, DistanceMechanism(databases, high.weights), None)
    low = high
    while high.mean > wanted:
        low, high = high, Decay.at(spheres, 2 * high.ratio, delta)
    for _ in range(_HALVINGS):
        middle = Decay.at(spheres, (low.ratio + high.ratio) / 2, delta)
        low, high = (middle, high) if middle.mean > wanted else (low, middle)
    # A hair below the root, so that rounding the price does not hide that the level is excluded.
    ratio = 1 + (low.ratio - 1) * _MARGIN
    price, level = (None, None) if ratio == 1 else (_start(spheres, ratio, delta)[1], Real.log(ratio))
    return DistanceProof(problem, DistanceMechanism(databases, high.weights), price, level)


def _start(spheres: tuple[int, ...], ratio: Rational, delta: Rational) -> tuple[Rational, Rational]:
    """Return f(0), and the mean of the law N_l E^-l on the distances up to the last with f(l) > 0.

    f(l) = f(0) E^-l - delta (E^-1 + ... + E^-l) is positive while f(0) > delta (1 + E + ... + E^(l-1)).
    """
    rows = len(spheres) - 1
    decayed, lost = ONE, ZERO
    # Sums of N_l E^-l, of l N_l E^-l, and of what delta takes away.
    mass, moment, taken = ZERO, ZERO, ZERO
    threshold, power = ZERO, ONE
    for distance, sphere in enumerate(spheres):
        mass += decayed * sphere
        moment += decayed * sphere * distance
        taken += lost * sphere
        threshold, power = threshold + delta * power, power * ratio
        if threshold * mass - taken >= 1:
            break
        decayed = _short(decayed / ratio, rows)
        lost = _short(lost + delta * decayed, rows)
        mass, moment, taken, power = (_short(value, rows) for value in (mass, moment, taken, power))
    # Rounded down, a price leaves room in the coefficient of the largest distance.
    price = moment / mass
    return _short((1 + taken) / mass, rows), price if rows <= EXACT_ROWS else rounded_down(price, BITS)


def _short(value: Rational, rows: int) -> Rational:
    return value if rows <= EXACT_ROWS else rounded_down(value, 2 * BITS)


def rounded_down(value: Rational, bits: int) -> Rational:
    """Return the largest dyadic number with about `bits` significant bits that is not above `value`."""
    numerator, denominator = int(value.p), int(value.q)
    shift = bits + denominator.bit_length() - abs(numerator).bit_length()
    if shift <= 0 or numerator == 0:
        return Rational(numerator // denominator)
    return Rational((numerator << shift) // denominator, 1 << shift)
