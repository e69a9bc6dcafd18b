"""Every claim of every paper: its verdict recomputed, its counterexample checked, planted errors found."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from epstar.errors import EpstarError
from epstar.exact import Interval, Real
from epstar_papers import PAPERS, Case, Counterexample, Relation, Theorem, Verdict, all_theorems, examine, find

THEOREMS = all_theorems()
EXPECTED: dict[str, Any] = {paper: import_module(f"tests.papers.expected.{paper}") for paper in PAPERS}
WRONG = [t for t in THEOREMS if t.verdict in (Verdict.FAILS, Verdict.ERRATUM) and t.printed is not None]


def each(theorems: Iterable[Theorem]) -> list[Any]:
    """Each theorem as a parameter; those of one paper share what is computed for them, so they are one group."""
    return [pytest.param(theorem, id=theorem.key, marks=group(theorem.paper)) for theorem in theorems]


def group(paper: str) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(paper)


def ends(value: object) -> tuple[Real, Real]:
    """The exact ends of a claimed or computed value."""
    if isinstance(value, Interval):
        return value.lower, value.upper
    real = Real.of(value)
    return real, real


def is_found(theorem: Theorem) -> bool:
    """Whether examining a theorem shows that something is wrong with it."""
    try:
        return not examine(theorem).verdict_stands
    except EpstarError:
        return True


@pytest.mark.parametrize("theorem", each(THEOREMS))
def test_the_verdict_stands(theorem: Theorem) -> None:
    found = examine(theorem)
    assert found.verdict_stands, found
    assert theorem.statement
    assert theorem.place
    if theorem.verdict is Verdict.HOLDS:
        assert theorem.counterexample is None
        assert found.printed_right == found.cases
    elif theorem.verdict is Verdict.OPEN:
        assert theorem.correction or theorem.beyond, "say why it is open"
    else:
        assert theorem.correction
    if theorem.verdict is Verdict.FAILS:
        assert theorem.counterexample is not None


@pytest.mark.parametrize("theorem", each(t for t in THEOREMS if t.counterexample is not None))
def test_a_counterexample_is_one(theorem: Theorem) -> None:
    """It has the numbers it states, and by exact comparison they break the claim."""
    example = theorem.counterexample
    assert example is not None
    assert theorem.printed is not None
    assert example.why
    if theorem.undefined(example.case):
        with pytest.raises((EpstarError, ArithmeticError)):
            theorem.printed(example.case)
    elif theorem.relation is Relation.IMPLIES:
        assert not theorem.printed(example.case)
    else:
        _breaks(theorem, example)
    if theorem.relation is Relation.IMPLIES:
        assert (example.claimed, example.true) == (1.0, 0.0)


def _breaks(theorem: Theorem, example: Counterexample) -> None:
    assert theorem.printed is not None
    assert theorem.computed is not None
    claimed, true = ends(theorem.printed(example.case)), ends(theorem.computed(example.case))
    for stated, (low, high) in ((example.claimed, claimed), (example.true, true)):
        assert (float(low), float(high)) == pytest.approx((stated, stated), abs=1e-6)
    # Rationals and logarithms are compared exactly, everything else by enclosures that must be disjoint.
    is_above, is_below = true[0] > claimed[1], true[1] < claimed[0]
    match theorem.relation:
        case Relation.AT_MOST:
            assert is_above
        case Relation.AT_LEAST:
            assert is_below
        case _:
            assert is_above or is_below
    assert abs(example.claimed - example.true) > theorem.tolerance


@pytest.mark.parametrize("paper", PAPERS)
def test_no_claim_is_lost(paper: str) -> None:
    keys = [theorem.key for theorem in THEOREMS if theorem.paper == paper]
    assert len(keys) >= EXPECTED[paper].COUNT
    assert max(Counter(keys).values()) == 1
    missing = {f"{paper}:{key}" for key in EXPECTED[paper].NUMBERED} - set(keys)
    assert not missing


PLANTED: dict[str, Callable[[], Theorem]] = {
    f"{paper}: {name}": theorem for paper in PAPERS for name, theorem in EXPECTED[paper].PLANTED.items()
}


def test_enough_errors_are_planted() -> None:
    assert len(PLANTED) >= 80
    assert min(Counter(name.partition(":")[0] for name in PLANTED).values()) >= 14


@pytest.mark.parametrize("name", [pytest.param(name, marks=group(name.partition(":")[0])) for name in PLANTED])
def test_a_planted_error_is_found(name: str) -> None:
    assert is_found(PLANTED[name]())


@pytest.mark.parametrize("theorem", each(WRONG))
def test_a_wrong_formula_cannot_pass_for_the_right_one(theorem: Theorem) -> None:
    # Where there is a counterexample it is enough.
    short = theorem if theorem.counterexample is None else replace(theorem, cases=tuple)
    assert is_found(replace(short, printed=theorem.corrected, corrected=theorem.printed))
    assert is_found(replace(short, verdict=Verdict.HOLDS))


WIDER = [(f"{paper}:{key}", cases) for paper in PAPERS for key, cases in EXPECTED[paper].WIDER.items()]


@pytest.mark.full
@pytest.mark.parametrize(("key", "cases"), WIDER, ids=[key for key, _ in WIDER])
def test_the_verdict_stands_on_many_more_cases(key: str, cases: Callable[[], Iterable[Case]]) -> None:
    theorem = find(key)
    assert isinstance(theorem, Theorem)
    assert examine(replace(theorem, cases=cases)).verdict_stands


ARITHMETIC = Theorem(
    key="none:sum",
    label="A sum",
    statement="1/x + 1/x is 2/x",
    verdict=Verdict.HOLDS,
    relation=Relation.EQUAL,
    cases=lambda: ({"x": 1.0}, {"x": 4.0}),
    printed=lambda case: 1 / case["x"] + 1 / case["x"],
    computed=lambda case: 2 / case["x"],
)


def test_a_formula_that_breaks_down_is_no_wrong_claim() -> None:
    assert examine(ARITHMETIC).verdict_stands
    broken = replace(ARITHMETIC, verdict=Verdict.FAILS, printed=lambda case: case["y"], corrected=ARITHMETIC.printed)
    with pytest.raises(EpstarError, match=r"A formula of none:sum breaks down on .*KeyError"):
        examine(broken)
    with pytest.raises(EpstarError, match="breaks down"):
        examine(replace(broken, printed=ARITHMETIC.printed, corrected=broken.printed))


def test_a_formula_without_a_value_must_say_so() -> None:
    at_zero = replace(
        ARITHMETIC,
        verdict=Verdict.ERRATUM,
        cases=lambda: ({"x": 0.0},),
        corrected=lambda case: 7.0,
        computed=lambda case: 7.0,
    )
    with pytest.raises(EpstarError, match="breaks down"):
        examine(at_zero)
    assert examine(replace(at_zero, undefined=lambda case: case["x"] == 0)).verdict_stands
    with pytest.raises(EpstarError, match=r"undefined on .* but it is 2"):
        examine(replace(at_zero, cases=lambda: ({"x": 1.0},), undefined=lambda case: True))


@pytest.mark.parametrize("verdict", [Verdict.HOLDS, Verdict.ERRATUM, Verdict.FAILS])
def test_a_verdict_needs_cases_and_the_formulas_it_speaks_of(verdict: Verdict) -> None:
    assert not examine(replace(ARITHMETIC, verdict=verdict, cases=tuple)).verdict_stands
    assert not examine(replace(ARITHMETIC, verdict=verdict, printed=None)).verdict_stands
    assert examine(replace(ARITHMETIC, verdict=Verdict.OPEN, cases=tuple)).verdict_stands
