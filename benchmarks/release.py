"""Releasing a table against peers that sample, against a plain copy of it, and inside Spark.

The work: one column of text with 16 categories, at level 1. Times are seconds of a clock, which mean something on an
idle machine, and CPU seconds of all processes involved, so that threads and Spark's executors count; the copies are
pyarrow's, batch by batch, of the same file, and wait for the disk as a release does.

    python -m benchmarks.release                          everything, with 10,000,000 rows
    python -m benchmarks.release files --rows 100000000   one part, with other numbers
    python -m benchmarks.release memory --rows 1000000000
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.way import Found, Job
from epstar.mechanism import randomised_response
from epstar.release import Column, plan, release
from epstar.release.sets import answers_in_sets
from epstar.universe import Alphabet

Record = dict[str, dict[str, float]]
SIZE = 16
LABELS = [f"category {k}" for k in range(SIZE)]
ROWS = 10_000_000
BATCH = 1 << 18
MANY = [f"category {k}" for k in range(100)]
COLUMN = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))


def in_turns(actions: Mapping[str, Callable[[], object]], yardstick: str, rounds: int = 3) -> Record:
    """Return the least seconds of a clock and of CPUs in some rounds, in which the actions take turns, and ratios.

    Other processes can only add to either; the first round warms up.
    """
    least = {name: {"seconds": float("inf"), "CPU seconds": float("inf")} for name in actions}
    for number in range(rounds + 1):
        for name, action in actions.items():
            before = time.perf_counter(), tree_cpu_seconds()
            action()
            taken = time.perf_counter() - before[0], tree_cpu_seconds() - before[1]
            if number:
                least[name] = {key: min(least[name][key], new) for key, new in zip(least[name], taken, strict=True)}
    unit = dict(least[yardstick])
    for figures in least.values():
        ratios = {key.replace("seconds", "ratio"): figures[key] / unit[key] for key in unit}
        figures.update(ratios)
    return least


def on_disk(path: Path) -> None:
    """Wait until a file is on the disk, as a release does."""
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def write_table(path: Path, rows: int, labels: Sequence[str] = LABELS) -> None:
    """Write a table of one column in batches, so that any number of rows fits the memory."""
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(
        path, pa.schema([("x", pa.dictionary(pa.int8(), pa.string()))]), store_schema=False
    ) as writer:
        for start in range(0, rows, BATCH):
            codes = rng.integers(0, len(labels), min(BATCH, rows - start), dtype=np.int8)
            writer.write_batch(pa.record_batch({"x": pa.DictionaryArray.from_arrays(pa.array(codes), labels)}))


def copy_parquet(source: Path, output: Path, as_dictionary: bool) -> None:
    """Copy a table batch by batch, to the disk."""
    names = ["x"] if as_dictionary else []
    with pq.ParquetFile(source, read_dictionary=names) as file, pq.ParquetWriter(output, file.schema_arrow) as writer:
        for batch in file.iter_batches(BATCH):
            writer.write_batch(batch)
    on_disk(output)


def copy_csv(source: Path, output: Path) -> None:
    """Copy a table of text batch by batch, to the disk."""
    convert = arrow_csv.ConvertOptions(column_types={"x": pa.string()})
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    reader = arrow_csv.open_csv(source, parse_options=parse, convert_options=convert)
    with arrow_csv.CSVWriter(output, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    on_disk(output)


def instance(rows: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return random categories and the law of randomised response at level 1."""
    codes = np.random.default_rng(1).integers(0, SIZE, rows, dtype=np.uint8)
    return codes, randomised_response(Alphabet(SIZE), 1).dense().floats


def kept(codes: NDArray[np.uint8], outputs: Any) -> Found:
    """Return the share of rows that kept their category, which the law says is e / (e + 15)."""
    return Found(float(np.mean(codes == np.asarray(outputs))), items=len(codes))


