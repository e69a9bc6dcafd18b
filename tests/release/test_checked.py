"""What `epstar check` finds in a release file: the proof of each column, or a sentence that says why there is none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epstar.answer import answer
from epstar.answer_file import write_answer
from epstar.cli.main import main
from epstar.distortion import Gain
from epstar.exact import Rational, Real
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.proof_file.document import read_setting
from epstar.release import Column, release
from epstar.release.document import sealed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    labels = [f"c{k}" for k in range(60)]
    Path("in.csv").write_text("few,many\n" + "".join(f"{'ab'[k % 2]},{label}\n" for k, label in enumerate(labels)))
    Path("labels").write_text("\n".join(labels) + "\n")
    Path("given.csv").write_text("3/4,1/4\n1/4,3/4\n")
    return tmp_path


FEW = ["--column", "few", "--categories", "a,b"]


@pytest.mark.parametrize(
    "words",
    [
        [*FEW, "--loss", "1"],
        [*FEW, "--loss", "log(2)", "--prior", "2/3,1/3"],
        ["--column", "many", "--categories", "@labels", "--loss", "1"],
    ],
)
def test_the_certificate_of_a_design_stands_in_the_file(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", "in.csv", *words, "--cost", "frequencies", "-o", "out.csv"]) == 0
    assert main(["check", "out.csv.release.json"]) == 0
    told = capsys.readouterr().out
    assert "has an error below" in told
    document = json.loads(Path("out.csv.release.json").read_text())
    least = document["columns"][0]["least_distortion"]
    proof = least["proof"]
    assert len(json.dumps(proof)) < 100_000
    # An end that does not follow, a claim that does not hold, and a proof of something else.
    changes: list[dict[str, object]] = [
        {"least_distortion": {**least, "lower": least["upper"] * 2}},
        {"least_distortion": {**least, "lower_exact": "1000"}},
        {"least_distortion": {**least, "proof": {**proof, "excluded": {**proof["excluded"], "error": "1000"}}}},
        {"budget": {**document["columns"][0]["budget"], "loss": "1/2"}},
    ]
    for change in changes:
        document["columns"][0] |= change
        Path("forged.json").write_text(json.dumps(sealed(document)))
        assert main(["check", "forged.json"]) in (1, 2)
        assert capsys.readouterr().err.count("\n") <= 1
        document = json.loads(Path("out.csv.release.json").read_text())


def test_a_least_loss_does_not_stand_for_a_least_distortion(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The least loss at the distortion 1/4 is log 3, and no distortion is so large.
    assert main(["release", "in.csv", *FEW, "--loss", "1/4", "-o", "out.csv"]) == 0
    document = json.loads(Path("out.csv.release.json").read_text())
    honest = document["columns"][0]["least_distortion"]
    setting = read_setting(honest["proof"]["problem"])
    question = Problem(setting.notion, setting.source, setting.distortion, setting.universe, "loss", Real.of("1/4"))
    found = write_answer(answer(question))
    turned = [[f"-{cost}" for cost in row] for row in ("01", "10")]
    as_gain = {**honest["proof"], "problem": {**honest["proof"]["problem"], "distortion": {"gain": turned}}}
    gained = {"lower": -honest["upper"], "upper": -honest["lower"], "unit": "utility", "proof": as_gain}
    for forged in ({name: found[name] for name in ("lower", "upper", "at", "unit", "proof")}, gained):
        document["columns"][0]["least_distortion"] = forged
        Path("forged.json").write_text(json.dumps(sealed(document)))
        assert main(["check", "forged.json"]) == 2
        assert "nobody reads" in capsys.readouterr().err


def test_a_largest_utility_is_one_of_a_column_of_gains(folder: Path) -> None:
    gains = Gain([["1", "0"], ["0", "1"]])
    column = Column("few", ["a", "b"], notion=DifferentialPrivacy(), loss="1/4", distortion=gains)
    document = json.loads(Path(release("in.csv", "out.csv", column).release_file).read_text())
    assert main(["check", "out.csv.release.json"]) == 0
    least = document["columns"][0]["least_distortion"]
    least["lower"], least["upper"] = -least["upper"], -least["lower"]
    Path("forged.json").write_text(json.dumps(sealed(document)))
    assert main(["check", "forged.json"]) == 1


def test_a_file_without_a_proof_says_what_it_lacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "in.csv", *FEW, "--mechanism", "given.csv", "-o", "out.csv"]) == 0
    capsys.readouterr()
    assert main(["check", "out.csv.release.json"]) == 2
    told = capsys.readouterr().err
    assert "they were given" in told
    assert "`epstar audit`" in told


def test_a_proof_of_something_else_than_what_was_sampled_is_noticed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", "in.csv", *FEW, "--loss", "1", "--prior", "2/3,1/3", "-o", "out.csv"]) == 0
    assert main(["check", "out.csv.release.json"]) == 0
    assert "The mechanism that was sampled, which is rounded, keeps this loss as well." in capsys.readouterr().out
    honest = Path("out.csv.release.json").read_text()

    def verdict(change: Callable[[Any], None]) -> int:
        document = json.loads(honest)
        change(document["columns"][0])
        Path("forged.json").write_text(json.dumps(sealed(document)))
        code = main(["check", "forged.json"])
        assert capsys.readouterr().err.count("\n") == 1
        return code

    def truth(column: Any) -> None:
        one = 1 << column["mechanism"]["bits"]
        column["mechanism"]["tickets"] = [[one, 0], [0, one]]

    def truth_under_another_name(column: Any) -> None:
        column["mechanism"] |= {"kind": "diagonal", "diagonal": ["1", "1"]}
        del column["mechanism"]["universe"]

    def other_frequencies(column: Any) -> None:
        column["source"] = {"prior": ["1/3", "2/3"]}

    def other_costs(column: Any) -> None:
        column["distortion"] = {"matrix": [["0", "2"], ["2", "0"]]}

    def no_neighbours(column: Any) -> None:
        truth(column)
        column["mechanism"]["universe"] = {"graph": {"nodes": ["a", "b"], "edges": []}}

    assert verdict(truth) == 1
    assert verdict(truth_under_another_name) == 1
    assert [verdict(change) for change in (other_frequencies, other_costs, no_neighbours)] == [2, 2, 1]


def test_other_numbers_than_those_of_the_proof_are_measured_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--loss", "1", "--prior", "2/3,1/3", "--secret", '{"given": [["3/4", "1/4"], ["1/4", "3/4"]]}']
    assert main(["release", "in.csv", *FEW, *words, "-o", "out.csv"]) == 0
    assert main(["check", "out.csv.release.json"]) == 0
    honest = Path("out.csv.release.json").read_text()

    def verdict(change: Callable[[Any], None], *, is_sealed: bool = True) -> int:
        document = json.loads(honest)
        change(document)
        Path("forged.json").write_text(json.dumps(sealed(document) if is_sealed else document))
        capsys.readouterr()
        code = main(["check", "forged.json"])
        assert capsys.readouterr().err.count("\n") == (code != 0)
        return code

    def less_per_record(document: Any) -> None:
        document["per_record"]["upper"] = 0.1

    def less_per_secret(document: Any) -> None:
        document["per_secret"][0]["upper"] = 0.1

    def less_of_a_notion(document: Any) -> None:
        document["columns"][0]["guarantees"][1]["upper"] = 0.01

    def less_about_the_secret(document: Any) -> None:
        document["columns"][0]["secret"]["guarantees"][1]["upper"] = 0.01

    def less_distortion(document: Any) -> None:
        document["columns"][0]["distortion"]["worst_case"]["upper"] = 0.0

    def less_exactly(document: Any) -> None:
        document["columns"][0]["guarantees"][0]["exact"] = "log(101/100)"

    def less_of_another_notion(document: Any) -> None:
        document["columns"][0]["guarantees"].append(
            {"notion": "renyi_differential_privacy", "order": "3", "unit": "nats", "lower": 0.0, "upper": 0.001}
        )

    def less_first(document: Any) -> None:
        losses = document["columns"][0]["guarantees"]
        losses.insert(0, {**losses[0], "lower": 0.0, "upper": 0.01})

    def less_distortion_exactly(document: Any) -> None:
        document["columns"][0]["distortion"]["worst_case"]["exact"] = "1/1000"

    def another_exactly(document: Any) -> None:
        # By less than the floats around it tell.
        exact = document["columns"][0]["guarantees"][0]["exact"]
        ratio = Rational(exact.removeprefix("log(").removesuffix(")"))
        document["columns"][0]["guarantees"][0]["exact"] = f"log({ratio * (1 - Rational(1, 10**30))})"

    def another_distortion_exactly(document: Any) -> None:
        worst = document["columns"][0]["distortion"]["worst_case"]
        worst["exact"] = str(Rational(worst["exact"]) - Rational(1, 10**30))

    def a_budget_of_the_values(document: Any) -> None:
        document["columns"][0]["budget"] = {"notion": {"name": "differential_privacy"}, "loss": "1/10"}

    def in_another_unit(document: Any) -> None:
        document["columns"][0]["guarantees"][0]["unit"] = "bits"

    def in_another_unit_per_record(document: Any) -> None:
        document["per_record"]["unit"] = "bits"

    def fewer_mechanisms(document: Any) -> None:
        document["columns"][0]["least_distortion"]["proof"]["problem"]["mechanism"] = {"lower": "0"}

    def no_sum(document: Any) -> None:
        del document["per_record"]

    def no_losses(document: Any) -> None:
        del document["columns"][0]["guarantees"]

    assert verdict(lambda document: None) == 0
    forged = [less_per_record, less_per_secret, less_of_a_notion, less_about_the_secret, less_distortion]
    forged += [less_exactly, less_of_another_notion, less_first, less_distortion_exactly]
    forged += [another_exactly, another_distortion_exactly, a_budget_of_the_values]
    forged += [in_another_unit, in_another_unit_per_record]
    assert [verdict(change) for change in forged] == [1] * 14
    assert verdict(fewer_mechanisms) == 2
    assert [verdict(no_sum), verdict(no_losses)] == [2, 2]
    assert verdict(less_per_record, is_sealed=False) == 2
