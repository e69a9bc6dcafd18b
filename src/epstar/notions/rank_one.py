"""Mechanisms on an alphabet that are a product off the diagonal: Q(y|x) = a_x b_y if x != y, else d_y.

Randomised response, its version on the likeliest symbols and the mechanisms with a given diagonal are of this
kind. All their losses at one prior cost O(symbols), and nothing is expanded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational
from epstar.mechanism import AnyMechanism, DiagonalMechanism, TopRandomisedResponse
from epstar.notions.base import Point, Witness
from epstar.notions.divergence import logs_of_divergence
from epstar.notions.pairs import LawPair
from epstar.reading import sum_of


@dataclass(frozen=True)
class ColumnExtremes:
    """The largest and the smallest entry of a column, and the inputs that have them."""

    high: Rational
    low: Rational
    high_at: int
    low_at: int


@dataclass(frozen=True)
class RankOne:
    """The three vectors a (`inputs`), b (`outputs`) and d (`diagonal`)."""

    inputs: Sequence[Rational]
    outputs: Sequence[Rational]
    diagonal: Sequence[Rational]

    @classmethod
    def of(cls, mechanism: AnyMechanism) -> RankOne | None:
        """Return the three vectors of a mechanism that is described by them, None for any other."""
        if isinstance(mechanism, DiagonalMechanism):
            kept = mechanism.diagonal
            total = sum_of(kept)
            return cls([ZERO if q == 1 else (ONE - q) / (total - q) for q in kept], kept, kept)
        if isinstance(mechanism, TopRandomisedResponse):
            count, rest = len(mechanism.active), ONE - mechanism.delta
            other = rest / (mechanism.ratio + count - 1)
            size = mechanism.universe.size
            inputs, outputs, diagonal = [rest / count] * size, [ZERO] * size, [mechanism.delta] * size
            kept_active = mechanism.ratio * other + mechanism.delta
            for x in mechanism.active:
                inputs[x], outputs[x], diagonal[x] = other, ONE, kept_active
            return cls(inputs, outputs, diagonal)
        return None

    def joint(self, prior: Point) -> RankOne:
        """Return the joint law of input and output, which is of the same kind."""
        return RankOne(
            [p * a for p, a in zip(prior, self.inputs, strict=True)],
            self.outputs,
            [p * d for p, d in zip(prior, self.diagonal, strict=True)],
        )

    def columns(self) -> Iterator[ColumnExtremes]:
        """Yield the extremes of every column: the diagonal entry against the best of the other inputs."""
        size = len(self.inputs)
        ascending = sorted(range(size), key=lambda x: self.inputs[x])
        lowest, highest = ascending[:2], ascending[-1:-3:-1]
        for y in range(size):
            own = self.diagonal[y]
            found = ColumnExtremes(own, own, y, y)
            if size > 1:
                top = highest[0] if highest[0] != y else highest[1]
                bottom = lowest[0] if lowest[0] != y else lowest[1]
                high, low = self.inputs[top] * self.outputs[y], self.inputs[bottom] * self.outputs[y]
                found = ColumnExtremes(
                    max(own, high), min(own, low), top if high > own else y, bottom if low < own else y
                )
            yield found

    def output_law(self, prior: Point) -> list[Rational]:
        """Return the law of the output."""
        joint = self.joint(prior)
        total = sum_of(joint.inputs)
        return [(total - a) * b + d for a, b, d in zip(joint.inputs, joint.outputs, joint.diagonal, strict=True)]

    def pairs(self) -> Iterator[LawPair]:
        """Yield the laws of every kind of pair of inputs, with the outputs other than the two added up.

        Inputs with the same three numbers are of one kind; randomised response on some symbols has two kinds.
        """
        members: dict[tuple[Rational, Rational, Rational], list[int]] = {}
        for x, kind in enumerate(zip(self.inputs, self.outputs, self.diagonal, strict=True)):
            if len(members.setdefault(kind, [])) < 2:
                members[kind].append(x)
        total = sum_of(self.outputs)
        for kind, firsts in members.items():
            for other, seconds in members.items():
                pair = (firsts[0], seconds[0]) if kind != other else tuple(firsts)
                if len(pair) == 2:
                    (a, b, d), (a2, b2, d2) = kind, other
                    rest = total - b - b2
                    left, right = (d, a * b2, a * rest), (a2 * b, d2, a2 * rest)
                    yield LawPair(Witness(pair), left, right, grouped=True)

    def logs_of_divergences(self, prior: Point) -> Iterator[tuple[int, dict[Rational, Rational] | None]]:
        """Yield KL(Q(.|x) || law of the output) as weights of logarithms, None where it is infinite.

        Only inputs of different kinds (entries or prior) are listed. Cost: O(kinds * symbols).
        """
        law = self.output_law(prior)
        seen = set()
        for x, kind in enumerate(zip(self.inputs, self.outputs, self.diagonal, law, strict=True)):
            if kind in seen:
                continue
            seen.add(kind)
            logs: dict[Rational, Rational] = {}
            row = [self.diagonal[x] if y == x else self.inputs[x] * b for y, b in enumerate(self.outputs)]
            finite = logs_of_divergence(row, law, ONE, logs)
            yield x, logs if finite else None

    def logs_of_information(self, prior: Point) -> dict[Rational, Rational]:
        """Return the mutual information as weights of logarithms of rationals.

        The entries off the diagonal are products, whose logarithms add up: O(symbols) terms in all.
        """
        law, joint = self.output_law(prior), self.joint(prior)
        spread, total = sum_of(self.outputs), sum_of(joint.inputs)
        logs: dict[Rational, Rational] = {}

        def add(argument: Rational, weight: Rational) -> None:
            if weight != 0:
                logs[argument] = logs.get(argument, ZERO) + weight

        for y, (p, a, b, d, r) in enumerate(zip(prior, self.inputs, self.outputs, self.diagonal, law, strict=True)):
            add(d, p * d)
            add(a, p * a * (spread - b))
            add(b, (total - joint.inputs[y]) * b)
            add(r, -r)
        return logs
