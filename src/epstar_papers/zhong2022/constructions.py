"""The mechanisms of the paper, with the indices of Theorem 14 corrected, and the exact optima that go beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import comb

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational, rationals
from epstar.mechanism import DistanceMechanism, Mechanism, TopRandomisedResponse
from epstar.universe import Alphabet, Databases
from epstar_papers.zhong2022.laws import Point, Setting, tail


def symmetric_mechanism(letters: int, rows: int, distortion: object) -> DistanceMechanism:
    """Return Q_D: each row is wrong with probability D/n, independently, and then evenly so.

    Every input has distortion exactly D, so Q_D is valid for every source. Source: zhong2022, Lemma 5(3), where it is
    written (1-D/n)^n ((m-1)(n-D)/D)^-d.

    >>> str(symmetric_mechanism(3, 2, "1/2").entry(0, 1))
    '3/32'
    """
    wrong = rational(distortion) / rows
    weights = [comb(rows, d) * wrong**d * (1 - wrong) ** (rows - d) for d in range(rows + 1)]
    return DistanceMechanism(Databases(letters, rows), weights)


def uniform_mechanism(letters: int, rows: int) -> DistanceMechanism:
    """Return Q_U, which answers evenly whatever the input (zhong2022, Lemma 5(2))."""
    setting = Setting(letters, rows, ZERO)
    weights = [Rational(setting.sphere(d), setting.size) for d in range(rows + 1)]
    return DistanceMechanism(Databases(letters, rows), weights)


def free_mechanism(size: int, delta: object) -> Mechanism:
    """Return Q_delta: the first letter, except that any other stays with probability delta; its loss is 0.

    Source: zhong2022, Lemma 10. Its distortion is (1-delta)(1-P_1).
    """
    slack = rational(delta)
    rows = [[ZERO] * size for _ in range(size)]
    for i, row in enumerate(rows):
        row[0] += ONE - slack
        row[i] += slack
    return Mechanism(rows)


def subset_response(law: Sequence[object], ratio: object, delta: object = ZERO) -> TopRandomisedResponse:
    """Return the best mechanism for a sorted law at the loss log E: randomised response on its likeliest letters.

    With r letters active the distortion is (1-delta)(r-1 + E D^(m-r))/(r-1+E), and the best r is taken. It inverts
    zhong2022, Theorem 9, without that theorem's exception, in both readings of the definition.

    >>> str(len(subset_response(["7/10", "1/5", "1/10"], 2).active))
    '1'
    """
    probabilities, level = rationals(law), rational(ratio)
    size = len(probabilities)
    _check_sorted(probabilities)
    best = min(range(1, size + 1), key=lambda r: subset_distortion(probabilities, level, r))
    return TopRandomisedResponse(Alphabet(size), range(best), level, delta)


def subset_distortion(law: Point, ratio: Rational, active: int, delta: Rational = ZERO) -> Rational:
    """Return the distortion of randomised response on the first letters of a sorted law."""
    others = active - 1
    return (1 - delta) * (others + ratio * tail(law, len(law) - active)) / (others + ratio)


def mechanism_from_diagonal(diagonal: Sequence[object], delta: object = ZERO) -> Mechanism:
    """Return the mechanism of the proof of Theorem 9: Q(j|i) = (a_j-delta)(1-a_i)/sum_{l != i}(a_l-delta).

    With delta = 0 it is also the mechanism of the proof of Theorem 14 with its indices put right; the paper prints
    (1-a_j)a_i/sum_{l != j} a_l there, whose rows do not sum to 1 (`leakage_matrix_as_printed`).

    Raises:
        InvalidInput: if the entries are not in [delta, 1].

    >>> [str(p) for p in mechanism_from_diagonal(["1", "2/3", "0"]).rows[2]]
    ['3/5', '2/5', '0']
    """
    kept, slack = rationals(diagonal), rational(delta)
    if min(kept) < slack or max(kept) > 1:
        raise InvalidInput("The diagonal must lie between delta and 1; keep its entries there.")
    total = sum((a - slack for a in kept), ZERO)
    rows = []
    for i, own in enumerate(kept):
        others = total - (own - slack)
        if own < 1 and others == 0:
            raise InvalidInput("A letter that is not certain needs another one above delta; raise the diagonal.")
        share = (1 - own) / others if own < 1 else ZERO
        rows.append([own if i == j else (a - slack) * share for j, a in enumerate(kept)])
    return Mechanism(rows)


def leakage_matrix_as_printed(diagonal: Sequence[object]) -> tuple[Point, ...]:
    """Return the matrix of the proof of Theorem 14 as printed, which is not a mechanism."""
    kept = rationals(diagonal)
    total = sum(kept, ZERO)
    return tuple(
        tuple(a if i == j else (1 - a) * own / (total - a) if a < 1 else ZERO for j, a in enumerate(kept))
        for i, own in enumerate(kept)
    )


def leakage_diagonal(law: Sequence[object], distortion: object) -> Point:
    """Return the optimal diagonal for maximal leakage: likely letters certain, one in part, the rest never right.

    Source: zhong2022, program (15). Where nothing need be lost the first letter alone is certain.

    >>> leakage_diagonal(["2/5", "3/10", "1/5", "1/10"], "2/5")
    (1, 2/3, 0, 0)
    """
    probabilities, wrong = rationals(law), rational(distortion)
    _check_sorted(probabilities)
    diagonal = [ONE] + [ZERO] * (len(probabilities) - 1)
    missing = 1 - probabilities[0] - wrong
    for j, p in enumerate(probabilities[1:], start=1):
        if missing > 0:
            diagonal[j] = min(ONE, missing / p)
            missing -= p
    return tuple(diagonal)


def leakage_mechanism(law: Sequence[object], distortion: object) -> Mechanism:
    """Return an optimal mechanism for maximal leakage and a sorted law (zhong2022, Theorem 14)."""
    return mechanism_from_diagonal(leakage_diagonal(law, distortion))


def ball_mechanism(letters: int, rows: int, distortion: object) -> DistanceMechanism:
    """Return the optimal mechanism for maximal leakage when the uniform law is possible: a ball with a thin rind.

    Inside radius j all databases are equally likely, what is left lies on the sphere of radius j. This replaces Q_D in
    zhong2022, Theorem 7(4), for n > 1.

    Raises:
        InvalidInput: if the distortion is not between 0 and n(m-1)/m.
    """
    setting = Setting(letters, rows, rational(distortion))
    wrong = setting.distortion
    if not 0 <= wrong <= setting.free:
        raise InvalidInput(f"The distortion must lie between 0 and {setting.free}; beyond that nothing need be lost.")
    spheres = [setting.sphere(d) for d in range(rows + 1)]
    inside = list(accumulate(spheres))
    moments = list(accumulate(d * sphere for d, sphere in enumerate(spheres)))
    radius = next(j for j in range(1, rows + 1) if wrong * inside[j] <= moments[j])
    height = (radius - wrong) / (radius * inside[radius - 1] - moments[radius - 1])
    weights = [height * sphere for sphere in spheres[:radius]]
    weights += [1 - height * inside[radius - 1]] + [ZERO] * (rows - radius)
    return DistanceMechanism(Databases(letters, rows), weights)


def merged_last_outputs(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism whose last two outputs are one, as in the proof of Lemma 24."""
    count = mechanism.shape[1]
    return mechanism.merge([*([y] for y in range(count - 2)), [count - 2, count - 1]])


def _check_sorted(law: Point) -> None:
    if any(p < q for p, q in pairwise(law)):
        raise InvalidInput("The letters must come in decreasing order of probability; sort them.")
