"""The protocols that are in use for frequencies under local differential privacy, each with its exact error.

In all of them an answer supports some of the categories: its own with probability `own`, each other one with
probability `other`. The share of answers that support a category, less `other`, over `own - other`, is an unbiased
estimate of its frequency, and its error is that of a count (Wang, Blocki, Li and Jha, USENIX Security 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, isqrt

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, Number, Rational, Real
from epstar.statistic import Statistic, Vector
from epstar.statistics.by_counts import set_size
from epstar.statistics.error import plain_error

# A field of so many elements is more than any loss asks for: e^20 and more.
_LARGEST_FIELD = 1 << 30


@dataclass(frozen=True)
class Protocol:
    """A protocol for some number of categories: who proposed it, its two probabilities, its number of answers.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import randomised_response
    >>> found = randomised_response(4, rational(3))
    >>> found.name, found.answers
    ('randomised response', 4)
    """

    name: str
    reference: str
    own: Rational
    other: Rational
    answers: int
    """How many different answers there are."""

    def error(self, law: Vector, statistic: Statistic) -> Rational:
        """Return the expected error of the frequencies that are estimated from its answers, exactly.

        >>> even = (Rational(1, 2), Rational(1, 2))
        >>> str(randomised_response(2, Rational(3)).error(even, Statistic.frequencies(rows=1)))
        '2'
        """
        return plain_error((self.own, self.other), law, statistic)


@dataclass(frozen=True)
class Standing:
    """A protocol, its error under a uniform distribution, and how far that is above what is proven to be the least.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import league
    >>> found = league(10, rational(3))[0]
    >>> found.protocol.name, found.gap < 1e-9
    ('randomised response', True)
    """

    protocol: Protocol
    error: Rational
    gap: float
    """The share of the least error by which this one is above it, rounded up."""


def protocols(size: int, ratio: Rational) -> Iterator[Protocol]:
    """Yield every protocol for so many categories; no answer is more than `ratio` times as likely for one of them.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import protocols
    >>> [protocol.name for protocol in protocols(10, rational(3))][:2]
    ['randomised response', 'subset selection']
    """
    yield randomised_response(size, ratio)
    yield subset_selection(size, ratio)
    yield affine_blocks(size, ratio)
    yield projective_geometry(size, ratio)
    yield optimised_unary_encoding(size, ratio)
    yield symmetric_unary_encoding(size, ratio)
    yield local_hashing(size, ratio)
    yield hadamard_response(size, ratio)


def league(size: int, loss: Number) -> list[Standing]:
    """Return the protocols at a loss, the best first, with what each has above the least error that is proven.

    >>> [(one.protocol.name, round(one.gap, 3)) for one in league(100, "log(3)")][:2]
    [('subset selection', 0.0), ('block design', 0.0)]
    """
    level = Real.of(loss)
    whole_number(size, "The number of categories", 2)
    if not Real.of(0) < level or level.is_infinite:
        raise InvalidInput("A league table needs a loss that is positive and finite.")
    ratio = Real.exp(level).below()
    law, statistic = (Rational(1, size),) * size, Statistic.frequencies(1)
    least = least_error(size, Real.exp(level).above())
    found = [(one, one.error(law, statistic)) for one in protocols(size, ratio)]
    standings = [Standing(one, error, Real.of(error / least - 1).upper) for one, error in found]
    return sorted(standings, key=lambda standing: standing.error)


def least_error(size: int, ratio: Rational) -> Rational:
    """Return the least error of the frequencies from one row under a uniform distribution: that of subset selection.

    It is proven by `epstar.statistics.certificate.ByCounts`, for every number of categories.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import least_error
    >>> str(least_error(4, rational(3)))
    '27/4'
    """
    count = set_size(size, ratio)
    whole = (count * ratio + size - count) ** 2 * (size - 1) ** 2
    return whole / ((ratio - 1) ** 2 * size * count * (size - count))


def randomised_response(size: int, ratio: Rational) -> Protocol:
    """Return Warner's randomised response for several categories: the truth more often than any other answer.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import randomised_response
    >>> found = randomised_response(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (10, '1/4', '1/12')
    """
    total = ratio + size - 1
    return Protocol("randomised response", "Warner 1965", ratio / total, ONE / total, size)


def subset_selection(size: int, ratio: Rational) -> Protocol:
    """Return subset selection with sets of the best size.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import subset_selection
    >>> found = subset_selection(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (120, '9/16', '13/48')
    """
    count = set_size(size, ratio)
    own, other = _of_blocks(size, count, ratio)
    return Protocol("subset selection", "Ye and Barg 2018", own, other, comb(size, count))


def affine_blocks(size: int, ratio: Rational) -> Protocol:
    """Return the block design {x : a x + b mod p < k} over the next prime p: every pair lies in as many blocks.

    Any block design has the error of subset selection on its points (Park, Nam and Lee 2023); with a prime number of
    categories there are none to spare.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import affine_blocks
    >>> found = affine_blocks(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (110, '9/17', '21/85')
    """
    prime = next_prime(size)
    count = set_size(prime, ratio)
    own, other = _of_blocks(prime, count, ratio)
    return Protocol("block design", "Park, Nam and Lee 2023", own, other, prime * (prime - 1))


def projective_geometry(size: int, ratio: Rational) -> Protocol:
    """Return hyperplanes of a projective space over the field that suits the loss best, with at least `size` points.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import projective_geometry
    >>> found = projective_geometry(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (13, '4/7', '2/7')
    """
    best: Protocol | None = None
    law, statistic = (Rational(1, size),) * size, Statistic.frequencies(1)
    middle = int((ratio + 1).floor())
    # Prime powers on both sides of e^loss + 1; fields of the smallest sizes where that is small.
    fields = [*_near(middle, -1, 2), *_near(middle + 1, 1, 2)]
    for field in fields:
        dimension = 2
        while (field**dimension - 1) // (field - 1) < size:
            dimension += 1
        points = (field**dimension - 1) // (field - 1)
        own, other = _of_blocks(points, (field ** (dimension - 1) - 1) // (field - 1), ratio)
        found = Protocol("projective geometry", "Feldman, Nelson, Nguyen and Talwar 2022", own, other, points)
        if best is None or found.error(law, statistic) < best.error(law, statistic):
            best = found
    assert best is not None
    return best


def optimised_unary_encoding(size: int, ratio: Rational) -> Protocol:
    """Return a bit for each category, the own one a fair coin.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import optimised_unary_encoding
    >>> found = optimised_unary_encoding(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (1024, '1/2', '1/4')
    """
    return Protocol("optimised unary encoding", "Wang et al. 2017", Rational(1, 2), ONE / (ratio + 1), 1 << size)


def symmetric_unary_encoding(size: int, ratio: Rational) -> Protocol:
    """Return a bit for each category, each flipped with the same probability (basic RAPPOR).

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import symmetric_unary_encoding
    >>> found = symmetric_unary_encoding(10, rational(3))
    >>> found.answers, found.own > found.other
    (1024, True)
    """
    scale = 1 << 64
    # The square root of the ratio, rounded down, which is the safe side.
    root = max(ONE, Rational(isqrt(int((ratio * scale * scale).floor())), scale))
    return Protocol(
        "symmetric unary encoding", "Erlingsson et al. 2014", root / (root + 1), ONE / (root + 1), 1 << size
    )


def local_hashing(size: int, ratio: Rational) -> Protocol:
    """Return the value of a random function of the category into about e^loss + 1 values, by randomised response.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import local_hashing
    >>> found = local_hashing(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (4194304, '1/2', '1/4')
    """
    values = max(2, int((ratio + Rational(3, 2)).floor()))
    own = ratio / (ratio + values - 1)
    return Protocol("optimised local hashing", "Wang et al. 2017", own, Rational(1, values), values**size * values)


def hadamard_response(size: int, ratio: Rational) -> Protocol:
    """Return a row of a Hadamard matrix: half of the answers support a category, and a quarter any two.

    >>> from epstar import rational
    >>> from epstar.statistics.protocols import hadamard_response
    >>> found = hadamard_response(10, rational(3))
    >>> found.answers, str(found.own), str(found.other)
    (16, '3/4', '1/2')
    """
    order = 1 << size.bit_length()
    return Protocol("Hadamard response", "Acharya, Sun and Zhang 2019", ratio / (ratio + 1), Rational(1, 2), order)


def _of_blocks(points: int, count: int, ratio: Rational) -> tuple[Rational, Rational]:
    own = count * ratio / (count * ratio + points - count)
    return own, (count - own) / (points - 1)


def next_prime(least: int) -> int:
    """Return the smallest prime that is at least a number.

    >>> next_prime(1), next_prime(100), next_prime(1000)
    (2, 101, 1009)
    """
    number = max(2, least)
    while any(number % divisor == 0 for divisor in range(2, isqrt(number) + 1)):
        number += 1
    return number


def _near(start: int, step: int, count: int) -> list[int]:
    """The next prime powers from a number on, upwards or downwards."""
    found: list[int] = []
    number = min(start, _LARGEST_FIELD)
    while len(found) < count and number >= 2:
        if _is_prime_power(number):
            found.append(number)
        number += step
    return found


def _is_prime_power(number: int) -> bool:
    divisor = next((d for d in range(2, isqrt(number) + 1) if number % d == 0), number)
    while number % divisor == 0:
        number //= divisor
    return number == 1
