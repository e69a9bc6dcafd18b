"""Every named query against enumeration, for all small numbers of individuals and values."""

from itertools import product

import pytest

from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational
from epstar.query import AnyShape, Query
from epstar.query.named_queries import NAMES, Multiples, named_query
from epstar.universe import Databases, Graph

SMALL = [(u, v) for u, v in product(range(1, 8), range(1, 6)) if v**u <= 3200]
CASES = [(name, u, v, None) for name in NAMES if name != "count_mod" for u, v in SMALL] + [
    ("count_mod", u, v, m) for u, v in SMALL if v <= 3 for m in range(1, 9)
]


def edges(query: Query) -> set[frozenset[object]]:
    return {frozenset((query.answers[i], query.answers[j])) for i, j in query.shape.edges().tolist()}


@pytest.mark.parametrize("name", NAMES)
def test_shape_is_the_enumerated_graph(name: str) -> None:
    for _, u, v, m in (case for case in CASES if case[0] == name):
        known = Query.named(name, u, v, m)
        listed = Query(known.function, Databases(v, u))
        assert set(known.answers) == set(listed.answers), (name, u, v, m)
        assert edges(known) == edges(listed), (name, u, v, m)
        assert known.shape.edge_count == len(edges(listed))
        assert known.size == listed.size == len(known.answers)


@pytest.mark.parametrize("name", NAMES)
def test_distances_spheres_and_facts_agree_with_search(name: str) -> None:
    q = Rational(2, 5)
    for _, u, v, m in (case for case in CASES if case[0] == name):
        shape = Query.named(name, u, v, m).shape
        if shape.size > 40:
            continue
        searched = AnyShape(shape.graph())
        steps = [[shape.steps(i, j) for j in range(shape.size)] for i in range(shape.size)]
        assert steps == searched.listed.distances.tolist(), (name, u, v, m)
        assert shape.longest == searched.longest
        assert shape.is_clique == searched.is_clique
        assert shape.is_tree == searched.is_tree
        assert shape.sphere_sum(q) == searched.sphere_sum(q)
        assert shape.sphere_sum(ONE) == shape.size
        assert shape.least_sphere_sum(q) == searched.least_sphere_sum(q)
        assert shape.degrees().tolist() == searched.degrees().tolist()
        if shape.is_vertex_transitive:
            assert len(searched.sphere_sizes) == 1
        else:
            assert len(searched.sphere_sizes) > 1
        assert shape.steps_from_end(0) in (0, shape.longest)
        assert max(shape.steps_from_end(z) for z in range(shape.size)) == shape.longest


@pytest.mark.parametrize("name", NAMES)
def test_windows_are_what_one_individual_can_choose(name: str) -> None:
    for _, u, v, m in (case for case in CASES if case[0] == name):
        known = Query.named(name, u, v, m)
        said = {frozenset(known.answers[place] for place in window) for window in known.windows()}
        seen = {frozenset(known.answers[place] for place in window) for window in known.table.windows()}
        assert said <= seen, (name, u, v, m)
        assert all(any(window <= larger for larger in said) for window in seen), (name, u, v, m)


@pytest.mark.parametrize(
    ("u", "v", "m", "is_ring"), [(5, 2, 5, True), (4, 2, 5, False), (6, 3, 5, True), (3, 2, 3, True), (2, 2, 3, False)]
)
def test_counting_modulo_closes_the_ring_from_as_many_individuals_as_the_modulus(
    u: int, v: int, m: int, is_ring: bool
) -> None:
    shape = Query.named("count_mod", u, v, m).shape
    assert shape.size == m
    assert (shape.edge_count == m) == is_ring


def test_plurality_with_tie_is_a_star_for_two_voters_and_a_clique_from_three() -> None:
    star = Query.named("plurality_with_tie", individuals=2, values=4)
    assert star.answers == (0, 1, 2, 3, "tie")
    assert star.shape.is_tree
    assert star.distance(0, 3) == 2
    assert Query.named("plurality_with_tie", 3, 3).shape.is_clique
    assert Query.named("plurality_with_tie", 4, 2).distance(0, 1) == 2
    assert Query.named("plurality_with_tie", 5, 2).answers == range(2)


def test_a_million_individuals_are_not_enumerated() -> None:
    count = Query.named("count", individuals=1_000_000, values=2)
    average = Query.named("average", individuals=1_000_000, values=3)
    identity = Query.named("identity", individuals=1_000_000, values=2)
    facts = (
        count.size,
        count.diameter,
        count.shape.steps(3, 700_000),
        average.size,
        average.diameter,
        average.answers[1],
        identity.diameter,
        Query.named("max", 10**9, 50).shape.is_clique,
    )
    assert facts == (1_000_001, 10**6, 699_997, 2_000_001, 10**6, Rational(1, 10**6), 10**6, True)
    assert not isinstance(count.universe, Graph)
    assert count.universe.distance(0, 10) == 10


def test_a_small_universe_is_a_graph_with_the_answers_as_labels() -> None:
    query = Query.named("distinct", 4, 3)
    assert isinstance(query.universe, Graph)
    assert query.graph.labels == (1, 2, 3)
    assert query.graph.edges == ((0, 1), (1, 2))


def test_multiples_are_a_sequence() -> None:
    thirds = Multiples(Rational(1, 3), 4)
    assert list(thirds) == [0, Rational(1, 3), Rational(2, 3), 1]
    assert thirds[1:3] == (Rational(1, 3), Rational(2, 3))
    assert thirds[-1] == 1


def test_the_shapes_that_cannot_be_written_out_say_so() -> None:
    with pytest.raises(InvalidInput, match="pairs of neighbours"):
        named_query("max", 3, 10_000).shape.graph()
