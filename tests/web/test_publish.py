"""A table released by the page: what comes back is a release that the command line takes, and nothing stays behind."""

import csv
import io
import json
import math
import os
import shlex
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput, NoSolution
from epstar.release import estimate, read_release
from epstar.web.limits import Limits
from epstar.web.tasks.publish import plan, publish
from epstar.web.worker import Context

PRIVATE = "smoker,age\n" + "".join(f"{'yes' if i % 4 else 'no'},{20 + i % 50}\n" for i in range(400))
ASKED: dict[str, Any] = {
    "table": PRIVATE,
    "name": "people.csv",
    "column": "smoker",
    "categories": ["yes", "no"],
    "loss": "ln(3)",
}


def context() -> Context:
    return Context(Limits(), time.monotonic() + 600, lambda done, total: None)


def published(**changes: Any) -> Any:
    return publish({**ASKED, **changes}, context())


def test_the_files_are_a_release_from_which_the_same_is_estimated(tmp_path: Path) -> None:
    found = published(keep=["age"])
    table = tmp_path / found["name"]
    table.write_text(found["table"], encoding="utf-8")
    release_file = tmp_path / f"{found['name']}.release.json"
    release_file.write_text(found["release"], encoding="utf-8")
    assert read_release(release_file)["passed_through"] == found["passed_through"] == ["age"]
    again = estimate(table, "smoker", method="likelihood")
    assert [cell.frequency for cell in again.cells] == [entry["frequency"] for entry in found["estimates"]]
    assert json.loads(found["release"])["per_record"]["upper"] == pytest.approx(math.log(3), abs=1e-12)
    assert found["report"].startswith("<!DOCTYPE html>")
    rows = list(csv.reader(io.StringIO(found["table"])))
    assert rows[0] == ["smoker", "age"]
    assert [row[1] for row in rows[1:]] == [line.split(",")[1] for line in PRIVATE.splitlines()[1:]]
    assert {row[0] for row in rows[1:]} == {"yes", "no"}


def test_columns_that_nobody_keeps_are_left_out() -> None:
    found = published()
    assert found["table"].splitlines()[0] == "smoker"
    assert found["sentences"][0] == "No other column was passed through; dropped: age."


def test_the_command_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = ["a b", 'say "x"', "1, 2", "=5"]
    text = io.StringIO()
    csv.writer(text).writerows([["what, now", "k"], *([value, "1"] for value in [*strange * 5, "else", ""])])
    found = published(
        table=text.getvalue(),
        name="my people.csv",
        column="what, now",
        categories=strange,
        missing="a b",
        other="=5",
        keep=["k"],
    )
    (tmp_path / "my people.csv").write_text(text.getvalue(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(found["command"])[1:]) == 0
    written = read_release(tmp_path / "my people.released.csv.release.json")
    assert written["columns"] == json.loads(found["release"])["columns"]


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_the_table_stays_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_memory_files: bool) -> None:
    """Where files can be in memory it is never written; elsewhere it is a file for as long as the release takes."""
    if not has_memory_files:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[bool] = []

    def look(done: int, total: int) -> None:
        seen.append(any(file.is_symlink() for file in tmp_path.glob("*/table.csv")))

    publish(ASKED, Context(Limits(), time.monotonic() + 600, look))
    assert set(seen) == {has_memory_files and hasattr(os, "memfd_create")}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"categories": ["yes"]}, "At least two"),
        ({"categories": ["yes", "perhaps"]}, "undeclared|not declared|not among"),
        ({"column": "colour"}, "colour"),
        ({"loss": "much"}, "not a number"),
        ({"table": ""}, "needs the table"),
        ({"keep": "age"}, "list of texts"),
        ({"missing": "unknown"}, "not among the categories"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence) as refused:
        published(**changes)
    assert str(refused.value).endswith(".")


def test_a_plan_gives_the_loss_or_the_precision() -> None:
    by_precision: Any = plan({"categories": 4, "rows": 1000, "within": "0.1"}, context())
    assert by_precision["least_loss"] < by_precision["loss"] < 1.01
    by_loss: Any = plan({"categories": 4, "rows": 1000, "loss": repr(by_precision["loss"])}, context())
    assert by_loss["half_width"] == pytest.approx(0.1)
    assert by_loss["guess"] == pytest.approx(0.7324, abs=1e-3)
    with pytest.raises(NoSolution, match="no loss is enough"):
        plan({"categories": 4, "rows": 10, "within": "0.01"}, context())
    for wrong in ({"rows": 10, "loss": "1"}, {"categories": 2, "rows": 10}, {"categories": 2, "rows": 0, "loss": "1"}):
        with pytest.raises(InvalidInput):
            plan(wrong, context())


def test_a_secret_that_the_column_hints_at_is_protected_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = {"name": "income", "values": ["low", "high"], "counts": [["30", "10"], ["20", "40"]]}
    found = published(loss="1/2", secret=secret)
    document = json.loads(found["release"])
    assert document["per_secret"][0] | {"why": ""} == {
        "name": "income",
        "notion": "differential_privacy",
        "why": "",
        "unit": "nats",
        "upper": document["per_secret"][0]["upper"],
    }
    assert document["per_secret"][0]["upper"] <= 0.5
    assert any(
        sentence.startswith("income is protected, and not the released values") for sentence in found["sentences"]
    )
    assert "What is promised about" in found["report"]
    # The command does the same.
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PRIVATE, encoding="utf-8")
    assert main(shlex.split(found["command"])[1:]) == 0
    capsys.readouterr()
    again = read_release(f"{found['name']}.release.json")
    assert again["columns"][0]["mechanism"] == document["columns"][0]["mechanism"]
    for wrong in (
        {**secret, "name": ""},
        {**secret, "values": ["low"]},
        {**secret, "counts": [["30", "10"]]},
        {**secret, "counts": [["30", "x"], ["20", "40"]]},
        {**secret, "counts": [["30", "10"], ["30", "10"]]},
        {**secret, "more": 1},
        "income",
    ):
        with pytest.raises(InvalidInput):
            published(secret=wrong)
    with pytest.raises(InvalidInput, match="what should stay secret"):
        published(secret={**secret, "name": "age"}, keep=["age"])
