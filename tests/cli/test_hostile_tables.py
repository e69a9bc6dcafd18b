"""Hostile calls of the commands about tables: one sentence, exit code 2, and nothing is written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.release.document import sealed

PLAIN = ["release", "data.csv", "--column", "x", "--categories", "a,b", "--loss", "1"]
JOB = {"table": "data.csv", "column": "x", "categories": "a,b", "loss": 1, "output": "new.csv"}
NOT_TEXT = os.fsdecode(b"caf\xe9")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a private table, what was released of it, and files that are no help."""
    place = tmp_path_factory.mktemp("hostile")
    (place / "data.csv").write_text("x,y,z\na,1,u\nb,2,v\na,3,u\n", encoding="utf-8")
    (place / "digits.csv").write_text(f"x,count\na,{'9' * 5000}\nb,1\n", encoding="utf-8")
    (place / "quote.csv").write_text('x,count\n"a,1\n', encoding="utf-8")
    (place / "latin.txt").write_bytes(b"a\ncaf\xe9\n")
    (place / "nul.json").write_text("{\0}", encoding="utf-8")
    (place / "folder.csv").mkdir()
    (place / "empty").mkdir()
    (place / "loop.csv").symlink_to("loop.csv")
    array = pa.array([b"a", b"caf\xe9"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"x": ["a", "b"], "t": array}), place / "latin.parquet")
    words = ["release", "latin.parquet", "--column", "x", "--categories", "a,b", "--loss", "1", "--keep", "t"]
    before = Path.cwd()
    os.chdir(place)
    try:
        with redirect_stdout(StringIO()):
            assert main([*PLAIN, "--keep", "y", "-o", "out.csv"]) == 0
            assert main([*words, "-o", "out.parquet"]) == 0
    finally:
        os.chdir(before)
    return place


