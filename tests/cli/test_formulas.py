"""Formulas and units as a terminal shows them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from epstar.cli.formula import with_formulas
from epstar.cli.main import main
from epstar_papers import all_theorems

STATIC = Path(__file__).resolve().parents[2] / "src" / "epstar" / "web" / "static"


def printed(arguments: Sequence[object], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints that succeeds."""
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def texts() -> list[str]:
    """Whatever the claims of the papers say in words and formulas."""
    return [
        text
        for claim in all_theorems()
        for text in (claim.statement, claim.correction, claim.beyond, claim.hypotheses.words, claim.leaves_out)
    ]


def commands() -> set[str]:
    """The commands of TeX in the formulas."""
    formulas = (formula for text in texts() for formula in text.split("$")[1::2])
    return {name for formula in formulas for name in re.findall(r"\\([a-zA-Z]+)", formula)}


def test_formulas_of_theorems_are_plain_text_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    words = {"log", "ln", "exp", "max", "min", "sup", "tanh", "det", "Pr"}
    for name in commands() - words:
        assert name not in with_formulas(f"$\\{name} x$"), name
    assert not any(set("$\\\ue000\ue001") & set(with_formulas(text)) for text in texts())
    out = printed(["theorem", "zhong2022:thm-9"], capsys)
    assert "ε*_δ(P, D) = max{0, min_(D>(1−δ)D⁽ᵏ⁻¹⁾) log((m−k)(1−D−δ)/(D−(1−δ)D⁽ᵏ⁻¹⁾))}." in out
    # A program that reads JSON gets them as they were written.
    read = json.loads(printed(["theorem", "zhong2022:thm-9", "--json"], capsys))
    assert r"\epsilon^*_\delta(P, D)" in read["statement"]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"(m-1)\frac{n-D}{D}(1-\delta)", "(m−1)(n−D)/D · (1−δ)"),
        (r"\log_2 \frac{v e^\epsilon}{v-1+e^\epsilon}", "log₂((v e^ε)/(v−1+e^ε))"),
        (r"\frac12\sum_i\log(1+x_i)", "1/2 · Σᵢ log(1+xᵢ)"),
        (r"\tilde\epsilon^*_{ML} \ge \max\{0, \log m\}", "ε\u0303*_ML ≥ max{0, log m}"),
        (r"\binom{n-1}{l-1} \sqrt{x} \to \infty", "C(n−1, l−1) √(x) → ∞"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"e^{t\epsilon}H'", "e^(tε)H′"),
    ],
)
def test_a_formula_says_the_same_in_plain_text(tex: str, plain: str) -> None:
    assert with_formulas(f"${tex}$") == plain


def test_the_page_knows_every_command_of_the_formulas() -> None:
    source = (STATIC / "js" / "math.js").read_text(encoding="utf-8")
    assert [name for name in sorted(commands()) if not re.search(rf'[\s"{{]{name}(?::|"|\s*===)', source)] == []


def test_a_loss_has_the_unit_of_its_notion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (line.split("│") for line in printed(["demo"], capsys).splitlines())
    units = {row[1].strip(): row[3].strip() for row in lines if len(row) > 6}
    assert units["Gaussian differential privacy"] == "μ"
    assert units["concentrated differential privacy"] == "ρ"
    assert units["differential privacy"] == units["maximal leakage"] == "nats"
    asked = ["--notion", "gdp", "--prior", "0.5,0.5", "--distortion", "0.25"]
    assert "least loss (μ)" in printed(["curve", *asked], capsys)
    answer = tmp_path / "answer.json"
    answer.write_text(printed(["solve", *asked, "--json"], capsys), encoding="utf-8")
    assert "a loss of Gaussian differential privacy at most μ = 1.3489" in printed(["check", answer], capsys)
