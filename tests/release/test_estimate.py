"""Estimates: unbiased, with intervals that cover as often as they say, and honest about what is hidden."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.mechanism import Mechanism, TopRandomisedResponse, identity, randomised_response
from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, estimate, release
from epstar.release.estimate import Method
from epstar.release.interval import clopper_pearson, interval_of, normal_intervals
from epstar.release.inverse import Inverse
from epstar.release.likelihood import likeliest
from epstar.testing import mechanisms
from epstar.universe import Alphabet

LAW = np.array([0.5, 0.3, 0.15, 0.05])
LABELS = ["a", "b", "c", "d"]
# What is drawn here is drawn from the system, so an interval may miss only once in a million million times.
CERTAIN = "0.999999999999"
WIDE = Mechanism(
    [["1/2", "1/4", "1/8", "1/16", "1/16"], ["1/4", "1/2", "1/8", "1/16", "1/16"], ["1/8", "1/8", "1/4", "1/4", "1/4"]]
)


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 4).flatmap(lambda size: mechanisms(size, size + 1)))
def test_what_can_be_estimated_is_estimated_without_bias(mechanism: Mechanism) -> None:
    inverse = Inverse(mechanism)
    size = mechanism.shape[0]
    rank = int(np.linalg.matrix_rank(mechanism.floats, tol=1e-9))
    assert inverse.is_complete == (rank == size)
    assert len(inverse.combinations) == rank
    for weights in [*np.eye(size), *np.array(inverse.combinations)]:
        if inverse.can_estimate(weights):
            # The expectation under each input is the weight of that input.
            assert mechanism.floats @ inverse.estimator(weights) == pytest.approx(weights, abs=1e-7)


def test_hidden_inputs_are_named_and_what_can_be_told_is_told(tmp_path: Path) -> None:
    rows = 200_000
    counts = (rows * LAW).astype(np.int64)
    pq.write_table(pa.table({"x": np.array(LABELS).repeat(counts)}), tmp_path / "in.parquet")
    top = TopRandomisedResponse(Alphabet(LABELS), [0, 1, 2], ratio=4)
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", Column("x", mechanism=top))
    found = estimate(tmp_path / "out.parquet", "x", confidence=CERTAIN)
    assert found.not_estimable == (("a",), ("b",), ("c",), ("d",))
    assert all(cell.frequency is None and cell.lower is None for cell in found.cells)
    with pytest.raises(InvalidInput, match="cannot be estimated"):
        found.frequency("a")
    assert [combination.weights for combination in found.combinations] == [
        {letter: 1.0, "d": pytest.approx(1 / 3)} for letter in "abc"
    ]
    for combination, share in zip(found.combinations, LAW[:3] + LAW[3] / 3, strict=True):
        assert combination.lower <= share <= combination.upper
        assert combination.upper - combination.lower < 0.05


def normal_ends(estimator: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimates and intervals of many tables, of which the first is looked at as one."""
    rows, largest = float(counts[0].sum()), np.abs(estimator).max(keepdims=True)
    means, squares = (counts @ values / rows for values in (estimator, estimator**2))
    lower, upper = normal_intervals(means, squares, largest, rows, 0.95)
    one = interval_of(estimator, counts[0], 0.95)
    assert one.kind == "normal"
    assert (one.frequency, one.lower, one.upper) == pytest.approx((means[0], lower[0], upper[0]))
    return means, lower, upper


def test_intervals_of_several_outputs_cover_nearly_as_often_as_they_say() -> None:
    rng = np.random.default_rng(12)
    inverse, law, trials = Inverse(WIDE), np.array([0.6, 0.3, 0.1]), 3000
    for x in range(3):
        counts = rng.multinomial(3000, law @ WIDE.floats, trials).astype(np.float64)
        means, lower, upper = normal_ends(inverse.estimator(np.eye(3)[x]), counts)
        covered = ((lower <= law[x]) & (law[x] <= upper)).mean()
        assert 0.93 <= covered <= 0.97
        assert abs(means.mean() - law[x]) < 5 * means.std() / trials**0.5


