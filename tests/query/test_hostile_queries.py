"""What nobody should ask, and the one sentence they get."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Rational
from epstar.mechanism import identity
from epstar.query import (
    KernelCertificate,
    Query,
    Ring,
    System,
    closed_form,
    database_bound,
    query_from_problem,
    range_bound,
    remap,
    two_outputs,
    utility_bound,
)
from epstar.query.answer_graph import shape_of
from epstar.query.baselines import doubled_ring, equation_six, proposition_one, truncated_geometric
from epstar.query.optimum import cost_of_obliviousness, optimal_oblivious
from epstar.universe import Alphabet, Databases, Graph

BITS = Databases([0, 1], 2)
COUNT = Query.named("count", 2, 2)
ANY: Any = None


def anything(value: object) -> Any:
    """A value whose type the checker does not see: bad input comes from outside."""
    return value


HOSTILE: dict[str, Callable[[], object]] = {
    "f fails on one database": lambda: Query(lambda rows: 1 // sum(rows), BITS),
    "f takes no argument": lambda: Query(anything(lambda: 0), BITS),
    "f is not a function": lambda: Query(anything(3), BITS),
    "f is missing": lambda: Query(ANY, BITS),
    "unhashable answer": lambda: Query(anything(list), BITS),
    "NaN answer": lambda: Query(lambda rows: math.nan, BITS),
    "databases are a number": lambda: Query(sum, anything(4)),
    "databases are an alphabet": lambda: Query(sum, anything(Alphabet(2))),
    "too many databases": lambda: Query(sum, Databases(2, 64)),
    "null is not a value": lambda: Query(len, BITS, null="absent"),
    "empty domain": lambda: Query(sum, BITS, domain=lambda rows: False),
    "domain fails": lambda: Query(sum, BITS, domain=lambda rows: rows[7]),
    "domain is not a function": lambda: Query(sum, BITS, domain=anything("all")),
    "unknown name": lambda: Query.named("variance", 3, 2),
    "name is a list": lambda: Query.named(anything(["count"]), 3, 2),
    "no individual": lambda: Query.named("count", 0, 2),
    "negative individuals": lambda: Query.named("sum", -1, 2),
    "no value": lambda: Query.named("count", 3, 0),
    "half an individual": lambda: Query.named("count", anything(1.5), 2),
    "individuals are a truth value": lambda: Query.named("count", anything(True), 2),
    "modulus missing": lambda: Query.named("count_mod", 3, 2),
    "modulus zero": lambda: Query.named("count_mod", 3, 2, 0),
    "modulus not asked for": lambda: Query.named("count", 3, 2, 4),
    "unknown answer": lambda: COUNT.distance(0, 9),
    "unhashable label": lambda: COUNT.distance(0, anything([1])),
    "database of another length": lambda: COUNT.answer((0, 1, 1)),
    "database with another value": lambda: COUNT.answer((0, 7)),
    "enumerating a named giant": lambda: Query.named("count", 1000, 2).answer_law(),
    "prior on databases of the wrong length": lambda: COUNT.answer_law([Rational(1, 2)] * 2),
    "prior on answers of the wrong length": lambda: optimal_oblivious(COUNT, 1, [Rational(1, 2)] * 2),
    "prior that does not sum to one": lambda: optimal_oblivious(COUNT, 1, ["1/2", "1/4", "1/8"]),
    "negative prior": lambda: optimal_oblivious(COUNT, 1, ["3/2", "-1/4", "-1/4"]),
    "prior with a NaN": lambda: optimal_oblivious(COUNT, 1, [0.5, math.nan, 0.5]),
    "prior is a text": lambda: optimal_oblivious(COUNT, 1, anything("uniform")),
    "a law on 2^100 answers": lambda: optimal_oblivious(Query.named("identity", 100, 2), 1),
    "negative level": lambda: optimal_oblivious(COUNT, -1),
    "infinite level": lambda: optimal_oblivious(COUNT, math.inf),
    "NaN level": lambda: optimal_oblivious(COUNT, math.nan),
    "level in words": lambda: optimal_oblivious(COUNT, "low"),
    "level of log 1/2": lambda: optimal_oblivious(COUNT, "log(1/2)"),
    "gain with a missing row": lambda: optimal_oblivious(COUNT, 1, gain=[[1, 0], [0, 1]]),
    "ragged gain": lambda: optimal_oblivious(COUNT, 1, gain=[[1, 0], [0], [1, 1]]),
    "graph is a list": lambda: optimal_oblivious(anything([(0, 1)]), 1),
    "graph is an alphabet": lambda: shape_of(anything(Alphabet(2))),
    "ratio below one": lambda: closed_form(Graph.line(2), Rational(1, 2)),
    "bit with a ratio below one": lambda: two_outputs(Graph.line(2), Rational(1, 2)),
    "ring of two": lambda: Ring(range(2)),
    "certificate of another size": lambda: KernelCertificate(shape_of(Graph.line(2)), Rational(2), (), ()).check(),
    "system of another size": lambda: System(COUNT, identity(Alphabet(2))),
    "individual that does not exist": lambda: System(COUNT, identity(Graph.line(3))).individual_leakage((0,), 2),
    "too many others": lambda: System(COUNT, identity(Graph.line(3))).individual_leakage((0, 1), 0),
    "others with unknown values": lambda: System(COUNT, identity(Graph.line(3))).individual_leakage(("x",), 0),
    "prior on values too long": lambda: System(COUNT, identity(Graph.line(3))).individual_leakage(
        (0,), 0, [Rational(1, 3)] * 3
    ),
    "others outside the domain": lambda: System(
        Query(sum, BITS, domain=lambda rows: rows == (0, 0)), identity(Alphabet(1))
    ).individual_leakage((1,), 0),
    "remap with a short gain": lambda: remap(identity(Alphabet(3)), None, [[1], [0]]),
    "cost of obliviousness of a giant": lambda: cost_of_obliviousness(Query.named("count", 100, 2), 1),
    "bound without individuals": lambda: database_bound(0, 2, 1),
    "range without outputs": lambda: range_bound(2, 2, 0, 1),
    "utility bound at a negative level": lambda: utility_bound(Graph.line(2), "-1/2"),
    "odd doubled ring": lambda: doubled_ring(5, "log(2)"),
    "doubled ring of two": lambda: doubled_ring(2, "log(2)"),
    "equation six on a line": lambda: equation_six(Graph.line(3), 1),
    "geometric over no steps": lambda: truncated_geometric(Graph.line(3), 1, steps=0),
    "baseline on a million answers": lambda: truncated_geometric(Query.named("count", 10**6, 2), 1),
    "proposition one without values": lambda: proposition_one(2, 0, 1),
    "problem without a name": lambda: query_from_problem({"query": {"individuals": 2, "values": 2}}),
    "problem with an unknown field": lambda: query_from_problem(
        {"name": "count", "individuals": 2, "values": 2, "colour": 1}
    ),
    "problem that is a list": lambda: query_from_problem(anything(["count"])),
    "problem with a text for a number": lambda: query_from_problem({"name": "count", "individuals": "2", "values": 2}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_bad_input_gets_one_sentence(case: str) -> None:
    with pytest.raises(EpstarError) as caught:
        HOSTILE[case]()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert 15 < len(message) < 260
    if case != "certificate of another size":
        assert isinstance(caught.value, InvalidInput)
