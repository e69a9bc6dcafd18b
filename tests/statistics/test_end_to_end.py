"""From file to file: the released table follows the certified law, by a test whose errors are computed here.

The test counts how many rows of each input keep their value and alarms if a count is outside an interval. Both
of its errors are exact binomial sums: the probability of a false alarm, and the power against a sampler whose
loss is five per cent too large.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom

from epstar.mechanism import randomised_response
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, plan, release
from epstar.release.document import column_of
from epstar.universe import Alphabet

FALSE_ALARM = 1e-11
POWER = 1 - 1e-11
LEVEL = 1.0
ERROR = 0.05


@dataclass(frozen=True)
class Test:
    """An interval for the number of kept rows of each input."""

    rows: int
    inputs: int
    low: int
    high: int

    __test__ = False

    @classmethod
    def of(cls, rows: int, inputs: int, kept: float) -> "Test":
        # Half of the false alarms; the other half is for the entries of the matrix one by one.
        tail = FALSE_ALARM / (4 * inputs)
        return cls(rows, inputs, int(binom.ppf(tail, rows, kept)), int(binom.isf(tail, rows, kept)))

    def alarm(self, kept: float) -> float:
        """The probability of an alarm at one input whose rows are kept with the given probability."""
        return float(binom.cdf(self.low - 1, self.rows, kept) + binom.sf(self.high, self.rows, kept))

    def passes(self, counts: np.ndarray) -> bool:
        return bool(((counts >= self.low) & (counts <= self.high)).all())


def kept_at(level: float, size: int) -> float:
    """The probability that randomised response keeps a symbol."""
    return float(np.exp(level) / (np.exp(level) + size - 1))


@pytest.mark.parametrize(("size", "rows"), [(2, 300_000), (4, 300_000), (16, 250_000)])
def test_the_errors_of_the_test_are_as_small_as_declared(size: int, rows: int) -> None:
    test = Test.of(rows, size, kept_at(LEVEL, size))
    assert size * test.alarm(kept_at(LEVEL, size)) <= FALSE_ALARM / 2
    for wrong in (LEVEL * (1 + ERROR), LEVEL * (1 - ERROR)):
        missed = (1 - test.alarm(kept_at(wrong, size))) ** size
        assert 1 - missed >= POWER


@pytest.mark.parametrize(("size", "rows"), [(2, 300_000), (4, 300_000), (16, 250_000)])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_released_table_follows_the_certified_law(tmp_path: Path, size: int, rows: int, ending: str) -> None:
    labels = [f"symbol {k}" for k in range(size)]
    codes = np.tile(np.arange(size), rows)
    pq.write_table(pa.table({"x": np.array(labels)[codes]}), tmp_path / "in.parquet")
    found = release(
        tmp_path / "in.parquet",
        tmp_path / f"out.{ending}",
        Column("x", labels),
        notion=DifferentialPrivacy(),
        loss=LEVEL,
    )
    mechanism = column_of(found.document["columns"][0]).mechanism
    assert mechanism is not None
    table = mechanism.dense().floats
    if ending == "csv":
        lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
        released = np.array([int(line.split(" ")[1]) for line in lines])
    else:
        column = pq.read_table(tmp_path / "out.parquet")["x"].combine_chunks().dictionary_encode()
        order = np.array([labels.index(label) for label in column.dictionary.to_pylist()])
        released = order[column.indices.to_numpy()]
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (codes, released), 1)
    # The interval whose errors are computed above, here on what came out of the file.
    test = Test.of(rows, size, kept_at(LEVEL, size))
    assert sum(test.alarm(table[x, x]) for x in range(size)) <= FALSE_ALARM * 0.6
    assert test.passes(counts.diagonal())
    tail = FALSE_ALARM * 0.4 / (2 * size * size)
    for x in range(size):
        for y in range(size):
            low, high = binom.ppf(tail, rows, table[x, y]), binom.isf(tail, rows, table[x, y])
            assert low <= counts[x, y] <= high


@pytest.mark.parametrize("wrong", [LEVEL * (1 + ERROR), LEVEL * (1 - ERROR)])
def test_a_planted_error_of_five_per_cent_is_found(wrong: float) -> None:
    size, rows = 4, 300_000
    test = Test.of(rows, size, kept_at(LEVEL, size))
    codes = np.tile(np.arange(size), rows).astype(np.uint8)
    for level, sound in ((LEVEL, True), (wrong, False)):
        drawn = plan(randomised_response(Alphabet(size), level)).sampler.sample(codes)
        counts = np.bincount(codes[drawn == codes], minlength=size)
        assert test.passes(counts) == sound