def test_outputs_that_say_nothing_tell_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("k\na\nb\nc\n", encoding="utf-8")
    column = Column("k", ["a", "b", "c"], notion=DifferentialPrivacy(), loss=0)
    release(tmp_path / "in.csv", tmp_path / "out.csv", column)
    found = estimate(tmp_path / "out.csv", "k")
    assert found.not_estimable == (("a",), ("b",), ("c",))
    (sum_of_all,) = found.combinations
    assert list(sum_of_all.weights.values()) == pytest.approx([1, 1, 1])
    assert (sum_of_all.lower, sum_of_all.upper) == pytest.approx((1, 1))


def test_intervals_cover_where_rows_are_few_and_outputs_rare() -> None:
    # The last letter is almost never given: in most tables none of its outputs occurs, and the spread of the rows
    # alone would make it certain that nobody has it.
    mechanism = Mechanism([["4/5", "19/100", "1/100"], ["3/20", "4/5", "1/20"], ["19/40", "19/40", "1/20"]])
    inverse, rng, trials = Inverse(mechanism), np.random.default_rng(13), 3000
    assert inverse.is_complete
    for truth in ([1, 0, 0], [2, 1, 1], [10, 6, 4], [60, 30, 10], [300, 0, 0]):
        rows = sum(truth)
        drawn = [rng.multinomial(count, row, trials) for count, row in zip(truth, mechanism.floats, strict=True)]
        tables, often_drawn = np.unique(np.sum(drawn, axis=0).astype(np.float64), axis=0, return_counts=True)
        for x, estimator in enumerate(inverse.estimator(row) for row in np.eye(3)):
            found = [interval_of(estimator, table, 0.95) for table in tables]
            covered = sum(
                often
                for one, often in zip(found, often_drawn.tolist(), strict=True)
                if one.lower <= truth[x] / rows <= one.upper
            )
            assert covered >= trials * 0.95 - 5 * (trials * 0.0475) ** 0.5


@pytest.mark.parametrize(("count", "draws"), [(0, 10), (10, 10), (3, 10), (500, 1000)])
def test_clopper_pearson_inverts_the_binomial_tails(count: int, draws: int) -> None:
    from scipy.stats import binom

    lower, upper = (float(end[0]) for end in clopper_pearson(np.array([count]), draws, 0.95))
    assert lower == 0 if count == 0 else upper == 1 if count == draws else 0 < lower < upper < 1
    if count:
        assert binom.sf(count - 1, draws, lower) == pytest.approx(0.025)
    if count < draws:
        assert binom.cdf(count, draws, upper) == pytest.approx(0.025)


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_no_law_is_likelier_than_the_likeliest(data: st.DataObject) -> None:
    mechanism = data.draw(mechanisms(3, 4, zeros=False))
    counts = np.array(data.draw(st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any)), dtype=np.float64)
    found = likeliest(mechanism.floats, counts)

    def value(law: np.ndarray) -> float:
        seen = counts > 0
        return float((counts[seen] / counts.sum()) @ np.log(law @ mechanism.floats[:, seen]))

    assert found.law.sum() == pytest.approx(1)
    assert found.law.min() >= 0
    others = np.vstack([np.eye(3), np.random.default_rng(0).dirichlet(np.ones(3), 200)])
    best = max(value(other) for other in others)
    assert value(found.law) >= best - found.gap - 1e-12
    assert found.gap < 1e-5


def test_likelihood_stays_within_the_simplex_where_the_inverse_leaves_it() -> None:
    mechanism = randomised_response(Alphabet(3), ratio=2)
    counts = np.array([700.0, 250.0, 50.0])
    unbiased = [interval_of(Inverse(mechanism).estimator(row), counts, 0.95).frequency for row in np.eye(3)]
    assert min(unbiased) < 0
    assert sum(unbiased) == pytest.approx(1)
    likely = likeliest(mechanism.floats, counts)
    assert likely.law[2] == pytest.approx(0, abs=1e-6)
    with pytest.raises(InvalidInput, match="never gives"):
        likeliest(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1.0, 1.0]))


