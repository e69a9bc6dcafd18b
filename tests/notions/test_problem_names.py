"""Notions are read from problem files, and refuse what they cannot mean."""

from __future__ import annotations

import math

import pytest

from epstar.errors import InvalidInput
from epstar.exact import rational
from epstar.mechanism import Mechanism
from epstar.notions import (
    NOTIONS,
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
    from_problem,
)
from epstar.universe import Alphabet, Graph

PARAMETERS: dict[str, dict[str, object]] = {
    "approximate_differential_privacy": {"delta": "1/10"},
    "renyi_differential_privacy": {"order": "5/2"},
    "sibson_mutual_information": {"order": "infinity"},
    "local_information_privacy": {"delta": 0.25},
    "g_leakage": {"gain": [[1, 0.5], [0, 1]]},
}


@pytest.mark.parametrize("name", NOTIONS)
def test_every_notion_is_read_by_its_name(name: str) -> None:
    notion = from_problem({"name": name, **PARAMETERS.get(name, {})})
    assert type(notion) is NOTIONS[name]
    assert notion.name == name
    assert notion.title
    again = from_problem({"name": name, **notion.parameters()})
    assert again == notion
    assert hash(again) == hash(notion)


def test_defaults() -> None:
    assert from_problem({"name": "local_information_privacy"}) == LocalInformationPrivacy(0)
    event = from_problem({"name": "approximate_differential_privacy", "delta": 0.1})
    assert event == ApproximateDifferentialPrivacy("1/10", "event")
    assert RenyiDifferentialPrivacy(math.inf) == RenyiDifferentialPrivacy("infinity")
    assert SibsonMutualInformation(2) != SibsonMutualInformation(3)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({}, "unknown"),
        ({"name": "privacy"}, "unknown"),
        ({"name": ["differential_privacy"]}, "unknown"),
        ({"name": "differential_privacy", "delta": "1/10"}, "no parameter 'delta'"),
        ({"name": "renyi_differential_privacy"}, "needs 'order'"),
        ({"name": "renyi_differential_privacy", "order": 0}, "not positive"),
        ({"name": "renyi_differential_privacy", "order": "two"}, "not a number"),
        ({"name": "approximate_differential_privacy", "delta": 2}, "between 0 and 1"),
        ({"name": "approximate_differential_privacy", "delta": 0, "reading": "both"}, "reading"),
        ({"name": "approximate_differential_privacy", "delta": 0, "reading": ["event"]}, "reading"),
    ],
)
def test_bad_problems_are_refused(problem: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        from_problem(problem)


def test_levels_are_not_negative() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        ApproximateDifferentialPrivacy(0).delta_at(Mechanism([[1], [1]]), -1)


def test_points_must_fit_the_universe() -> None:
    with pytest.raises(InvalidInput, match="must be the same"):
        MaximalLeakage().constraints(Alphabet(2), [(rational(1),)])


def test_a_spread_stands_for_all_pairs() -> None:
    spread = DifferentialPrivacy().constraints(Alphabet(3), [])
    assert spread.ratios == ()
    assert len(spread.pairwise()) == 6
    clique = DifferentialPrivacy().constraints(Graph.clique(3), [])
    assert set(map(str, clique.pairwise())) == set(map(str, spread.pairwise()))
