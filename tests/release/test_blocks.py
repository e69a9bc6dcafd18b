"""Block designs from table to estimate: the law that is sampled, sums along lines against the matrix, and files."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from epstar.cli.main import main
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.mechanism import BlockDesign, read_mechanism
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, estimate, plan, release
from epstar.release.estimators import BlockEstimators
from epstar.statistic import Statistic
from epstar.statistics import error_at
from epstar.universe import Alphabet


def test_the_matrix_of_a_block_design_is_what_it_says() -> None:
    some = BlockDesign(Alphabet(5), 7, 3, "5/2")
    dense = some.dense()
    assert all(sum(row, Rational(0)) == 1 for row in dense.rows)
    held = [[some.holds(x, y) for y in range(some.shape[1])] for x in range(5)]
    for x in range(5):
        for z in range(5):
            rate = sum((q for y, q in enumerate(dense.rows[x]) if held[z][y]), Rational(0))
            assert rate == (some.inclusion if x == z else some.elsewhere)
    assert read_mechanism(some.to_json()) == some
    assert str(DifferentialPrivacy().loss(some).upper) == "log(5/2)"
    assert str(DifferentialPrivacy().loss(dense).upper) == "log(5/2)"
    # With all points in use it is as good as the best estimate from its matrix, under a uniform distribution.
    full = BlockDesign(Alphabet(5), 5, 2, "5/2")
    even, statistic = (Rational(1, 5),) * 5, Statistic.frequencies(10)
    assert float(error_at(full, even, statistic)) == pytest.approx(float(error_at(full.dense(), even, statistic)))


def test_what_is_sampled_follows_the_matrix() -> None:
    design = BlockDesign(Alphabet(6), 7, 3, "27/10")
    found = plan(design)
    assert isinstance(found.mechanism, BlockDesign)
    assert found.mechanism.ratio <= design.ratio
    law, draws = found.mechanism.dense().floats, 400_000
    for x in range(6):
        drawn = found.sampler.sample(np.full(draws, x, dtype=np.uint8))
        counts = np.bincount(drawn.astype(np.int64), minlength=42)
        statistic = float(((counts - draws * law[x]) ** 2 / (draws * law[x])).sum())
        # Six tests, each with a false alarm in ten million.
        assert statistic < chi2.isf(1e-7, 41)


@pytest.mark.parametrize(("size", "prime", "chosen"), [(2, 2, 1), (4, 5, 2), (6, 7, 3), (11, 11, 4), (9, 13, 12)])
def test_sums_along_lines_are_those_of_the_matrix(size: int, prime: int, chosen: int) -> None:
    design = BlockDesign(Alphabet(size), prime, chosen, 3)
    estimators = BlockEstimators(design, np.arange(size), size)
    held = np.array([[design.holds(x, y) for y in range(prime * (prime - 1))] for x in range(size)], dtype=np.float64)
    generator = np.random.default_rng(3)
    for shape in ((prime * (prime - 1),), (prime * (prime - 1), 3)):
        counts = generator.integers(0, 9, size=shape).astype(np.float64)
        assert np.allclose(estimators.held(counts), np.tensordot(held, counts, axes=(1, 0)))
        own, other = float(design.inclusion), float(design.elsewhere)
        values = (held - other) / (own - other)
        assert np.allclose(estimators.means(counts), np.tensordot(values, counts, axes=(1, 0)))
        assert np.allclose(estimators.squares(counts), np.tensordot(values**2, counts, axes=(1, 0)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_from_file_to_file_and_back(tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    size, rows = 30, 40_000
    generator = np.random.default_rng(8)
    law = generator.dirichlet(np.ones(size))
    values = generator.choice(size, size=rows, p=law)
    labels = [f"town {k}" for k in range(size)]
    (tmp_path / "in.csv").write_text("town\n" + "".join(f"{labels[k]}\n" for k in values))
    out = tmp_path / f"out.{ending}"
    words = ["--column", "town", "--categories", ",".join(labels), "--cost", "frequencies", "--loss", "1"]
    assert main(["release", str(tmp_path / "in.csv"), *words, "-o", str(out)]) == 0
    assert "groups of categories" in capsys.readouterr().out
    document = json.loads((tmp_path / f"out.{ending}.release.json").read_text())
    assert document["columns"][0]["mechanism"]["kind"] == "block_design"
    assert document["per_record"]["upper"] <= 1
    assert main(["estimate", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    true = np.bincount(values, minlength=size) / rows
    covered = [cell["lower"] <= share <= cell["upper"] for cell, share in zip(found["cells"], true, strict=True)]
    # Thirty intervals of 95 %: fewer than 22 that cover are less likely than one in a hundred million.
    assert sum(covered) >= 22
    assert main(["report", f"{out}.release.json", "-o", str(tmp_path / "report.html")]) == 0


def test_a_table_that_is_not_the_released_one_is_refused(tmp_path: Path) -> None:
    labels = [f"c{k}" for k in range(20)]
    (tmp_path / "in.csv").write_text("x\n" + "".join(f"{label}\n" for label in labels * 5))
    column = Column("x", labels)
    frequencies = Statistic.frequencies(1)
    done = release(
        tmp_path / "in.csv", tmp_path / "out.csv", column, notion=DifferentialPrivacy(), loss=1, distortion=frequencies
    )
    assert done.rows == 100
    assert estimate(tmp_path / "out.csv", "x").rows == 100
    (tmp_path / "out.csv").write_text("x\n999999\n")
    with pytest.raises(InvalidInput):
        estimate(tmp_path / "out.csv", "x")


def test_few_categories_are_answered_by_names(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x\n" + "a\nb\nc\nd\ne\nf\n" * 20)
    column = Column("x", list("abcdef"))
    frequencies = Statistic.frequencies(1)
    release(
        tmp_path / "in.csv", tmp_path / "out.csv", column, notion=DifferentialPrivacy(), loss=1, distortion=frequencies
    )
    assert " | " in (tmp_path / "out.csv").read_text()
    assert len(estimate(tmp_path / "out.csv", "x").cells) == 6


def test_block_designs_that_cannot_be_are_refused() -> None:
    for prime, chosen, ratio in ((6, 2, 2), (5, 2, 2), (7, 7, 2), (7, 0, 2), (7, 2, "1/2"), (1 << 21, 2, 2)):
        with pytest.raises(InvalidInput):
            BlockDesign(Alphabet(6), prime, chosen, ratio)
    with pytest.raises(InvalidInput):
        plan(BlockDesign(Alphabet(6), 7, 2, 1 << 60))
    with pytest.raises(InvalidInput, match="no Hamming cost"):
        plan(BlockDesign(Alphabet(6), 7, 2, 3)).mechanism.costs(Hamming())
