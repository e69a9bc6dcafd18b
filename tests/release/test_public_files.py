"""A public file is never the private table: its frequencies would stand in the file that is handed on."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, PublicCounts, public_counts, release

TABLE = "x,n\n" + "a,1\n" * 5 + "b,2\n" * 3


def made(private: Path, make: Callable[[Path], object]) -> Path:
    new = private.parent.parent / "public.csv"
    make(new)
    return new


def folder_with(private: Path) -> Path:
    new = private.parent.parent / "public"
    new.mkdir()
    (new / "1.csv").write_text("x,n\nb,2\n", encoding="utf-8")
    shutil.copyfile(private, new / "2.csv")
    return new


SAME: dict[str, Callable[[Path], Path]] = {
    "itself": lambda private: private,
    "by another path": lambda private: private.parent / ".." / private.parent.name / private.name,
    "a link": lambda private: made(private, lambda new: new.symlink_to(private)),
    "a hard link": lambda private: made(private, lambda new: os.link(private, new)),
    "a copy": lambda private: made(private, lambda new: shutil.copyfile(private, new)),
    "a folder with a copy": folder_with,
    "its own folder": lambda private: private.parent,
}


@pytest.fixture
def private(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "private.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path / "in" / "private.csv"


@pytest.mark.parametrize("how", SAME)
@pytest.mark.parametrize("is_folder", [False, True])
def test_the_private_table_is_not_its_own_public_table(
    how: str, is_folder: bool, private: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    public = SAME[how](private)
    given = private.parent if is_folder else private
    words = ["release", str(given), "--column", "x", "--categories", "a,b", "--loss", "1"]
    output = tmp_path / ("out" if is_folder else "out.csv")
    assert main([*words, "--public", str(public), "-o", str(output)]) == 2
    assert "not public" in capsys.readouterr().err
    assert not output.exists()
    with pytest.raises(InvalidInput, match="not public"):
        public_counts(public, "x", Categories(["a", "b"]), private=given)


@pytest.mark.parametrize("how", [how for how in SAME if "folder" not in how])
def test_nor_are_its_counts_or_its_categories_taken_from_it(
    how: str, private: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    public = SAME[how](private)
    words = ["release", str(private), "--column", "x", "--loss", "1", "-o", str(tmp_path / "out.csv")]
    for declared in (
        ["--counts", str(public)],
        ["--categories", f"@{public}"],
        ["--categories", "a,b", "--prior", f"@{public}"],
    ):
        assert main([*words, *declared]) == 2
        assert "not public" in capsys.readouterr().err
    with pytest.raises(InvalidInput, match="not public"):
        PublicCounts.read(public, private=private)
    with pytest.raises(InvalidInput, match="not public"):
        Categories.read(public, private=private)


def test_other_files_are_public_also_in_the_same_folder_and_of_the_same_length(private: Path, tmp_path: Path) -> None:
    public = private.with_name("public.csv")
    public.write_text("x,n\n" + "b,1\n" * 5 + "a,2\n" * 3, encoding="utf-8")
    assert public.stat().st_size == private.stat().st_size
    counts = public_counts(public, "x", Categories(["a", "b"]), private=private)
    assert counts.counts == (3, 5)
    column = Column("x", ["a", "b"], source=counts.prior())
    found = release(private, tmp_path / "out.csv", column, notion=DifferentialPrivacy(), loss=1)
    assert found.document["columns"][0]["source"] == {"prior": ["3/8", "5/8"]}


def test_marks_that_programs_leave_in_folders_are_no_tables(private: Path, tmp_path: Path) -> None:
    public = tmp_path / "public"
    public.mkdir()
    (public / "1.csv").write_text("x,n\nb,2\na,1\n", encoding="utf-8")
    for folder in (public, private.parent):
        (folder / "_SUCCESS").touch()
    assert public_counts(public, "x", Categories(["a", "b"]), private=private.parent).counts == (1, 1)
