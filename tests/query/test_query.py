"""Queries by enumeration: any function, absent individuals, restricted domains, graphs that fall apart."""

from fractions import Fraction
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.query import Query, query_from_problem
from epstar.universe import Databases, Graph


def test_answers_are_sorted_when_they_are_numbers_or_texts() -> None:
    assert Query(lambda rows: -sum(rows), Databases([0, 1], 2)).answers == (-2, -1, 0)
    assert Query(lambda rows: Fraction(sum(rows), 2), Databases([0, 1], 2)).answers == (0, Fraction(1, 2), 1)
    assert Query(max, Databases(["b", "a"], 2)).answers == ("a", "b")


def test_other_answers_keep_their_order_of_appearance() -> None:
    assert Query(lambda rows: rows if rows[0] else None, Databases([0, 1], 1)).answers == (None, (1,))


def test_absent_individuals_are_not_seen() -> None:
    query = Query(len, Databases(["absent", "x", "y"], 3), null="absent")
    assert query.answers == (0, 1, 2, 3)
    assert query.graph.edges == ((0, 1), (1, 2), (2, 3))
    assert query.answer(("absent", "x", "absent")) == 1


def test_the_average_of_those_present_is_an_irregular_graph() -> None:
    query = Query(
        lambda rows: mean(map(Fraction, rows)) if rows else "nobody", Databases(["absent", 0, 1], 3), null="absent"
    )
    assert query.size == 6
    assert set(query.answers) == {"nobody", 0, Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), 1}
    assert len(set(query.shape.degrees().tolist())) > 1


def test_one_answer_and_two_answers() -> None:
    constant = Query(lambda rows: "same", Databases(2, 3))
    assert (constant.size, constant.diameter, constant.components) == (1, 0, (range(1),))
    both = Query(all, Databases([0, 1], 3))
    assert (both.answers, both.diameter) == ((False, True), 1)


def test_a_restricted_domain_can_fall_apart() -> None:
    # Everybody votes and ties are excluded: with two voters nobody can change the outcome alone.
    query = Query(lambda rows: rows[0], Databases(["A", "B"], 2), domain=lambda rows: rows[0] == rows[1])
    assert query.graph.edges == ()
    assert query.components == ((0,), (1,))
    assert query.diameter is None
    assert query.distance("A", "B") is None
    assert not query.are_adjacent("A", "B")
    assert query.answer_law().probabilities == (Rational(1, 2), Rational(1, 2))
    with pytest.raises(InvalidInput, match="outside the domain"):
        query.answer(("A", "B"))


def test_whole_numbers_as_answers_are_never_taken_for_places() -> None:
    # The only edge joins the answers 1 and 2, which are also places 1 and 2 of other answers.
    table = {0: 1, 1: 2, 2: 3}
    query = Query(lambda rows: table[rows[0]], Databases(3, 1), domain=lambda rows: rows[0] < 2)
    assert query.graph.edges == ((0, 1),)
    apart = Query(
        lambda rows: table[max(rows)], Databases(3, 2), domain=lambda rows: rows[0] == rows[1] or max(rows) < 2
    )
    assert apart.answers == (1, 2, 3)
    assert apart.graph.edges == ((0, 1),)
    assert apart.are_adjacent(1, 2)
    assert not apart.are_adjacent(2, 3)


def test_law_of_the_answer() -> None:
    query = Query.named("count", 3, 2)
    assert [str(p) for p in query.answer_law().probabilities] == ["1/8", "3/8", "3/8", "1/8"]
    skewed = query.answer_law([Rational(1, 2), Rational(1, 2), 0, 0, 0, 0, 0, 0])
    assert [str(p) for p in skewed.probabilities] == ["1/2", "1/2", "0", "0"]
    assert [str(p) for p in query.likeliest()] == ["1/8"] * 4


def test_neighbouring_databases_are_found() -> None:
    query = Query.named("sum", 3, 3)
    pair = query.table.neighbours(2, 4)
    assert pair is not None
    first, second = pair
    assert (query.answer(first), query.answer(second)) == (2, 4)
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1
    assert query.table.neighbours(0, 6) is None


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_edges_are_those_of_the_definition(rows: int, letters: int, data: st.DataObject) -> None:
    databases = Databases(letters, rows)
    answers = data.draw(st.lists(st.integers(0, 4), min_size=databases.size, max_size=databases.size))
    inside = data.draw(st.lists(st.booleans(), min_size=databases.size, max_size=databases.size).filter(any))
    query = Query(
        lambda label: answers[databases.index(label)],
        databases,
        domain=lambda label: inside[databases.index(label)],
    )
    expected = {
        frozenset((answers[i], answers[j]))
        for i in range(databases.size)
        for j in range(databases.size)
        if inside[i] and inside[j] and databases.distance(i, j) == 1 and answers[i] != answers[j]
    }
    labels = query.graph.labels
    assert {frozenset((labels[i], labels[j])) for i, j in query.graph.edges} == expected
    assert query.answers == tuple(sorted({answers[i] for i in range(databases.size) if inside[i]}))


def test_a_problem_file_names_a_query() -> None:
    universe = {"query": {"name": "count_mod", "individuals": 9, "values": 2, "modulus": 5}}
    assert query_from_problem(universe).size == 5
    assert isinstance(query_from_problem(universe["query"]).universe, Graph)


def test_facts_of_an_arbitrary_graph() -> None:
    query = Query(lambda rows: int(np.sum(rows)) % 4, Databases([0, 1, 2], 3))
    assert query.shape.is_vertex_transitive is None  # decided to be possible, not shown
    assert Query(sum, Databases([0, 1], 2)).shape.is_vertex_transitive is False
