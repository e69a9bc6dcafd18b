"""A disk that is full, a folder that cannot be written to, a closed pipe: one sentence, and nothing appears."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.errors import EpstarError, InvalidInput
from epstar.mechanism import randomised_response
from epstar.release import Column, WriteFailed, atomic_files, read_release, release
from epstar.release.place import digest_of
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


def test_what_a_killed_release_left_is_removed_and_what_a_living_one_holds_is_not(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a system without nameless files, where the name is there from the beginning.
    monkeypatch.setattr(atomic_files, "_nameless", lambda folder: None)
    output = table.with_name("out.parquet")
    for name in (".out.parquet.0123456789abcdef.part", ".out.parquet.release.json.0123456789abcdef.part"):
        table.with_name(name).write_text("of a killed release", encoding="utf-8")
    other = table.with_name(".other.parquet.0123456789abcdef.part")
    other.write_text("of another name", encoding="utf-8")
    seen: list[list[str]] = []

    def another(rows: int) -> None:
        if not seen:
            seen.append([path.name for path in tmp_path.glob(".out.*.part")])
            release(table, output, COLUMN, force=True)

    found = release(table, output, COLUMN, force=True, progress=another)
    # The two files of the living release were there, and the other release did not touch them.
    assert len(seen[0]) == 2
    assert not any("0123456789abcdef" in name for name in seen[0])
    (entry,) = read_release(found.release_file)["tables"]
    assert digest_of(output) == entry["sha256"]
    assert names(tmp_path) == [other.name, "in.parquet", "out.parquet", "out.parquet.release.json"]


def test_a_folder_that_a_killed_release_left_is_removed(table: Path, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    table.rename(tmp_path / "many" / "in.parquet")
    abandoned = tmp_path / ".out.0123456789abcdef.part"
    abandoned.mkdir()
    (abandoned / "in.parquet").write_text("half of an answer", encoding="utf-8")

    def look(rows: int) -> None:
        assert not abandoned.exists()
        assert len(list(tmp_path.glob(".out.*.part"))) == 1

    release(tmp_path / "many", tmp_path / "out", COLUMN, progress=look)
    assert names(tmp_path) == ["many", "out"]


@pytest.mark.parametrize("is_folder", [False, True])
def test_an_interruption_in_the_moment_a_name_appears_leaves_nothing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_folder: bool
) -> None:
    source, left = table, [table.name]
    if is_folder:
        source, left = tmp_path / "many", ["many"]
        source.mkdir()
        table.rename(source / table.name)
    seen: list[list[str]] = []

    def interrupted(descriptor: int) -> None:
        seen.append([path.name for path in tmp_path.glob(".out.*.part")])
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_files, "_lock", interrupted)
    monkeypatch.setattr(atomic_files, "_nameless", lambda folder: None)
    with pytest.raises(KeyboardInterrupt):
        release(source, tmp_path / ("out" if is_folder else "out.parquet"), COLUMN)
    assert len(seen[0]) == 1
    assert names(tmp_path) == left


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_command_stops_with_a_clear_exit_code_and_leaves_nothing(
    table: Path, tmp_path: Path, stop: signal.Signals
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    table.rename(many / "000.parquet")
    # So many that the release is far from done when the signal comes, however late that is.
    for number in range(1, 1000):
        os.link(many / "000.parquet", many / f"{number:03}.parquet")
    main = "import sys; from epstar.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = ["release", str(many), "--column", "x", "--categories", "a,b", "--loss", "1", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-c", main, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not list(tmp_path.glob(".out.*.part")):
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(stop)
        out, said = process.communicate(timeout=600)
    assert process.returncode == 128 + stop
    assert out == ""
    assert said == "epstar: Stopped; nothing unfinished was written.\n"
    assert names(tmp_path) == ["many"]
