"""A disk that is full, a folder that cannot be written to, a closed pipe: one sentence, and nothing appears."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.errors import EpstarError, InvalidInput
from epstar.mechanism import randomised_response
from epstar.release import Column, WriteFailed, release
from epstar.universe import Alphabet

COLUMN = Column("x", mechanism=randomised_response(Alphabet(["a", "b"]), 1))
PROGRAM = """
import resource, sys
from epstar.errors import EpstarError
from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet
limit, source, output = int(sys.argv[1]), sys.argv[2], sys.argv[3]
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
column = Column("x", mechanism=randomised_response(Alphabet(["a", "b"]), 1))
try:
    release(source, output, column, force=True, progress=lambda rows: print(rows, flush=True))
except EpstarError as error:
    print(type(error).__name__, error, file=sys.stderr)
    # What is still in the buffer of a closed pipe cannot be written at exit either.
    sys.stdout = None
    sys.exit(2)
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    codes = np.random.default_rng(1).integers(0, 2, 600_000)
    pq.write_table(pa.table({"x": np.array(["a", "b"])[codes]}), tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk_leaves_the_old_table(table: Path, ending: str) -> None:
    output = table.with_name(f"out.{ending}")
    output.write_text("old", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "20000", str(table), str(output)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("WriteFailed")
    assert len(done.stderr.splitlines()) == 1
    assert output.read_text(encoding="utf-8") == "old"
    assert names(table.parent) == ["in.parquet", f"out.{ending}"]


def test_a_closed_pipe_ends_the_release_without_output(table: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "0", str(table), str(table.with_name("out.csv"))],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 2
    assert "broken pipe" in done.stderr
    assert names(table.parent) == ["in.parquet"]


def test_a_folder_that_cannot_be_written_to(table: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    # The administrator may write anywhere but among the processes of the system.
    folder = Path("/proc/self") if os.geteuid() == 0 else locked
    with pytest.raises(EpstarError, match="could not be written"):
        release(table, folder / "out.parquet", COLUMN)
    assert names(locked) == []


def test_a_folder_that_does_not_exist(table: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        release(table, tmp_path / "nowhere" / "out.parquet", COLUMN)


@pytest.mark.parametrize("call", ["fsync", "link", "replace", "open"])
@pytest.mark.parametrize("force", [True, False])
def test_no_call_of_the_system_can_fail_and_leave_a_part(
    table: Path, call: str, force: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = table.with_name("out.parquet")

    def fails(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fails)
        used = call in ("fsync", "open") or (call == "link") != force
        if used:
            with pytest.raises(WriteFailed, match="no space left on device"):
                release(table, output, COLUMN, force=force)
    if used:
        assert names(table.parent) == ["in.parquet"]


def test_an_output_that_appears_meanwhile_is_not_replaced(table: Path) -> None:
    output = table.with_name("out.parquet")

    def appear(rows: int) -> None:
        output.write_text("of somebody else", encoding="utf-8")

    with pytest.raises(WriteFailed, match="file exists"):
        release(table, output, COLUMN, progress=appear)
    assert output.read_text(encoding="utf-8") == "of somebody else"
    assert names(table.parent) == ["in.parquet", "out.parquet"]


def test_an_interruption_leaves_nothing(table: Path, tmp_path: Path) -> None:
    def interrupt(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(table, table.with_name("out.parquet"), COLUMN, progress=interrupt)
    (tmp_path / "many").mkdir()
    table.rename(tmp_path / "many" / "in.parquet")
    with pytest.raises(KeyboardInterrupt):
        release(tmp_path / "many", tmp_path / "out", COLUMN, progress=interrupt)
    assert names(tmp_path) == ["many"]
