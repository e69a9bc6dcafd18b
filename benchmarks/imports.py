"""How long `import epstar` takes, beside importing NumPy, each in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.notions import Record

_ROUNDS = 5


def seconds(statement: str) -> float:
    """Return the best time of a fresh interpreter that runs one statement."""
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def run() -> Record:
    """Return the times of importing NumPy, epstar, and epstar with its first answer's modules."""
    yardstick = seconds("import numpy")
    record = {"import numpy": {"seconds": yardstick, "ratio": 1.0}}
    for statement in ("import epstar", "import epstar; epstar.Frontier"):
        took = seconds(statement)
        record[statement] = {"seconds": took, "ratio": took / yardstick}
    return record
