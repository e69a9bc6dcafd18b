"""Sequential audits and audits of tables: a true claim is rarely refuted, a false one soon."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from tests.audit.test_black_box import Simulated

from epstar.audit import AuditFailed, audit_sequentially, audit_table, power
from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, release
from epstar.statistic import Statistic


def test_a_true_claim_is_refuted_no_more_often_than_it_says() -> None:
    trials = 60
    wrong = sum(
        audit_sequentially(Simulated(1, 3, seed), range(3), claimed=1, samples=1500, confidence="0.8").refuted
        for seed in range(trials)
    )
    assert wrong <= binom.isf(1e-6, trials, 0.2)


@pytest.mark.parametrize(("level", "fixed"), [(1.3, 2612), (2.0, 306), (3.0, 118)])
def test_a_false_claim_is_refuted_soon(level: float, fixed: int) -> None:
    # What an audit of fixed size needs for a power of 95 %: it counts on half of its answers.
    kept = 1 / (1 + math.exp(-level))
    assert power(kept, 1 - kept, fixed // 2, 0.999, 1.0) >= 0.95 > power(kept, 1 - kept, fixed // 2 - 1, 0.999, 1.0)
    found = [audit_sequentially(Simulated(level, 2, seed), [0, 1], claimed=1) for seed in range(20)]
    assert all(one.refuted for one in found)
    assert np.mean([one.answers for one in found]) < 0.55 * fixed
    assert np.percentile([one.answers for one in found], 95) < fixed
    assert all(one.fortune >= one.needed for one in found)


def test_a_large_fault_takes_a_tenth_of_an_audit_of_the_same_power() -> None:
    # An audit of fixed size that finds a loss of 1.1 in 95 of 100 cases draws as many answers whatever the loss is.
    kept, fixed = 1 / (1 + math.exp(-1.1)), 21_958
    assert power(kept, 1 - kept, fixed // 2, 0.999, 1.0) >= 0.95 > power(kept, 1 - kept, fixed // 2 - 1, 0.999, 1.0)
    small = [audit_sequentially(Simulated(1.1, 2, seed), [0, 1], claimed=1, samples=fixed) for seed in range(20)]
    assert sum(one.refuted for one in small) >= 19
    for level, part in ((1.2, 10), (1.3, 20), (1.5, 50), (2.0, 150), (3.0, 300)):
        found = [audit_sequentially(Simulated(level, 2, seed), [0, 1], claimed=1) for seed in range(20)]
        assert np.mean([one.answers for one in found]) < fixed / part


def test_the_pair_that_gives_itself_away_is_found_among_many() -> None:
    rng = np.random.default_rng(5)

    def box(given: Hashable, count: int) -> Sequence[Hashable]:
        chance = 0.02 if given == 3 else 0.2
        return ["yes" if coin < chance else "no" for coin in rng.random(count)]

    found = audit_sequentially(box, range(6), claimed=1)
    assert found.refuted
    assert found.inputs[1] == 3
    assert found.event == ("yes",)


def test_slack_and_continuous_noise() -> None:
    rng = np.random.default_rng(6)

    def noisy(given: Hashable, count: int) -> Sequence[Hashable]:
        assert isinstance(given, int)
        found: list[Hashable] = rng.laplace(given, 0.5, count).tolist()
        return found

    assert audit_sequentially(noisy, [0, 1], claimed=1).refuted
    assert not audit_sequentially(noisy, [0, 1], claimed=2, samples=5000).refuted
    assert not audit_sequentially(noisy, [0, 1], claimed=1, delta="0.5", samples=5000).refuted


def test_a_fixed_seed_is_told() -> None:
    def seeded(given: Hashable, count: int) -> Sequence[Hashable]:
        found: list[Hashable] = np.random.default_rng(1).integers(0, 2, count).tolist()
        return found

    def constant(given: Hashable, count: int) -> Sequence[Hashable]:
        return ["same"] * count

    with pytest.raises(AuditFailed, match="fixed seed"):
        audit_sequentially(seeded, "ab", claimed=1, samples=200)
    assert not audit_sequentially(constant, "ab", claimed=1, samples=1000).refuted


@pytest.mark.parametrize(
    "wrong",
    [
        {"inputs": [0]},
        {"inputs": [0, 0]},
        {"samples": 100},
        {"confidence": 1},
        {"claimed": "inf"},
        {"claimed": -1},
        {"delta": 2},
    ],
    ids=str,
)
def test_audits_that_could_say_nothing_are_refused(wrong: dict[str, object]) -> None:
    asked: dict[str, object] = {
        "inputs": [0, 1],
        "samples": 1000,
        "confidence": "0.9",
        "claimed": 1,
        "delta": 0,
        **wrong,
    }
    inputs, samples = asked["inputs"], asked["samples"]
    assert isinstance(inputs, list)
    assert isinstance(samples, int)
    with pytest.raises(InvalidInput):
        audit_sequentially(
            Simulated(1, 2, 0),
            inputs,
            samples=samples,
            confidence=asked["confidence"],
            claimed=asked["claimed"],
            delta=asked["delta"],
        )


@pytest.mark.parametrize("statistic", [False, True])
def test_a_table_is_tested_against_its_release_file(
    statistic: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    labels = [f"c{k}" for k in range(40)]
    private = ["c0"] * 3000 + labels * 10
    Path("in.csv").write_text("x\n" + "\n".join(private) + "\n")
    cost = Statistic.frequencies(rows=1) if statistic else None
    column = Column("x", labels, notion=DifferentialPrivacy(), loss=1, distortion=cost)
    release("in.csv", "out.csv", column)
    assert not audit_table("out.csv", "out.csv.release.json", confidence="0.999999").refuted
    words = ["audit", "out.csv.release.json", "--confidence", "0.999999"]
    assert main([*words, "--table", "out.csv", "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["refuted"]
    # The private table itself, under the names of answers.
    answers = [str(labels.index(value)) for value in private] if statistic else private
    Path("forged.csv").write_text("x\n" + "\n".join(answers) + "\n")
    assert main([*words, "--table", "forged.csv"]) == 1
    assert "was not made as" in capsys.readouterr().out
    for bad in (
        ["--table", "nothing.csv"],
        ["--table", "out.csv.release.json"],
        ["--table", "out.csv", "--plot", "x.svg"],
        ["--sequential", "--claimed", "1"],
    ):
        assert main([*words, *bad]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_command_line_bets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("office_box.py").write_text(
        "import random\ndef box(given, count):\n"
        "    return [given if random.random() < 0.9 else '?' for _ in range(count)]\n"
    )
    words = ["audit", "--function", "office_box:box", "--sequential"]
    assert main([*words, "--inputs", "a,b,c", "--claimed", "2", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["refuted"]
    assert found["answers"] <= 1000
    assert main([*words, "--inputs", "a,b", "--claimed", "2"]) == 1
    assert "decided after" in capsys.readouterr().out
    for bad in (["--inputs", "a,b"], ["--inputs", "a", "--claimed", "1"], ["--claimed", "1"], ["--table", "x.csv"]):
        assert main([*words, *bad]) == 2
        assert capsys.readouterr().err.count("\n") == 1
