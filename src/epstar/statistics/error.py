"""The error that a mechanism has: of the efficient estimate, enclosed, or of a plain unbiased one, exactly.

Any unbiased estimate bounds the error of the efficient one from above (Gauss and Markov), so that both are evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, Ball, BallMatrix, Rational, Real, ball, working_precision
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, BlockDesign, Mechanism, SubsetSelection, TopRandomisedResponse, identity
from epstar.statistic import Statistic, Vector

# Twice what floats have and more: what an inverse of 16 rows loses is far less than this leaves.
_BITS = 320


def error_at(mechanism: AnyMechanism, law: Vector, statistic: Statistic) -> Real:
    """Return the expected error of a statistic that is estimated from the answers of a mechanism, or a bound above it.

    For sets of categories it is that of the plain estimate from how often each category is in them; it is exact.

    Raises:
        InvalidInput: if the mechanism is too large to be written out and has no formula.

    >>> from epstar.universe import Alphabet
    >>> half = (Rational(1, 2), Rational(1, 2))
    >>> str(error_at(SubsetSelection(Alphabet(2), 1, 3), half, Statistic.frequencies(rows=1)))
    '2'
    """
    if len(law) != mechanism.shape[0]:
        raise InvalidInput("The distribution and the mechanism have different numbers of categories.")
    pair = inclusions(mechanism)
    if pair is not None and statistic.forms is None:
        return Real.of(plain_error(pair, law, statistic))
    dense = mechanism.dense()
    if dense == identity(dense.universe):
        return Real.of(statistic.sampling_error(law))
    return _efficient_error(dense, law, statistic)


def inclusions(mechanism: AnyMechanism) -> tuple[Rational, Rational] | None:
    """Return how probably an answer holds the input, and another category; None where it is no set of categories."""
    if isinstance(mechanism, SubsetSelection | BlockDesign):
        return mechanism.inclusion, mechanism.elsewhere
    if isinstance(mechanism, TopRandomisedResponse) and len(mechanism.active) == mechanism.shape[0]:
        return mechanism.entry(0, 0), mechanism.entry(0, 1)
    return None


def plain_error(pair: tuple[Rational, Rational], law: Sequence[Rational], statistic: Statistic) -> Rational:
    """Return the error of the estimate (share of answers that hold a category - q) / (p - q), exactly."""
    own, other = pair
    if own == other:
        raise InvalidInput("The answers do not depend on the values, so nothing can be estimated from them.")
    weights = statistic.weighed(len(law))
    if statistic.is_plain and len(set(law)) == 1:
        rate = other + (own - other) * law[0]
        return weights[0] * len(law) * rate * (ONE - rate) / (own - other) ** 2 / statistic.rows
    seen = [other + (own - other) * share for share in law]
    spread = sum_of([weight * rate * (ONE - rate) for weight, rate in zip(weights, seen, strict=True)])
    return spread / (own - other) ** 2 / statistic.rows


def _efficient_error(mechanism: Mechanism, law: Vector, statistic: Statistic) -> Real:
    """(tr W J^-1 - p^T W p) / n in ball arithmetic; infinite where J is not seen to be regular."""
    size = len(law)
    lines, weights = statistic.lines(size), statistic.weighed(size)
    rows = [[mechanism.entry(x, y) for x in range(size)] for y in range(mechanism.shape[1])]

    def enclosed(bits: int) -> Ball:
        with working_precision(max(bits, _BITS)):
            information = [[ball(Rational(0))] * size for _ in range(size)]
            for column in rows:
                expected = sum_of([share * entry for share, entry in zip(law, column, strict=True)])
                if expected == 0:
                    if any(entry > 0 for entry in column):
                        return INFINITY.enclose(bits)
                    continue
                balls = [ball(entry) for entry in column]
                scaled = [entry / ball(expected) for entry in balls]
                for x in range(size):
                    for z in range(x + 1):
                        information[x][z] = information[x][z] + scaled[x] * balls[z]
            whole = BallMatrix([[information[max(x, z)][min(x, z)] for z in range(size)] for x in range(size)])
            right = BallMatrix([[ball(line[x]) for line in lines] for x in range(size)])
            try:
                solved = whole.solve(right)
            except ZeroDivisionError:
                return INFINITY.enclose(bits)
            total = ball(-statistic.square(law))
            for place, (line, weight) in enumerate(zip(lines, weights, strict=True)):
                for x in range(size):
                    if line[x] != 0:
                        total = total + ball(weight * line[x]) * solved[x, place]
            return total / ball(Rational(statistic.rows))

    value = enclosed(_BITS)
    return Real.from_ball(enclosed) if value.is_finite() else INFINITY
