"""One way to do a piece of work, measured alone: CPU seconds, peak memory, and what its answer turned out to be.

A way is a function of the size of the work. It prepares (imports, the instance, a first small run, none of it timed)
and returns a job. The job is run in an interpreter of its own, with one thread for linear algebra, so that its memory
is its own; its answer is looked at outside the clock. The process that started it watches its CPU time and ends it at
the limit. It must not be given a limit of the kernel's: once RLIMIT_CPU or a CPU timer is set, Linux answers the clock
of the process from a counter that moves a few milliseconds at a time, so short jobs would seem to take no time at all.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

ROUNDS = 5
ENOUGH = 4.0
"""Seconds after which a job is not repeated."""
LIMIT = 60
"""CPU seconds after which a way is stopped."""
SINGLE = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Found:
    """What an answer turned out to be.

    `value` is the objective and `width` the width of the interval that it is known to lie in. `level` is the privacy
    level that the mechanism really has. `items` is how many times the work was done in one run. `note` says what was
    looked at.
    """

    value: float
    width: float | None = None
    level: float | None = None
    items: int = 1
    note: str = ""


@dataclass(frozen=True)
class Job:
    """What is timed, and how its answer is looked at afterwards."""

    work: Callable[[], Any]
    check: Callable[[Any], Found]


Way: TypeAlias = "Callable[[int], Job]"


@dataclass(frozen=True)
class Measured:
    """The least CPU seconds of some rounds, the peak of the process's memory in MiB, and the answer.

    Where a way was stopped, failed or is not installed, `failure` says so and there are no figures.
    """

    seconds: float = math.nan
    megabytes: float = math.nan
    rounds: int = 0
    found: Found | None = None
    failure: str = ""


def resolved(name: str) -> Way:
    """Return the way called "module:function"."""
    module, function = name.split(":")
    way: Way = getattr(import_module(module), function)
    return way


def measured(job: Job, rounds: int = ROUNDS, done: Callable[[], object] = lambda: None) -> Measured:
    """Run a job in this process a few times, say that this is done, and look at its answer."""
    best, spent, count = math.inf, 0.0, 0
    while count < rounds and spent < ENOUGH:
        start = _spent()
        answer = job.work()
        seconds = _spent() - start
        best, spent, count = min(best, seconds), spent + seconds, count + 1
    peak = peak_megabytes()
    done()
    return Measured(best, peak, count, job.check(answer))


def measured_alone(way: str, size: int, limit: float = LIMIT) -> Measured:
    """Run a way in an interpreter of its own, and end it when the job takes more CPU seconds than the limit."""
    with tempfile.TemporaryDirectory() as name:
        clock, said, told = (Path(name) / part for part in ("clock", "said", "told"))
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.way", way, str(size), str(clock)]
        with said.open("w", encoding="utf-8") as output, told.open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                command, stdout=output, stderr=errors, env={**os.environ, **SINGLE}, start_new_session=True
            )
            while process.poll() is None:
                if _cpu_seconds(process.pid) - _started(clock) > limit:
                    # Its workers, where it has any, are of the same group.
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    return Measured(failure=f"over {limit:g} s")
                time.sleep(0.1)
        if process.returncode:
            last = told.read_text(encoding="utf-8").strip().splitlines() or [f"exit code {process.returncode}"]
            return Measured(failure=f"failed: {last[-1]}")
        # Some peers print; the record is the last line.
        record = json.loads(said.read_text(encoding="utf-8").strip().splitlines()[-1])
    return Measured(**{**record, "found": record["found"] and Found(**record["found"])})


def peak_megabytes() -> float:
    """Return the most memory that this process has held since it began.

    Not `ru_maxrss`, which a new process inherits from the one that started it.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _started(clock: Path) -> float:
    """Return the CPU time at which the job began: infinite while it is prepared and once it is done."""
    try:
        return float(clock.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):  # a file that is just being written may be empty
        return math.inf


def _spent() -> float:
    """Return the CPU seconds of this process and of the workers that it has ended."""
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + workers.ru_utime + workers.ru_stime


def _cpu_seconds(session: int) -> float:
    """Return the CPU seconds of a process that began a session, and of its workers."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            except OSError:  # it has just ended
                continue
            if int(fields[3]) == session:
                total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure the way named on the command line and print the record."""
    name, size, clock = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    try:
        job = resolved(name)(size)
    except ModuleNotFoundError as error:
        record = Measured(failure=f"not installed: {error}")
    else:
        clock.write_text(str(_spent()), encoding="utf-8")
        record = measured(job, done=lambda: clock.write_text("inf", encoding="utf-8"))
    sys.stdout.write("\n" + json.dumps(asdict(record)) + "\n")


if __name__ == "__main__":
    main()
