"""VIPR certificates are verified, SMT solvers find no better mechanism, and false claims are seen."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.export.vipr_reader import NotVerifiedError, read_vipr, verify

from epstar.answer import answer
from epstar.claims import Bracket
from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.export import export
from epstar.problem_file import read_problem

PRIORS: dict[str, dict[str, Any]] = {
    "prior": {"prior": ["1/2", "3/10", "1/5"]},
    "finite": {"finite": [["1/2", "3/10", "1/5"], ["1/3", "1/3", "1/3"]]},
    "everything": {"everything": 3},
}
NOTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "differential": ({"name": "differential_privacy"}, "log(2)"),
    "events": ({"name": "approximate_differential_privacy", "delta": "1/20"}, "log(2)"),
    "outputs": ({"name": "approximate_differential_privacy", "delta": "1/20", "reading": "pointwise"}, "log(2)"),
    "information": ({"name": "maximal_information"}, "log(2)"),
    "local": ({"name": "local_information_privacy"}, "log(2)"),
    "leakage": ({"name": "maximal_leakage"}, "log(2)"),
    "guessing": ({"name": "min_entropy_leakage"}, "log(3/2)"),
}
LISTED = [(notion, source) for notion in NOTIONS for source in PRIORS if source == "prior" or notion != "local"]
AT_DISTORTION = ["differential", "outputs", "leakage", "guessing"]


def problem(notion: str, source: str, at: dict[str, str] | None = None) -> Any:
    name, loss = NOTIONS[notion]
    return {
        "schema": "epstar/problem/1",
        "notion": name,
        "source": PRIORS[source],
        "distortion": {"name": "hamming"},
        "at": at or {"loss": loss},
    }


@cache
def claims(notion: str, source: str, at: str = "") -> Bracket:
    return answer(read_problem(problem(notion, source, {"distortion": at} if at else None))).claims


def z3_says(text: str) -> str:
    """What z3 says of a question; it is imported by name because it has no types."""
    z3: Any = import_module("z3")
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def cvc5_says(text: str) -> str:
    """What cvc5 says of a question."""
    cvc5: Any = import_module("cvc5")
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols, said = parser.getSymbolManager(), ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return said.strip()
        said += command.invoke(solver, symbols)


@pytest.mark.parametrize(("notion", "source"), LISTED)
def test_the_least_distortion_is_certified(notion: str, source: str) -> None:
    found = claims(notion, source)
    certificate = read_vipr(export(found, "vipr"))
    verify(certificate)
    assert found.excluded is not None
    assert certificate.lower == Fraction(str(found.excluded.distortion))
    assert certificate.solutions


@pytest.mark.parametrize(("notion", "source"), [one for one in LISTED if one != ("guessing", "everything")])
def test_two_solvers_find_no_mechanism_with_less_distortion(notion: str, source: str) -> None:
    text = export(claims(notion, source), "smtlib")
    assert z3_says(text) == "unsat"
    assert cvc5_says(text) == "unsat"


@pytest.mark.parametrize("notion", AT_DISTORTION)
def test_two_solvers_find_no_mechanism_with_a_smaller_loss(notion: str) -> None:
    text = export(claims(notion, "prior", "1/5"), "smtlib")
    assert z3_says(text) == "unsat"
    assert cvc5_says(text) == "unsat"


@pytest.mark.parametrize("size", range(2, 9))
@pytest.mark.parametrize("notion", ["differential", "outputs", "information", "leakage"])
def test_z3_confirms_the_least_distortion_of_up_to_eight_categories(notion: str, size: int) -> None:
    weights = range(size, 0, -1)
    question = {**problem(notion, "prior"), "source": {"prior": [f"{w}/{sum(weights)}" for w in weights]}}
    assert z3_says(export(answer(read_problem(question)).claims, "smtlib")) == "unsat"


def moved(found: Bracket) -> Bracket:
    """The same claims with a distortion that is 1e-12 larger."""
    assert found.excluded is not None
    assert found.excluded.distortion.rational is not None
    larger = Real.of(found.excluded.distortion.rational + Rational(1, 10**12))
    return replace(found, excluded=replace(found.excluded, distortion=larger))


@pytest.mark.parametrize("notion", NOTIONS)
def test_solvers_find_the_mechanism_that_a_false_claim_overlooks(notion: str) -> None:
    assert z3_says(export(moved(claims(notion, "prior")), "smtlib")) == "sat"


@pytest.mark.parametrize("told", ["RTP range", "DER 1", "row_0 E"])
def test_a_certificate_that_was_changed_is_not_verified(told: str) -> None:
    text = export(claims("differential", "prior"), "vipr")
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith(told))
    changed = {
        "RTP range": "RTP range 9/10 1",
        "DER 1": "DER 0",
        "row_0 E": lines[place].replace("E 1 ", "E 11/10 "),
    }[told]
    lines[place] = changed
    if told == "DER 1":
        lines = lines[: place + 1]
    with pytest.raises(NotVerifiedError):
        verify(read_vipr("\n".join(lines)))


@pytest.mark.parametrize(
    ("notion", "source", "at", "to", "why"),
    [
        ("differential", "prior", {"loss": "1"}, "vipr", "not a fraction"),
        ("differential", "prior", {"loss": "1"}, "smtlib", "not a fraction"),
        ("differential", "prior", {"distortion": "1/5"}, "vipr", "least distortion"),
        ("events", "prior", {"distortion": "1/5"}, "smtlib", "not linear"),
        ("guessing", "everything", {"loss": "log(3/2)"}, "smtlib", "not worst at a distribution"),
    ],
)
def test_what_a_format_cannot_say_is_refused_with_one_that_can(
    notion: str, source: str, at: dict[str, str], to: str, why: str
) -> None:
    found = answer(read_problem(problem(notion, source, at))).claims
    with pytest.raises(InvalidInput, match=why) as refusal:
        export(found, to)
    assert "`--to coq`" in str(refusal.value)


def test_powers_are_for_coq() -> None:
    question = problem("differential", "prior", {"loss": "log(2)"})
    found = answer(read_problem({**question, "notion": {"name": "renyi_differential_privacy", "order": "2"}})).claims
    for to in ("vipr", "smtlib"):
        with pytest.raises(InvalidInput, match=r"not linear.*`--to coq` can say it"):
            export(found, to)


def test_what_no_format_can_say_is_refused_with_the_check_that_can() -> None:
    box = {"box": {"lower": ["1/3", "1/3"], "upper": ["2/3", "2/3"]}}
    question = {
        **problem("differential", "prior", {"distortion": "1/2"}),
        "universe": {"databases": {"size": 2, "rows": 2}},
        "source": {"rows": box, "iid": True},
    }
    found = answer(read_problem(question)).claims
    for to, why in (("coq", "not convex"), ("vipr", "least loss"), ("smtlib", "not a list of distributions")):
        with pytest.raises(InvalidInput, match=why) as refusal:
            export(found, to)
        assert str(refusal.value).endswith("; `epstar check` checks the answer.")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("epstar/problem/1", "This is a question"),
        ("epstar/statistic/1", "proven by a design"),
        ("epstar/curve/2", "curve"),
        ("epstar/release/1", '"epstar/answer/2", "epstar/breakpoints/1", "epstar/proof/2"'),
    ],
)
def test_a_document_without_claims_is_refused(
    schema: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "document.json"
    file.write_text(f'{{"schema": "{schema}"}}', encoding="utf-8")
    assert main(["export", str(file), "--to", "coq"]) == 2
    assert why in capsys.readouterr().err
