"""Upper halves made by hand, each with one fault in its problem or in its mechanism."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.proofs.parts import COSTLY, DP, EVEN, PAIRS, RENYI, SIBSON, TWO, Json, about, attained, changed, even
from tests.proofs.test_attacks import HALVES, PRIOR, lower, problem, upper


def problems() -> Iterator[tuple[str, Json]]:
    """Yield upper halves whose problem, or whose mechanism, is malformed."""
    identity = upper(even(DP, COSTLY), EVEN, [0, 1], TWO)
    letters = {"graph": {"nodes": ["a", "b"], "edges": [["a", "b"]]}}
    third = changed(letters, (("graph", "edges"), [["a", "b", "c"]]))
    yield "an edge with a third end", about(third, {"prior": HALVES}, EVEN, ["a", "b"])
    yield (
        "an edge of two readings",
        about({"graph": {"nodes": [1, 2, 0], "edges": [[0, 1]]}}, {"everything": 3}, [["1", "0"]] * 3),
    )
    yield "a negative distance", about({"metric": [["0", "-1"], ["-1", "0"]]}, {"prior": HALVES}, EVEN)
    yield "a metric that is not square", about({"metric": [["0", "1"], ["1"]]}, {"prior": HALVES}, EVEN)
    yield "a metric of one way", about({"metric": [["0", "1"], ["2", "0"]]}, {"prior": HALVES}, EVEN)
    yield (
        "a label too many",
        about(
            {"metric": [["0", "1"], ["1", "0"]], "labels": ["a", "b", "c"]},
            {"everything": 3},
            [["1", "0"]] * 3,
            ["a", "b"],
        ),
    )
    yield "laws of two lengths", about(TWO, {"finite": [HALVES, ["1", "0", "0"]]}, EVEN)
    yield "a box above one", about(TWO, {"box": {"lower": ["3/4", "3/4"], "upper": ["1", "1"]}}, EVEN)
    yield "a box below one", about(TWO, {"box": {"lower": ["0", "0"], "upper": ["1/4", "1/4"]}}, EVEN)
    yield "a box upside down", about(TWO, {"box": {"lower": ["1/2", "1/2"], "upper": ["1/4", "3/4"]}}, EVEN)
    yield "a ball too wide", about(TWO, {"ball": {"center": HALVES, "radius": "3"}}, EVEN)
    yield "a polytope without a law", about(TWO, {"polytope": {"matrix": [["1", "1"]], "bounds": ["1/2"]}}, EVEN)
    yield (
        "a polytope with a bound too many",
        about(TWO, {"polytope": {"matrix": [["1", "1"]], "bounds": ["1", "1"]}}, EVEN),
    )
    for total in ("500000001/1000000000", "499999999/1000000000", 0.5000000001, 0.4999999999):
        yield f"a prior of {total} and a half", about(TWO, {"prior": [total, "1/2"]}, EVEN)
    yield "a prior below zero", about(TWO, {"prior": ["3/2", "-1/2"]}, EVEN)
    four = [["1/4"] * 4] * 4
    for name, source in (
        ("a shared law of rows that are listed", {"rows": [{"prior": HALVES}, {"prior": PRIOR}], "iid": True}),
        ("a row too many", {"rows": [{"prior": HALVES}] * 3}),
        ("a row of three letters", {"rows": {"prior": ["1/3", "1/3", "1/3"]}}),
        ("rows that are shared by number", {"rows": {"prior": HALVES}, "iid": 1}),
        ("rows and something else", {"rows": {"prior": HALVES}, "iid": True, "prior": HALVES}),
    ):
        yield name, about(PAIRS, source, four, [[0, 0], [0, 1], [1, 0], [1, 1]])
    yield "rows of letters", about(TWO, {"rows": {"prior": HALVES}}, EVEN)
    yield "rows of nothing", changed(about(TWO, {"rows": {"prior": HALVES}}, EVEN), (("problem", "universe"), None))
    yield "a universe of another kind", changed(identity, (("problem", "universe"), {"torus": 2}))
    yield "a source of another kind", changed(identity, (("problem", "source"), {"anything": 2}))
    yield (
        "everything, without end",
        changed(
            lower(even(DP, {"distortion": "1"})),
            (("problem", "universe"), None),
            (("problem", "source"), {"everything": 2**40}),
        ),
    )
    yield "a question about anything", changed(identity, (("problem", "at"), {"anything": "1"}))
    yield "two questions", changed(identity, (("problem", "at"), {"distortion": "1", "loss": "1"}))
    yield "a curve in a proof", changed(identity, (("problem", "at"), {"curve": ["1"]}))
    yield "a distortion that is no fraction", changed(identity, (("problem", "at"), {"distortion": "log(3)"}))
    yield "a negative loss", lower(even(DP, {"loss": "-1"}), distortion_law=[["1", HALVES]])
    yield "a negative cost", changed(identity, (("problem", "distortion"), {"matrix": [["0", "-1"], ["1", "0"]]}))
    yield "costs for too few inputs", changed(identity, (("problem", "distortion"), {"matrix": [["0", "1"]]}))
    yield "a notion of order zero", changed(identity, (("problem", "notion"), {**RENYI, "order": "0"}))
    yield "a negative order", changed(identity, (("problem", "notion"), {**SIBSON, "order": "-1"}))
    for label in (1e16 + 4, "1e400"):
        raw = json.dumps(changed(identity, (("problem", "universe"), {"alphabet": [0, "LABEL"]}))).replace(
            '"LABEL"', "10000000000000003.0" if label != "1e400" else label
        )
        yield f"a label {label}", json.loads(raw, parse_float=lambda text: {"raw": text})
    yield "one label twice", about({"alphabet": [1, 1.0]}, {"prior": HALVES}, EVEN)
    yield "true beside one", about({"alphabet": [1, True]}, {"prior": HALVES}, EVEN)
    yield "one number in two ways", about({"alphabet": [0.5, {"rational": "1/2"}]}, {"prior": HALVES}, EVEN)
    yield (
        "a label that is an object",
        about({"alphabet": [0, {"rational": "1/2", "decimal": 0.5}]}, {"prior": HALVES}, EVEN),
    )
    yield "a label that is an empty list", about({"alphabet": [0, []]}, {"prior": HALVES}, EVEN)
    deep: Any = 0
    for _ in range(18):
        deep = [deep]
    yield "a label in many lists", about({"alphabet": [1, deep]}, {"prior": HALVES}, EVEN)


def mechanisms() -> Iterator[tuple[str, Json]]:
    """Yield upper halves with mechanisms that are none."""
    asked = even(DP, COSTLY)
    response: Json = {"kind": "top_randomised_response", "universe": TWO, "active": [0, 1], "ratio": "3"}
    for name, change in (
        ("no ratio", {"ratio": "1/2"}),
        ("a delta above one", {"delta": "2"}),
        ("a symbol that is not there", {"active": [5], "delta": "1"}),
        ("a symbol twice", {"active": [0, 0]}),
    ):
        yield f"a response with {name}", attained(asked, response | change)
    yield (
        "a diagonal that is too small",
        attained(asked, {"kind": "diagonal", "universe": TWO, "diagonal": ["1/4", "1/4"]}),
    )
    yield (
        "a diagonal that is too long",
        attained(asked, {"kind": "diagonal", "universe": TWO, "diagonal": ["1/2", "1/2", "1/2"]}),
    )
    yield "a distance of letters", attained(asked, {"kind": "distance", "universe": TWO, "weights": ["1/2", "1/2"]})
    databases = problem(DP, {"distortion": "2"}, {"everything": 4}, PAIRS)
    distance: Json = {"kind": "distance", "universe": PAIRS, "weights": ["1/2", "1/4", "1/4"]}
    yield "a distance beyond all", attained(databases, distance | {"weights": ["1/4"] * 4})
    yield "a law of distances above one", attained(databases, distance | {"weights": [0.5000000004, 0.25, 0.25]})
    yield "a negative distance law", attained(databases, distance | {"weights": ["3/2", "-1/2", "0"]})
    matrix: Json = {"schema": "epstar/mechanism/1", "kind": "matrix", "universe": TWO, "outputs": [0, 1], "rows": EVEN}
    other = changed(matrix, (("universe",), {"alphabet": ["a", "b"]}))
    graph = changed(matrix, (("universe",), {"graph": {"nodes": [0, 1], "edges": []}}))
    named = changed(databases, (("universe",), {"databases": {"alphabet": ["a", "b"], "rows": 2}}))
    for name, asked_of, factors in (
        ("two alphabets", named, [matrix, other]),
        ("a graph", databases, [graph, graph]),
        ("other outputs", databases, [matrix, changed(matrix, (("outputs",), [1, 0]))]),
    ):
        blocks = [{"factor": factor, "rows": 1} for factor in factors]
        yield f"a product of {name}", attained(asked_of, {"kind": "product", "blocks": blocks})
    yield "a product of nothing", attained(databases, {"kind": "product", "blocks": []})
    yield (
        "a mechanism of floats",
        attained(asked, {**{k: v for k, v in matrix.items() if k != "rows"}, "floats": [[0.5, 0.5]] * 2}),
    )
    yield (
        "floats that are none",
        attained(asked, {**{k: v for k, v in matrix.items() if k != "rows"}, "floats": [["1/2", 0.5]] * 2}),
    )
    yield (
        "a diagonal of a graph",
        attained(
            asked, {"kind": "diagonal", "universe": {"graph": {"nodes": [0, 1], "edges": []}}, "diagonal": HALVES}
        ),
    )
    yield "a mechanism with two matrices", attained(asked, {**matrix, "floats": [[1.0, 0.0], [0.0, 1.0]]})
    yield "a mechanism of another kind", attained(asked, {**matrix, "kind": "oracle"})
    yield "a mechanism without a field", attained(asked, {k: v for k, v in matrix.items() if k != "outputs"})
    yield "a universe with two descriptions", attained(asked, {**matrix, "universe": {"size": 2, "alphabet": [0, 1]}})
    yield (
        "a mechanism of another schema",
        {**attained(asked, matrix), "mechanism": {**matrix, "schema": "epstar/mechanism/9"}},
    )
    ball = {"ball": {"center": ["1/2", *["1/18"] * 9], "radius": "1/10"}}
    ten = problem({"name": "min_entropy_leakage"}, COSTLY, ball, {"size": 10})
    yield "a ball of ten letters", upper(ten, [["1"] + ["0"] * 9] * 10, list(range(10)), {"size": 10})
