"""Samplers with the right law in the wrong place, from the wrong randomness, or with telling work."""

from __future__ import annotations

import os
import random
import time
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.attacks.faulty import fault
from tests.attacks.subject import Outputs, Sound, Subject, Words

from epstar.release.keystream import Keystream, NoEntropy, random_words
from epstar.release.sampler import TableSampler
from epstar.release.tickets import Tickets

Codes = NDArray[np.uint8]


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


# Read once, so that no hour ends between two batches.
_HOUR = int(time.time() // 3600)


@fault("freshness")
class SeededByTheHour(Subject):
    """Draws from a generator whose seed is the time, in hours."""

    def draws(self, count: int) -> Words:
        return np.random.default_rng(_HOUR).integers(0, 1 << self.bits, count, dtype=np.uint64)


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
