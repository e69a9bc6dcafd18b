"""A release that is killed at any moment leaves the old table or the complete new one, and its description with it.

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

from epstar.release import estimate, read_release
from epstar.release.pair import description_of
from epstar.release.place import digest_of

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

    def start(self, last: int = 0, force: bool = True) -> int:
        """Begin a release, which dies at its call number `last`, and return the number of its process."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(self.source), str(self.output), last, force]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def end(self) -> int:
        """Wait for the release to end and return its exit code."""
        return self._answer()

    def _answer(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def check(self) -> str:
        """Check that the output is a whole table that can be used with its description, and return its digest."""
        found = digest_of(self.output)
        (entry,) = read_release(description_of(self.output))["tables"]
        assert entry["sha256"] == found
        assert estimate(self.output, "x").rows == entry["rows"] == ROWS
        # Only while names are given do the new files have others: the table and its description, both whole.
        left = self.left()
        assert len(left) <= 2
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
    digest = victim.check()
    moments = random.Random(20_240_607)
    killed = 0
    while killed < kills:
        child = victim.start()
        time.sleep(moments.uniform(0, 1.2 * duration))
        with suppress(ProcessLookupError):  # it may be done
            os.kill(child, signal.SIGTERM if killed % 2 else signal.SIGKILL)
        was_killed = victim.end() != 0
        after = victim.check()
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
    digest = victim.check()
    outcomes = []
    for last in range(1, 100):
        victim.start(last)
        survived = victim.end() == 0
        after = victim.check()
        outcomes.append("done" if survived else "new" if after != digest else "old")
        digest = after
        if survived:
            break
    # First the old table, from one call on the new one, and at last a release with no call left to die at.
    assert outcomes == sorted(outcomes, key=["old", "new", "done"].index)
    assert outcomes.count("old") >= 5
    assert outcomes.count("new") >= 1
    assert outcomes[-1] == "done"
    # Only kills while names were given left anything, one of them a table, and the next release has removed it.
    assert len(outcomes) > 10
    described = {path for path in victim.abandoned if path.name.startswith(f".{victim.output.name}.release")}
    assert len(described) > 1
    assert len(victim.abandoned - described) == 1
    assert victim.left() == []
    assert victim.release_file.exists()


def test_a_kill_of_a_first_release_leaves_nothing_or_all_of_it(victim: Victim) -> None:
    outcomes = []
    for last in range(1, 100):
        victim.start(last, force=False)
        survived = victim.end() == 0
        outcomes.append("done" if survived else "new" if victim.output.exists() else "nothing")
        if victim.output.exists():
            # Another release without `force` refuses, and the table that is there goes on being of use.
            digest = victim.check()
            victim.start(force=False)
            assert victim.end() != 0
            assert victim.check() == digest
            victim.output.unlink()
            for path in [victim.release_file, *victim.left()]:
                path.unlink(missing_ok=True)
        assert not victim.release_file.exists()
        if survived:
            break
    assert outcomes == sorted(outcomes, key=["nothing", "new", "done"].index)
    assert outcomes.count("nothing") >= 5
    assert outcomes.count("new") >= 2
    assert outcomes[-1] == "done"


def test_the_next_release_finishes_what_a_killed_one_left_before_it_is_killed_itself(victim: Victim) -> None:
    victim.start()
    assert victim.end() == 0
    first = victim.check()
    # The call after which the new table has its name and its description has not.
    for last in range(1, 100):
        victim.start(last)
        victim.end()
        if digest_of(victim.output) != first:
            break
    assert description_of(victim.output) != victim.release_file
    digest = victim.check()
    for early in range(1, 8):
        victim.start(early)
        assert victim.end() != 0
        assert victim.check() == digest
    assert description_of(victim.output) == victim.release_file


def test_ten_kills_at_random_moments(victim: Victim) -> None:
    campaign(victim, 10)


@pytest.mark.full
def test_a_hundred_kills_at_random_moments(victim: Victim) -> None:
    campaign(victim, 100)