def by_epstar(rows: int) -> Job:
    """epstar's sampler, with cryptographic randomness."""
    codes, _ = instance(rows)
    sampler = plan(randomised_response(Alphabet(SIZE), 1)).sampler
    sampler.sample(codes[:1])
    return Job(lambda: sampler.sample(codes), lambda outputs: kept(codes, outputs))


def by_numpy_choice(rows: int) -> Job:
    """`Generator.choice`, once for each category: what people write today; not secure."""
    codes, law = instance(rows)
    rng = np.random.default_rng()

    def work() -> NDArray[np.uint8]:
        result = np.empty_like(codes)
        for x in range(SIZE):
            here = codes == x
            result[here] = rng.choice(SIZE, int(here.sum()), p=law[x])
        return result

    return Job(work, lambda outputs: kept(codes, outputs))


def by_numpy_table(rows: int) -> Job:
    """One cumulative table and a uniform double for each row, a million rows at a time; not secure."""
    codes, law = instance(min(rows, 1_000_000))
    rng, ends = np.random.default_rng(), np.cumsum(law, axis=1)[:, :-1]

    def work() -> NDArray[np.intp]:
        return np.asarray((rng.random(len(codes))[:, None] >= ends[codes]).sum(axis=1))

    return Job(work, lambda outputs: kept(codes, outputs))


def by_diffprivlib(rows: int) -> Job:
    """diffprivlib's exponential mechanism for categories, one call for each row."""
    module = importlib.import_module("diffprivlib.mechanisms")
    codes, _ = instance(min(rows, 5_000))
    utility = [[a, b, 0.0 if a == b else 1.0] for a in LABELS for b in LABELS]
    mechanism = module.ExponentialCategorical(epsilon=1.0, utility_list=utility)
    values, place = [LABELS[code] for code in codes], {label: k for k, label in enumerate(LABELS)}
    return Job(
        lambda: [mechanism.randomise(value) for value in values],
        lambda outputs: kept(codes, [place[output] for output in outputs]),
    )


def by_pure_ldp(rows: int) -> Job:
    """pure-ldp's direct encoding, whose values start at one."""
    module = importlib.import_module("pure_ldp.frequency_oracles.direct_encoding")
    codes, _ = instance(min(rows, 50_000))
    client, values = module.DEClient(epsilon=1.0, d=SIZE), (codes + 1).tolist()
    return Job(lambda: [client.privatise(value) for value in values], lambda outputs: kept(codes, outputs))


def by_multi_freq_ldpy(rows: int) -> Job:
    """multi-freq-ldpy's generalised randomised response, after it has been compiled."""
    module = importlib.import_module("multi_freq_ldpy.pure_frequency_oracles.GRR")
    codes, _ = instance(min(rows, 50_000))
    module.GRR_Client(0, SIZE, 1.0)
    values = codes.tolist()
    return Job(lambda: [module.GRR_Client(value, SIZE, 1.0) for value in values], lambda found: kept(codes, found))


def by_opendp(rows: int) -> Job:
    """opendp's randomised response."""
    opendp = importlib.import_module("opendp.prelude")
    opendp.enable_features("contrib")
    codes, _ = instance(min(rows, 500))
    measurement = opendp.m.make_randomized_response(list(range(SIZE)), prob=float(np.e / (np.e + SIZE - 1)))
    values = codes.tolist()
    return Job(lambda: [measurement(value) for value in values], lambda outputs: kept(codes, outputs))


