"""Informations over a convex source: bounded by what the rows of a mechanism are from any law of the output.

For every law r on the outputs, sup_p I(p, Q) <= sup_p sum_x p(x) D(Q(.|x) || r), with equality at the best r (Csiszár
1974); Sibson's information of order a is bounded by a-th powers in the same way, sum_x p(x) e^((a-1) D_a(Q(.|x) || r))
against e^((a-1) loss). Whoever claims a loss names r; nothing is searched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from epstar.claims.claim import Point, at_most, bits_of
from epstar.claims.feasibility import LARGEST_EXPONENT
from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.exact.enclosure import bits_taken
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism, parts_of
from epstar.notions import Capacity, MutualInformation, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.measure.information_arrays import EnclosedInformation, is_many
from epstar.notions.measure.renyi_divergence import divergence


def order_of(notion: Notion) -> Rational | None:
    """Return the order of an information that is bounded by a law of the output; None for another notion."""
    if isinstance(notion, MutualInformation | Capacity):
        return ONE
    if isinstance(notion, SibsonMutualInformation) and not isinstance(notion.order, float):
        return notion.order
    return None


class Divergences:
    """The rows of a mechanism against a law of the output, at a loss that is claimed."""

    def __init__(self, mechanism: AnyMechanism, output: Point, order: Rational, loss: Real, digits: int) -> None:
        if len(output) != mechanism.shape[1] or min(output) < 0 or sum(output, ZERO) != 1:
            raise ProofRejected("The distribution of the output is not one.")
        self.mechanism, self.output, self.order, self.loss, self.digits = mechanism, output, order, loss, digits
        self.bits = bits_of(digits) + (0 if order == 1 else bits_taken(order))

    @cached_property
    def each(self) -> Sequence[Real]:
        """Numbers not below D(Q(.|x) || r), one for each input."""
        if not isinstance(self.mechanism, Mechanism):
            return self._of_parts()
        if self.order == 1 and is_many(self.mechanism):
            found = EnclosedInformation(self.mechanism.floats).divergences_from(nearest_floats(self.output))
            return [_exactly(value) for value in found.tolist()]
        return [divergence(row, self.output, self.order) for row in in_time(self.mechanism.rows)]

    @property
    def unreached(self) -> list[int]:
        """The inputs that give an output of probability zero: no law may use them, at orders of at least one."""
        return [x for x, value in enumerate(self.each) if value.is_infinite and self.order >= 1]

    def each_is_kept(self) -> bool:
        """Return whether every row is close enough by itself."""
        unreached = set(self.unreached)
        if all(x in unreached or at_most(value, self.loss) for x, value in enumerate(self.each)):
            return True
        if isinstance(self.mechanism, Mechanism) or (self.loss.argument_of_log is None and self.loss.rational != 0):
            return False
        # Where the loss is the logarithm of a rational, a divergence may be the same one.
        dense = self.mechanism.dense()
        return Divergences(dense, self.output, self.order, self.loss, self.digits).each_is_kept()

    @property
    def limit(self) -> Rational:
        """What costs are at most at the loss."""
        return self.loss.below(self.bits) if self.order == 1 else ONE if self.order > 1 else -ONE

    @cached_property
    def costs(self) -> Point:
        """Numbers not below what each input contributes, signed so that less is better; 0 for the unreached."""
        return tuple(ZERO if value.is_infinite else self._cost(value) for value in in_time(self.each))

    def _cost(self, value: Real) -> Rational:
        if self.order == 1:
            return value.above(self.bits)
        exponent = (value - self.loss) * (self.order - 1)
        if exponent > LARGEST_EXPONENT:
            raise ProofRejected("A power of the mechanism's probabilities has too many digits.")
        if exponent < -LARGEST_EXPONENT:
            return Rational(1, 1 << self.bits) if self.order > 1 else ZERO
        power = Real.exp(exponent)
        return power.above(self.bits) if self.order > 1 else -power.below(self.bits)

    def _of_parts(self) -> list[Real]:
        """Return the divergences of Q(y|x) = u(x) v(y) beside a diagonal a(x), from sums over all letters.

        sum_y u v log(u v/r) = u (log u sum v + sum v log(v/r)), and with powers u^a sum v^a r^(1-a).
        """
        diagonal, left, right = parts_of(self.mechanism)
        whole, total = sum(right, ZERO), ball(ZERO)
        outside = {y for y, r in enumerate(self.output) if r == 0} if self.order >= 1 else set()
        found, gone = [], sum(right[y] > 0 for y in outside)
        with working_precision(self.bits):
            aside = [self._term(v, r) for v, r in zip(right, self.output, strict=True)]
            for term in aside:
                total += term
            for x, (a, u, v, r) in in_time(enumerate(zip(diagonal, left, right, self.output, strict=True))):
                if (x in outside and a > 0) or (u > 0 and gone > (x in outside and v > 0)):
                    found.append(INFINITY)
                    continue
                value, others = self._term(a, r), total - aside[x]
                if u > 0 and self.order == 1:
                    value += (others + ball(u).log() * (whole - v)) * u
                elif u > 0:
                    value += others * (ball(u).log() * ball(self.order)).exp()
                found.append(self._above(value))
        return found

    def _term(self, q: Rational, r: Rational) -> Ball:
        """Return q log(q/r), or q (q/r)^(a-1)."""
        if q == 0 or r == 0:
            return ball(ZERO)
        logarithm = ball(q / r).log()
        return logarithm * q if self.order == 1 else (logarithm * ball(self.order - 1)).exp() * q

    def _above(self, value: Ball) -> Real:
        """Return a number not below the divergence that a sum belongs to."""
        if self.order == 1:
            return Real.of(Real.from_ball(lambda _: value).above(self.bits))
        if not value > 0:
            return INFINITY
        return Real.of(Real.from_ball(lambda _: value.log() / ball(self.order - 1)).above(self.bits))


def _exactly(value: float) -> Real:
    """Return the number that a float is, and not the decimal that it shows."""
    return INFINITY if value == math.inf else Real.of(Rational(*value.as_integer_ratio()))
