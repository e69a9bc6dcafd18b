"""The examples, tables and the figure of alvim2011 as data, with the entries that the paper leaves blank."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.probability_vectors import Numbers, listed
from epstar.query.baselines import completed, doubled_ring, equation_six, proposition_one, truncated_geometric
from epstar.query.bounds import database_bound, in_bits
from epstar.query.closed_forms import clique, constant_spheres
from epstar.query.query import Query
from epstar.query.remap import remap
from epstar.universe import Databases, Graph

TWO = "log(2)"
CITIES = ("A", "B", "C", "D", "E", "F")
CITY_PRIOR = ("1/10", "1/5", "1/5", "1/5", "1/5", "1/10")


@dataclass(frozen=True, eq=False)
class ExampleOne:
    """Eye colours of two people, who may be absent: the most telling private matrix.

    `distances[i][j]` is the exponent d in alpha E^-d; rows and columns are in the order of Figure 4(b).
    """

    order: tuple[str, ...]
    distances: tuple[tuple[int, ...], ...]
    alpha: Rational
    mechanism: AnyMechanism


@dataclass(frozen=True, eq=False)
class TableData:
    """Two mechanisms for one query at e^level = 2, and the utilities that belong to them, after the best remapping.

    `uniform` holds the utilities of both for equally likely answers and `best` the largest possible one; the
    entries of `prior` are the same for the prior of Example 2.
    """

    first: Mechanism
    second: Mechanism
    uniform: tuple[Rational, Rational]
    best: Rational
    prior: tuple[Rational, Rational, Rational] | None = None


def example_one(level: object = TWO) -> ExampleOne:
    """Return Example 1 with Figure 4(b); the largest entry is (E/(2 + E))^2, not the printed 3E/(2 + E)."""
    order = ("aa", "ab", "ac", "ba", "ca", "bb", "bc", "cb", "cc")
    databases = Databases(["a", "b", "c"], 2)
    places = [databases.index(tuple(name)) for name in order]
    distances = tuple(tuple(int(databases.distance(i, j).p) for j in places) for i in places)
    mechanism = proposition_one(2, 3, level)
    return ExampleOne(order, distances, mechanism.at_distance(0), mechanism)


def table_one() -> TableData:
    """Return Table 1: the city with most votes, a clique of six answers.

    M1 is the truncated geometric mechanism with ratio 2^(1/5) per place, M2 equation (6). The utility of M1 under
    the prior of Example 2 is 0.2415, printed as 0.2412; there M2 is not the best either.
    """
    graph = _clique(CITIES)
    first = truncated_geometric(graph, TWO, steps=5)
    second = equation_six(graph, TWO)
    two = Rational(2)
    best = clique(graph, two, _law()).value
    prior = _utility(first, _law()), _utility(second, _law()), best
    return TableData(first, second, (_utility(first), _utility(second)), constant_spheres(graph, two).value, prior)


def table_two() -> TableData:
    """Return Table 2: counting the votes of five people, a line of six answers.

    M1 is the truncated geometric mechanism, which is optimal; M2 completes the line to a ring and doubles its most
    distant entries (Remarks 2 and 1).
    """
    count = Query.named("count", individuals=5, values=2)
    first = truncated_geometric(count, TWO)
    second = Mechanism(doubled_ring(6, TWO).rows, count.graph)
    return TableData(first, second, (_utility(first), _utility(second)), remap(first).utility)


def best_on_the_ring() -> Mechanism:
    """Return the optimal mechanism on the ring of Example 3, which M2 is said to be: utility 8/21, not 4/11."""
    return constant_spheres(Graph.ring(6), Rational(2)).mechanism.dense()


def smallest_completion() -> Mechanism:
    """Return what Remark 2 alone gives for the line of Example 3: of six answers only the clique qualifies."""
    return completed(Graph.line(6), TWO).mechanism


def figure_three(levels: tuple[object, ...] = ("1/2", 1, 2, 5)) -> dict[int, tuple[Real, ...]]:
    """Return the curves of Figure 3: the bound of Theorem 1 in bits for u = 100 and v = 2, 10 and 100, at levels."""
    asked = listed(levels, "The levels of a figure")
    return {v: tuple(in_bits(database_bound(100, v, level)) for level in asked) for v in (2, 10, 100)}


def _clique(names: tuple[str, ...]) -> Graph:
    return Graph(names, [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]])


def _law() -> Numbers:
    return list(CITY_PRIOR)


def _utility(mechanism: Mechanism, prior: Numbers | None = None) -> Rational:
    return remap(mechanism, prior).utility
