"""Memory does not grow with the table: a process that releases needs as much for a short one as for a long one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAM = """
import sys
from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet
column = Column("x", mechanism=randomised_response(Alphabet(["a", "b", "c"]), 1))
release(sys.argv[1], sys.argv[2], column, keep="n")
# The peak of this program alone: what getrusage reports includes that of the process that started it.
lines = open("/proc/self/status").read().splitlines()
print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")))
"""
BATCH = 1 << 18
# The plain allocator gives back what is not used, and with one thread the peak does not depend on who is faster.
PLAIN = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
}


def peak(folder: Path, batches: int, output: str) -> int:
    """The peak memory in MiB of a release of so many batches, each a row group of its own."""
    codes = np.random.default_rng(0).integers(0, 3, BATCH).astype(np.int8)
    batch = pa.record_batch({"x": pa.DictionaryArray.from_arrays(pa.array(codes), ["a", "b", "c"])})
    # Numbers that do not compress, so that the file is as large as it looks.
    numbers = pa.array(np.random.default_rng(1).integers(0, 1 << 62, BATCH))
    batch = batch.append_column("n", numbers)
    with pq.ParquetWriter(folder / "in.parquet", batch.schema, store_schema=False) as writer:
        for _ in range(batches):
            writer.write_batch(batch)
    words = [sys.executable, "-c", PROGRAM, str(folder / "in.parquet"), str(folder / output)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **PLAIN})
    return int(done.stdout)


@pytest.mark.parametrize("ending", ["parquet", pytest.param("csv", marks=pytest.mark.full)])
def test_a_long_table_needs_no_more_memory_than_a_short_one(tmp_path: Path, ending: str) -> None:
    # 8 and 96 MiB of numbers that pass through.
    short = peak(tmp_path, 4, f"short.{ending}")
    long = peak(tmp_path, 48, f"long.{ending}")
    assert long < 500
    assert long - short < 48
