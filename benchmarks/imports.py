"""How long it takes to import epstar, and to answer the easiest question from start to end, beside importing NumPy.

Each in a fresh interpreter, in CPU seconds, after the package was compiled once.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys

from benchmarks.notions import Record

_ROUNDS = 5
_FIRST = ("-m", "epstar", "solve", "--notion", "dp", "--prior", ".4,.3,.2,.1", "--distortion", ".2")
_WAYS = {
    "import numpy": ("-c", "import numpy"),
    "import epstar": ("-c", "import epstar"),
    "import epstar; epstar.Frontier": ("-c", "import epstar; epstar.Frontier"),
    "epstar solve, the easiest question": _FIRST,
}


def cpu_seconds(arguments: tuple[str, ...]) -> float:
    """Return the least CPU time of a fresh interpreter in some rounds."""
    best = float("inf")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(_ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def run() -> Record:
    """Return the times of importing NumPy, epstar, epstar with its first answer's modules, and of a whole answer."""
    taken = {name: cpu_seconds(arguments) for name, arguments in _WAYS.items()}
    return {name: {"CPU seconds": time, "ratio": time / taken["import numpy"]} for name, time in taken.items()}
