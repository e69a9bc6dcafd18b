"""Mechanisms that papers name, from ordinary numbers: evenly wrong rows, subset response, the ball, the free answer.

Zhong and others, "Privacy-utility trade-offs" (zhong2022), write them Q_D, Q_delta and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import comb

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational, rational, rationals
from epstar.exact.vectors import sum_of
from epstar.mechanism.dense import Mechanism
from epstar.mechanism.distance import DistanceMechanism
from epstar.mechanism.response import TopRandomisedResponse
from epstar.source import Prior
from epstar.universe import Alphabet, Databases

Point = tuple[Rational, ...]


def symmetric_mechanism(letters: int, rows: int, distortion: Number) -> DistanceMechanism:
    """Return Q_D: each row is wrong with probability D/n, independently, and then evenly so.

    Every input has distortion exactly D, so Q_D is valid for every source. Source: zhong2022, Lemma 5(3), where it is
    written (1-D/n)^n ((m-1)(n-D)/D)^-d.

    Raises:
        InvalidInput: unless the distortion is between 0 and the number of rows.

    >>> str(symmetric_mechanism(3, 2, "1/2").entry(0, 1))
    '3/32'
    """
    whole_number(letters, "The number of categories", 1)
    databases, wrong = Databases(letters, rows), rational(distortion) / rows
    if not 0 <= wrong <= 1:
        raise InvalidInput(f"Of {rows} rows between 0 and {rows} are wrong; give a distortion in between.")
    weights = [comb(rows, d) * wrong**d * (1 - wrong) ** (rows - d) for d in range(rows + 1)]
    return DistanceMechanism(databases, weights)


def free_mechanism(size: int, delta: Number) -> Mechanism:
    """Return Q_delta: the first category, except that any other stays with probability delta; its loss is 0.

    Source: zhong2022, Lemma 10. Its distortion is (1-delta)(1-P_1).

    >>> free_mechanism(2, "1/10").rows
    ((1, 0), (9/10, 1/10))
    """
    whole_number(size, "The number of categories", 1)
    slack = rational(delta)
    if not 0 <= slack <= 1:
        raise InvalidInput(f"The slack {slack} is not a probability; give one between 0 and 1.")
    rows = [[ZERO] * size for _ in range(size)]
    for i, row in enumerate(rows):
        row[0] += ONE - slack
        row[i] += slack
    return Mechanism(rows)


def subset_response(law: Sequence[Number], ratio: Number, delta: Number = ZERO) -> TopRandomisedResponse:
    """Return the best mechanism for a sorted prior at the loss log E: randomised response on its likeliest categories.

    With r categories active the distortion is (1-delta)(r-1 + E D^(m-r))/(r-1+E), and the best r is taken. It inverts
    zhong2022, Theorem 9, without that theorem's exception, in both readings of the definition.

    >>> str(len(subset_response(["7/10", "1/5", "1/10"], 2).active))
    '1'
    """
    probabilities, level = Prior(law).probabilities, rational(ratio)
    size = len(probabilities)
    if any(p < q for p, q in pairwise(probabilities)):
        raise InvalidInput("The categories must come in decreasing order of probability; sort them.")
    best = min(range(1, size + 1), key=lambda r: subset_distortion(probabilities, level, r))
    return TopRandomisedResponse(Alphabet(size), range(best), level, delta)


def subset_distortion(law: Sequence[Number], ratio: Number, active: int, delta: Number = ZERO) -> Rational:
    """Return the distortion of randomised response on the first categories of a sorted distribution.

    >>> str(subset_distortion(["7/10", "1/5", "1/10"], 2, 2))
    '2/5'
    """
    others, factor = whole_number(active, "The number of active categories", 1) - 1, rational(ratio)
    return (1 - rational(delta)) * (others + factor * sum_of(rationals(law)[active:])) / (others + factor)


def ball_mechanism(letters: int, rows: int, distortion: Number) -> DistanceMechanism:
    """Return the optimal mechanism for maximal leakage when the uniform prior is possible: a ball with a thin rind.

    Inside radius j all databases are equally likely, what is left lies on the sphere of radius j. This replaces Q_D in
    zhong2022, Theorem 7(4), for n > 1.

    Raises:
        InvalidInput: if the distortion is not between 0 and n(m-1)/m.

    >>> str(ball_mechanism(2, 2, "1/2").entry(0, 3))
    '0'
    """
    whole_number(letters, "The number of categories", 1)
    databases, wrong = Databases(letters, rows), rational(distortion)
    free = Rational(rows * (letters - 1), letters)
    if not 0 <= wrong <= free:
        raise InvalidInput(f"The distortion must lie between 0 and {free}; beyond that nothing need be lost.")
    spheres = databases.sphere_sizes()
    inside = list(accumulate(spheres))
    moments = list(accumulate(d * sphere for d, sphere in enumerate(spheres)))
    radius = next(j for j in range(1, rows + 1) if wrong * inside[j] <= moments[j])
    height = (radius - wrong) / (radius * inside[radius - 1] - moments[radius - 1])
    weights = [height * sphere for sphere in spheres[:radius]]
    weights += [1 - height * inside[radius - 1]] + [ZERO] * (rows - radius)
    return DistanceMechanism(databases, weights)
