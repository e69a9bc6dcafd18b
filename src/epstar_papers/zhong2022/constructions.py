"""The mechanisms of the paper, with the indices of Theorem 14 corrected, and the exact optima that go beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational, rationals
from epstar.mechanism import (
    DistanceMechanism,
    Mechanism,
    ball_mechanism,
    free_mechanism,
    subset_distortion,
    subset_response,
    symmetric_mechanism,
)
from epstar.universe import Databases
from epstar_papers.zhong2022.distributions import Point, Setting

__all__ = [
    "ball_mechanism",
    "free_mechanism",
    "leakage_diagonal",
    "leakage_matrix_as_printed",
    "leakage_mechanism",
    "mechanism_from_diagonal",
    "merged_last_outputs",
    "subset_distortion",
    "subset_response",
    "symmetric_mechanism",
    "uniform_mechanism",
]


def uniform_mechanism(categories: int, rows: int) -> DistanceMechanism:
    """Return Q_U, which answers evenly whatever the input (zhong2022, Lemma 5(2))."""
    setting = Setting(categories, rows, ZERO)
    weights = [Rational(setting.sphere(d), setting.size) for d in range(rows + 1)]
    return DistanceMechanism(Databases(categories, rows), weights)


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
            raise InvalidInput("A category that is not certain needs another one above delta; raise the diagonal.")
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


def leakage_diagonal(distribution: Sequence[object], distortion: object) -> Point:
    """Return the optimal diagonal for maximal leakage: likely categories certain, one in part, the rest never right.

    Source: zhong2022, program (15). Where nothing need be lost the first category alone is certain.

    >>> leakage_diagonal(["2/5", "3/10", "1/5", "1/10"], "2/5")
    (1, 2/3, 0, 0)
    """
    probabilities, wrong = rationals(distribution), rational(distortion)
    _check_sorted(probabilities)
    diagonal = [ONE] + [ZERO] * (len(probabilities) - 1)
    missing = 1 - probabilities[0] - wrong
    for j, p in enumerate(probabilities[1:], start=1):
        if missing > 0:
            diagonal[j] = min(ONE, missing / p)
            missing -= p
    return tuple(diagonal)


def leakage_mechanism(distribution: Sequence[object], distortion: object) -> Mechanism:
    """Return an optimal mechanism for maximal leakage and a sorted distribution (zhong2022, Theorem 14)."""
    return mechanism_from_diagonal(leakage_diagonal(distribution, distortion))


def merged_last_outputs(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism whose last two outputs are one, as in the proof of Lemma 24."""
    count = mechanism.shape[1]
    return mechanism.merge([*([y] for y in range(count - 2)), [count - 2, count - 1]])


def _check_sorted(distribution: Point) -> None:
    if any(p < q for p, q in pairwise(distribution)):
        raise InvalidInput("The categories must come in decreasing order of probability; sort them.")
