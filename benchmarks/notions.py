"""How fast losses are measured, as ratios to one pass of `numpy.log` or one product of matrices in the same run.

`python -m benchmarks.notions` prints the ratios; `python -m benchmarks.notions FILE` also writes them as JSON.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Prior

Record = dict[str, dict[str, float]]

ONE_PASS: list[Notion] = [
    DifferentialPrivacy(),
    MaximalLeakage(),
    MaximalInformation(),
    MutualInformation(),
    Identifiability(),
    MinEntropyLeakage(),
    LocalInformationPrivacy(),
    PointwiseLeakage(),
]
ALL_PAIRS = [RenyiDifferentialPrivacy(order) for order in ("1/2", 1, 2, "5/2")]
SLOWER: list[Notion] = [
    SibsonMutualInformation(2),
    LocalInformationPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/10", "pointwise"),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/100000"),
    Capacity(),
]


def interleaved(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the best time of each task; they take turns, so that a busy machine is unfair to none."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def name_of(notion: Notion) -> str:
    """Return the notion with its parameters."""
    values = ", ".join(str(value) for value in notion.parameters().values())
    return f"{notion.name}({values})" if values else notion.name


def run(size: int = 1000, rounds: int = 15) -> Record:
    """Return times in seconds, ratios to the yardstick of each group, and the peak memory of the search in MiB."""
    rng = np.random.default_rng(0)
    matrix = np.maximum(rng.dirichlet(np.ones(size), size), 1e-9)
    matrix /= matrix.sum(axis=1, keepdims=True)
    mechanism, prior = Mechanism(matrix), Prior(rng.dirichlet(np.ones(size)).tolist())

    def losses(notions: list[Notion]) -> dict[str, Callable[[], object]]:
        return {name_of(notion): partial(notion.loss, mechanism, prior) for notion in notions}

    record: Record = {}
    passes = interleaved({"numpy.log": lambda: np.log(matrix), **losses(ONE_PASS)}, rounds)
    yardstick = passes.pop("numpy.log")
    record["numpy.log"] = {"seconds": yardstick, "ratio": 1.0}
    for name, seconds in passes.items():
        record[name] = {"seconds": seconds, "ratio": seconds / yardstick}

    def product() -> object:
        return matrix**2.5 @ (matrix**-1.5).T

    products = interleaved({"product of powers": product, **losses([*ALL_PAIRS])}, max(2, rounds // 4))
    yardstick = products.pop("product of powers")
    record["product of powers"] = {"seconds": yardstick, "ratio": 1.0}
    for name, seconds in products.items():
        record[name] = {"seconds": seconds, "ratio": seconds / yardstick}
    for name, seconds in interleaved(losses(SLOWER), 1).items():
        record[name] = {"seconds": seconds, "ratio": seconds / yardstick}
    tracemalloc.start()
    ApproximateDifferentialPrivacy("1/10").loss(mechanism)
    record["peak memory of the search over all pairs"] = {"MiB": tracemalloc.get_traced_memory()[1] / 2**20}
    tracemalloc.stop()
    return record


def report(record: Record) -> str:
    """Return the record as lines of text."""
    return "\n".join(
        f"{name:<58}" + "".join(f"{key} {value:10.4f}  " for key, value in figures.items())
        for name, figures in record.items()
    )


def main() -> None:
    """Measure, print, and write the record where the command line says."""
    record = run()
    sys.stdout.write(report(record) + "\n")
    for path in sys.argv[1:]:
        Path(path).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
