"""Samplers with the wrong law: the wrong output for a ticket, or the wrong mechanism."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tests.attacks.faulty import fault
from tests.attacks.subject import MECHANISM, Outputs, Sound, Subject, Words

from epstar.mechanism import Mechanism
from epstar.release.keystream import Keystream, random_words
from epstar.release.tickets import Tickets

Codes = NDArray[np.uint8]


# --- the wrong output for a ticket ---------------------------------------------------------------------------


@fault("enumeration")
class BoundaryIncluded(Subject):
    """Compares with "at most" where "below" is meant: each boundary gives one ticket to the wrong side."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return super().output(codes, draws - (draws > 0).astype(np.uint64))


@fault("enumeration")
class LastTicketLost(Subject):
    """Reduces modulo 2**bits - 1, so that the last ticket is never drawn."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return super().output(codes, draws % np.uint64((1 << self.bits) - 1))


@fault("law")
class SwappedLabels(Subject):
    """Writes the second label for the first and the other way round."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return np.array([1, 0, 2, 3], dtype=np.uint8)[super().output(codes, draws)]


@fault("law")
class WrongRow(Subject):
    """Takes the row of the next input."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return super().output(((codes + 1) % 3).astype(np.uint8), draws)


@fault("law")
class Transposed(Subject):
    """Reads the table by columns."""

    def __init__(self, tickets: Tickets) -> None:
        square = np.array([row[:3] for row in tickets.counts], dtype=object).T
        rows = tuple((*map(int, row), (1 << tickets.bits) - int(sum(row))) for row in square)
        clipped = tuple(row if row[3] >= 0 else tickets.counts[0] for row in rows)
        super().__init__(Tickets(clipped, tickets.bits, tickets.universe, tickets.outputs))
        self.tickets = tickets


@fault("boundaries")
class FloatCumulative(Subject):
    """Adds up probabilities in single precision and compares them with a float in [0, 1)."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        result = np.empty(len(codes), dtype=np.uint8)
        uniform = draws.astype(np.float32) / np.float32(1 << self.bits)
        for x, row in enumerate(self.tickets.counts):
            ends = np.cumsum(np.array(row[:-1], dtype=np.float32) / np.float32(3 * (1 << self.bits))) * 3
            result[codes == x] = np.searchsorted(ends.astype(np.float32), uniform[codes == x], side="right")
        return result


@fault("boundaries")
class DoublesNeverFlip(Subject):
    """Compares a double with a double: beyond a level of 36 the kept symbol has probability one."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        result = np.empty(len(codes), dtype=np.uint8)
        uniform = draws.astype(np.float64) / float(1 << self.bits)
        for x, row in enumerate(self.tickets.counts):
            ends = np.cumsum([count / (1 << self.bits) for count in row[:-1]])
            result[codes == x] = np.searchsorted(ends, uniform[codes == x], side="right")
        return result


@fault("enumeration")
class BiasedModulo(Subject):
    """Draws the even row by a remainder of eight bits."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        result = super().output(codes, draws)
        even = codes == 2
        result[even] = ((draws[even] & np.uint64(255)) % np.uint64(3)).astype(np.uint8)
        return result


@fault("enumeration")
class EightBits(Subject):
    """Uses only the first eight bits of a ticket."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        mask = np.uint64(((1 << 8) - 1) << (self.bits - 8))
        return super().output(codes, draws & mask)


@fault("enumeration")
class Smoothed(Subject):
    """Gives every impossible output one ticket."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return np.where(draws == (1 << self.bits) - 1, 3, super().output(codes, draws)).astype(np.uint8)


@fault("enumeration")
class SplitCellRoundedDown(Sound):
    """Never draws the remaining bits of a split cell: the whole cell goes to its first output."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        rest = np.uint64(self.bits - self.sampler.first_bits)
        return super().output(codes, (draws >> rest) << rest)


@fault("law")
class StuckBit(Subject):
    """The first bit of every ticket is zero."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return super().output(codes, draws & np.uint64((1 << (self.bits - 1)) - 1))


@fault("law")
class NeverLast(Subject):
    """Clips the last output to the one before it."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return np.minimum(super().output(codes, draws), 2)


@fault("law")
class OneInputUnprotected(Subject):
    """Passes one of the inputs through."""

    def output(self, codes: Codes, draws: Words) -> Outputs:
        return np.where(codes == 2, codes, super().output(codes, draws))


@fault("law")
class NeverTheTruth(Subject):
    """Draws again once when the output is the input."""

    def sample(self, codes: Codes) -> Outputs:
        first, second = super().sample(codes), super().sample(codes)
        return np.where(first == codes, second, first)


# --- the wrong mechanism -------------------------------------------------------------------------------------


class _Other(Subject):
    """Samples another mechanism than the one that was asked for."""

    def __init__(self, tickets: Tickets) -> None:
        other = Tickets.near(Mechanism([self.changed(list(map(float, row))) for row in MECHANISM.floats]))
        super().__init__(other)
        self.tickets, self.sampled_bits, self.bits = tickets, self.bits, tickets.bits

    def changed(self, row: list[float]) -> list[float]:
        raise NotImplementedError

    def draws(self, count: int) -> Words:
        return random_words(Keystream(), count) & np.uint64((1 << self.sampled_bits) - 1)


@fault("law")
class SharperThanAsked(_Other):
    """Squares the probabilities: twice the loss."""

    def changed(self, row: list[float]) -> list[float]:
        return [entry**2 / sum(part**2 for part in row) for entry in row]


@fault("law")
class FivePercentSharper(_Other):
    """Raises the probabilities to the power 1.05: a loss that is five per cent too large."""

    def changed(self, row: list[float]) -> list[float]:
        powers = [entry**1.05 if entry else 0.0 for entry in row]
        return [entry / sum(powers) for entry in powers]


@fault("law")
class HalfTheRows(Subject):
    """Protects every second row."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        found[::2] = codes[::2]
        return found
