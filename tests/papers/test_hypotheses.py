"""A claim that holds knows its hypotheses: it holds on every case of its paper that meets them, not on its own alone.

A verdict can hold because its cases are few: they stop short of a threshold, are all convex, or have no zeros. So each
claim is fed with the cases of the other claims of its paper. A wrong result there means that the claim is false, that a
hypothesis is missing, or that its code cannot take the case.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from tests.papers.test_every_theorem import each

from epstar.papers import ALWAYS, Case, Hypothesis, Relation, Theorem, Verdict, all_theorems, examine
from epstar.papers.theorem import written

THEOREMS = all_theorems()
HELD = [theorem for theorem in THEOREMS if theorem.verdict is Verdict.HOLDS]
# What says that its cases leave something out is not fed with it.
FED = [theorem for theorem in HELD if not theorem.settled and not theorem.leaves_out]
# How many cases each claim gives to the others of its paper, and how many a claim is fed with.
GIVEN, TAKEN = 3, 10
# Larger data would only take longer.
MOST_LETTERS, MOST = 110, 12


def is_small(case: Case) -> bool:
    few = len(" ".join(map(written, case.values()))) < MOST_LETTERS
    return few and all(value <= MOST for value in case.values() if isinstance(value, int))


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


@pytest.mark.parametrize("theorem", each(FED))
def test_a_claim_that_holds_does_so_wherever_its_hypotheses_do(theorem: Theorem) -> None:
    """The one in all: it holds on the cases of its neighbours, or says which of them it is not about."""
    foreign = list(fed(theorem))
    if foreign:
        found = examine(replace(theorem, cases=lambda: foreign))
        wrong = [
            ", ".join(f"{name} = {written(value)}" for name, value in case.items())
            for case in foreign
            if examine(replace(theorem, cases=lambda case=case: [case])).printed_wrong
        ]
        assert found.printed_wrong == 0, wrong