def files(rows: int = ROWS) -> Record:
    """Measure whole releases, from file to file, with the copies of the same files as yardsticks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, text, many = folder / "in.parquet", folder / "in.csv", folder / "many.parquet"
        write_table(source, rows)
        write_table(many, rows, MANY)
        sets = Column("x", mechanism=answers_in_sets(MANY, 27, 1))
        release(source, text, COLUMN)
        actions: dict[str, Callable[[], object]] = {
            "parquet: pyarrow copy": lambda: copy_parquet(source, folder / "copy.parquet", False),
            "parquet: pyarrow copy by dictionaries": lambda: copy_parquet(source, folder / "copy.parquet", True),
            "parquet: epstar release": lambda: release(source, folder / "out.parquet", COLUMN, force=True),
            "csv: pyarrow copy": lambda: copy_csv(text, folder / "copy.csv"),
            "csv: epstar release": lambda: release(text, folder / "out.csv", COLUMN, force=True),
            "sets of 100: pyarrow copy": lambda: copy_parquet(many, folder / "copy.parquet", False),
            "sets of 100: epstar release": lambda: release(many, folder / "out.parquet", sets, force=True),
        }
        rounds = 3 if rows <= ROWS else 1
        found: Record = {}
        for kind in ("parquet", "csv", "sets of 100"):
            part = {name: action for name, action in actions.items() if name.startswith(kind)}
            found |= in_turns(part, f"{kind}: pyarrow copy", rounds)
        for figures in found.values():
            figures["ns per row"] = figures["seconds"] / rows * 1e9
        return found


MEASURED = """
import sys
from benchmarks.way import peak_megabytes
from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet
labels = [f"category {k}" for k in range(16)]
release(sys.argv[1], sys.argv[2], Column("x", mechanism=randomised_response(Alphabet(labels), 1)))
print(peak_megabytes())
"""


def memory(*sizes: int) -> Record:
    """Measure the peak memory of a process that does nothing but release, for each number of rows."""
    record: Record = {}
    with tempfile.TemporaryDirectory() as name:
        source, output = Path(name) / "in.parquet", Path(name) / "out.parquet"
        for rows in sizes or (1_000_000, ROWS):
            write_table(source, rows)
            words = [sys.executable, "-c", MEASURED, str(source), str(output)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            record[f"peak memory of a release of {rows} rows"] = {"MiB": float(done.stdout)}
            output.unlink()
            Path(f"{output}.release.json").unlink()
    return record


def spark(rows: int = ROWS, rounds: int = 3) -> Record:
    """Measure the same job of a cluster of two workers with the kernel and with an identity in `mapInArrow`."""
    try:
        sql = importlib.import_module("pyspark.sql")
    except ImportError:
        return {"spark: epstar release": {"not installed": 1.0}}
    from epstar.release import spark as released

    def identity(batches: Iterator[Any]) -> Iterator[Any]:
        # Not a function of this module, which the workers could not import.
        yield from batches

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR").getOrCreate()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for part in range(4):
            write_table(folder / "in" / f"{part}.parquet", rows // 4)
        table = session.read.parquet(str(folder / "in"))
        output = folder / "out"

        def plain() -> None:
            table.mapInArrow(identity, table.schema).write.parquet(str(output))
            shutil.rmtree(output)

        def protected() -> None:
            released.release(table, output, COLUMN)
            shutil.rmtree(output)

        found = in_turns({"spark: identity": plain, "spark: epstar release": protected}, "spark: identity", rounds)
        session.stop()
        # Workers of this kind of cluster write into the package itself.
        shutil.rmtree(Path(importlib.import_module("pyspark").__path__[0]) / "work", ignore_errors=True)
    return found


def tree_cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it started, those that ended included."""
    times: dict[int, float] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            except OSError:
                continue  # it has just ended
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    tree = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in tree} - tree:
        tree |= more
    return sum(times[process] for process in tree)


PARTS: dict[str, Callable[[int], Record]] = {"files": files, "memory": memory, "spark": spark}


def run(rows: int = ROWS) -> Record:
    """Measure everything."""
    return files(rows) | memory(1_000_000, rows) | spark(rows)


def main() -> None:
    """Measure what is asked for and print it."""
    from benchmarks.notions import report

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=tuple(PARTS))
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    measure = run if options.part is None else PARTS[options.part]
    sys.stdout.write(report(measure(options.rows)) + "\n")


if __name__ == "__main__":
    main()
