"""A secret behind a released column: what is promised about it, of the very matrix that is sampled, and what is not."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.release.test_schema import VALIDATOR

from epstar import Frontier, Rational, Real, Secret
from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.release import (
    Categories,
    Column,
    Ledger,
    estimate,
    proxy,
    read_release,
    release,
    release_frame,
    stratified_secret,
)
from epstar.release.categories import Label
from epstar.release.document import column_of, sealed
from epstar.release.report import report
from epstar.release.wrong_frequencies import lost_about, misjudged
from epstar.source import Box, Finite, Prior
from epstar.statement import established

CERTAIN = "0.999999999999"
DISTRICTS, INCOMES = ["harbour", "centre", "hill"], ["low", "high"]
TOGETHER = [[45, 5], [15, 15], [4, 16]]
DP = DifferentialPrivacy()


def beside(mechanism: Mechanism, s: int) -> list[Fraction]:
    """The distribution of the output beside a value of the income, computed from the counts alone."""
    rows = [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in mechanism.rows]
    total = sum(row[s] for row in TOGETHER)
    return [
        sum((Fraction(TOGETHER[x][s], total) * rows[x][y] for x in range(3)), Fraction(0)) for y in range(len(rows[0]))
    ]


def sampled(entry: Any) -> Mechanism:
    mechanism = column_of(entry).mechanism
    assert isinstance(mechanism, Mechanism)
    return mechanism


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private table and a public one with the frequencies of TOGETHER, in two towns."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    codes = rng.choice(6, 20_000, p=np.array(TOGETHER).reshape(-1) / 100)
    rows = [
        f"{DISTRICTS[k // 2]},{INCOMES[k % 2]},{town}"
        for k, town in zip(codes, rng.choice(["n", "s"], 20_000), strict=False)
    ]
    Path("in.csv").write_text("\n".join(["district,income,town", *rows]) + "\n")
    public = [
        f"{district},{income},{town}"
        for town, times in (("n", 1), ("s", 2))
        for district, counts in zip(DISTRICTS, TOGETHER, strict=True)
        for income, count in zip(INCOMES, counts, strict=True)
        for _ in range(count * times)
    ]
    Path("census.csv").write_text("\n".join(["district,income,town", *public]) + "\n")
    return Path("in.csv")


def test_the_matrix_that_is_sampled_keeps_the_loss_about_the_secret_and_is_the_best(table: Path) -> None:
    column = proxy("district", DISTRICTS, "income", INCOMES, TOGETHER, notion=DP, loss=1)
    done = release(table, "out.csv", column)
    entry = read_release(done.release_file)["columns"][0]
    mechanism = sampled(entry)
    low, high = beside(mechanism, 0), beside(mechanism, 1)
    ratio = max(max(a / b, b / a) for a, b in zip(low, high, strict=True))
    assert ratio < Fraction(271828182845904523, 10**17)
    hidden = Secret.given([["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]], INCOMES)
    best = Frontier("dp", ["1/2", "3/10", "1/5"], "hamming", secret=hidden).distortion_at(loss=1)
    assert float(entry["distortion"]["worst_case"]["upper"]) <= best.upper + 1e-5
    # The values themselves are told far more truly than that loss would allow them.
    assert done.document["per_record"]["upper"] > 10
    assert done.document["per_secret"][0]["upper"] <= 1
    assert done.document["per_secret"][0]["name"] == "income"
    assert entry["secret"]["budget"] == {"notion": {"name": "differential_privacy"}, "loss": "1"}
    assert "budget" not in entry
    told = established(read_release(done.release_file)).sentences
    assert any("of the very matrix that was sampled" in sentence for sentence in told)
    assert any("No mechanism with a loss of differential privacy about the secret" in sentence for sentence in told)
    truth = {name: sum(row) / 100 for name, row in zip(DISTRICTS, TOGETHER, strict=True)}
    for cell in estimate(done.output, "district", confidence=CERTAIN).cells:
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower - 0.02 <= truth[str(cell.labels[0])] <= cell.upper + 0.02


@pytest.mark.parametrize(
    ("notion", "loss"),
    [
        (DifferentialPrivacy(), "1/2"),
        (ApproximateDifferentialPrivacy("1/100"), "1/2"),
        (RenyiDifferentialPrivacy(2), "1/4"),
        (ConcentratedDifferentialPrivacy(), "1/10"),
        (GaussianDifferentialPrivacy(), "1/2"),
        (MutualInformation(), "1/20"),
        (SibsonMutualInformation(2), "1/10"),
        (MaximalLeakage(), "1/4"),
        (MaximalInformation(), "1/4"),
        (MinEntropyLeakage(), "1/50"),
        (LocalInformationPrivacy(), "1/4"),
    ],
    ids=lambda value: value.name if isinstance(value, Notion) else "",
)
def test_every_notion_is_kept_by_the_rounded_matrix_with_a_proof(notion: Notion, loss: str) -> None:
    column = proxy("district", DISTRICTS, "income", INCOMES, TOGETHER, notion=notion, loss=loss)
    prepared = column.prepared()
    assert column.secret is not None
    upper = column.secret.loss(notion, prepared.plan.mechanism, prepared.source).upper
    assert upper is not None
    assert upper <= Real.of(loss)
    done = release_frame(pd.DataFrame({"district": DISTRICTS * 5}), column)
    VALIDATOR.validate({**done.document, "tables": [{"name": "a", "format": "csv", "rows": 1, "sha256": "0" * 64}]})
    secret = done.document["columns"][0]["secret"]
    stated = next(one for one in secret["guarantees"] if one["notion"] == notion.name)
    assert stated["upper"] <= float(Fraction(loss)) * (1 + 1e-15)
    assert secret["proof"] is not None
    established(done.document)


def test_mutual_information_about_the_secret_is_what_a_plain_sum_gives() -> None:
    column = proxy("district", DISTRICTS, "income", INCOMES, TOGETHER, notion=MutualInformation(), loss="1/20")
    mechanism = column.prepared().plan.mechanism.dense()
    shares = [sum(row[s] for row in TOGETHER) / 100 for s in (0, 1)]
    rows = [[float(entry) for entry in beside(mechanism, s)] for s in (0, 1)]
    total = [sum(p * row[y] for p, row in zip(shares, rows, strict=True)) for y in range(3)]
    plain = sum(
        p * q * math.log(q / t)
        for p, row in zip(shares, rows, strict=True)
        for q, t in zip(row, total, strict=True)
        if q
    )
    assert column.secret is not None
    assert column.source is not None
    assert abs(column.secret.loss(MutualInformation(), mechanism, column.source).value - plain) < 1e-12
    assert 0.0499 < plain <= 0.05


def test_one_of_several_columns_may_be_the_secret(table: Path) -> None:
    known = Prior([Rational(count, 100) for row in TOGETHER for count in row])
    parts = [Categories(DISTRICTS), Categories(INCOMES)]
    column = Column(["district", "income"], parts, notion=DP, loss=1, source=known, secret="income")
    done = release(table, "out.csv", column)
    mechanism = sampled(read_release(done.release_file)["columns"][0])
    rows = [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in mechanism.rows]
    told = [
        [
            sum(
                (Fraction(TOGETHER[x][s], sum(row[s] for row in TOGETHER)) * rows[2 * x + s][y] for x in range(3)),
                Fraction(),
            )
            for y in range(6)
        ]
        for s in (0, 1)
    ]
    ratio = max(max(a / b, b / a) for a, b in zip(*told, strict=True) if a or b)
    assert ratio < Fraction(271828182845904523, 10**17)
    both = estimate(done.output, ["district", "income"], confidence=CERTAIN)
    for cell in both.cells:
        if cell.lower is not None and cell.upper is not None:
            x, s = DISTRICTS.index(str(cell.labels[0])), INCOMES.index(str(cell.labels[1]))
            assert cell.lower - 0.02 <= TOGETHER[x][s] / 100 <= cell.upper + 0.02


def test_the_worst_of_several_priors_is_kept() -> None:
    hidden = Secret.given([["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]], INCOMES)
    known = Finite([["1/2", "3/10", "1/5"], ["1/5", "3/10", "1/2"]])
    column = Column("district", DISTRICTS, notion=DP, loss="1/2", source=known, secret=hidden, secret_name="income")
    mechanism = column.prepared().plan.mechanism
    for point in known.points:
        upper = hidden.loss(DP, mechanism, Prior(point)).upper
        assert upper is not None
        assert upper <= Real.of("1/2")


@pytest.mark.parametrize("notion", [DP, MutualInformation(), MaximalLeakage()], ids=lambda notion: notion.name)
def test_a_secret_that_is_the_record_gives_the_answer_without_one(notion: Notion) -> None:
    known = Prior(["1/2", "3/10", "1/5"])
    plain = Column("k", DISTRICTS, notion=notion, loss="1/2", source=known).prepared()
    hidden = Column("k", DISTRICTS, notion=notion, loss="1/2", source=known, secret="k").prepared()
    assert plain.answer is not None
    assert hidden.answer is not None
    assert abs(plain.answer.upper - hidden.answer.upper) < 1e-9
    assert np.allclose(plain.plan.mechanism.dense().floats, hidden.plan.mechanism.dense().floats, atol=1e-4)


def test_strata_keep_the_promise_among_records_that_share_them(table: Path) -> None:
    tables: dict[Label, Any] = {"n": [[8, 2], [3, 7], [5, 5]], "s": [[6, 4], [1, 9], [5, 5]]}
    column = stratified_secret("town", ["n", "s"], "district", DISTRICTS, "income", INCOMES, tables, loss="1/2")
    done = release(table, "out.csv", column)
    entry = read_release(done.release_file)["columns"][0]
    assert done.document["passed_through"] == ["town"]
    rows = sampled(entry).rows
    for place, (_, counts) in enumerate(tables.items()):
        told = []
        for s in (0, 1):
            total = sum(row[s] for row in counts)
            told.append([sum(counts[x][s] * rows[3 * place + x][y] for x in range(3)) / total for y in range(6)])
        pairs = [(a, b) for a, b in zip(*told, strict=True) if a or b]
        assert max(float(max(a / b, b / a)) for a, b in pairs) <= math.exp(0.5)
    # Frequencies may be wrong within a stratum, which is known, and not across them.
    assert all(isinstance(one["differential_privacy"], float) for one in entry["secret"]["if_frequencies_are_off"])
    with pytest.raises(InvalidInput, match="no table of frequencies"):
        stratified_secret("town", ["n", "w"], "d", DISTRICTS, "income", INCOMES, {"n": tables["n"]}, loss=1)


def test_what_is_lost_under_wrong_frequencies_is_the_supremum() -> None:
    choice = random.Random(5)
    for _ in range(20):
        size, share = choice.randint(2, 5), Rational(choice.randint(1, 30), 100)
        rows = [[choice.randint(1, 9) for _ in range(size)] for _ in range(size)]
        mechanism = Mechanism([[Rational(entry, sum(row)) for entry in row] for row in rows])
        weights = [choice.randint(1, 9) for _ in range(size)]
        known = Prior([Rational(weight, sum(weights)) for weight in weights])
        shares = [choice.randint(1, 9) for _ in range(size)]
        hidden = Secret.given(
            [[Rational(part, 10), Rational(10 - part, 10)] for part in shares[:-1]] + [["1/20", "19/20"]]
        )
        found = misjudged(mechanism, hidden, known, share)
        behind, floats = hidden.behind(known.probabilities), mechanism.floats
        assert misjudged(mechanism, hidden, known, Rational(0)).differential_privacy.upper == pytest.approx(
            hidden.loss(DP, mechanism, known).value, abs=1e-12
        )
        laws = np.array(
            [[float(Real.of(mixture.get(x, Rational(0)))) for x in range(size)] for mixture in behind.mixtures]
        )
        # Moves of the share from some values to one: the supremum is among them, and none exceeds it.
        worst, limit = 0.0, float(Real.of(share))
        moved: list[list[np.ndarray]] = []
        for law in laws:
            own = []
            for order in (np.argsort(floats[:, y])[::step] for y in range(size) for step in (1, -1)):
                after, left = law.copy(), limit
                for x in order[:-1]:
                    away = min(after[x], left)
                    after[x] -= away
                    after[order[-1]] += away
                    left -= away
                own.append(after)
            for _ in range(30):
                other = np.array([choice.random() for _ in range(size)])
                other /= other.sum()
                distance = np.abs(other - law).sum() / 2
                own.append(law + (other - law) * min(1.0, limit / distance))
            moved.append(own)
        for one in moved[0]:
            for two in moved[1]:
                ratio = np.log((one @ floats) / (two @ floats))
                worst = max(worst, float(np.abs(ratio).max()))
        assert worst == pytest.approx(found.differential_privacy.upper, abs=1e-9)
        assert found.maximal_leakage.upper <= math.log(2) + 1e-12


def test_several_answers_lose_about_a_secret_no_more_than_is_counted() -> None:
    choice = random.Random(9)
    for _ in range(30):
        size = choice.randint(2, 4)
        joint = np.array([[choice.randint(1, 9) for _ in range(size)] for _ in (0, 1)], dtype=float)
        joint /= joint.sum(axis=1, keepdims=True)
        answers = []
        for _ in (0, 1):
            rows = np.array([[choice.randint(1, 9) for _ in range(3)] for _ in range(size)], dtype=float)
            answers.append(rows / rows.sum(axis=1, keepdims=True))
        record = [float(np.log(rows.max(axis=0) / rows.min(axis=0)).max()) for rows in answers]
        about = [float(np.abs(np.log((joint[0] @ rows) / (joint[1] @ rows))).max()) for rows in answers]
        both = np.einsum("sx,xy,xz->syz", joint, answers[0], answers[1])
        truth = float(np.abs(np.log(both[0] / both[1])).max())
        exact = [Rational(*value.as_integer_ratio()) for value in (*record, *about)]
        counted = lost_about([(exact[0], exact[2]), (exact[1], exact[3])])
        assert counted is not None
        assert truth <= float(Real.of(counted)) + 1e-12
        assert float(Real.of(counted)) <= sum(record) + 1e-12
    # What two answers lose about the secret does not add up: together they may tell the record.
    assert lost_about([(None, Rational(1)), (None, Rational(1))]) is None


def test_bad_secrets_of_columns_are_refused_with_what_to_do() -> None:
    wrong: Any = 3
    hidden = Secret.given([["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]], INCOMES)
    prior = Prior(["1/2", "3/10", "1/5"])
    known: dict[str, Any] = {"notion": DP, "loss": 1}
    for make, said in (
        (lambda: Column("k", DISTRICTS, secret="income", **known), "none of the columns that are released together"),
        (lambda: Column("k", ["a", "b"], secret=hidden, **known), "make them agree"),
        (lambda: Column("k", DISTRICTS, secret=hidden, **known).prepared(), "give known frequencies as the source"),
        (
            lambda: Column("k", DISTRICTS, secret=hidden, source=Box(["1/10"] * 3, ["1/2"] * 3), **known),
            "and no region",
        ),
        (lambda: Column("k", DISTRICTS, secret=hidden, source=prior, every_category=True, **known), "leave"),
        (lambda: Column("k", DISTRICTS, secret=wrong, source=prior, **known), "or a Secret"),
        (lambda: proxy("k", DISTRICTS, "s", INCOMES, [[1, 2]] * 3, **known), "depends on nothing"),
        (lambda: proxy("k", DISTRICTS, "s", INCOMES, [[0, 0]] * 3, **known), "All frequencies are zero"),
        (lambda: proxy("k", DISTRICTS, "s", INCOMES, [[1, -2], [1, 1], [2, 1]], **known), "numbers of at least 0"),
        (lambda: proxy("k", DISTRICTS, "s", INCOMES, [[1, 2, 3]] * 3, **known), "in that shape"),
        (lambda: hidden.loss(DP, Mechanism([[1]]), Prior([1])), "make them agree"),
        (lambda: hidden.loss(DP, Mechanism([[1]] * 3), Box(["1/10"] * 3, ["1/2"] * 3)), "'finite'"),
    ):
        with pytest.raises(InvalidInput, match=said):
            make()
    frame = pd.DataFrame({"k": DISTRICTS, "s": ["low", "low", "high"]})
    column = proxy("k", DISTRICTS, "s", INCOMES, TOGETHER, notion=DP, loss=1)
    with pytest.raises(InvalidInput, match="what should stay secret"):
        release_frame(frame, column, keep=["s"])


COMMON = ["--categories", "district=harbour,centre,hill", "--categories", "income=low,high", "--public", "census.csv"]


def spoken(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out.replace("\n", " "), captured.err


def test_the_command_line_protects_a_secret_in_each_way(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("given.csv").write_text(",low,high\nharbour,0.9,0.1\ncentre,0.5,0.5\nhill,0.2,0.8\n")
    Path("given.json").write_text(json.dumps({"given": [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], "labels": INCOMES}))
    only, prior = ["--categories", "harbour,centre,hill"], ["--prior", "0.5,0.3,0.2"]
    ways = {
        "dropped": ["--column", "district", "--secret", "income", *COMMON],
        "joint": ["--joint", "district,income", "--secret", "income", *COMMON],
        "stratum": [
            "--column",
            "district",
            "--secret",
            "income",
            "--stratum",
            "town",
            "--categories",
            "town=n,s",
            *COMMON,
        ],
        "csv": ["--column", "district", "--secret", "@given.csv", *only, *prior],
        "json": ["--column", "district", "--secret", "district=@given.json", *only, *prior],
        "leakage": ["--column", "district", "--secret", "income", "--notion", "leakage", *COMMON],
    }
    for name, way in ways.items():
        code, out, err = spoken(["release", "in.csv", *way, "--loss", "1/2", "-o", f"{name}.csv"], capsys)
        assert (code, err) == (0, ""), (name, err)
        assert "is protected, and not the released values of district" in out, name
        assert "This depends on the declared frequencies." in out, name
        document = json.loads(Path(f"{name}.csv.release.json").read_text())
        VALIDATOR.validate(document)
        assert spoken(["check", f"{name}.csv.release.json"], capsys)[0] == 0
        code, out, _ = spoken(["audit", f"{name}.csv.release.json", "--json"], capsys)
        assert code == 0
        losses = {one["notion"]: one.get("upper") for one in json.loads(out)["guarantees"]}
        assert losses["maximal_leakage" if name == "leakage" else "differential_privacy"] <= 0.5
        page = report(f"{name}.csv.release.json").output.read_text(encoding="utf-8")
        assert "What is promised about" in page
        assert "losses about a secret do not add up" in page
        assert "are not protected themselves" in page
    # Under other frequencies the same matrix may lose more about the secret.
    other = ["audit", "dropped.csv.release.json", "--prior", "0.2,0.2,0.6", "--claimed", "1/2"]
    assert spoken(other, capsys)[0] == 1
    assert spoken([*other[:2], "--secret", "a,a,b", "--json"], capsys)[0] == 0
    page = Path("dropped.csv.report.html").read_text(encoding="utf-8")
    assert "What is protected is <bdi>income</bdi>, under declared frequencies" in page
    assert "income" not in Path("dropped.csv").read_text().splitlines()[0]
    shown = json.loads(Path("dropped.csv.release.json").read_text())
    assert shown["columns"][0]["secret"]["given"] == [["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]]


def test_a_job_file_and_parquet_and_a_dry_run(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pd.read_csv("in.csv").drop(columns="income").to_parquet("in.parquet")
    pd.DataFrame(
        {
            "district": [d for d, row in zip(DISTRICTS, TOGETHER, strict=True) for _ in range(sum(row))],
            "income": [k for row in TOGETHER for k, count in enumerate(row) for _ in range(count)],
        }
    ).to_parquet("census.parquet")
    job = {
        "table": "in.parquet",
        "column": ["district", "town"],
        "secret": {"district": "income"},
        "categories": {"district": DISTRICTS, "income": ["0", "1"], "town": ["n", "s"]},
        "public": {"district": "census.parquet"},
        "loss": {"district": "1", "town": "2"},
        "output": "out.parquet",
    }
    Path("job.json").write_text(json.dumps(job))
    code, out, err = spoken(["release", "job.json", "--dry-run"], capsys)
    assert (code, err) == (0, "")
    assert "income is protected" in out
    assert not Path("out.parquet").exists()
    assert spoken(["release", "job.json"], capsys)[0] == 0
    document = read_release("out.parquet.release.json")
    # Another column counts by what it loses itself.
    assert 2.9 < document["per_secret"][0]["upper"] <= 3
    assert document["columns"][0]["secret"]["universe"] == {"alphabet": [0, 1]}


def test_a_ledger_counts_what_is_lost_about_the_secret(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = ["release", "in.csv", "--column", "district", "--secret", "income", *COMMON, "--loss", "1"]
    book = ["--ledger", "book", "--budget", "3"]
    assert spoken([*first, *book, "-o", "one.csv"], capsys)[0] == 0
    # A second release for the secret is refused, then counted by what the values themselves lose: without use.
    code, _, err = spoken([*first, "--ledger", "book", "-o", "two.csv"], capsys)
    assert code == 2
    assert "knows a release of this table" in err
    code, _, err = spoken([*first, "--ledger", "book", "--again", "-o", "two.csv"], capsys)
    assert code == 2
    assert "what is lost about income to" in err
    plain = ["release", "in.csv", "--column", "town", "--categories", "n,s", "--ledger", "book", "--again"]
    code, out, err = spoken([*plain, "--loss", "3/2", "-o", "three.csv"], capsys)
    assert (code, err) == (0, "")
    assert "About income, all of them together lose at most 2.5 nats" in out
    code, _, err = spoken([*plain, "--loss", "1", "-o", "four.csv"], capsys)
    assert code == 2
    account = Ledger.at("book").account()
    assert account.spent is not None
    assert account.total is not None
    assert 2.4 < float(Real.of(account.spent)) <= 2.5 < float(Real.of(account.total))
    code, out, _ = spoken(["ledger", "book"], capsys)
    assert code == 0
    assert "About income, all releases together have lost 2.5" in out
    assert json.loads(spoken(["ledger", "book", "--json"], capsys)[1])["secrets"]["income"] <= 2.5


def test_keyed_answers_for_a_secret_cost_nothing_again(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = Path("in.csv").read_text().splitlines()
    Path("in.csv").write_text("\n".join([f"id,{rows[0]}", *(f"{i},{row}" for i, row in enumerate(rows[1:200]))]) + "\n")
    asked = ["release", "in.csv", "--column", "district", "--secret", "income", *COMMON, "--loss", "1"]
    keyed = ["--key", "secret.key", "--identifier", "id", "--ledger", "book", "--budget", "1"]
    assert spoken([*asked, *keyed, "-o", "one.csv"], capsys)[0] == 0
    assert spoken([*asked, *keyed, "-o", "two.csv"], capsys)[0] == 0
    assert Path("one.csv").read_text() == Path("two.csv").read_text()
    assert spoken([*asked, "--loss", "1/2", *keyed, "-o", "three.csv"], capsys)[0] == 2


def test_what_should_make_one_stop_is_said(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["release", "in.csv", "--column", "district", "--secret", "income", *COMMON, "--loss", "1"]
    code, out, _ = spoken([*asked, "--keep", "town", "-o", "kept.csv"], capsys)
    assert code == 0
    assert "Warning: town passed through. What that tells about income" in out
    lines = [line for line in Path("census.csv").read_text().splitlines() if not line.startswith("hill")]
    Path("census.csv").write_text("\n".join(lines) + "\n")
    code, out, _ = spoken([*asked, "-o", "unseen.csv"], capsys)
    assert code == 0
    assert "1 categories and 0 values of income never occur" in out
    for bad, said in (
        (["--keep", "income"], "what should stay secret"),
        (["--keep-others"], "what should stay secret"),
        (["--confidence", "0.9"], "leave --confidence out"),
        (["--sets", "1"], "leave --sets out"),
        (["--every-category"], "leave `--every-category` out"),
        (["--cost", "frequencies"], ""),
        (["--notion", "capacity"], "choose mutual information"),
    ):
        code, _, err = spoken([*asked, *bad, "-o", "no.csv"], capsys)
        assert code == 2, bad
        assert err.count("\n") == 1, (bad, err)
        assert said in err, (bad, err)
        assert not Path("no.csv").exists()
    for bad, said in (
        (["--column", "district", "--secret", "income", *COMMON[:4]], "give --public with a table that has both"),
        (["--column", "district", "--secret", "wealth", *COMMON], "has no column 'wealth'"),
        (["--column", "district", "--secret", "@none.json", *COMMON[:2], "--prior", "0.5,0.3,0.2"], "cannot be"),
        (["--column", "district", "--secret", "@census.csv", *COMMON[:2], "--prior", "0.5,0.3,0.2"], "a row of"),
        (["--joint", "district,income", "--secret", "income", *COMMON[:4]], "give known frequencies as the source"),
    ):
        code, _, err = spoken(["release", "in.csv", *bad, "--loss", "1", "-o", "no.csv"], capsys)
        assert code == 2, bad
        assert err.count("\n") == 1, (bad, err)
        assert said in err, (bad, err)


def test_a_forged_promise_about_a_secret_is_noticed(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column = proxy("district", DISTRICTS, "income", INCOMES, TOGETHER, notion=DP, loss=1)
    done = release(table, "out.csv", column)
    honest = json.loads(done.release_file.read_text())

    def forged(change: Any) -> Path:
        document = json.loads(json.dumps(honest))
        change(document["columns"][0])
        Path("forged.json").write_text(json.dumps(sealed(document)))
        return Path("forged.json")

    def other_secret(entry: Any) -> None:
        entry["secret"]["given"] = [["8/10", "2/10"], ["1/2", "1/2"], ["1/5", "4/5"]]

    def other_frequencies(entry: Any) -> None:
        entry["source"] = {"prior": ["1/3", "1/3", "1/3"]}

    def other_budget(entry: Any) -> None:
        entry["secret"]["budget"]["loss"] = "1/2"

    def other_matrix(entry: Any) -> None:
        entry["mechanism"]["tickets"][0], entry["mechanism"]["tickets"][2] = entry["mechanism"]["tickets"][2::-2]

    def tickets_beside_another_matrix(entry: Any) -> None:
        entry["mechanism"] |= {"kind": "diagonal", "diagonal": ["1", "1", "1"]}
        del entry["mechanism"]["universe"]

    def other_costs(entry: Any) -> None:
        entry["secret"]["proof"]["problem"]["distortion"] = {"matrix": [["0"] * 3] * 3}
        entry["secret"]["proof"]["attained"]["distortion"] = "0"

    others = (other_secret, other_frequencies, other_budget, other_matrix, tickets_beside_another_matrix, other_costs)
    for change in others:
        # Of other things than the column, or with a loss beside it that is another one there.
        assert spoken(["check", str(forged(change))], capsys)[0] in (1, 2), change

    def smaller_loss(entry: Any) -> None:
        entry["secret"]["guarantees"][0] |= {"lower": 0.5, "upper": 0.5}

    def smaller_drift(entry: Any) -> None:
        entry["secret"]["if_frequencies_are_off"][0]["differential_privacy"] = 0.5

    for change in (smaller_loss, smaller_drift, other_matrix):
        with pytest.raises(InvalidInput, match="altered"):
            report(forged(change), "page.html", force=True)
    assert spoken(["check", str(done.release_file)], capsys)[0] == 0
