"""Thousands of categories from end to end: nothing is written out, and everything is still measured and checked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.exact import Rational
from epstar.mechanism import TopRandomisedResponse
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, PublicCounts, estimate, read_release, release
from epstar.release.document import column_of
from epstar.release.report import report
from epstar.source import Prior, Source

SIZE = 3000
NAMES = [f"value {place}" for place in range(SIZE)]
COUNTS = [1 + (place * 7919) % 500 for place in range(SIZE)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    pq.write_table(pa.table({"x": np.array(NAMES)[rng.integers(0, 40, 200_000)]}), tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


@pytest.mark.parametrize(
    "source",
    [
        None,
        Prior([Rational(count, sum(COUNTS)) for count in COUNTS]),
        Source.from_counts(COUNTS, "0.95"),
        Source.from_counts(COUNTS, "0.95", "ball"),
    ],
    ids=["nothing", "prior", "box", "ball"],
)
def test_a_release_of_many_categories_is_small_complete_and_checked(table: Path, source: Source | None) -> None:
    done = release(
        table, table.parent / "out.parquet", Column("x", NAMES, source=source), notion=DifferentialPrivacy(), loss=1
    )
    document = read_release(done.release_file)
    (entry,) = document["columns"]
    assert entry["mechanism"]["kind"] == "top_randomised_response"
    assert "universe" not in entry["mechanism"]
    assert all("not_measured" not in guarantee for guarantee in entry["guarantees"])
    assert entry["least_distortion"]["upper"] - entry["least_distortion"]["lower"] < 1e-12
    # What is sampled is nearly the best, and its level is kept.
    assert entry["distortion"]["worst_case"]["upper"] - entry["least_distortion"]["upper"] < 1e-9
    assert entry["guarantees"][0]["upper"] <= 1
    mechanism = column_of(entry).mechanism
    assert isinstance(mechanism, TopRandomisedResponse)
    assert tuple(mechanism.outputs) == tuple(NAMES)
    assert done.release_file.stat().st_size < 120 * SIZE
    told = estimate(done.output, "x")
    assert told.interval == "exact"
    if len(mechanism.active) == SIZE:
        assert not told.not_estimable
        assert sum(cell.unbiased or 0 for cell in told.cells) == pytest.approx(1, abs=1e-9)
    else:
        assert len(told.not_estimable) == SIZE
        assert len(told.combinations) == len(mechanism.active)
        assert sum(part.unbiased for part in told.combinations) == pytest.approx(1, abs=1e-9)
    page = report(done.release_file).output.read_text(encoding="utf-8")
    assert "too many to draw one by one" in page
    assert "each of " in page
    assert "<svg" in page
    assert "Not measured" not in page


def test_the_command_line_with_public_counts(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["category,count", *(f"{name},{count}" for name, count in zip(NAMES, COUNTS, strict=True))]
    public = table.with_name("public.csv")
    public.write_text("\n".join(lines), encoding="utf-8")
    output = str(table.with_name("out.parquet"))
    assert PublicCounts.read(public, private=table).prior().probabilities[0] == Rational(COUNTS[0], sum(COUNTS))
    words = ["release", str(table), "--column", "x", "--counts", str(public), "--confidence", "0.95", "--loss", "2"]
    assert main([*words, "-o", output]) == 0
    assert main(["audit", f"{output}.release.json", "--claimed", "2", "--json"]) == 0
    audited = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert audited["excess"] is not None
    assert audited["guarantees"][0]["attained_at"]["inputs"]
    assert main(["estimate", output]) == 0
    shown = capsys.readouterr().out
    assert "largest of 3000 are shown" in shown
    assert "never released" in shown
    assert main(["report", f"{output}.release.json"]) == 0
