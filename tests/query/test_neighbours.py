"""Databases that attain the level of a system, however many individuals there are, and what one of them can change."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from epstar.query import Query, System
from epstar.query.named_queries import NAMES
from epstar.query.optimum import optimal_oblivious
from epstar.universe import Databases


@pytest.mark.parametrize("name", NAMES)
def test_neighbouring_answers_come_from_neighbouring_databases(name: str) -> None:
    for individuals in range(1, 6):
        for values in range(1, 5):
            if name == "identity" and values**individuals > 64:
                continue
            for modulus in range(1, 7) if name == "count_mod" else [None]:
                query = Query.named(name, individuals, values, modulus)
                for first in query.answers:
                    for second in query.answers:
                        pair = query.neighbours(first, second)
                        assert (pair is not None) == query.are_adjacent(first, second)
                        if pair is not None:
                            assert [query.answer(side) for side in pair] == [first, second]
                            assert sum(a != b for a, b in zip(*pair, strict=True)) == 1


def test_an_enumerated_query_has_neighbours_too() -> None:
    query = Query(sum, Databases([0, 1, 2], 2), domain=lambda rows: rows != (0, 0))
    assert query.neighbours(1, 3) == ((0, 1), (2, 1))
    assert query.neighbours(1, 4) is None


@pytest.mark.parametrize(("individuals", "values"), [(3, 3), (4, 3), (5, 3), (6, 3), (4, 4), (5, 4), (3, 5), (4, 5)])
def test_who_can_win_by_one_vote(individuals: int, values: int) -> None:
    query = Query.named("plurality_with_tie", individuals, values)
    place_of = {answer: place for place, answer in enumerate(query.answers)}
    occurring = {
        frozenset(place_of[query.answer((own, *others))] for own in range(values))
        for others in combinations_with_replacement(range(values), individuals - 1)
    }
    found = [frozenset(window) for window in query.windows()]
    assert set(found) <= occurring
    assert all(any(window <= larger for larger in found) for window in occurring)


@pytest.mark.parametrize(
    ("name", "individuals", "values"), [("count", 40_000, 2), ("max", 10**6, 300), ("plurality_with_tie", 999, 4)]
)
def test_the_pair_that_attains_the_level_of_many(name: str, individuals: int, values: int) -> None:
    query = Query.named(name, individuals, values)
    system = System(query, optimal_oblivious(query, "log(2)").mechanism)
    level = system.level()
    assert str(level.loss.upper) == "log(2)"
    assert level.answers is not None
    assert level.databases is not None
    assert tuple(map(query.function, level.databases)) == level.answers
    places = [query.shape.index(answer) for answer in level.answers]
    output = list(system.mechanism.outputs).index(level.output)
    assert system.mechanism.entry(places[0], output) == 2 * system.mechanism.entry(places[1], output)
