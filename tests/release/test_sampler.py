"""The law of the sampler is the tickets: every ticket of a row is drawn exactly once when all bits are."""

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from epstar.errors import InvalidInput
from epstar.exact import Number
from epstar.mechanism import Mechanism, randomised_response
from epstar.release.sampler import TableSampler
from epstar.release.tickets import Tickets
from epstar.universe import Alphabet


class Enumeration:
    """Bits whose first look-ups run through all cells in order, and whose second ones are one number."""

    def __init__(self, cells: NDArray[np.uint16], low: int) -> None:
        self.cells, self.low = cells, low

    def fill(self, into: NDArray[np.uint8]) -> None:
        if len(self.cells):
            into[:] = self.cells.view(np.uint8)
            self.cells = self.cells[:0]
        else:
            into[:] = np.frombuffer(self.low.to_bytes(8, "little") * (len(into) // 8), dtype=np.uint8)

    def of(self, _: object, /) -> "Enumeration":
        return self


def tickets_of(counts: list[list[int]], bits: int) -> Tickets:
    return Tickets(tuple(map(tuple, counts)), bits, Alphabet(len(counts)), tuple(range(len(counts[0]))))


def drawn_counts(sampler: TableSampler, x: int) -> list[int]:
    """How many of the 2**bits draws give each output."""
    first, rest = sampler.first_bits, sampler.tickets.bits - sampler.first_bits
    total = np.zeros(sampler.shape[1], dtype=np.int64)
    # As many rows as fit one chunk, which asks for its cells at once.
    for cells in np.array_split(np.arange(1 << first, dtype="<u2") << (16 - first), max(1, 1 << first >> 15)):
        codes = np.full(len(cells), x, dtype=np.uint8)
        for low in range(1 << rest):
            total += np.bincount(sampler.draw(codes, Enumeration(cells, low)), minlength=sampler.shape[1])
    return [int(count) for count in total]


@st.composite
def rows(draw: st.DrawFn, bits: int) -> list[int]:
    outputs = draw(st.integers(1, 9))
    cuts = draw(st.lists(st.integers(0, 1 << bits), min_size=outputs - 1, max_size=outputs - 1))
    ends = [0, *sorted(cuts), 1 << bits]
    return [b - a for a, b in pairwise(ends)]


@settings(deadline=None, max_examples=40)
@given(st.data(), st.sampled_from([16, 17, 18, 20]))
def test_every_ticket_is_drawn_exactly_once(data: st.DataObject, bits: int) -> None:
    first = data.draw(rows(bits))
    second = data.draw(st.permutations(first))
    sampler = TableSampler(tickets_of([first, list(second)], bits))
    for x, row in enumerate((first, list(second))):
        assert drawn_counts(sampler, x) == row


@pytest.mark.parametrize("level", [0, "1/10", 1, 3, 12])
def test_every_ticket_of_randomised_response_at_24_bits(level: Number) -> None:
    tickets = Tickets.near(randomised_response(Alphabet(3), level))
    assert tickets.bits in (16, 24)
    sampler = TableSampler(tickets)
    assert drawn_counts(sampler, 2) == list(tickets.counts[2])


@pytest.mark.parametrize("bits", [32, 48, 62, 128, 1024])
@pytest.mark.parametrize("inputs", [1, 3, 300])
def test_wide_tickets_are_told_apart_at_every_boundary(bits: int, inputs: int) -> None:
    weights = [1, 3, 1 << (bits // 2), 0, (1 << (bits - 3)) + 5, 7]
    row = [*weights, (1 << bits) - sum(weights)]
    sampler = TableSampler(tickets_of([row[k:] + row[:k] for k in range(len(row))] * (-(-inputs // len(row))), bits))
    for x in range(0, sampler.shape[0], max(1, sampler.shape[0] // 5)):
        ends = list(accumulate(sampler.tickets.counts[x]))
        for draw in sorted({0, (1 << bits) - 1, *(end + step for end in ends[:-1] for step in (-1, 0))}):
            if 0 <= draw < 1 << bits:
                expected = next(y for y, end in enumerate(ends) if draw < end)
                assert one_draw(sampler, x, draw) == expected


def one_draw(sampler: TableSampler, x: int, draw: int) -> int:
    first, rest = sampler.first_bits, sampler.tickets.bits - sampler.first_bits
    cell = (draw >> rest) << (16 - first)
    low = draw & ((1 << rest) - 1)

    class One:
        def fill(self, into: NDArray[np.uint8]) -> None:
            value = cell if len(into) == 2 else low
            into[:] = np.frombuffer(value.to_bytes(len(into), "little"), dtype=np.uint8)

        def of(self, _: object, /) -> "One":
            return self

    return int(sampler.draw(np.array([x], dtype=np.uint16), One())[0])


def test_the_number_of_second_draws_says_nothing_of_the_input() -> None:
    mechanism = Mechanism([["1/3", "1/3", "1/3"], ["1/2", "1/2", 0], [1, 0, 0], ["1/7", "2/7", "4/7"]])
    sampler = TableSampler(Tickets.near(mechanism))
    marks = sampler._table.reshape(4, -1) == sampler._split
    assert marks.sum(axis=1).tolist() == [2, 2, 2, 2]
    assert sampler.second_share == 2 / (1 << 12)


def test_large_alphabets_use_a_small_first_table() -> None:
    size = 300
    sampler = TableSampler(Tickets.near(randomised_response(Alphabet(size), 5)))
    assert sampler.first_bits == 13
    assert sampler._table.size <= 1 << 22
    codes = np.arange(size, dtype=np.uint16)
    found = sampler.sample(np.tile(codes, 50)).reshape(50, size)
    expected = float(sampler.tickets.counts[0][0] / (1 << sampler.tickets.bits))
    kept = int((found == codes).sum())
    # A false alarm in one run of a million million.
    assert binom.ppf(5e-13, 50 * size, expected) <= kept <= binom.isf(5e-13, 50 * size, expected)


@pytest.mark.parametrize(
    "codes",
    [np.array([0, 3], dtype=np.uint8), np.array([0, -1]), np.array([0.0]), np.zeros((2, 2), dtype=np.uint8)],
)
def test_codes_that_are_no_inputs_are_refused(codes: NDArray[np.uint8]) -> None:
    sampler = TableSampler(tickets_of([[1 << 15, 1 << 15]] * 3, 16))
    with pytest.raises(InvalidInput):
        sampler.sample(codes)


def test_no_rows_give_no_rows() -> None:
    assert TableSampler(tickets_of([[1 << 16]], 16)).sample(np.zeros(0, dtype=np.uint8)).tolist() == []


@pytest.mark.parametrize("count", [1, 32_767, 32_768, 32_769, 65_536, 70_001])
def test_every_row_is_sampled_whatever_the_number_of_rows(count: int) -> None:
    sampler = TableSampler(tickets_of([[0, 1 << 16], [1 << 16, 0]], 16))
    codes = (np.arange(count) % 2).astype(np.uint8)
    assert (sampler.sample(codes) == 1 - codes).all()
