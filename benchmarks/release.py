"""Releasing a table against a plain copy of it and against sampling with NumPy, as ratios in one run.

The work: one column of text with 16 categories, at level 1. Times are CPU seconds of the whole process, so that
threads count; the copy is pyarrow's, batch by batch, of the same file. `--rows 100000000` asks for more rows.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from epstar.mechanism import randomised_response
from epstar.release import Column, plan, release
from epstar.universe import Alphabet

Record = dict[str, dict[str, float]]
SIZE = 16
LABELS = [f"category {k}" for k in range(SIZE)]
ROWS = 10_000_000
BATCH = 1 << 18


def cpu_seconds(action: Callable[[], object], rounds: int = 3) -> float:
    """Return the least CPU time of some rounds: other processes can only add to it."""
    best = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        action()
        best = min(best, time.process_time() - before)
    return best


def write_table(path: Path, rows: int) -> None:
    """Write a table of one column in batches, so that any number of rows fits the memory."""
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema([("x", pa.string())])) as writer:
        for start in range(0, rows, BATCH):
            codes = rng.integers(0, SIZE, min(BATCH, rows - start), dtype=np.int8)
            values = pa.DictionaryArray.from_arrays(pa.array(codes), LABELS).cast(pa.string())
            writer.write_table(pa.table({"x": values}))


def copy_parquet(source: Path, output: Path, as_dictionary: bool) -> None:
    """Copy a table batch by batch."""
    names = ["x"] if as_dictionary else []
    with pq.ParquetFile(source, read_dictionary=names) as file, pq.ParquetWriter(output, file.schema_arrow) as writer:
        for batch in file.iter_batches(BATCH):
            writer.write_batch(batch)


def copy_csv(source: Path, output: Path) -> None:
    """Copy a table of text batch by batch."""
    convert = arrow_csv.ConvertOptions(column_types={"x": pa.string()})
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    reader = arrow_csv.open_csv(source, parse_options=parse, convert_options=convert)
    with arrow_csv.CSVWriter(output, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def by_numpy(codes: NDArray[np.uint8], law: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Sample with `Generator.choice`, once for each category: what people write today."""
    rng = np.random.default_rng()
    result = np.empty_like(codes)
    for x in range(SIZE):
        here = codes == x
        result[here] = rng.choice(SIZE, int(here.sum()), p=law[x])
    return result


def by_diffprivlib(rows: int) -> Callable[[], object]:
    """Return diffprivlib's exponential mechanism for categories, one call for each row."""
    module = importlib.import_module("diffprivlib.mechanisms")
    utility = [[a, b, 0.0 if a == b else 1.0] for a in LABELS for b in LABELS]
    mechanism = module.ExponentialCategorical(epsilon=1.0, utility_list=utility)
    return lambda: [mechanism.randomise(LABELS[k % SIZE]) for k in range(rows)]


def sampling(rows: int) -> Record:
    """Measure the samplers alone, in memory."""
    codes = np.random.default_rng(1).integers(0, SIZE, rows, dtype=np.uint8)
    found = plan(randomised_response(Alphabet(SIZE), 1))
    found.sampler.sample(codes[:1])
    seconds = {
        "sampling: epstar": cpu_seconds(lambda: found.sampler.sample(codes)),
        "sampling: numpy choice for each category": cpu_seconds(
            lambda: by_numpy(codes, found.mechanism.dense().floats)
        ),
    }
    for x in (0, SIZE - 1):
        same = np.full(rows, x, dtype=np.uint8)
        seconds[f"sampling: epstar, every row is category {x}"] = cpu_seconds(partial(found.sampler.sample, same))
    record = {name: {"ns per row": taken / rows * 1e9} for name, taken in seconds.items()}
    few = 2000
    try:
        record["sampling: diffprivlib"] = {"ns per row": cpu_seconds(by_diffprivlib(few), 1) / few * 1e9}
    except ImportError:
        record["sampling: diffprivlib"] = {"not installed": 1.0}
    return with_ratios(record, "sampling: epstar")


def files(rows: int, folder: Path) -> Record:
    """Measure whole releases, from file to file."""
    source, text = folder / "in.parquet", folder / "in.csv"
    write_table(source, rows)
    column = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))
    release(source, text.with_name("in.csv"), column)
    actions: dict[str, Callable[[], object]] = {
        "parquet: pyarrow copy": lambda: copy_parquet(source, folder / "copy.parquet", False),
        "parquet: pyarrow copy by dictionaries": lambda: copy_parquet(source, folder / "copy.parquet", True),
        "parquet: epstar release": lambda: release(source, folder / "out.parquet", column, force=True),
        "csv: pyarrow copy": lambda: copy_csv(text, folder / "copy.csv"),
        "csv: epstar release": lambda: release(text, folder / "out.csv", column, force=True),
    }
    rounds = 3 if rows <= ROWS else 1
    record = {name: {"ns per row": cpu_seconds(action, rounds) / rows * 1e9} for name, action in actions.items()}
    for kind in ("parquet", "csv"):
        part = {name: figures for name, figures in record.items() if name.startswith(kind)}
        record |= with_ratios(part, f"{kind}: pyarrow copy")
    record["peak memory of the whole run"] = {"MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    return record


def with_ratios(record: Record, yardstick: str) -> Record:
    """Add to each figure its ratio to the yardstick's."""
    unit = record[yardstick]["ns per row"]
    return {
        name: {**figures, "ratio": figures["ns per row"] / unit} if "ns per row" in figures else figures
        for name, figures in record.items()
    }


def run(rows: int = ROWS) -> Record:
    """Measure files first, while the peak of memory is theirs, and then the samplers alone."""
    with tempfile.TemporaryDirectory() as folder:
        record = files(rows, Path(folder))
    return record | sampling(min(rows, ROWS))


def main() -> None:
    """Measure and print."""
    from benchmarks.notions import report

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    sys.stdout.write(report(run(parser.parse_args().rows)) + "\n")


if __name__ == "__main__":
    main()
