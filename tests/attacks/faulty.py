"""Samplers that are wrong, each in one way that a real one was or could be, and the test that must see it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.attacks.subject import MECHANISM, Outputs, Sound, Subject, Words

from epstar.mechanism import Mechanism
from epstar.release.keystream import Keystream, NoEntropy, random_words
from epstar.release.sampler import TableSampler
from epstar.release.tickets import Tickets

Codes = NDArray[np.uint8]


@dataclass(frozen=True)
class Fault:
    """A wrong sampler and the name of the test that must reject it."""

    make: Callable[[Tickets], Subject]
    seen_by: str


ZOO: dict[str, Fault] = {}


def fault(seen_by: str) -> Callable[[type[Subject]], type[Subject]]:
    """Put a class into the zoo."""

    def put(kind: type[Subject]) -> type[Subject]:
        ZOO[kind.__name__] = Fault(kind, seen_by)
        return kind

    return put


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
        rest = np.uint64(self.bits - 16)
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


# --- the wrong place -----------------------------------------------------------------------------------------


@fault("positions")
class LastRowUnprotected(Subject):
    """Leaves the last row of a batch as it is."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        found[-1:] = codes[-1:]
        return found


@fault("positions")
class FirstRowUnprotected(Subject):
    """Leaves the first row of a batch as it is."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        found[:1] = codes[:1]
        return found


@fault("positions")
class LastOfChunkUnprotected(Subject):
    """Leaves the last row of a full chunk as it is."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        found[(1 << 15) - 1 :: 1 << 15] = codes[(1 << 15) - 1 :: 1 << 15]
        return found


