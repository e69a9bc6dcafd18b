"""Informations over a convex source: bounded by what the rows of a mechanism are from any law of the output.

For every law r on the outputs, sup_p I(p, Q) <= sup_p sum_x p(x) D(Q(.|x) || r), with equality at the best r; Sibson's
information of order a is bounded by a-th powers in the same way, sum_y Q(y|x)^a r(y)^(1-a) against e^((a-1) loss), both
in units of that bound. Whoever claims a loss names r; nothing is searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from epstar.claims.claim import Point, bits_of
from epstar.deadline import in_time
from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.mechanism import AnyMechanism, Mechanism, parts_of
from epstar.notions import Capacity, MutualInformation, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.enclosed_information import EnclosedInformation, is_many
from epstar.notions.enclosure import bits_taken, sum_of_logs
from epstar.reading import nearest_floats


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
            raise ProofRejected("The law of the output is not one.")
        self.mechanism, self.output, self.order, self.loss = mechanism, output, order, loss
        self.bits = bits_of(digits) + (0 if order == 1 else bits_taken(order))

    @cached_property
    def unreached(self) -> list[int]:
        """The inputs that give an output of probability zero: no law may use them, at orders of at least one."""
        gone = [y for y, r in enumerate(self.output) if r == 0]
        if self.order < 1 or not gone:
            return []
        inputs = range(self.mechanism.shape[0])
        return [x for x in inputs if any(self.mechanism.entry(x, y) > 0 for y in gone)]

    def each_is_kept(self) -> bool:
        """Return whether every row is close enough by itself."""
        if any(cost > self.limit for cost in self.costs):
            return self.order == 1 and self._each_is_exactly_kept()
        return True

    def _each_is_exactly_kept(self) -> bool:
        """Return whether each divergence is at most the loss, where both are logarithms of rationals."""
        if self.loss.argument_of_log is None and self.loss.rational != 0:
            return False
        try:
            return all(
                sum_of_logs(self._logs(x)) <= self.loss
                for x in range(self.mechanism.shape[0])
                if x not in set(self.unreached)
            )
        except Undecided:
            return False

    def _logs(self, x: int) -> dict[Rational, Rational]:
        logs: dict[Rational, Rational] = {}
        for y, r in enumerate(self.output):
            q = self.mechanism.entry(x, y)
            if q > 0:
                logs[q / r] = logs.get(q / r, ZERO) + q
        return logs

    @cached_property
    def limit(self) -> Rational:
        """What costs are at most at the loss."""
        if self.order != 1:
            return ONE if self.order > 1 else -ONE
        return self.loss.below(self.bits)

    @cached_property
    def costs(self) -> Point:
        """Numbers not below what each input contributes, signed so that less is better; 0 for the unreached."""
        unreached = set(self.unreached)
        if self.order == 1 and isinstance(self.mechanism, Mechanism) and is_many(self.mechanism):
            found = EnclosedInformation(self.mechanism.floats).divergences_from(nearest_floats(self.output)).tolist()
            return tuple(ZERO if x in unreached else Rational(*cost.as_integer_ratio()) for x, cost in enumerate(found))
        with working_precision(self.bits):
            if isinstance(self.mechanism, Mechanism):
                rows = enumerate(self.mechanism.rows)
                balls = [ball(ZERO) if x in unreached else self._cost(row) for x, row in in_time(rows)]
            else:
                balls = self._costs_of_parts(self.mechanism, unreached)
            return tuple(self._above(value) for value in balls)

    def _above(self, value: Ball) -> Rational:
        try:
            return -Real.from_ball(lambda _: -value).below(self.bits)
        except Undecided:
            least = Rational(1, 1 << self.bits)
            if 0 <= value < ball(least):
                return least
            raise ProofRejected("A power of the mechanism's probabilities has too many digits.") from None

    def _cost(self, row: Sequence[Rational]) -> Ball:
        if tuple(row) == self.output:
            # What an enclosure could not tell from the level zero.
            rest = (self.loss.enclose(self.bits) * ball(1 - self.order)).exp()
            return ball(ZERO) if self.order == 1 else rest * self.limit
        total = ball(ZERO)
        for q, r in zip(row, self.output, strict=True):
            if q > 0 and r > 0:
                total += self._term(ball(q / r).log(), ball(q))
        return total

    def _term(self, logarithm: Ball, weight: Ball) -> Ball:
        """Return q log(q/r), or q (q/r)^(a-1) in units of the bound, with its sign."""
        if self.order == 1:
            return logarithm * weight
        return ((logarithm - self.loss.enclose(self.bits)) * ball(self.order - 1)).exp() * weight * self.limit

    def _costs_of_parts(self, mechanism: AnyMechanism, unreached: set[int]) -> list[Ball]:
        """Return the costs of Q(y|x) = u(x) v(y) beside a diagonal a(x), from sums over all letters.

        sum_y u v log(u v/r) = u (log u sum v + sum v log(v/r)), and with powers u^a sum v^a r^(1-a).
        """
        diagonal, left, right = parts_of(mechanism)
        aside = [
            self._term(ball(v / r).log(), ball(v)) if v > 0 and r > 0 else ball(ZERO)
            for v, r in zip(right, self.output, strict=True)
        ]
        whole = sum(right, ZERO)
        total = ball(ZERO)
        for term in aside:
            total += term
        found = []
        for x, (a, u, v, r) in enumerate(zip(diagonal, left, right, self.output, strict=True)):
            cost = ball(ZERO)
            if x in unreached:
                found.append(cost)
                continue
            if a > 0 and r > 0:
                cost += self._term(ball(a / r).log(), ball(a))
            if u > 0:
                others, logarithm = total - aside[x], ball(u).log()
                if self.order == 1:
                    cost += (others + logarithm * (whole - v)) * u
                else:
                    cost += others * (logarithm * ball(self.order)).exp()
            found.append(cost)
        return found
