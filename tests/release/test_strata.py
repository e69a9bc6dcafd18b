"""A mechanism for each public stratum: the best for its frequencies, with the loss kept among neighbours."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epstar.cli.main import main
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.release import estimate, estimate_by, read_release, release, stratified
from epstar.release.document import column_of
from epstar.release.report import report
from epstar.source import Prior, Source

CERTAIN = "0.999999999999"
TOWNS, VALUES = ["n", "s"], ["a", "b", "c"]
LAWS = {"n": [0.7, 0.2, 0.1], "s": [0.2, 0.3, 0.5]}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    town = rng.choice(TOWNS, 30_000)
    x = np.where(town == "n", rng.choice(VALUES, 30_000, p=LAWS["n"]), rng.choice(VALUES, 30_000, p=LAWS["s"]))
    rows = [f"{one},{two}" for one, two in zip(town, x, strict=True)]
    Path("in.csv").write_text("\n".join(["town,x", *rows]) + "\n")
    Path("public.csv").write_text(
        "town,x\n" + "n,a\n" * 7 + "n,b\n" * 2 + "n,c\n" + "s,a\n" * 2 + "s,b\n" * 3 + "s,c\n" * 5
    )
    return {"town": town, "x": x}


def test_each_stratum_has_the_best_mechanism_of_its_frequencies(table: dict[str, np.ndarray]) -> None:
    sources: dict[str | int | float | bool, Source] = {
        "n": Prior(["7/10", "2/10", "1/10"]),
        "s": Prior(["1/5", "3/10", "1/2"]),
    }
    column = stratified("town", TOWNS, "x", VALUES, sources, loss=3)
    done = release("in.csv", "out.csv", column)
    entry = read_release(done.release_file)["columns"][0]
    mechanism = column_of(entry).mechanism
    assert isinstance(mechanism, Mechanism)
    assert float(DifferentialPrivacy().loss(mechanism).value) <= 3
    assert done.document["passed_through"] == ["town"]
    assert done.document["per_record"]["upper"] <= 3
    rows = [line.split(",") for line in done.output.read_text().splitlines()[1:]]
    assert [row[0] for row in rows] == table["town"].tolist()
    for town, part in zip(TOWNS, estimate_by(done.output, "x", "town", confidence=CERTAIN), strict=True):
        for cell in part.cells:
            if cell.lower is not None and cell.upper is not None:
                truth = (table["x"][table["town"] == town] == cell.labels[0]).mean()
                assert cell.lower <= truth <= cell.upper
    both = estimate(done.output, ["town", "x"], confidence=CERTAIN)
    told = [cell for cell in both.cells if cell.lower is not None and cell.upper is not None]
    assert told
    for cell in told:
        truth = ((table["town"] == cell.labels[0]) & (table["x"] == cell.labels[1])).mean()
        assert (cell.lower or 0) <= truth <= (cell.upper or 1)


def test_the_command_line_and_what_it_refuses(table: dict[str, np.ndarray], capsys: pytest.CaptureFixture[str]) -> None:
    plain = ["--column", "x", "--categories", "x=a,b,c"]
    towns, public = ["--stratum", "town", "--categories", "town=n,s"], ["--public", "public.csv"]
    assert main(["release", "in.csv", *plain, *towns, *public, "--loss", "3", "-o", "out.csv", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["passed_through"] == ["town"]
    assert main(["release", "in.csv", *plain, *towns, *public, "--loss", "3", "-o", "said.csv"]) == 0
    assert "odds between two values of the record with the same town by" in capsys.readouterr().out.replace("\n", " ")
    page = report(Path("said.csv.release.json")).output.read_text(encoding="utf-8")
    assert "the value of <bdi>x</bdi> was replaced" in page
    assert "among rows with the same <bdi>town</bdi>, by a factor" in page
    # At this loss the best mechanisms never name some categories.
    for extra, told in (([], False), (["--every-category"], True)):
        assert main(["release", "in.csv", *plain, *towns, *public, "--loss", "1", *extra, "-o", f"{told}.csv"]) == 0
        capsys.readouterr()
        parts = estimate_by(Path(f"{told}.csv"), "x", "town", confidence=CERTAIN)
        assert all(not part.not_estimable for part in parts) is told
    for bad in (
        [*plain, *towns, "--loss", "1"],
        [*plain, *towns, *public],
        [*plain, "--stratum", "town", *public, "--loss", "1"],
        [*plain, "--stratum", "x", *public, "--loss", "1"],
        [*plain, *towns, "--public", "in.csv", "--loss", "1"],
        [*plain, *towns, *public, "--loss", "1", "--notion", "leakage"],
        [*plain, *towns, *public, "--loss", "1", "--cost", "absolute"],
        [*plain, *towns, *public, "--loss", "1", "--invariant"],
        [*plain, *towns, *public, "--total-loss", "1"],
        [*plain, *towns, *public, "--loss", "1", "--keep", "town"],
    ):
        assert main(["release", "in.csv", *bad, "-o", "no.csv"]) == 2, bad
        assert capsys.readouterr().err.count("\n") == 1, bad
        assert not Path("no.csv").exists()
