"""Informations over a convex source: bounded by what the rows of a mechanism are from any law of the output.

For every law r on the outputs, sup_p I(p, Q) <= sup_p sum_x p(x) D(Q(.|x) || r), with equality at the best r; Sibson's
information of order a is bounded by a-th powers in the same way. Whoever claims a loss names r; nothing is searched.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.claims.claim import Point, Setting
from epstar.errors import ProofRejected, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.notions import Capacity, MutualInformation, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.enclosure import bits_taken


def order_of(notion: Notion) -> Rational | None:
    """Return the order of an information that is bounded by a law of the output; None for another notion."""
    if isinstance(notion, MutualInformation | Capacity):
        return ONE
    if isinstance(notion, SibsonMutualInformation) and not isinstance(notion.order, float):
        return notion.order
    return None


def bounded_information(setting: Setting, rows: Sequence[Point], output: Point, digits: int) -> Real:
    """Return the bound on the information of a mechanism that a law of the output gives.

    Raises:
        ProofRejected: if the notion is no information, or the law is none.
    """
    order = order_of(setting.notion)
    if order is None:
        raise ProofRejected("Only informations are measured from a law of the output.")
    if len(output) != len(rows[0]) or min(output) < 0 or sum(output, ZERO) != 1:
        raise ProofRejected("The law of the output is not one.")
    if order >= 1 and any(q > 0 and r == 0 for row in rows for q, r in zip(row, output, strict=True)):
        return INFINITY
    priors = setting.notion.priors(setting.source)
    bits = digits * 10 // 3 + 17 + (0 if order == 1 else bits_taken(order))
    with working_precision(bits):
        costs = [_cost(row, output, order) for row in rows]
        if order < 1:
            least = priors.minimum([_below(cost, bits) for cost in costs]).value
            return INFINITY if least <= 0 else Real.from_ball(lambda _: ball(least).log() / ball(order - 1))
        worst = priors.maximum([-_below(-cost, bits) for cost in costs]).value
    if order == 1:
        return Real.of(worst)
    return Real.from_ball(lambda _: ball(worst).log() / ball(order - 1))


def _cost(row: Sequence[Rational], output: Sequence[Rational], order: Rational) -> Ball:
    """Return the divergence of a row from a law of the output, or the sum of powers that it is the logarithm of."""
    if tuple(row) == tuple(output):
        return ball(ZERO if order == 1 else ONE)
    total = ball(ZERO)
    for q, r in zip(row, output, strict=True):
        if q > 0 and r > 0:
            logarithm = ball(q / r).log()
            total += logarithm * q if order == 1 else (logarithm * ball(order - 1)).exp() * q
    return total


def _below(value: Ball, bits: int) -> Rational:
    """Return a rational that is not above a number.

    Raises:
        ProofRejected: if it is out of reach of numbers that can be written down.
    """
    try:
        return Real.from_ball(lambda _: value).below(bits)
    except Undecided:
        raise ProofRejected("A power of the mechanism's probabilities has too many digits.") from None


def information_costs(
    setting: Setting, rows: Sequence[Point], output: Point, loss: Real, digits: int
) -> tuple[Point, Rational]:
    """Return numbers above what each input contributes, signed so that less is better, and what they may be at most."""
    order = order_of(setting.notion)
    assert order is not None
    bits = digits * 10 // 3 + 17 + (0 if order == 1 else bits_taken(order))
    with working_precision(bits):
        costs = [_cost(row, output, order) for row in rows]
        limit = loss.enclose(bits) if order == 1 else (loss.enclose(bits) * ball(order - 1)).exp()
        if order < 1:
            return tuple(-_below(cost, bits) for cost in costs), _below(-limit, bits)
        return tuple(-_below(-cost, bits) for cost in costs), _below(limit, bits)
