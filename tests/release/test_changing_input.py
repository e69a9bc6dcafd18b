"""A private table that changes while it is read is not released: half of it and half of another is neither."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.errors import InvalidInput
from epstar.mechanism import randomised_response
from epstar.release import Categories, Column, public_counts, release
from epstar.release.table import Table
from epstar.universe import Alphabet

COLUMN = Column("x", mechanism=randomised_response(Alphabet(["a", "b"]), 1))
# Blocks of text are read two ahead of the rows that are written: the file must be longer than that.
ROWS = 12_000_000


def truncate(path: Path) -> None:
    os.truncate(path, 0)


def append(path: Path) -> None:
    with path.open("ab") as handle:
        handle.write(b"a\n" * 1000)


def rewrite(path: Path) -> None:
    """Write other rows over some, of the same length, and give the file its old time back."""
    before = path.stat()
    with path.open("r+b") as handle:
        handle.seek(-4, os.SEEK_END)
        handle.write(b"b\nb\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"x\na\n")
    other.replace(path)


def touch(path: Path) -> None:
    time.sleep(0.02)
    path.touch()


def remove(path: Path) -> None:
    path.unlink()


CHANGES: list[Callable[[Path], None]] = [truncate, append, rewrite, replace, touch, remove]


def made(folder: Path, ending: str) -> Path:
    path = folder / f"in.{ending}"
    if ending == "csv":
        path.write_bytes(b"x\n" + b"a\nb\n" * (ROWS // 2))
    else:
        pq.write_table(pa.table({"x": ["a", "b"] * (ROWS // 2)}), path, row_group_size=100_000)
    # The clock of a file system may be slower than this program.
    time.sleep(0.02)
    return path


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("in.csv", "in.parquet"))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_change_while_rows_are_read(change: Callable[[Path], None], ending: str, tmp_path: Path) -> None:
    path = made(tmp_path, ending)
    done: list[int] = []

    def progress(rows: int) -> None:
        if not done:
            change(path)
        done.append(rows)

    # A Parquet file that lost its end may not be readable at all.
    with pytest.raises(InvalidInput, match=r"changed while it was read|cannot be read as"):
        release(path, tmp_path / "out.csv", COLUMN, progress=progress)
    assert done
    assert left(tmp_path) == []


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_between_the_header_and_the_rows(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path, "csv")
    schema = Table.schema

    def then_changed(self: Table) -> object:
        found = schema(self)
        change(self.path)
        return found

    monkeypatch.setattr(Table, "schema", then_changed)
    with pytest.raises(InvalidInput, match=r"changed while it was read|cannot be read as"):
        release(path, tmp_path / "out.csv", COLUMN)
    assert left(tmp_path) == []


def test_a_folder_that_changes(tmp_path: Path) -> None:
    given = tmp_path / "many"
    given.mkdir()
    for number in range(3):
        (given / f"{number}.csv").write_text("x\na\nb\n", encoding="utf-8")

    def another(rows: int) -> None:
        (given / "9.csv").write_text("x\na\n", encoding="utf-8")

    def fewer(rows: int) -> None:
        (given / "0.csv").unlink(missing_ok=True)

    def later(rows: int) -> None:
        (given / "2.csv").write_text("x\na\n", encoding="utf-8")

    for change in (later, another, fewer):
        with pytest.raises(InvalidInput, match="changed while it was read"):
            release(given, tmp_path / "out", COLUMN, progress=change)
        assert left(tmp_path) == ["many"]
    assert release(given, tmp_path / "out", COLUMN).rows == 4


def test_a_public_table_that_changes_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, "csv")
    schema = Table.schema

    def then_changed(self: Table) -> object:
        found = schema(self)
        append(self.path)
        return found

    monkeypatch.setattr(Table, "schema", then_changed)
    with pytest.raises(InvalidInput, match="changed while it was read"):
        public_counts(path, "x", Categories(["a", "b"]), private=None)


def test_reading_does_not_count_as_a_change(tmp_path: Path) -> None:
    path = made(tmp_path, "csv")
    assert release(path, tmp_path / "out.csv", COLUMN, progress=lambda rows: path.open("rb").close()).rows == ROWS
