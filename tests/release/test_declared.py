"""Every category can be declared, and a release says what it does with everything else."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.cli.options import words
from epstar.errors import InvalidInput
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, PublicCounts, read_release, release
from epstar.release.report.summary import summary
from epstar.universe import Alphabet

STRANGE = [" x ", "two\nlines", "a, b", 'say "no"', "@here", "c=d", "\u2028", "tab\t"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(Path("in.csv"), ["a=b", "a", "k"], [[label, "u", "1"] for label in STRANGE])
    return tmp_path


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows([header, *rows])


def quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"'


def run(*arguments: str) -> dict[str, Any]:
    assert main(["release", *arguments, "--loss", "1", "--json"]) == 0
    return read_release("out.csv.release.json")


def labels_of(document: dict[str, Any]) -> list[object]:
    return list(document["columns"][0]["categories"][0]["labels"])


def test_strange_categories_are_declared_on_the_command_line(folder: Path) -> None:
    listed = ",".join(map(quoted, STRANGE))
    assert labels_of(run("in.csv", "--column", "a=b", "--categories", listed, "-o", "out.csv")) == STRANGE


def test_a_column_whose_name_holds_the_sign_is_named(folder: Path) -> None:
    listed = ",".join(map(quoted, STRANGE))
    columns = ["--column", "a=b,a", "--categories", f"a=b={listed}", "--categories", "a=u,v"]
    document = run("in.csv", *columns, "-o", "out.csv")
    assert [entry["categories"][0]["labels"] for entry in document["columns"]] == [STRANGE, ["u", "v"]]


def test_strange_categories_are_declared_in_a_file(folder: Path) -> None:
    (folder / "labels.txt").write_text("\n".join(map(quoted, STRANGE)), encoding="utf-8")
    assert labels_of(run("in.csv", "--column", "a=b", "--categories", "@labels.txt", "-o", "out.csv")) == STRANGE
    # Without quotation marks spaces at the ends do not count, and everything else does.
    (folder / "plain.txt").write_text(' flu \r\n\n\ncold, dry\rsay "no"\n', encoding="utf-8", newline="")
    assert Categories.read("plain.txt").labels == ("flu", "cold, dry", 'say "no"')


def test_strange_categories_are_declared_by_public_counts(folder: Path) -> None:
    write(folder / "counts.csv", ["label", "count"], [[label, "3"] for label in STRANGE])
    assert PublicCounts.read("counts.csv", private=None).labels == tuple(STRANGE)
    assert labels_of(run("in.csv", "--column", "a=b", "--counts", "counts.csv", "-o", "out.csv")) == STRANGE


def test_strange_categories_are_declared_in_a_job(folder: Path) -> None:
    job = {"table": "in.csv", "column": ["a=b"], "categories": {"a=b": STRANGE}, "output": "out.csv", "keep": ["k"]}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    document = run("job.json")
    assert labels_of(document) == STRANGE
    assert document["passed_through"] == ["k"]


def test_words_are_read_as_they_are_written() -> None:
    assert words('a, "b, c" ,"" , " d ","e ""f"""') == ["a", "b, c", "", " d ", 'e "f"']
    assert words("") == [""]
    assert words('5" pipe') == ['5" pipe']
    for wrong in ('"a', '"a" b', 'a,"'):
        with pytest.raises(InvalidInput, match="no partner"):
            words(wrong)


@pytest.mark.parametrize("keep", [["--keep", "a,k"], ["--keep", "a", "--keep", "k"], ["--keep-others"]])
def test_other_columns_pass_only_if_they_are_named(
    keep: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = ["release", "in.csv", "--column", "a=b", "--categories", ",".join(map(quoted, STRANGE)), "--loss", "1"]
    assert main([*declared, "-o", "none.csv"]) == 0
    assert "No other column was passed through; dropped: a, k." in capsys.readouterr().out
    assert read_release("none.csv.release.json")["passed_through"] == []
    assert main([*declared, "-o", "some.csv", *keep]) == 0
    assert "Passed through unprotected, as they were: a, k." in capsys.readouterr().out
    assert read_release("some.csv.release.json")["passed_through"] == ["a", "k"]


def test_nan_is_a_missing_number(tmp_path: Path) -> None:
    numbers = pa.array([1.0, float("nan"), None, 2.0], from_pandas=False)
    for kind, array in (("plain", numbers), ("dictionary", numbers.dictionary_encode())):
        pq.write_table(pa.table({"x": array}), tmp_path / f"{kind}.parquet")
        column = Column("x", Categories([1.0, 2.0, -1.0], missing=-1.0), notion=DifferentialPrivacy(), loss=1)
        assert release(tmp_path / f"{kind}.parquet", tmp_path / f"out-{kind}.parquet", column).rows == 4
        silent = Column("x", [1.0, 2.0], notion=DifferentialPrivacy(), loss=1)
        with pytest.raises(InvalidInput, match="missing value"):
            release(tmp_path / f"{kind}.parquet", tmp_path / "no.parquet", silent)


@pytest.mark.parametrize(
    ("loss", "size", "is_warned"),
    [("4.5", 2, False), ("4.65", 2, True), ("inf", 2, True), ("1e400", 3, True), ("50", 2, True), ("5", 1000, False)],
)
def test_a_loss_that_protects_nothing_is_told(
    loss: str, size: int, is_warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("x\nv0\nv1\n", encoding="utf-8")
    labels = ",".join(f"v{number}" for number in range(size))
    given = ["release", str(tmp_path / "in.csv"), "--column", "x", "--categories", labels]
    assert main([*given, "--loss", loss, "-o", str(tmp_path / "out.csv")]) == 0
    said = capsys.readouterr().out
    assert ("Warning: x is hardly protected." in said) == is_warned
    assert "Each record loses at most" in said or "gives no limit" in said


def test_several_columns_add_up_and_each_says_how_much_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("x,y,z\na,c,1\nb,d,2\n", encoding="utf-8")
    given = ["release", str(tmp_path / "in.csv"), "--column", "x,y", "--categories", "x=a,b", "--categories", "y=c,d"]
    assert main([*given, "--loss", "log(3)", "-o", str(tmp_path / "out.csv")]) == 0
    said = capsys.readouterr().out
    # Twice log 3 is log 9: nine to one, rounded up.
    assert "Each record loses at most 2.19723 nats of differential privacy in total" in said
    assert "with probability at most 90.1 % afterwards, instead of 50 %" in said
    assert "x: about 25 % of the values are expected to change." in said
    assert "y: about 25 % of the values are expected to change." in said


def test_a_share_that_depends_on_the_value_is_told_as_a_range(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x\na\nb\n", encoding="utf-8")
    uneven = Mechanism([["9/10", "1/10"], ["2/5", "3/5"]], Alphabet(["a", "b"]), ["a", "b"])
    told = summary(release(tmp_path / "in.csv", tmp_path / "out.csv", Column("x", mechanism=uneven)))
    range_of = told.sentences()[2]
    assert range_of == "x: 10 % to 40 % of the values are expected to change, depending on the value."
    merged = Mechanism([["1/2", "1/2"], ["1/3", "2/3"]], Alphabet(["a", "b"]), ["c", "d"])
    other = summary(release(tmp_path / "in.csv", tmp_path / "other.csv", Column("x", mechanism=merged)))
    assert "groups of categories" in other.sentences()[2]
    assert other.changes[0].most is None
