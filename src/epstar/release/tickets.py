"""Mechanisms as integers: each row shares out 2**bits tickets, and the outputs are drawn by ticket.

The optimal matrix of a budget meets it with equality, so rounding may exceed it by a hair. Then a trace of a
constant mechanism, which loses nothing, is mixed in until the *rounded* matrix is proven to keep the budget.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, rationalise
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion
from epstar.secret import Secret
from epstar.source import Source
from epstar.universe import Universe

# The widths that are tried, narrowest first. The wide ones serve levels at which an output is so unlikely
# that a double could not tell it from impossible.
WIDTHS = (16, 24, 32, 48, 62, 128, 256, 512, 1024, 2048)

# A width is accepted if no row moves by more than this, in total variation.
_CLOSENESS = 2.0**-20
# Floats are first read as tickets of this width, which is finer than any of their digits that matter.
_FLOAT_BITS = 256

Row = Sequence[Rational]


@dataclass(frozen=True)
class Tickets:
    """A mechanism whose every entry is a whole number of tickets out of 2**bits.

    Raises:
        InvalidInput: if a count is negative or a row does not sum to 2**bits.

    >>> tickets = Tickets.near(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> tickets.bits, tickets.counts[0]
    (16, (49152, 16384))
    """

    counts: tuple[tuple[int, ...], ...]
    bits: int
    universe: Universe
    outputs: Sequence[Hashable]

    def __post_init__(self) -> None:
        if len(self.counts) != self.universe.size or any(
            len(row) != len(self.outputs) or min(row) < 0 or sum(row) != 1 << self.bits for row in self.counts
        ):
            raise InvalidInput(
                f"Tickets must be non-negative integers with 2**{self.bits} in each row; use Tickets.near."
            )

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism that is sampled, in exact rationals."""
        total = 1 << self.bits
        rows = [[Rational(count, total) for count in row] for row in self.counts]
        return Mechanism(rows, self.universe, self.outputs)

    @classmethod
    def near(cls, mechanism: Mechanism) -> Tickets:
        """Return the tickets of least width that move no row by more than 2**-20 in total variation."""
        rows = _rows(mechanism)
        for bits in WIDTHS:
            tickets = cls._rounded(mechanism, rows, bits)
            if tickets is not None and tickets._is_near(mechanism.floats):
                return tickets
        raise _too_many_outputs(mechanism)

    @classmethod
    def within(
        cls,
        mechanism: Mechanism,
        notion: Notion,
        source: Source | None,
        level: object,
        secret: Secret | None = None,
    ) -> Tickets:
        """Return tickets near the mechanism whose loss is proven to be at most `level` nats.

        With a `secret` it is the loss about that: the channel from the secret is linear in the mechanism, so that a
        trace of a constant one lowers it too.

        Cost: the loss of one exact matrix for each width and mixture that is tried, usually one to four.

        Raises:
            InvalidInput: if the mechanism itself loses more than `level`, or no width up to 2048 suffices.
        """
        budget, rows = Real.of(level), _rows(mechanism)
        constant = _average(rows)
        for bits in WIDTHS:
            # From a hair to as much as is acceptable at all, since a smaller share costs less distortion.
            for share in (ZERO, *(Rational(1, 1 << power) for power in range(bits - 2, 20, -4))):
                mixed = [_mixed(row, constant, share) for row in rows]
                tickets = cls._rounded(mechanism, mixed, bits)
                if tickets is None or not tickets._is_near(mechanism.floats):
                    break
                if _keeps(loss_of(tickets.mechanism, notion, source, secret), budget):
                    return tickets
            if bits == 48 and _exceeds(loss_of(mechanism, notion, source, secret), budget):
                raise InvalidInput(
                    f"The mechanism loses more than {budget} by {notion.title}; "
                    "allow a larger loss, or give another mechanism."
                )
        raise _too_many_outputs(mechanism)

    @classmethod
    def _rounded(cls, like: Mechanism, rows: Sequence[Row], bits: int) -> Tickets | None:
        # The first row stands for all: most widths that are too narrow are given up after it.
        if like.shape[1] > 1 << bits or _distance(rationalise(rows[:1], bits)[0], bits, like.floats[0]) > _CLOSENESS:
            return None
        counts = tuple(tuple(row) for row in rationalise(rows, bits))
        return cls(counts, bits, like.universe, like.outputs)

    def _is_near(self, floats: NDArray[np.float64]) -> bool:
        """Whether no row moved by more than is acceptable; nothing that is proven rests on it, so floats do."""
        return all(
            _distance(counts, self.bits, row) <= _CLOSENESS for counts, row in zip(self.counts, floats, strict=True)
        )


def _distance(counts: Sequence[int], bits: int, row: NDArray[np.float64]) -> float:
    """The total variation distance between tickets and the distribution they stand for."""
    total = 1 << bits
    return float(np.abs(np.array([count / total for count in counts]) - row).sum()) / 2


def _rows(mechanism: Mechanism) -> Sequence[Row]:
    return mechanism.rows if mechanism.is_exact else mechanism.exact(_FLOAT_BITS).rows


def _average(rows: Sequence[Row]) -> Row:
    return [sum_of(column) / len(rows) for column in zip(*rows, strict=True)]


def _mixed(row: Row, constant: Row, share: Rational) -> Row:
    if share == ZERO:
        return row
    return [(ONE - share) * entry + share * common for entry, common in zip(row, constant, strict=True)]


def loss_of(mechanism: AnyMechanism, notion: Notion, source: Source | None, secret: Secret | None) -> Loss:
    """Return what a mechanism loses about the record, or about the secret behind it."""
    if secret is None:
        return notion.loss(mechanism, source)
    if source is None:
        raise InvalidInput("What a secret loses depends on the frequencies; give a prior, or a finite list of them.")
    return secret.loss(notion, mechanism, source)


def _keeps(loss: Loss, budget: Real) -> bool:
    """Whether the loss is proven to be at most the budget; a comparison that stays open is not a proof."""
    try:
        return loss.upper is not None and loss.upper <= budget
    except Undecided:
        return False


def _exceeds(loss: Loss, budget: Real) -> bool:
    """Whether the loss is proven to be above the budget."""
    try:
        return loss.lower is not None and loss.lower > budget
    except Undecided:
        return False


def _too_many_outputs(mechanism: Mechanism) -> InvalidInput:
    return InvalidInput(
        f"No table of up to 2**{WIDTHS[-1]} tickets comes near this mechanism of {mechanism.shape[1]} "
        "outputs; simplify its probabilities."
    )