@pytest.fixture
def crossed(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A table of two private columns and a plain one, and the joint frequencies that it was drawn to have."""
    rng = np.random.default_rng(5)
    rows = 300_000
    joint = rng.dirichlet(np.ones(12)).reshape(3, 2, 2)
    drawn = rng.choice(12, rows, p=joint.reshape(-1))
    x, y, group = np.unravel_index(drawn, joint.shape)
    content = {"x": np.array(["p", "q", "r"])[x], "y": y, "group": np.array(["u", "v"])[group]}
    pq.write_table(pa.table(content), tmp_path / "in.parquet")
    truth = np.bincount(drawn, minlength=12).reshape(3, 2, 2) / rows
    return tmp_path, truth


@pytest.mark.parametrize("method", ["inverse", "likelihood"])
def test_cross_tabulations_find_the_truth(crossed: tuple[Path, np.ndarray], method: Method) -> None:
    folder, truth = crossed
    columns = [
        Column("x", mechanism=randomised_response(Alphabet(["p", "q", "r"]), 2)),
        Column("y", mechanism=randomised_response(Alphabet(2), 1)),
    ]
    release(folder / "in.parquet", folder / "out.parquet", columns, keep="group")
    found = estimate(folder / "out.parquet", ["group", "x", "y"], confidence=CERTAIN, method=method)
    assert [cell.labels for cell in found.cells] != []
    for cell in found.cells:
        group, x, y = cell.labels
        share = truth["pqr".index(str(x)), int(str(y)), "uv".index(str(group))]
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= share <= cell.upper
        assert cell.frequency == pytest.approx(share, abs=0.03)
    assert sum(cell.unbiased or 0 for cell in found.cells) == pytest.approx(1, abs=1e-6)


def test_a_joint_mechanism_gives_its_margins_too(crossed: tuple[Path, np.ndarray]) -> None:
    folder, truth = crossed
    parts = [Categories(["p", "q", "r"]), Categories([0, 1])]
    labels = [(x, y) for x in parts[0].labels for y in parts[1].labels]
    column = Column(("x", "y"), parts, mechanism=randomised_response(Alphabet(labels), 2))
    release(folder / "in.parquet", folder / "out.parquet", column)
    both = estimate(folder / "out.parquet", ["y", "x"], confidence=CERTAIN)
    for cell in both.cells:
        y, x = cell.labels
        assert cell.frequency == pytest.approx(truth["pqr".index(str(x)), int(str(y))].sum(), abs=0.02)
    margin = estimate(folder / "out.parquet", "x", confidence=CERTAIN)
    for cell, share in zip(margin.cells, truth.sum(axis=(1, 2)), strict=True):
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= share <= cell.upper


def test_merged_outputs_are_written_read_back_and_counted(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": ["a", "b", "c", "d"] * 500}), tmp_path / "in.parquet")
    merged = identity(Alphabet(LABELS)).merge([[0], [1, 2], [3]])
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", Column("x", mechanism=merged))
    assert set(pq.read_table(tmp_path / "out.parquet")["x"].to_pylist()) == {"a", "b | c", "d"}
    found = estimate(tmp_path / "out.parquet", "x")
    assert found.not_estimable == (("b",), ("c",))
    assert found.frequency("a") == pytest.approx(0.25)
    assert {tuple(combination.weights) for combination in found.combinations} == {("a",), ("b", "c"), ("d",)}


def test_a_table_that_does_not_belong_to_the_release_file_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "in.parquet")
    column = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", column)
    pq.write_table(pa.table({"x": ["a", "a"]}), tmp_path / "out.parquet")
    with pytest.raises(InvalidInput, match="not the table"):
        estimate(tmp_path / "out.parquet", "x")


@pytest.mark.parametrize(("columns", "confidence"), [("z", 0.95), ([], 0.95), (["x", "x"], 0.95), ("x", 1)])
def test_questions_that_make_no_sense_are_refused(tmp_path: Path, columns: list[str], confidence: float) -> None:
    pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "in.parquet")
    column = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", column)
    with pytest.raises(InvalidInput):
        estimate(tmp_path / "out.parquet", columns, confidence=confidence)
