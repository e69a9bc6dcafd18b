"""What is examined: a sampler, seen as a map from tickets to outputs and a supply of tickets."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.mechanism import Mechanism
from epstar.release.keystream import Keystream, random_words
from epstar.release.sampler import TableSampler
from epstar.release.tickets import Tickets

Words = NDArray[np.uint64]
Outputs = NDArray[Any]

# Neither symmetric nor without zeros, so that swapped rows, columns or labels show.
MECHANISM = Mechanism([["1/2", "1/4", "1/4", 0], ["1/8", "5/8", "1/8", "1/8"], ["1/3", "1/3", "1/3", 0]])
FACTOR = 1 << 18


def narrow() -> Tickets:
    """Return tickets of 18 bits, few enough to try every one of them."""
    rows = []
    for row in MECHANISM.rows:
        counts = [int((entry * FACTOR).floor()) for entry in row]
        counts[1] += FACTOR - sum(counts)
        rows.append(tuple(counts))
    return Tickets(tuple(rows), 18, MECHANISM.universe, MECHANISM.outputs)


def wide() -> Tickets:
    """Return tickets of 62 bits with an output so unlikely that a double cannot tell it from impossible."""
    total = 1 << 62
    rows = ((total - 5, 2, 2, 1), (3, total - 6, 2, 1), (1, 2, total - 4, 1))
    return Tickets(rows, 62, MECHANISM.universe, MECHANISM.outputs)


class Subject:
    """A sampler in the open: which output a ticket stands for, and where the tickets come from."""

    def __init__(self, tickets: Tickets) -> None:
        self.tickets = tickets
        self.bits = tickets.bits
        self.ends = [np.array(list(accumulate(row[:-1])), dtype=np.uint64) for row in tickets.counts]

    def output(self, codes: NDArray[np.uint8], draws: Words) -> Outputs:
        """The output that holds each ticket."""
        result = np.empty(len(codes), dtype=np.uint8)
        for x, ends in enumerate(self.ends):
            here = codes == x
            result[here] = np.searchsorted(ends, draws[here], side="right")
        return result

    def draws(self, count: int) -> Words:
        """Independent uniform tickets."""
        return random_words(Keystream(), count) & np.uint64((1 << self.bits) - 1)

    def sample(self, codes: NDArray[np.uint8]) -> Outputs:
        """One output for each row of a batch."""
        return self.output(codes, self.draws(len(codes)))


class Sound(Subject):
    """The sampler of epstar, whose every bit can be prescribed."""

    def __init__(self, tickets: Tickets) -> None:
        super().__init__(tickets)
        self.sampler = TableSampler(tickets)

    def output(self, codes: NDArray[np.uint8], draws: Words) -> Outputs:
        first = self.sampler.first_bits
        rest = self.bits - first
        result = np.empty(len(codes), dtype=np.uint8)
        lows = draws & np.uint64((1 << rest) - 1)
        for low in np.unique(lows).tolist():
            here = np.flatnonzero(lows == low)
            for start in range(0, len(here), 1 << 15):
                part = here[start : start + (1 << 15)]
                cells = (draws[part] >> np.uint64(rest) << np.uint64(16 - first)).astype("<u2")
                result[part] = self.sampler.draw(codes[part], _Prescribed(cells, low))
        return result

    def sample(self, codes: NDArray[np.uint8]) -> Outputs:
        return self.sampler.sample(codes)


class _Prescribed:
    """First the cells of a chunk, then one number as often as it is asked for."""

    def __init__(self, cells: NDArray[np.uint16], low: int) -> None:
        self.cells: NDArray[np.uint16] | None = cells
        self.low = low

    def fill(self, into: NDArray[np.uint8]) -> None:
        if self.cells is not None:
            into[:] = self.cells.view(np.uint8)
            self.cells = None
        else:
            into[:] = np.frombuffer(self.low.to_bytes(8, "little") * (len(into) // 8), dtype=np.uint8)

    def of(self, _: object, /) -> _Prescribed:
        return self
