"""Coq proves exported answers, one for each notion, and refuses what is false."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.theory.building import AXIOMS, proven, refused

from epstar.answer import answer
from epstar.breakpoints import breakpoints
from epstar.breakpoints_file import read_breakpoints, write_breakpoints
from epstar.claims import Bracket, Excluded, Setting
from epstar.claims.claim import Step
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, Rational, Real, rational
from epstar.export import FORMATS, export
from epstar.notions import DifferentialPrivacy, Identifiability, RenyiDifferentialPrivacy
from epstar.problem_file import read_problem
from epstar.secret import Secret
from epstar.source import Everything, Prior
from epstar.universe import Alphabet

pytestmark = pytest.mark.xdist_group("coq")

PRIOR = {"prior": ["1/2", "3/10", "1/5"]}
AT_DISTORTION, AT_LOSS = {"distortion": "1/5"}, {"loss": "4/5"}
QUESTIONS: dict[str, dict[str, Any]] = {
    "differential": {"notion": {"name": "differential_privacy"}, "at": AT_DISTORTION},
    "enclosed": {"notion": {"name": "differential_privacy"}, "at": AT_LOSS},
    "approximate": {"notion": {"name": "approximate_differential_privacy", "delta": "1/20"}, "at": AT_LOSS},
    "pointwise": {
        "notion": {"name": "approximate_differential_privacy", "delta": "1/20", "reading": "pointwise"},
        "at": AT_DISTORTION,
    },
    "identifiability": {"notion": {"name": "identifiability"}, "at": {"loss": "2"}},
    "maximal information": {"notion": {"name": "maximal_information"}, "at": AT_LOSS},
    "local": {"notion": {"name": "local_information_privacy"}, "at": AT_LOSS},
    "leakage": {"notion": {"name": "maximal_leakage"}, "at": AT_DISTORTION, "source": {"everything": 3}},
    "guessing": {"notion": {"name": "min_entropy_leakage"}, "at": AT_DISTORTION},
    "guessing capacity": {"notion": {"name": "min_entropy_capacity"}, "at": AT_DISTORTION},
    "information": {"notion": {"name": "mutual_information"}, "at": AT_DISTORTION},
    "capacity": {"notion": {"name": "capacity"}, "at": AT_DISTORTION},
    "pointwise leakage": {"notion": {"name": "pointwise_leakage"}, "at": AT_DISTORTION},
    "Rényi": {"notion": {"name": "renyi_differential_privacy", "order": 2}, "at": AT_DISTORTION},
    "Rényi of a fraction": {"notion": {"name": "renyi_differential_privacy", "order": "1/2"}, "at": AT_LOSS},
    "Sibson": {"notion": {"name": "sibson_mutual_information", "order": 2}, "at": AT_DISTORTION},
    "Sibson of a fraction": {"notion": {"name": "sibson_mutual_information", "order": "3/2"}, "at": AT_LOSS},
}
CONVEX = (
    "information",
    "capacity",
    "pointwise leakage",
    *(name for name in QUESTIONS if name[:5] in ("Rényi", "Sibso")),
)
EXACT = [name for name in QUESTIONS if name not in CONVEX]
# Of the questions that take Coq seconds each, one for each kind of atom is asked every time.
OFTEN = (*EXACT, "information", "Rényi", "Sibson", "rows", "distances")
# Rényi's divergences at order one, and at an order whose powers the kernel encloses by exponentials.
ORDERS: dict[str, dict[str, Any]] = {
    "relative entropy": {"notion": {"name": "renyi_differential_privacy", "order": 1}, "at": AT_LOSS},
    "order below one": {"notion": {"name": "sibson_mutual_information", "order": "1/2"}, "at": AT_DISTORTION},
    "order of many digits": {"notion": {"name": "sibson_mutual_information", "order": "1.1"}, "at": AT_DISTORTION},
}
PAIR = {"databases": {"size": 2, "rows": 2}}
# Proofs about single rows (the last of several steps), and about distances.
DATABASES: dict[str, dict[str, Any]] = {
    "rows": {"notion": {"name": "differential_privacy"}, "source": {"prior": ["0.42", "0.18", "0.28", "0.12"]}},
    "laws of rows": {"notion": {"name": "identifiability"}, "source": {"rows": {"prior": ["3/5", "2/5"]}, "iid": True}},
    "distances": {"notion": {"name": "maximal_information"}, "source": {"prior": ["1/4"] * 4}},
    "guesses": {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/4"] * 4}},
}


@cache
def claims(name: str) -> Bracket:
    if name in DATABASES:
        question = {"universe": PAIR, "at": {"distortion": "3/10"}, **DATABASES[name]}
    else:
        question = {"source": PRIOR, **QUESTIONS.get(name, ORDERS.get(name, {}))}
    problem = {"schema": "epstar/problem/1", "distortion": {"name": "hamming"}, **question}
    return answer(read_problem(problem)).claims


@cache
def exported(name: str) -> str:
    return export(claims(name), "coq")


@pytest.mark.parametrize(
    "names",
    [OFTEN, pytest.param([*{*QUESTIONS, *ORDERS, *DATABASES}.difference(OFTEN)], marks=pytest.mark.full)],
    ids=["often", "others"],
)
def test_coq_proves_an_exported_answer_of_every_notion(names: Sequence[str], tmp_path: Path) -> None:
    verdict = proven([exported(name) for name in names], tmp_path)
    assert verdict.accepted, verdict.said
    assert verdict.axioms <= AXIOMS


def test_coq_proves_a_jump(tmp_path: Path) -> None:
    asked = {"schema": "epstar/problem/1", "distortion": {"name": "hamming"}, "at": {"distortion": "0"}}
    source = {"prior": ["7/10", "2/10", "1/10"]}
    question = read_problem({**asked, "notion": {"name": "differential_privacy"}, "source": source})
    first, *others = read_breakpoints(write_breakpoints(question, breakpoints(question)))
    text = export(first, "coq", *others)
    # Nothing need be lost at 3/10, and below it at least log(7/2); no mechanism has a negative cost.
    assert "attained question (Number 0) (3#10) /\\\n  no_smaller_distortion question (Log (7#2)) (3#10)." in text
    assert "no_smaller_distortion question Infinite 0" in text
    moved = text.replace("(Number 0) (3#10)", "(Number 0) (2999999999999#10000000000000)")
    verdict = proven([text], tmp_path)
    assert verdict.accepted, verdict.said
    assert verdict.axioms <= AXIOMS
    assert refused([moved, text], tmp_path) == [True, False]


def test_coq_proves_a_loss_that_nothing_avoids(tmp_path: Path) -> None:
    """Whatever it costs: the posterior of one input is twice that of the other on average, as before the answer."""
    setting = Setting(Identifiability(), Alphabet(2), Prior(["2/3", "1/3"]), Hamming())
    one, point = Rational(1), ((Rational(1), (Rational(2, 3), Rational(1, 3))),)
    both = tuple(((0, 0, 1), y, 3 * one) for y in (0, 1))
    first = Step(ratios=both, rows=(2 * one, -2 * one))
    last = Step(ratios=both, rows=(2 * one, -1 * one))
    claim = Excluded(Real.log(Rational(2)), INFINITY, "loss", steps=(first, last), points=(point,))
    text = export(Bracket(setting, excluded=claim), "coq")
    assert "no_loss_below question (Log 2)." in text
    assert refused([text, text.replace("(Log 2).", "(Log (21#10)).")], tmp_path) == [False, True]


def test_both_ends_are_stated() -> None:
    for name in (*QUESTIONS, *ORDERS, *DATABASES):
        stated = exported(name).partition("Proof.")[0]
        assert "attained question" in stated
        assert "no_smaller_" in stated


def test_the_statement_is_readable_in_one_screen() -> None:
    stated = exported("differential").partition("Proof.")[0]
    assert len(stated.splitlines()) <= 25
    assert "attained question (Log 8) (1#5) /\\\n  no_smaller_loss question (Log 8) (1#5)." in stated


def shifted(text: str, words: str, place: int, amount: Rational) -> str:
    """The same file with a number in its statement moved: the loss (place 0) or the distortion (1)."""
    found = re.search(rf"{words} question (\((?:Number|Log) \(?([0-9#]+)\)?\)) \(?([0-9#]+)\)?", text)
    assert found is not None
    value = rational(found[2 + place].replace("#", "/")) + amount
    start, end = found.span(2 + place)
    written = f"{value.p}#{value.q}"
    within = text[start - 1] == "(" and text[end] == ")"
    return text[:start] + (written if within else f"({written})") + text[end:]


def false_answers(convex: Sequence[str], exact: Sequence[str]) -> list[str]:
    """Each answer with an end that is better by 1e-12, with another distribution, and with another notion."""
    little, found = Rational(1, 10**12), []
    for name in convex:
        text = exported(name)
        open_end = "no_smaller_loss" if "no_smaller_loss" in text else "no_smaller_distortion"
        # The end that was asked for, which floats reach to 1e-9.
        place = 0 if open_end == "no_smaller_loss" else 1
        found += [shifted(text, "attained", place, -1000 * little), shifted(text, open_end, place, 1000 * little)]
        found.append(text.replace("[5#10; 3#10; 2#10]", "[2#10; 3#10; 5#10]"))
        found.append(re.sub(r"(renyi_differential_privacy|sibson_mutual_information) [^;]*;", r"\1 (7#2);", text))
    for name in exact:
        text = exported(name)
        better = shifted(text, "attained", 1, -little)
        worse = shifted(text, "no_smaller_loss" if "no_smaller_loss" in text else "no_smaller_distortion", 1, little)
        notion = "maximal_leakage" if name != "leakage" else "differential_privacy"
        if name != "guessing capacity":  # which is the same number
            found.append(re.sub(r"notion := [^;]*;", f"notion := {notion};", text))
        found += [better, worse]
        if "Prior [" in text:
            found.append(text.replace("[5#10; 3#10; 2#10]", "[2#10; 3#10; 5#10]"))
    text = exported("differential")
    found += [shifted(text, "attained", 0, -little), shifted(text, "no_smaller_loss", 0, little)]
    found.append(text.replace("distance := alphabet", "distance := graph [(0, 1)]%nat"))
    found.append(exported("leakage").replace("cost := hamming", "cost := fun x y => 0"))
    return found


@pytest.mark.parametrize(
    ("convex", "exact"),
    [
        (["Rényi"], EXACT[::2]),
        pytest.param(["Rényi of a fraction", "Sibson", "Sibson of a fraction"], EXACT[1::2], marks=pytest.mark.full),
    ],
    ids=["often", "others"],
)
def test_coq_refuses_what_is_false(convex: Sequence[str], exact: Sequence[str], tmp_path: Path) -> None:
    false = false_answers(convex, exact)
    assert len(set(false)) == len(false) > 25
    assert not set(false) & {exported(name) for name in QUESTIONS}
    *found, of_the_true_one = refused([*false, exported("differential")], tmp_path)
    assert [text for text, is_refused in zip(false, found, strict=True) if not is_refused] == []
    assert not of_the_true_one


class WiderNotion(DifferentialPrivacy):
    """A notion with a parameter that the theory does not know."""

    def parameters(self) -> dict[str, object]:
        return {"rounds": 2}


@pytest.mark.parametrize("to", FORMATS)
def test_a_question_that_says_more_is_refused(to: str) -> None:
    setting = claims("enclosed").setting
    parts = (setting.notion, setting.universe, setting.source, setting.distortion)
    with pytest.raises(InvalidInput, match=r"has a secret, .* do not speak; `epstar check` checks the answer\.$"):
        export(Bracket(Setting(*parts, secret=Secret.of(["a", *"b" * (setting.universe.size - 1)]))), to)


def test_divergences_of_many_inputs_are_refused() -> None:
    notion, size = RenyiDifferentialPrivacy(2), 21
    setting = Setting(notion, Alphabet(size), Everything(size), Hamming())
    with pytest.raises(InvalidInput, match=r"divergences of 21 inputs have too many terms for Coq; `epstar check`"):
        export(Bracket(setting), "coq")


def test_a_notion_with_a_parameter_that_the_theory_does_not_know_is_refused() -> None:
    found = claims("differential")
    setting = found.setting
    wider = Setting(WiderNotion(), setting.universe, setting.source, setting.distortion)
    with pytest.raises(InvalidInput, match=r"The theory has no .* with rounds; `epstar check`"):
        export(Bracket(wider, found.attained, found.excluded), "coq")
