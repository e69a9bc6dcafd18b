"""Everything that is not a mechanism is refused in one sentence that says what to do."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from epstar.distortion import Hamming, Matrix
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import INFINITY, Real, rational
from epstar.mechanism import (
    AnyMechanism,
    Block,
    DiagonalMechanism,
    DistanceMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
    constant,
    geometric,
    randomised_response,
    read_universe,
    write_labels,
    write_universe,
)
from epstar.source import Everything, Prior, Rows
from epstar.universe import Alphabet, Databases, Graph, Universe

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
FLOATS = Mechanism([[0.75, 0.25], [0.25, 0.75]])
TWO = Alphabet(2)

# Hostile arguments have the wrong types, which a type checker would rightly refuse.
top: Any = TopRandomisedResponse
diagonal: Any = DiagonalMechanism
distance: Any = DistanceMechanism
product: Any = ProductMechanism
line: Any = geometric
merge: Any = COIN.merge


def refuse(make: Callable[[], object], fragment: str) -> None:
    with pytest.raises(InvalidInput, match=fragment) as refused:
        make()
    message = str(refused.value)
    assert len(message) < 300
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("matrix", "fragment"),
    [
        (None, "ordered list"),
        (5, "ordered list"),
        ("1/2", "ordered list"),
        ({0: [1]}, "ordered list"),
        ({(1, 0)}, "ordered list"),
        ([], "empty"),
        ([[]], "Row 1 of the mechanism is empty"),
        ([[1], []], "Row 2 of the mechanism is empty"),
        ([1, 0], "Row 1 of the mechanism must be an ordered list"),
        (["10", "01"], "Row 1 of the mechanism must be an ordered list"),
        ([[[1]]], "is itself a list"),
        ([[1, 0], [1]], "Row 1 of the mechanism has 2 entries and row 2 has 1"),
        ([[0.5, 0.5], [1.0]], "has 2 entries and row 2 has 1"),
        ([["1/2", "1/3"]], "sums to 5/6"),
        ([["1/2", "1/2"], ["1/2", "501/1000"]], "Row 2 of the mechanism sums to 1001/1000"),
        ([[0, 0]], "sums to 0"),
        ([[2, -1]], "negative entry at place 2"),
        ([[10**400, 0.5]], "between 0 and 1"),
        ([[0.5, -(10**400)]], "between 0 and 1"),
        ([[10**400, -(10**400) + 1]], "negative entry"),
        ([["3/2", "-1/2"]], "negative entry"),
        ([[0.5, 0.6]], "not 1 within 1e-9"),
        ([[0.5, 0.5], [0.5, 0.5 + 2e-9]], "Row 2 of the mechanism sums to"),
        ([[0.0, 0.0]], "not 1 within 1e-9"),
        ([[1.5, -0.5]], "Entry 2 of row 1 of the mechanism is -0.5"),
        ([[1.0, -1e-300]], "is -1e-300"),
        ([[math.nan, 1.0]], "Entry 1 of row 1 of the mechanism is nan"),
        ([[1, 0.0], [0, math.inf]], "Entry 2 of row 2 of the mechanism is inf"),
        ([[1.0, -math.inf]], "is -inf"),
        ([[True, False]], "truth value"),
        ([[0.5, True]], "truth value"),
        ([[None, 1]], "None is not a number"),
        ([["half", "half"]], "'half' is not a number"),
        ([["1/0", "1"]], "not a number"),
        ([["1e99999", "1"]], "too long"),
        ([[1 + 0j]], "not a number"),
        ([[b"1"]], "not a number"),
        (np.array(1.0), "2 dimensions, not 0"),
        (np.array([0.5, 0.5]), "2 dimensions, not 1"),
        (np.ones((1, 1, 1)), "2 dimensions, not 3"),
        (np.zeros((0, 0)), "empty"),
        (np.zeros((2, 0)), "empty"),
        (np.array([[np.nan, 1.0]]), "is nan"),
        (np.array([[1e308, 1e308]]), "sums to inf"),
        (np.eye(2, dtype=complex), "not a number"),
        (np.eye(2, dtype=bool), "truth value"),
        (np.eye(2) * 2, "sums to 2.0"),
    ],
)
def test_matrices_that_are_none(matrix: Any, fragment: str) -> None:
    refuse(lambda: Mechanism(matrix), fragment)


@pytest.mark.parametrize(
    ("universe", "outputs", "fragment"),
    [
        (Alphabet(3), None, "2 rows and its universe 3 inputs"),
        (Databases(2, 100), None, "2 rows and its universe"),
        (["a", "b"], None, "type list"),
        (2, None, "type int"),
        (None, ["a"], "2 columns and 1 output labels"),
        (None, ["a", "b", "c"], "2 columns and 3 output labels"),
        (None, ["a", "a"], "'a' stands twice"),
        (None, [1, 1.0], "stands twice"),
        (None, [["a"], ["b"]], "Output label 1 is not hashable"),
        (None, ["a", (1, [2])], "Output label 2 is not hashable"),
        (None, [], "empty"),
        (None, "ab", "ordered list"),
        (None, 2, "ordered list"),
    ],
)
def test_labels_that_do_not_fit(universe: Any, outputs: Any, fragment: str) -> None:
    refuse(lambda: Mechanism([["1/2", "1/2"]] * 2, universe, outputs), fragment)


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (lambda: FLOATS.rows, "no exact rows"),
        (lambda: COIN.entry(2, 0), "Input 2 does not exist"),
        (lambda: COIN.entry(0, 2), "Output 2 does not exist"),
        (lambda: COIN.entry(-1, 0), "at least 0"),
        (lambda: COIN.column(2), "Output 2 does not exist"),
        (lambda: COIN.exact(0), "number of bits"),
        (lambda: Mechanism([["1/3"] * 3]).exact(1), "raise the number of bits"),
        (lambda: COIN.distortion(Hamming(), Everything(3)), "source has 3 categories and the mechanism 2"),
        (lambda: COIN.distortion(Matrix([[0, 1]]), Everything(2)), "rows"),
        (lambda: COIN.output_law(["1/2", "1/4", "1/4"]), "prior has 3 categories and the mechanism 2"),
        (lambda: COIN.output_law([0.5, 0.6]), "not 1 within"),
        (lambda: COIN.posterior([1]), "prior has 1 categories"),
        (lambda: COIN.then(Mechanism([[1]])), "takes 1 inputs and the first gives 2"),
        (lambda: COIN.then(Mechanism([[1, 0], [0, 1]], Alphabet([1, 0]))), "another order"),
        (lambda: merge([[0]]), "exactly once"),
        (lambda: merge([[0, 1], [1]]), "exactly once"),
        (lambda: merge([[0, 1, 2]]), "exactly once"),
        (lambda: merge([[0], []]), "empty"),
        (lambda: merge([]), "empty"),
        (lambda: merge([["0"], [1]]), "whole number"),
        (lambda: randomised_response(TWO), "not both"),
        (lambda: randomised_response(TWO, 1, ratio=2), "not both"),
        (lambda: randomised_response(TWO, -1), "negative"),
        (lambda: randomised_response(TWO, math.inf), "infinite level"),
        (lambda: randomised_response(TWO, INFINITY), "infinite level"),
        (lambda: randomised_response(TWO, math.nan), "finite"),
        (lambda: randomised_response(TWO, ratio="1/2"), "at least 1"),
        (lambda: randomised_response(TWO, "many"), "not a number"),
        (lambda: line(1, 2), "at least 2"),
        (lambda: line(3, 0.5), "at least 1"),
        (lambda: line(2.5, 2), "whole number"),
        (lambda: constant(TWO, ["a"], ["1/2", "1/2"]), "2 columns and 1 output labels"),
        (lambda: constant(TWO, ["a", "b"], ["1/2", "1/3"]), "sums to 5/6"),
    ],
)
def test_questions_that_make_no_sense(make: Callable[[], object], fragment: str) -> None:
    refuse(make, fragment)


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (lambda: top(Graph.line(2), [0], 2), "defined on an Alphabet"),
        (lambda: top(2, [0], 2), "defined on an Alphabet"),
        (lambda: top(TWO, [], 2), "empty"),
        (lambda: top(TWO, range(0), 2), "positions 0 to 1"),
        (lambda: top(TWO, [2], 2), "positions 0 to 1"),
        (lambda: top(TWO, [-1], 2), "at least 0"),
        (lambda: top(TWO, range(-1, 1), 2), "positions 0 to 1"),
        (lambda: top(TWO, [0, 0], 2), "stands twice"),
        (lambda: top(TWO, ["0"], 2), "whole number"),
        (lambda: top(TWO, 1, 2), "ordered list"),
        (lambda: top(TWO, [0], 0.5), "at least 1"),
        (lambda: top(TWO, [0], math.inf), "finite"),
        (lambda: top(TWO, [0], 2, -0.1), "between 0 and 1"),
        (lambda: top(TWO, [0], 2, 1.1), "between 0 and 1"),
        (lambda: top(TWO, [0], 2).entry(0, 2), "Output 2 does not exist"),
        (lambda: top(TWO, [0], 2).row(2), "Input 2 does not exist"),
        (lambda: top(TWO, [0], 2).dense(limit=3), "more than 3 entries"),
        (lambda: diagonal(Databases(2, 1), [1, 1]), "defined on an Alphabet"),
        (lambda: diagonal(TWO, [1]), "1 entries and the alphabet 2"),
        (lambda: diagonal(TWO, [0.4, 0.5]), "less than 1"),
        (lambda: diagonal(TWO, [1.5, 0]), "between 0 and 1"),
        (lambda: diagonal(TWO, [1, -0.5]), "between 0 and 1"),
        (lambda: diagonal(TWO, [math.nan, 1]), "finite"),
        (lambda: distance(TWO, [1, 0]), "defined on Databases"),
        (lambda: distance(Databases(2, 2), [1, 0]), "2 entries; 2 rows need"),
        (lambda: distance(Databases(2, 1), ["1/2", "1/3"]), "sums to 5/6"),
        (lambda: distance(Databases(1, 1), [0, 1]), "no row can change"),
        (lambda: distance(Databases(2, 1), [1, 0]).at_distance(2), "more than 1 rows"),
        (lambda: product([]), "empty"),
        (lambda: product(COIN, 0), "at least 1"),
        (lambda: product(COIN, 1.5), "whole number"),
        (lambda: product([COIN], 2), "not both"),
        (lambda: product([COIN, "coin"]), "type str"),
        (lambda: product(3), "ordered list"),
        (lambda: product(FLOATS, 2), "must be exact"),
        (lambda: product(Mechanism([[1]] * 2, Graph.line(2)), 2), "must be an Alphabet"),
        (lambda: product([COIN, Mechanism([[1, 0]] * 3)]), "different inputs or outputs"),
        (lambda: product([COIN, Mechanism([[1, 0]] * 2, None, ["a", "b"])]), "different inputs"),
        (lambda: product(COIN, 2).factor(2), "Row 2 does not exist"),
        (lambda: product(COIN, 2).distortion(Hamming(), Everything(2)), "2 categories and the"),
        (lambda: product(COIN, 2).distortion(Hamming(), Rows(Prior([1]), 2)), "1 categories and the"),
        (lambda: Block(COIN, 0), "at least 1"),
    ],
)
def test_structures_that_make_no_sense(make: Callable[[], object], fragment: str) -> None:
    refuse(make, fragment)


def document(**changes: object) -> dict[str, object]:
    return {**COIN.to_json(), **changes}


@pytest.mark.parametrize(
    ("described", "fragment"),
    [
        (None, "no mechanism"),
        ([], "no mechanism"),
        ({}, "no mechanism"),
        (document(schema="epstar/mechanism/2"), "no mechanism"),
        (document(kind="magic"), "'magic' of mechanism is unknown"),
        (document(kind=None), "unknown"),
        (document(kind=["matrix"]), "unknown"),
        (document(rows=None), "ordered list"),
        (document(rows=[["1/2", "1/3"]] * 2), "sums to 5/6"),
        (document(rows=[[{}, 1]] * 2), "not a number"),
        (document(floats=[["1/2", "1/2"]] * 2), "JSON numbers"),
        (document(floats=[[True, False]] * 2), "JSON numbers"),
        (document(outputs=None), "ordered list"),
        (document(outputs=[{}, {}]), "label cannot be"),
        (document(universe=None), "universe is not understood"),
        (document(universe={"size": "2"}), "universe is not understood"),
        (document(universe={"size": 0}), "at least 1"),
        (document(universe={"graph": {"nodes": [0, 1], "edges": [[0, 1, 2]]}}), "not understood"),
        (document(universe={"graph": {"nodes": [0, 1], "edges": 5}}), "not understood"),
        (document(universe={"databases": {"graph": {}, "rows": 1}}), "not understood"),
        (document(kind="diagonal"), "no field 'diagonal'"),
        (document(kind="diagonal", universe={"metric": [[0, 1], [1, 0]]}), "needs an alphabet"),
        (document(kind="distance", weights=[1, 0]), "needs 'databases'"),
        (document(kind="top_randomised_response", ratio=2), "no field 'active'"),
        (document(kind="top_randomised_response", active=[0]), "no field 'ratio'"),
        (document(kind="product"), "no field 'blocks'"),
        (document(kind="product", blocks=[1]), "must be a JSON object"),
        (document(kind="product", blocks=[{"factor": COIN.to_json()}]), "no field 'rows'"),
        (document(kind="product", blocks=[{"factor": {}, "rows": 1}]), "no mechanism"),
    ],
)
def test_documents_that_describe_no_mechanism(described: Any, fragment: str) -> None:
    refuse(lambda: AnyMechanism.from_json(described), fragment)


@pytest.mark.parametrize("missing", ["universe", "outputs", "rows"])
def test_a_missing_field_is_named(missing: str) -> None:
    described = {name: value for name, value in COIN.to_json().items() if name != missing}
    refuse(lambda: AnyMechanism.from_json(described), f"no field '{missing}'")


def test_labels_and_universes_that_json_cannot_hold() -> None:
    refuse(lambda: write_labels([frozenset()]), "type frozenset cannot be written")
    assert write_labels([Fraction(1, 2), rational("1/3")]) == [{"rational": "1/2"}, {"rational": "1/3"}]

    class Odd(Alphabet, Universe):
        """A universe that nobody has taught to be written; it is an alphabet, and so it can be."""

    assert read_universe(write_universe(Odd(2))) == Alphabet(2)


def test_a_real_level_that_cannot_be_told_from_zero_is_an_epstar_error() -> None:
    uncertain = Real.exp(1) - Real.exp(1)
    with pytest.raises(EpstarError):
        randomised_response(TWO, uncertain)
