"""A claim that holds knows its hypotheses: it holds on every case of its paper that meets them, not on its own alone.

A verdict can hold because its cases are few: they stop short of a threshold, are all convex, or have no zeros. So each
claim is fed with the cases of the other claims of its paper. A wrong result there means that the claim is false, that a
hypothesis is missing, or that its code cannot take the case.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from tests.papers.test_every_theorem import each, group

from epstar_papers import ALWAYS, PAPERS, Case, Hypothesis, Theorem, Verdict, all_theorems, examine, find
from epstar_papers.theorem import written
from epstar_papers.wang2016.constructions import output_distribution
from epstar_papers.zhong2022.cases import with_uniform

THEOREMS = all_theorems()
HELD = [theorem for theorem in THEOREMS if theorem.verdict is Verdict.HOLDS]
# What says that its cases leave something out is not fed with it.
FED = [theorem for theorem in HELD if not theorem.settled and not theorem.leaves_out]
# How many cases each claim gives to the others of its paper, and how many a claim is fed with.
GIVEN, TAKEN = 3, 10
# Larger data would only take longer.
MOST_LETTERS, MOST = 110, 8


def is_small(case: Case) -> bool:
    few = len(" ".join(map(written, case.values()))) < MOST_LETTERS
    return few and all(size(value) <= MOST for value in case.values())


def size(value: object) -> int:
    """A number itself, or the most entries of a list and of the lists in it."""
    if isinstance(value, tuple):
        return max(len(value), *map(size, value), 0)
    return value if isinstance(value, int) else 0


@cache
def given(paper: str) -> tuple[Case, ...]:
    """A few cases of each claim of a paper, with its counterexample, which lies where something goes wrong."""
    found: dict[str, Case] = {}
    for theorem in THEOREMS:
        if theorem.paper == paper:
            cases = [case for case in theorem.cases() if is_small(case)]
            chosen = [*cases[: GIVEN - 1], *cases[-1:]]
            if theorem.counterexample is not None:
                chosen.append(theorem.counterexample.case)
            found |= {repr(sorted(case.items(), key=lambda item: item[0])): case for case in chosen}
    return tuple(found.values())


def names(case: Case) -> frozenset[str]:
    return frozenset(f"{name}: {type(value).__name__}" for name, value in case.items())


def fed(theorem: Theorem) -> Iterator[Case]:
    """Cases of other claims that have all the data of this one's, as many as are taken, from the whole paper."""
    known = {names(case) for case in theorem.cases()}
    able = [case for case in given(theorem.paper) if any(data <= names(case) for data in known)]
    met = [case for case in able if theorem.hypotheses(case)]
    return iter(met[:: max(1, len(met) // TAKEN)])


def wrong(theorem: Theorem, cases: Iterable[Case]) -> list[str]:
    """The cases on which the printed claim is wrong, in words."""

    def is_wrong(case: Case) -> bool:
        return examine(replace(theorem, cases=lambda: [case], counterexample=None)).printed_wrong > 0

    return [", ".join(f"{name} = {written(value)}" for name, value in c.items()) for c in cases if is_wrong(c)]


@pytest.mark.parametrize("theorem", each(FED))
def test_a_claim_that_holds_does_so_wherever_its_hypotheses_do(theorem: Theorem) -> None:
    assert wrong(theorem, fed(theorem)) == []


def test_a_narrowed_claim_is_found() -> None:
    """Without the hypothesis that a set is of Class I, Theorem 7(1) would be fed with sets that are not."""
    narrowed = find("zhong2022:thm-7-4-lower")
    assert isinstance(narrowed, Theorem)
    assert wrong(replace(narrowed, hypotheses=ALWAYS), fed(replace(narrowed, hypotheses=ALWAYS)))


@pytest.mark.parametrize("theorem", each(t for t in THEOREMS if t.counterexample is not None))
def test_a_counterexample_meets_the_hypotheses(theorem: Theorem) -> None:
    assert theorem.counterexample is not None
    assert theorem.hypotheses(theorem.counterexample.case)


@pytest.mark.parametrize("paper", [pytest.param(paper, marks=group(paper)) for paper in PAPERS])
def test_what_is_said_is_what_was_found(paper: str) -> None:
    for theorem in THEOREMS:
        if theorem.paper == paper:
            assert bool(theorem.hypotheses.words) == (theorem.hypotheses is not ALWAYS)
            number = theorem.number_examined
            assert (
                (theorem.evidence == "open")
                if theorem.verdict is Verdict.OPEN
                else ("proven for all sizes" if theorem.proven_in else f"{number} case") in theorem.evidence
            )
            assert not theorem.evidence.startswith("holds")


def test_two_hypotheses_are_one() -> None:
    small = Hypothesis("x is small", lambda case: case["x"] < 3)
    both = small & Hypothesis("x is odd", lambda case: case["x"] % 2 == 1)
    assert both.words == "x is small and x is odd"
    assert [x for x in range(6) if both({"x": x})] == [1]
    assert (ALWAYS & small).words == "x is small"


# The thresholds and boundary cases that verdicts once stopped short of, each with the claim that includes it.
INCLUDED: dict[str, Callable[[Case], bool]] = {
    "zhong2022:thm-6-3-upper": lambda case: case["setting"].distortion > case["setting"].free,
    "zhong2022:thm-6-6-lower": lambda case: not case["convex"],
    "zhong2022:thm-7-3-upper": lambda case: case["setting"].distortion >= case["setting"].free,
    "zhong2022:prop-8-7": lambda case: not with_uniform(case),
    "zhong2022:thm-17-6-lower": lambda case: len(case["row_distributions"]) > 1,
    "zhong2022:lemma-20-5": lambda case: any(0 in row for row in case["mechanism"].rows),
    "wang2016:eq-20": lambda case: min(output_distribution(case["database"], case["ratio"])) == 0,
    "wang2016:thm-1-privacy-lower": lambda case: case["distortion"] in (0, case["database"].rows),
    "wang2016:fig-4b-privacy-upper": lambda case: case["distortion"] == 1,
    "kalantari2018:eq-46": lambda case: len(case["points"][0]) == 2,
    "ngo2024:text-fig-2-gap": lambda case: case["variance"] < 1,
}


@pytest.mark.parametrize(("key", "is_at_the_end"), INCLUDED.items(), ids=list(INCLUDED))
def test_cases_reach_as_far_as_the_statement(key: str, is_at_the_end: Callable[[Case], bool]) -> None:
    theorem = find(key)
    assert isinstance(theorem, Theorem)
    assert any(map(is_at_the_end, theorem.examined()))
