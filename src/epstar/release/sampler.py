"""Sampling a table of tickets, exactly and fast: most draws take one look-up with 16 random bits.

A draw u is uniform on 0..2**bits-1 and stands for the output that holds ticket u. The first bits of u select
a cell of a table that names the output, unless the cell is split between outputs; then the remaining bits are
drawn too and compared with the boundaries, in integers. The distribution is the tickets, with no rounding anywhere.

Time: every input has the same number of cells marked as split (some needlessly), so the number of second
draws has the same distribution whatever the data; what remains is the time of reading memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.release.keystream import Bits, Keystream, random_words
from epstar.release.tickets import Tickets

Codes = NDArray[np.unsignedinteger[Any]]

# Rows that are handled at once: the buffers stay in the second-level cache.
_CHUNK = 1 << 15
# Entries of the first table over all inputs, and the most first bits.
_TABLE = 1 << 22
_FIRST_BITS = 16
# Cells for each output: about one draw in a thousand meets a boundary, and a small table stays in the cache.
_CELLS_PER_OUTPUT_BITS = 10
# Boundaries of up to this many bits are compared as machine words.
_WORD = 62


class Sampler(ABC):
    """Draws one output for each input, independently, from the distribution of its mechanism.

    >>> from epstar import Mechanism
    >>> from epstar.release import Sampler, plan
    >>> isinstance(plan(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).sampler, Sampler)
    True
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""

    @abstractmethod
    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""

    def sample(self, codes: Codes, bits: Bits | None = None) -> Codes:
        """Return one output position for each input position, under a key that is drawn for this call.

        Given `bits` are used in place of that key's; with those of a `RowStreams` each row depends on its own alone.

        Raises:
            InvalidInput: if a code is not an unsigned position of an input.
            NoEntropy: if the operating system gives no key.
        """
        if codes.ndim != 1 or codes.dtype.kind != "u":
            raise InvalidInput("Inputs to sample must be a one-dimensional array of unsigned positions.")
        if len(codes) and int(codes.max()) >= self.shape[0]:
            raise InvalidInput(f"An input to sample is not one of the positions 0 to {self.shape[0] - 1}.")
        return self.draw(codes, Keystream() if bits is None else bits)