@pytest.fixture
def folder(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(prepared)
    return prepared


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of a call that must be refused."""
    capsys.readouterr()
    try:
        code: object = main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("epstar: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


RELEASES: dict[str, list[str]] = {
    "a count of 5,000 digits": ["--counts", "digits.csv", "-o", "new.csv"],
    "counts with a quotation mark too many": ["--counts", "quote.csv", "-o", "new.csv"],
    "counts that are a folder": ["--counts", "empty", "-o", "new.csv"],
    "an output of 300 bytes": ["-o", "n" * 296 + ".csv"],
    "an output of 250 bytes": ["-o", "n" * 246 + ".csv"],
    "an output in a path of 5,000 bytes": ["-o", "n/" * 2500 + "n.csv"],
    "an output that is no UTF-8": ["-o", f"{NOT_TEXT}.csv"],
    "a category that is no UTF-8": ["--categories", NOT_TEXT, "-o", "new.csv"],
    "an output without a name": ["-o", ""],
    "the root as output": ["-o", "/"],
    "the folder as output": ["-o", "."],
    "a folder as output": ["-o", "folder.csv"],
    "a file as the folder of the output": ["-o", "data.csv/new.csv"],
    "a loop as output": ["-o", "loop.csv/new.csv"],
    "an output of no format": ["-o", "new.txt"],
    "a picture in no folder": ["-o", "new.csv", "--plot", "nowhere/new.svg"],
    "a picture that is a folder": ["-o", "new.csv", "--plot", "empty/../empty"],
    "a picture of 300 bytes": ["-o", "new.csv", "--plot", "n" * 300 + ".svg"],
    "categories in a folder": ["--categories", "@empty", "-o", "new.csv"],
    "categories that are no UTF-8": ["--categories", "@latin.txt", "-o", "new.csv"],
    "categories in a file of 300 bytes": ["--categories", "@" + "n" * 300, "-o", "new.csv"],
    "half a pair of quotation marks": ["--categories", '"a,b', "-o", "new.csv"],
    "a public table of 300 bytes": ["--public", "n" * 300 + ".csv", "-o", "new.csv"],
    "a public folder without tables": ["--public", "empty", "-o", "new.csv"],
    "a law that is a folder": ["--prior", "@empty", "-o", "new.csv"],
    "a law that is no JSON": ["--prior", "@nul.json", "-o", "new.csv"],
    "two labels for missing values": ["--missing", "a", "--missing", "b", "-o", "new.csv"],
    "two losses": ["--loss", "2", "-o", "new.csv"],
    "a loss that is no number": ["-o", "new.csv", "--delta", "x", "--notion", "approximate"],
    "a column twice": ["--column", "x", "-o", "new.csv"],
    "a column that is kept and released": ["--keep", "x", "-o", "new.csv"],
    "columns kept by name and all": ["--keep", "y", "--keep-others", "-o", "new.csv"],
    "a switch that is gone": ["--drop-others", "-o", "new.csv"],
    "differences of words": ["--cost", "absolute", "-o", "new.csv"],
    "positions of a cost without an order": ["--cost", "hamming", "--by-position", "-o", "new.csv"],
    "a confidence above one": ["--counts", "data.csv", "--confidence", "2", "-o", "new.csv"],
}


@pytest.mark.parametrize("case", RELEASES)
def test_a_release_is_refused(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    refused([*PLAIN, *RELEASES[case]], capsys)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "table", ["n" * 300 + ".csv", f"{NOT_TEXT}.csv", "empty", "loop.csv", "/", "", "folder.csv", "-"]
)
def test_a_table_is_refused(
    table: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["release", table, *PLAIN[2:], "-o", "new.csv"], ["estimate", table]):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO()))
        refused(words, capsys)


JOBS: dict[str, dict[str, Any]] = {
    "an output that is true": {"output": True},
    "an output that is a list": {"output": ["new.csv"]},
    "an output with a zero byte": {"output": "n\0.csv"},
    "an output with half a character": {"output": "n\udc80.csv"},
    "a loss that is a list": {"loss": [1, 2]},
    "a loss of another column": {"loss": {"y": 1}},
    "a loss that is an object of lists": {"loss": {"x": {}}},
    "a loss that is nothing": {"loss": None},
    "a switch that is a word": {"force": "no"},
    "a switch that is a number": {"force": 0},
    "a switch that is a list": {"keep_others": []},
    "a column that is a number in a list in a list": {"column": [["x"]]},
    "a column that is true": {"column": True},
    "categories that are true": {"categories": True},
    "categories of a column that is not released": {"categories": {"x": ["a", "b"], "other": ["c"]}},
    "categories in an object in an object": {"categories": {"x": {"a": 1}}},
    "a category that is nothing": {"categories": {"x": ["a", None]}},
    "a category with half a character": {"categories": {"x": ["a", "\udc80"]}},
    "a cost that is not known": {"cost": "cubic"},
    "a notion that is a number": {"notion": 5},
    "a table that is a list": {"table": ["data.csv"]},
    "a table with a zero byte": {"table": "d\0.csv"},
    "an entry that is not known": {"loses": 1},
    "the switch that is gone": {"drop_others": True},
}


@pytest.mark.parametrize("case", JOBS)
def test_a_job_is_refused(case: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    (tmp_path / "job.json").write_text(json.dumps({**JOB, **JOBS[case]}), encoding="utf-8")
    refused(["release", str(tmp_path / "job.json")], capsys)
    assert sorted(folder.iterdir()) == before


def first_column(change: dict[str, Any]) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["columns"][0].update(change)


DOCUMENTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no tables": lambda document: document.update(tables=None),
    "an empty list of tables": lambda document: document.update(tables=[]),
    "a table that is a number": lambda document: document.update(tables=[5]),
    "a table without a name": lambda document: document["tables"][0].pop("name"),
    "a table elsewhere": lambda document: document["tables"][0].update(name="../out.csv"),
    "a table with a name that is a number": lambda document: document["tables"][0].update(name=5),
    "a digest that is a number": lambda document: document["tables"][0].update(sha256=5),
    "rows that are true": lambda document: document["tables"][0].update(rows=True),
    "no columns": lambda document: document.update(columns=None),
    "an empty list of columns": lambda document: document.update(columns=[]),
    "a column that is a list": lambda document: document.update(columns=[[]]),
    "other columns that are a number": lambda document: document.update(passed_through=5),
    "other columns that are numbers": lambda document: document.update(passed_through=[5]),
    "a total that is missing": lambda document: document.update(per_record={}),
    "a total that is a word": lambda document: document.update(per_record={"upper": "much"}),
    "no randomness": lambda document: document.update(randomness=None),
    "names that are a number": first_column({"names": 5}),
    "categories that are a number": first_column({"categories": 5}),
    "categories that are words": first_column({"categories": ["a", "b"]}),
    "a mechanism that is a list": first_column({"mechanism": []}),
    "a mechanism of an unknown kind": first_column({"mechanism": {"kind": "magic"}}),
    "tickets that are words": lambda document: document["columns"][0]["mechanism"].update(tickets="many"),
    "tickets that are none": lambda document: document["columns"][0]["mechanism"].update(tickets=[]),
    "bits that are a list": lambda document: document["columns"][0]["mechanism"].update(bits=[16]),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_release_file_is_refused_by_whoever_reads_it(
    case: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((folder / "out.csv.release.json").read_text(encoding="utf-8"))
    DOCUMENTS[case](document)
    file = tmp_path / "altered.json"
    file.write_text(json.dumps(sealed(document)), encoding="utf-8")
    refused(["estimate", "out.csv", "--release", str(file)], capsys)
    # A keyed release that is evaluated elsewhere lists no tables, and has a mechanism all the same.
    if case != "an empty list of tables":
        refused(["audit", str(file)], capsys)
        refused(["report", str(file), "-o", str(tmp_path / "page.html")], capsys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["altered.json"]


OTHERS: dict[str, list[str]] = {
    "a report on a folder": ["report", "."],
    "a report on the root": ["report", "/"],
    "a report on nothing": ["report", ""],
    "a report on a table": ["report", "data.csv"],
    "a report on a name of 300 bytes": ["report", "n" * 300],
    "a report of 300 bytes": ["report", "out.csv.release.json", "-o", "n" * 300],
    "a report into the folder": ["report", "out.csv.release.json", "-o", "."],
    "a report on no UTF-8": ["report", NOT_TEXT],
    "an estimate of text that is no UTF-8": ["estimate", "out.parquet", "--column", "x,t"],
    "an estimate of a column that is not there": ["estimate", "out.csv", "--column", "nowhere"],
    "an estimate of a column twice": ["estimate", "out.csv", "--column", "x,x"],
    "an estimate by no release file": ["estimate", "out.csv", "--release", "."],
    "an estimate by a private table": ["estimate", "out.csv", "--release", "data.csv"],
    "an estimate by the file of another table": ["estimate", "out.csv", "--release", "out.parquet.release.json"],
    "an estimate of a folder by the file of a table": ["estimate", "empty", "--release", "out.csv.release.json"],
    "an estimate with a confidence that is no number": ["estimate", "out.csv", "--confidence", "sure"],
    "an estimate with a confidence of one": ["estimate", "out.csv", "--confidence", "1"],
    "an estimate by an unknown method": ["estimate", "out.csv", "--method", "magic"],
    "an audit of a folder": ["audit", "."],
    "an audit of a name of 300 bytes": ["audit", "n" * 300 + ".csv"],
    "an audit of a table": ["audit", "data.csv"],
    "an audit of a Parquet table": ["audit", "latin.parquet"],
    "an audit of text that is no UTF-8": ["audit", "latin.txt"],
    "an audit of a column that is not there": ["audit", "out.csv.release.json", "--column", "nowhere"],
    "an audit with a law that is a folder": ["audit", "out.csv.release.json", "--source", "empty"],
    "an audit with a law of another size": ["audit", "out.csv.release.json", "--prior", "1/3,1/3,1/3"],
    "an audit with a claim that is no number": ["audit", "out.csv.release.json", "--claimed", "little"],
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_report_an_estimate_or_an_audit_is_refused(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    refused(OTHERS[case], capsys)
    assert sorted(folder.iterdir()) == before


def test_a_job_of_an_estimate_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs: list[dict[str, object]] = [
        {"method": "magic"},
        {"method": True},
        {"column": 5.5},
        {"release": ["a"]},
        {"confidence": {}},
    ]
    for wrong in jobs:
        (tmp_path / "job.json").write_text(json.dumps({"table": "out.csv", **wrong}), encoding="utf-8")
        refused(["estimate", str(tmp_path / "job.json")], capsys)


def test_options_are_named_as_they_are_typed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`--force`" in refused([*PLAIN, "-o", "out.csv"], capsys)
    assert "`--other`" in refused([*PLAIN[:5], "a", "--loss", "1", "-o", "new.csv"], capsys)
    assert "`--by-position`" in refused([*PLAIN, "--cost", "squared", "-o", "new.csv"], capsys)
    kept = ["--keep", "y", "--keep-others", "-o", "new.csv"]
    assert "`--keep` or `--keep-others`" in refused([*PLAIN, *kept], capsys)
