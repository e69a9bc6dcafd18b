"""A release that is killed at any moment leaves the old table or the complete new one.

Twenty kills in all and two hundred in the long campaign, half of them for each format.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.release import read_release
from epstar.release.document import digest_of

# So many that writing takes long enough for a moment of it to be met.
ROWS = 300_000


class Victim:
    """The process that releases, and where."""

    def __init__(self, folder: Path, ending: str) -> None:
        self.abandoned: set[Path] = set()
        self.source, self.output = folder / "in.parquet", folder / f"out.{ending}"
        self.release_file = folder / f"out.{ending}.release.json"
        codes = np.random.default_rng(0).integers(0, 4, ROWS)
        pq.write_table(pa.table({"x": np.array(["a", "b", "c", "d"])[codes]}), self.source)
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("victim.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, last: int = 0) -> int:
        """Begin a release, which dies at its call number `last`, and return the number of its process."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(self.source), str(self.output), last]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def end(self) -> int:
        """Wait for the release to end and return its exit code."""
        return self._answer()

    def _answer(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def check(self, old: str) -> str:
        """Check that the output is the old table or a complete new one, and return its digest."""
        found = digest_of(self.output)
        if found != old:
            (entry,) = read_release(self.release_file)["tables"]
            assert entry["sha256"] == found
            assert entry["rows"] == ROWS
        # Only between the two calls that replace a file does the new one have another name: one, that is complete.
        left = self.left()
        assert len(left) <= 1
        for path in left:
            assert path.name.startswith(f".{self.output.name}.")
            assert path.name.endswith(".part")
            assert not path.name.startswith(f".{self.output.name}.release") or read_release(path)
        self.abandoned.update(left)
        return found

    def left(self) -> list[Path]:
        """What lies in the folder besides the two tables and the release file."""
        names = {self.source.name, self.output.name, self.release_file.name}
        return [path for path in self.output.parent.iterdir() if path.name not in names]


@pytest.fixture(params=["parquet", "csv"])
def victim(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Victim]:
    found = Victim(tmp_path, request.param)
    yield found
    assert found.process.stdin is not None
    assert found.process.stdout is not None
    found.process.stdin.close()
    found.process.wait(timeout=600)
    found.process.stdout.close()


def campaign(victim: Victim, kills: int) -> None:
    """Kill that many living releases, each at a moment of its own, by one signal and the other in turn."""
    duration = 0.0
    # The first release waits for the process to load; the second one is timed.
    for _ in range(2):
        started = time.perf_counter()
        victim.start()
        assert victim.end() == 0
        duration = time.perf_counter() - started
    digest = victim.check("")
    moments = random.Random(20_240_607)
    killed = 0
    while killed < kills:
        child = victim.start()
        time.sleep(moments.uniform(0, 1.2 * duration))
        with suppress(ProcessLookupError):  # it may be done
            os.kill(child, signal.SIGTERM if killed % 2 else signal.SIGKILL)
        was_killed = victim.end() != 0
        after = victim.check(digest)
        assert was_killed or after != digest
        digest = after
        killed += was_killed  # one that was faster than the kill counts for nothing
    # How rarely a kill leaves anything is counted call by call below; the next release removes it.
    victim.start()
    assert victim.end() == 0
    assert victim.left() == []


def test_a_kill_before_every_call_that_makes_syncs_or_names_a_file(victim: Victim) -> None:
    victim.start()
    assert victim.end() == 0
    digest = victim.check("")
    outcomes = []
    for last in range(1, 100):
        victim.start(last)
        survived = victim.end() == 0
        after = victim.check(digest)
        outcomes.append("done" if survived else "new" if after != digest else "old")
        digest = after
        if survived:
            break
    # First the old table, from one call on the new one, and at last a release with no call left to die at.
    assert outcomes == sorted(outcomes, key=["old", "new", "done"].index)
    assert outcomes.count("old") >= 5
    assert outcomes.count("new") >= 1
    assert outcomes[-1] == "done"
    # Of all those kills only two left anything: each of the files was met between its two calls. The next release has
    # removed it.
    assert len(outcomes) > 10
    assert len(victim.abandoned) == 2
    assert victim.left() == []


def test_ten_kills_at_random_moments(victim: Victim) -> None:
    campaign(victim, 10)


@pytest.mark.full
def test_a_hundred_kills_at_random_moments(victim: Victim) -> None:
    campaign(victim, 100)