@dataclass(frozen=True)
class TableSampler(Sampler):
    """Samples tickets with a table of at most four million cells, whatever their width.

    >>> from epstar.mechanism import Mechanism
    >>> certain = TableSampler(Tickets.near(Mechanism([[0, 1], [1, 0]])))
    >>> certain.sample(np.array([0, 1, 1], dtype=np.uint8)).tolist()
    [1, 0, 0]
    """

    tickets: Tickets

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return len(self.tickets.counts), len(self.tickets.counts[0])

    @cached_property
    def first_bits(self) -> int:
        """How many bits of a draw the first look-up uses."""
        inputs, outputs = self.shape
        wanted = (outputs - 1).bit_length() + _CELLS_PER_OUTPUT_BITS
        return max(0, min(_FIRST_BITS, wanted, self.tickets.bits, (_TABLE // inputs).bit_length() - 1))

    @cached_property
    def second_share(self) -> float:
        """The probability that a draw needs its remaining bits, the same for every input."""
        return float((self._table[: 1 << self.first_bits] == self._split).mean())

    @property
    def _split(self) -> int:
        """What marks a cell that is split between outputs."""
        return int(np.iinfo(self._kind).max)

    @cached_property
    def _kind(self) -> type[np.unsignedinteger[Any]]:
        outputs = self.shape[1]
        return np.uint8 if outputs < 1 << 8 else np.uint16 if outputs < 1 << 16 else np.uint32

    @cached_property
    def _boundaries(self) -> list[list[int]]:
        """For each input and each output but the last, the first ticket beyond that output."""
        return [list(accumulate(row[:-1])) for row in self.tickets.counts]

    @cached_property
    def _table(self) -> NDArray[np.unsignedinteger[Any]]:
        cells, rest = 1 << self.first_bits, self.tickets.bits - self.first_bits
        table = np.empty((self.shape[0], cells), dtype=self._kind)
        split = np.zeros((self.shape[0], cells), dtype=np.bool_)
        for x, boundaries in enumerate(self._boundaries):
            # The cell of a boundary, and whether the boundary lies inside it and not at its start.
            inside = {cut >> rest for cut in boundaries if cut & ((1 << rest) - 1)}
            starts = np.array([min(cells, -(-cut >> rest)) for cut in boundaries], dtype=np.int64)
            table[x] = np.searchsorted(starts, np.arange(cells), side="right")
            split[x, sorted(inside)] = True
        counts = split.sum(axis=1)
        for x in np.flatnonzero(counts < counts.max(initial=0)).tolist():
            # Needless marks change no law: the boundaries give the same output as the cell.
            split[x, np.flatnonzero(~split[x])[: counts.max() - counts[x]]] = True
        table[split] = self._split
        table.flags.writeable = False
        return table.reshape(-1)

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The boundaries as one row of words per input; only for tickets that fit."""
        return np.array(self._boundaries, dtype=np.uint64).reshape(self.shape[0], self.shape[1] - 1)

    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""
        first, table = self.first_bits, self._table
        result = np.empty(len(codes), dtype=self._kind)
        raw = np.empty(2 * _CHUNK, dtype=np.uint8)
        places = np.empty(_CHUNK, dtype=np.intp)
        split_rows, split_cells = [places[:0]], [raw[:0].view("<u2")]
        for start in range(0, len(codes), _CHUNK):
            chunk = codes[start : start + _CHUNK]
            count = len(chunk)
            bits.of(slice(start, start + count)).fill(raw[: 2 * count])
            cells = raw[: 2 * count].view("<u2")
            if first < _FIRST_BITS:
                np.right_shift(cells, np.uint16(_FIRST_BITS - first), out=cells)
            index, outputs = places[:count], result[start : start + count]
            np.left_shift(chunk, first, out=index, dtype=np.intp)
            np.bitwise_or(index, cells, out=index)
            # Codes were checked, so no index wraps; this mode only saves a second check and a copy.
            table.take(index, out=outputs, mode="wrap")
            if self.tickets.bits > first:
                again = np.flatnonzero(outputs == self._split)
                split_rows.append(again + start)
                split_cells.append(cells[again])
        # All at once at the end: there are few of them, and a call costs more than a row.
        rows = np.concatenate(split_rows)
        if len(rows):
            result[rows] = self._second(codes[rows], np.concatenate(split_cells), bits.of(rows))
        return result

    def _second(self, codes: Codes, cells: NDArray[np.uint16], bits: Bits) -> NDArray[Any]:
        """The outputs of draws whose first bits fell into a split cell."""
        rest = self.tickets.bits - self.first_bits
        if self.tickets.bits > _WORD:
            return self._second_of_any_width(codes, cells, bits, rest)
        low = random_words(bits, len(codes)) & np.uint64((1 << rest) - 1)
        draws = (cells.astype(np.uint64) << np.uint64(rest)) | low
        # Bisection, as many steps for one row as for another.
        below = np.zeros(len(codes), dtype=np.intp)
        last = self.shape[1] - 1
        step = 1 << (last.bit_length() - 1)
        rows = codes.astype(np.intp)
        while step:
            tried = below + step
            fits = tried <= last
            fits &= self._words[rows, np.minimum(tried, last) - 1] <= draws
            below = np.where(fits, tried, below)
            step >>= 1
        return below

    def _second_of_any_width(self, codes: Codes, cells: NDArray[np.uint16], bits: Bits, rest: int) -> NDArray[Any]:
        size = -(-rest // 8)
        raw = np.empty(size * len(codes), dtype=np.uint8)
        bits.fill(raw)
        drawn, mask = raw.tobytes(), (1 << rest) - 1
        outputs = []
        for place, (code, cell) in enumerate(zip(codes.tolist(), cells.tolist(), strict=True)):
            low = int.from_bytes(drawn[place * size : (place + 1) * size], "little") & mask
            outputs.append(bisect_right(self._boundaries[code], (cell << rest) | low))
        return np.array(outputs, dtype=self._kind)
