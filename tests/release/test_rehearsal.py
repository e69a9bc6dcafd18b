"""A dry run: the owner learns what would happen and where values do not fit, and nothing gets out."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from epstar.cli.main import main
from epstar.notions import DifferentialPrivacy
from epstar.release import Bins, Categories, Column, rehearse
from epstar.schema import schema

PLAIN = ["--column", "x", "--categories", "a,b", "--loss", "1", "-o", "out.csv", "--dry-run"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x,age,town\na,5,n\ncanary,7,s\n,x,n\nb,200,n\n")
    return tmp_path


def test_it_says_where_values_do_not_fit_and_what_they_are_to_nobody(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", "in.csv", *PLAIN, "--keep", "town", "--bad-rows", "bad.csv"]) == 2
    shown = capsys.readouterr().out
    assert "4 rows would be released to out.csv; nothing was written" in shown
    assert "2 values have no category" in shown
    assert "Passed through unprotected, as they were: town; dropped: age." in shown
    assert Path("bad.csv").read_text() == 'file,row,column\nin.csv,2,"x"\nin.csv,3,"x"\n'
    assert stat.S_IMODE(Path("bad.csv").stat().st_mode) == 0o600
    assert "canary" not in shown + Path("bad.csv").read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["bad.csv", "in.csv"]
    fits = [*PLAIN, "--missing", "a", "--other", "b"]
    assert main(["release", "in.csv", *fits, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema("rehearsal")).validate(document)
    assert document["without_category"] == 0
    assert sorted(path.name for path in folder.iterdir()) == ["bad.csv", "in.csv"]


def test_numbers_dictionaries_folders_and_ledgers(folder: Path) -> None:
    ages = Column("age", Categories.of_numbers(Bins([0, 100])), notion=DifferentialPrivacy(), loss=1)
    assert rehearse("in.csv", "out.csv", ages).bad == 2
    Path("parts").mkdir()
    values = pa.array(["a", "b", None, "c"] * 5).dictionary_encode()
    pq.write_table(pa.table({"x": values}), "parts/1.parquet")
    pq.write_table(pa.table({"x": ["c", "a"]}), "parts/2.parquet")
    column = Column("x", ["a", "b"], notion=DifferentialPrivacy(), loss=1)
    found = rehearse("parts", "out", column, bad_rows="bad.csv", ledger="book", budget=2)
    assert (found.bad, found.release.rows) == (11, 22)
    assert Path("bad.csv").read_text().splitlines()[-2:] == ['1.parquet,20,"x"', '2.parquet,1,"x"']
    assert not Path("out").exists()
    assert not Path("book").exists()


def test_what_a_dry_run_cannot_do_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (
        ["--bad-rows", "in.csv"],
        ["--bad-rows", "nowhere/bad.csv"],
        ["--key", "k", "--identifier", "town"],
        ["--plot", "x.svg"],
        ["--ledger", "book", "--budget", "1/2"],
    ):
        assert main(["release", "in.csv", *PLAIN, *options]) == 2, options
        assert capsys.readouterr().err.count("\n") == 1, options
    assert main(["release", "in.csv", *PLAIN[:-1], "--bad-rows", "bad.csv"]) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv"]
