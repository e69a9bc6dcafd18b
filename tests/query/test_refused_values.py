"""Whatever is given in the place of a query, a graph, a level or a law: a sentence, not a stack trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.refusals import crashes

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.mechanism import geometric
from epstar.query import (
    AnyShape,
    Clique,
    HammingShape,
    KernelMechanism,
    PathPower,
    Query,
    Ring,
    Star,
    System,
    binary_gain,
    closed_form,
    database_bound,
    individual_bound,
    printed_individual_bound,
    printed_range_bound,
    query_from_problem,
    range_bound,
    remap,
    two_outputs,
    utility_bound,
)
from epstar.query.baselines import (
    circulant,
    completed,
    doubled_ring,
    equation_six,
    proposition_one,
    truncated_geometric,
)
from epstar.query.gallery import example_one, figure_three
from epstar.query.optimum import cost_of_obliviousness, optimal_oblivious
from epstar.universe import Databases, Graph

COUNT = Query.named("count", 2, 2)
LINE = geometric(3, 2)
SYSTEM = System(COUNT, LINE)
CALLS: dict[str, tuple[Callable[..., object], Sequence[object], dict[str, object]]] = {
    "Query": (Query, [sum, Databases(2, 2)], {"null": None, "domain": None}),
    "Query.named": (Query.named, ["count", 2, 2], {"modulus": None}),
    "answer": (COUNT.answer, [(0, 1)], {}),
    "distance": (COUNT.distance, [0, 1], {}),
    "neighbours": (COUNT.neighbours, [0, 1], {}),
    "answer_law": (COUNT.answer_law, [None], {}),
    "read_answer_prior": (COUNT.read_answer_prior, [None], {}),
    "query_from_problem": (query_from_problem, [{"name": "count", "individuals": 2, "values": 2}], {}),
    "Ring": (Ring, [range(4)], {}),
    "Clique": (Clique, [range(3)], {}),
    "PathPower": (PathPower, [range(4)], {"reach": 1}),
    "Star": (Star, [range(3)], {}),
    "HammingShape": (HammingShape, [Databases(2, 2)], {}),
    "AnyShape": (AnyShape, [Graph.line(3)], {}),
    "KernelMechanism": (KernelMechanism, [Clique("ny"), Rational(3), (Rational(3, 4), Rational(3, 4))], {}),
    "closed_form": (closed_form, [Graph.line(3), Rational(2)], {"prior": None}),
    "remap": (remap, [LINE], {"prior": None, "gain": None}),
    "binary_gain": (binary_gain, [2], {}),
    "database_bound": (database_bound, [2, 2, 1], {}),
    "individual_bound": (individual_bound, [2, 1], {}),
    "printed_individual_bound": (printed_individual_bound, [1], {}),
    "range_bound": (range_bound, [2, 2, 3, 1], {}),
    "printed_range_bound": (printed_range_bound, [2, 2, 3, 1], {}),
    "utility_bound": (utility_bound, [COUNT, 1], {"prior": None}),
    "two_outputs": (two_outputs, [COUNT, Rational(2)], {}),
    "System": (System, [COUNT, LINE], {}),
    "individual_leakage": (SYSTEM.individual_leakage, [[0], 0], {"prior": None}),
    "database_leakage": (SYSTEM.database_leakage, [None], {}),
    "answer_leakage": (SYSTEM.answer_leakage, [None], {}),
    "optimal_oblivious": (optimal_oblivious, [COUNT, 1], {"prior": None, "gain": None, "method": None}),
    "cost_of_obliviousness": (cost_of_obliviousness, [COUNT, "log(2)"], {"prior": None}),
    "truncated_geometric": (truncated_geometric, [COUNT, 1], {"steps": 1}),
    "equation_six": (equation_six, [Graph.ring(5), 1], {}),
    "doubled_ring": (doubled_ring, [4, 1], {}),
    "completed": (completed, [COUNT, 1], {}),
    "proposition_one": (proposition_one, [2, 2, 1], {}),
    "circulant": (circulant, [Graph.line(4), (1,)], {}),
    "example_one": (example_one, ["log(2)"], {}),
    "figure_three": (figure_three, [(1,)], {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_sentences(name: str) -> None:
    call, arguments, named = CALLS[name]
    call(*arguments, **named)
    assert not list(crashes(call, arguments, **named))


@pytest.mark.parametrize("level", [20_000, "1e9", 1e300])
def test_a_level_that_protects_nothing(level: object) -> None:
    with pytest.raises(InvalidInput, match="give a smaller one"):
        optimal_oblivious(COUNT, level)


def test_an_isolated_answer_is_no_error() -> None:
    lonely = Query(lambda rows: rows, Databases(2, 2), domain=lambda rows: rows[0] == rows[1])
    assert lonely.diameter is None
    assert lonely.neighbours((0, 0), (1, 1)) is None
    best = optimal_oblivious(lonely, 1)
    assert (best.lower, best.upper) == (1.0, 1.0)  # nothing is compared, so that everything may be said