@fault("positions")
class ShortTailZero(Subject):
    """Gives the first output in every place beyond the last full chunk."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        found[len(codes) // (1 << 15) * (1 << 15) :] = 0
        return found


@fault("neighbours")
class Sorted(Subject):
    """Returns the outputs in order."""

    def sample(self, codes: Codes) -> Outputs:
        return np.sort(super().sample(codes))


# --- the wrong randomness ------------------------------------------------------------------------------------


@fault("neighbours")
class ReusedBytes(Subject):
    """Uses each ticket for two rows."""

    def draws(self, count: int) -> Words:
        return np.repeat(super().draws(count // 2 + 1), 2)[:count]


@fault("neighbours")
class OverlappingBytes(Subject):
    """Moves on by two bits from one ticket to the next, where it should move on by all of them."""

    def draws(self, count: int) -> Words:
        digits = random_words(Keystream(), count + self.bits // 2) & np.uint64(3)
        total = np.zeros(count, dtype=np.uint64)
        for place in range(self.bits // 2):
            total = (total << np.uint64(2)) | digits[place : place + count]
        return total


@fault("neighbours")
class CorrelatedRows(Subject):
    """Repeats the output before in one of twenty rows."""

    def sample(self, codes: Codes) -> Outputs:
        found = super().sample(codes)
        again = np.flatnonzero(random_words(Keystream(), len(codes)) < np.uint64((1 << 64) // 20))
        again = again[again > 0]
        found[again] = found[again - 1]
        return found


@fault("neighbours")
class SameForSameInput(Subject):
    """Remembers the output of an input within a batch."""

    def sample(self, codes: Codes) -> Outputs:
        return self.output(codes, np.repeat(self.draws(1), len(codes)))


@fault("lags")
class TruncatedKeystream(Subject):
    """Repeats the first 4096 tickets."""

    def draws(self, count: int) -> Words:
        return np.resize(super().draws(4096), count)


@fault("lags")
class RestartedInEachChunk(Subject):
    """Starts the keystream again in every chunk."""

    def draws(self, count: int) -> Words:
        return np.resize(super().draws(1 << 15), count)


@fault("lags")
class MirroredHalves(Subject):
    """The second half of a batch uses the tickets of the first half, turned round."""

    def draws(self, count: int) -> Words:
        half = super().draws(count // 2)
        return np.concatenate([half, np.uint64((1 << self.bits) - 1) - half])


@fault("freshness")
class FixedSeed(Subject):
    """Draws from a generator with a seed that is written into the program."""

    def draws(self, count: int) -> Words:
        return np.random.default_rng(42).integers(0, 1 << self.bits, count, dtype=np.uint64)


@fault("freshness")
class SeededByTheHour(Subject):
    """Draws from a generator whose seed is the time, in hours."""

    def draws(self, count: int) -> Words:
        return np.random.default_rng(int(time.time() // 3600)).integers(0, 1 << self.bits, count, dtype=np.uint64)


@fault("freshness")
class KeyReusedAcrossBatches(Subject):
    """Starts every batch at the beginning of one keystream."""

    def __init__(self, tickets: Tickets) -> None:
        super().__init__(tickets)
        self.kept = super().draws(1 << 18)

    def draws(self, count: int) -> Words:
        return np.resize(self.kept, count)


_SHARED: dict[int, Words] = {}


@fault("freshness")
class KeyReusedAcrossColumns(Subject):
    """All samplers of a process share one keystream, each from its beginning."""

    def draws(self, count: int) -> Words:
        if self.bits not in _SHARED:
            _SHARED[self.bits] = super().draws(1 << 18)
        return np.resize(_SHARED[self.bits], count)


@fault("seeding")
class GlobalNumpyGenerator(Subject):
    """Draws from the generator that all users of numpy share."""

    def draws(self, count: int) -> Words:
        return np.random.mtrand.randint(0, 1 << self.bits, count, dtype=np.uint64)


@fault("seeding")
class GlobalPythonGenerator(Subject):
    """Draws from the generator of the standard library."""

    def draws(self, count: int) -> Words:
        return np.frombuffer(random.randbytes(8 * count), dtype=np.uint64) & np.uint64((1 << self.bits) - 1)


@fault("key_size")
class SmallSeed(Subject):
    """Seeds a good generator with 32 bits, which can all be tried."""

    def draws(self, count: int) -> Words:
        seed = int.from_bytes(os.urandom(4), "little")
        return np.random.default_rng(seed).integers(0, 1 << self.bits, count, dtype=np.uint64)


@fault("entropy")
class FallsBack(Subject):
    """Goes on with a weak generator when there is no entropy."""

    def draws(self, count: int) -> Words:
        try:
            return super().draws(count)
        except NoEntropy:
            return np.random.default_rng().integers(0, 1 << self.bits, count, dtype=np.uint64)


@fault("entropy")
class PassesThrough(Subject):
    """Returns the inputs when there is no entropy."""

    def sample(self, codes: Codes) -> Outputs:
        try:
            return super().sample(codes)
        except NoEntropy:
            return codes.copy()


# --- the wrong amount of work --------------------------------------------------------------------------------


class _Unpadded(TableSampler):
    """A table in which only the cells that are split are marked."""

    @cached_property
    def _table(self) -> NDArray[np.unsignedinteger[Any]]:
        table = super()._table.copy().reshape(self.shape[0], -1)
        rest = self.tickets.bits - self.first_bits
        for x, ends in enumerate(self._boundaries):
            starts = np.array([min(table.shape[1], -(-cut >> rest)) for cut in ends])
            cells = np.arange(table.shape[1])
            split = np.isin(cells, [cut >> rest for cut in ends if cut & ((1 << rest) - 1)])
            table[x] = np.where(split, self._split, np.searchsorted(starts, cells, side="right"))
        return table.reshape(-1)


@fault("constant_work")
class WorkTellsTheInput(Sound):
    """Draws more bits for inputs whose boundaries lie inside cells."""

    def __init__(self, tickets: Tickets) -> None:
        super().__init__(tickets)
        self.sampler = _Unpadded(tickets)


@fault("constant_work")
class SkipsCertainRows(Subject):
    """Draws nothing for an input that it thinks needs no noise, and passes it through."""

    def sample(self, codes: Codes) -> Outputs:
        noisy = codes != 2
        found = codes.copy()
        found[noisy] = super().sample(codes[noisy])
        return found
