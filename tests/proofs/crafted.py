"""Documents made by hand, each with one fault: without one of its guards a checker believes it, or trips over it.

They are variants of small true proofs about two letters. Where a fault is of a kind that a program can plant, it is in
`tests/proofs/corpus.py` instead.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.proofs.corpus import honest
from tests.proofs.guards import Document
from tests.proofs.mutations import weaken
from tests.proofs.test_attacks import ATTACKS, HALVES, LEAST, PRIOR, PRIVACY, UNIT, lower, problem, upper

Json = dict[str, Any]
FORGED = Path(__file__).parent / "forged"
TWO: Json = {"size": 2}
PAIRS: Json = {"databases": {"size": 2, "rows": 2}}
COSTLY: Json = {"distortion": "1"}  # a distortion that any mechanism keeps
EVEN = [HALVES, HALVES]
DP: Json = {"name": "differential_privacy"}
RENYI: Json = {"name": "renyi_differential_privacy", "order": "2"}
KULLBACK: Json = {"name": "renyi_differential_privacy", "order": "1"}
INFORMATION: Json = {"name": "mutual_information"}
SIBSON: Json = {"name": "sibson_mutual_information", "order": "2"}
LEAKAGE: Json = {"name": "maximal_leakage"}
# Two even letters: I + D >= 2 * 1899/10000 for every mechanism, because (1 + 1/e)/2 exp(2 * 0.1899) <= 1.
INFORMATION_PRICES: Json = {
    "weight": "1",
    "distortion_law": [["1", HALVES]],
    "points": [[["1", HALVES]]],
    "sums": ["1"],
    "prices": ["1899/10000", "1899/10000"],
}


def even(notion: Json, at: Json, **others: Any) -> Json:
    """Return a problem about two even letters."""
    return {**problem(notion, at, {"prior": HALVES}), **others}


def attained(asked: Json, mechanism: Json) -> Json:
    """Return an upper half with a mechanism of any kind."""
    mechanism = {"schema": "epstar/mechanism/1", **mechanism}
    return {"schema": "epstar/proof/1", "problem": asked, "mechanism": mechanism, "converse": None}


def about(universe: Json, source: Json, rows: list[list[str]], outputs: list[Any] | None = None) -> Json:
    """Return a mechanism that keeps any distortion, for some inputs."""
    asked = problem(DP, {"distortion": "100"}, source, universe)
    return upper(asked, rows, list(range(len(rows[0]))) if outputs is None else outputs, universe)


def changed(document: Json, *changes: tuple[tuple[Any, ...], Any]) -> Json:
    """Return a copy with other values at some paths."""
    copied = copy.deepcopy(document)
    for path, value in changes:
        part: Any = copied
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
    return copied


def true_halves() -> Iterator[tuple[str, Json]]:
    """Yield small true proofs that no solver writes for the questions of the other tests."""
    for asks in ({"loss": "1/5"}, {"distortion": "1/10"}):
        yield f"information-prices-{next(iter(asks))}", lower(even(INFORMATION, asks), **INFORMATION_PRICES)
    yield "two-laws", lower({**PRIVACY, "source": {"finite": [PRIOR, HALVES]}}, distortion_law=[["1", PRIOR]])
    tangents = [[i, 0, y, ["1"]] for i in (0, 1) for y in (0, 1)]
    yield (
        "tangents",
        lower(even(RENYI, {"distortion": "1/10"}), distortion_law=[["1", HALVES]], sums=["1", "1"], slopes=tangents),
    )


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


def converses() -> Iterator[tuple[str, Json]]:
    """Yield lower halves whose multipliers prove nothing."""
    everything = problem(DP, {"loss": "log(2)"}, {"everything": 2})
    boxed = problem(DP, {"loss": "log(2)"}, {"box": {"lower": ["0", "0"], "upper": ["1", "1"]}})
    yield "a law of three letters", lower(boxed, distortion_law=[["1", ["1/3", "1/3", "1/3"]]])
    yield "a law below zero", lower(everything, distortion_law=[["1", ["2", "-1"]]])
    yield "a law above one", lower(everything, distortion_law=[["1", ["2", "2"]]])
    yield "a mixture of nothing", lower(everything, distortion_law=[])
    yield "a mixture of two lengths", lower(everything, distortion_law=[["1/2", HALVES], ["1/2", ["1"]]])
    yield "a part of a mixture without a law", lower(everything, distortion_law=[["1"]])
    yield "no converse of a distortion", {**lower(everything), "converse": None}
    metric = {"metric": [["0", "1", "2"], ["1", "0", "2"], ["2", "2", "0"]]}
    asked = problem(RENYI, {"distortion": "1/10"}, {"everything": 3}, metric)
    thirds = [["1", ["1/3", "1/3", "1/3"]]]
    yield (
        "sums on two scales",
        lower(
            asked,
            distortion_law=thirds,
            sums=["1", "0", "1", "0", "0", "0"],
            slopes=[[i, 0, y, ["1"]] for i in (0, 2) for y in range(3)],
        ),
    )
    tangents: Json = {"distortion_law": [["1", HALVES]], "sums": ["1", "1"]}
    slopes = [[i, 0, y, ["1"]] for i in (0, 1) for y in (0, 1)]
    least = even(RENYI, {"distortion": "1/10"})
    yield "an order that is larger", lower(least, **tangents, slopes=slopes, order="3")
    yield "an order of zero", lower(least, **tangents, slopes=slopes, order="0")
    yield "an order of another notion", lower(even(DP, {"loss": "1"}), distortion_law=[["1", HALVES]], order="1")
    yield "relative multipliers at no level", lower(least, **tangents, slopes=slopes, relative=True)
    yield (
        "relative multipliers at an infinite level",
        lower(even(RENYI, {"loss": "infinity"}), **tangents, slopes=slopes, relative=True),
    )
    yield (
        "relative multipliers of an entropy",
        lower(even(KULLBACK, {"loss": "1"}), **tangents, slopes=slopes, relative=True),
    )
    yield "row prices of divergences", lower(even(RENYI, {"loss": "1"}), **tangents, slopes=slopes, prices=["0", "0"])
    yield (
        "row prices at no level",
        lower(even(DP, {"distortion": "1/10"}), distortion_law=[["1", HALVES]], prices=["0", "0"]),
    )
    yield "a place twice", lower(least, **tangents, slopes=[*slopes, [1, 0, 1, ["1"]]])
    yield "a place of no term", lower(least, **tangents, slopes=[*slopes, [0, 1, 0, ["1"]]])
    yield "a place of no sum", lower(least, **tangents, slopes=[*slopes, [2, 0, 0, ["1"]]])
    yield "a place of no output", lower(least, **tangents, slopes=[*slopes, [0, 0, 2, ["1"]]])
    yield (
        "a place of a maximum",
        lower(
            even(LEAKAGE, {"loss": "log(3/2)"}), distortion_law=[["1", HALVES]], sums=["1/3"], slopes=[[0, 0, 0, ["1"]]]
        ),
    )
    for place in ("0", "-1/1000", "-1", "-2", "-4"):
        yield f"a place at {place}", lower(least, **tangents, slopes=[*slopes[:3], [1, 0, 1, [place]]])
    yield (
        "maxima of an information",
        lower(
            even(INFORMATION, {"loss": "1"}),
            distortion_law=[["1", HALVES]],
            points=[[["1", HALVES]]],
            sums=["1"],
            maxima=[[0, 0, 0, 0, "1"]],
            slopes=[[0, k, y, ["1"]] for k in (0, 1) for y in (0, 1)],
        ),
    )
    guess = problem({"name": "min_entropy_leakage"}, {"loss": "log(3/2)"}, {"prior": ["1", "0"]})
    one = {"distortion_law": [["1", ["1", "0"]]], "points": [[["1", ["1", "0"]]]], "sums": ["1"]}
    yield "a maximum over what never happens", lower(guess, **one, maxima=[[0, 0, 0, 1, "1"]])
    yield "a maximum at no output", lower(guess, **one, maxima=[[0, 0, 7, 0, "1"]])
    yield (
        "a negative step that is not used",
        lower(
            LEAST,
            level="log(5)",
            prices=["1/24", "1/8"],
            steps=[{"weight": "-1", "distortion_law": [["1", PRIOR]], "ratios": []}],
        ),
    )
    yield (
        "a step of a law outside the source",
        lower(
            LEAST,
            level="log(5)",
            prices=["1/24", "1/8"],
            steps=[{"weight": "1", "distortion_law": [["1", HALVES]], "ratios": []}],
        ),
    )
    prices = INFORMATION_PRICES
    information = even(INFORMATION, {"distortion": "1/10"})
    for name, change in (
        ("two points", {"points": prices["points"] * 2}),
        ("two shares", {"points": prices["points"] * 2, "sums": ["1", "1"]}),
        ("no shares", {"sums": []}),
        ("no share", {"sums": ["0"]}),
        ("ratios", {"ratios": [[0, 0, "1"]]}),
        ("places", {"slopes": [[0, 0, 0, ["1"]]]}),
        ("a price too few", {"prices": ["1/10"]}),
        ("a price too high", {"prices": ["1899/10000", "19/100"]}),
        ("huge prices", {"prices": ["1e200", "-1e200"]}),
        ("a law that is nearly nothing", {"points": [[["1", ["1e-400", "1"]]]]}),
    ):
        yield f"information prices with {name}", lower(information, **(prices | change))
    one_letter = problem(LEAKAGE, {"loss": "1"}, {"prior": ["1"]}, {"size": 1})
    yield (
        "more than is proven of one letter",
        lower(one_letter, weight="1/2", distortion_law=[["1", ["1"]]], sums=["1"], maxima=[[0, 0, 0, 0, "2"]]),
    )
    scarce = ["1/1" + "0" * 300, "9" * 300 + "/1" + "0" * 300]
    yield (
        "information prices at a law that is nearly nothing",
        lower(
            problem(INFORMATION, {"distortion": "1/10"}, {"prior": scarce}),
            **(prices | {"distortion_law": [["1", scarce]], "points": [[["1", scarce]]], "prices": ["1", "1"]}),
        ),
    )
    dear = {**information, "distortion": {"matrix": [["0", "1e200"], ["1e200", "0"]]}}
    yield "information prices of huge costs", lower(dear, **(prices | {"prices": ["1", "1"]}))
    certain = problem(INFORMATION, {"distortion": "1/10"}, {"finite": [["1", "0"], HALVES]})
    yield (
        "a price of what never happens",
        lower(
            certain,
            weight="1",
            distortion_law=[["1", ["1", "0"]]],
            points=[[["1", ["1", "0"]]]],
            sums=["1"],
            prices=["0", "1"],
        ),
    )
    forced = ATTACKS["a step in shares"]
    step = {"weight": "1", "distortion_law": [["1", HALVES]]}
    for name, ratios in (
        ("no bound", [[9, 1, "1"]]),
        ("no output", [[1, 9, "1"]]),
        ("a right side that answers", [[1, 0, "1"]]),
    ):
        yield f"a step with {name}", changed(forced, (("converse", "steps"), [step | {"ratios": ratios}]))
    growing = changed(
        forced,
        (("problem", "notion"), {"name": "local_information_privacy", "delta": "1/2"}),
        (("converse", "points"), [[["1", HALVES]]]),
    )
    yield (
        "a step with a slack that grows",
        changed(growing, (("converse", "steps"), [step | {"ratios": [[1, 1, "1/2"]]}])),
    )
    yield (
        "a step that leaves room",
        changed(forced, (("converse", "steps"), [step | {"weight": "0", "ratios": [[1, 1, "1/2"]]}])),
    )


def by_rows() -> Iterator[tuple[str, Json]]:
    """Yield proofs about databases that do not follow from what they hold."""
    true = copy.deepcopy(honest())
    for kind in ("rows-distortion", "rows-many-distortion"):
        weaken(true[kind])
    rows, many, distances = true["rows-distortion"], true["rows-many-distortion"], true["distances-many-loss"]
    row = ("rows", 0, 0, "problem")
    yield (
        "rows of a leakage",
        changed(rows, (("problem", "notion"), LEAKAGE), ((*row, "notion"), LEAKAGE), (("mechanism",), None)),
    )
    box = {"rows": {"box": {"lower": ["3/5", "1/5"], "upper": ["4/5", "2/5"]}}, "iid": True}
    yield "rows of a box", changed(rows, (("problem", "source"), box), (("mechanism",), None))
    yield "a row of two laws", changed(rows, ((*row, "source"), {"finite": [PRIOR, HALVES]}), (("mechanism",), None))
    yield (
        "a row of a box",
        changed(rows, ((*row, "source"), {"box": {"lower": ["0", "0"], "upper": ["1", "1"]}}), (("mechanism",), None)),
    )
    yield (
        "a row of other letters",
        changed(rows, ((*row, "universe"), {"alphabet": ["a", "b"]}), (("mechanism",), None)),
    )
    yield (
        "a row that asks for the loss",
        changed(rows, (("mechanism",), None), (("rows", 0, 0), true["rows-loss"]["rows"][0][0])),
    )
    yield "a row of rows", changed(rows, (("rows", 0, 0), copy.deepcopy(rows)))
    yield (
        "rows that add up and differ",
        changed(
            true["rows-sum-distortion"],
            (("problem", "source"), {"rows": [{"prior": PRIOR}, {"prior": HALVES}]}),
            (("mechanism",), None),
            (
                ("rows",),
                [
                    [
                        lower(
                            {**PRIVACY, "notion": INFORMATION, "source": {"prior": law}}, distortion_law=[["1", law]]
                        ),
                        1,
                    ]
                    for law in (PRIOR, HALVES)
                ],
            ),
        ),
    )
    yield "rows of costs in a table", changed(rows, (("problem", "distortion"), {"matrix": UNIT}))
    yield (
        "rows of letters alone",
        changed(rows, (("problem", "universe"), {"size": 8}), (("problem", "source"), {"everything": 8})),
    )
    factor = many["mechanism"]["blocks"][0]["factor"]
    letters = {"schema": "epstar/mechanism/1", "kind": "matrix", "outputs": [0, 1], "rows": EVEN}
    for name, blocks in (
        ("a row too many", [{"factor": factor, "rows": 41}]),
        ("a row too few", [{"factor": factor, "rows": 39}]),
        ("other letters", [{"factor": {**letters, "universe": {"alphabet": ["a", "b"]}}, "rows": 40}]),
    ):
        yield f"a mechanism with {name}", changed(many, (("mechanism", "blocks"), blocks))
    yield (
        "a matrix for many rows",
        changed(
            many,
            (
                ("mechanism",),
                attained(
                    even(DP, COSTLY),
                    {"kind": "matrix", "universe": many["problem"]["universe"], "outputs": [0], "rows": [["1"]]},
                )["mechanism"],
            ),
        ),
    )
    order = changed(
        distances,
        (("problem", "notion"), SIBSON),
        (("distances", "price"), None),
        (("problem", "at"), {"distortion": "20"}),
    )
    blocks = [{"factor": factor, "rows": 20}]
    yield (
        "a product of an order",
        changed(order, (("mechanism",), {"schema": "epstar/mechanism/1", "kind": "product", "blocks": blocks})),
    )
    yield (
        "a distance mechanism of a divergence",
        changed(distances, (("problem", "notion"), KULLBACK), (("distances", "price"), None)),
    )
    three = {"databases": {"size": 3, "rows": 20}}
    yield (
        "distances of absolute costs",
        changed(
            distances,
            (("problem", "distortion"), {"name": "absolute"}),
            (("problem", "universe"), three),
            (("problem", "source"), {"everything": 3**20}),
            (("mechanism",), None),
        ),
    )
    single = {"databases": {"size": 1, "rows": 20}}
    yield (
        "distances of one letter",
        changed(
            distances,
            (("problem", "universe"), single),
            (("problem", "source"), {"everything": 1}),
            (("mechanism",), None),
        ),
    )
    for name, source in (
        ("other letters", {"rows": {"box": {"lower": ["0"] * 3, "upper": ["1"] * 3}}, "iid": True}),
        ("another size", {"everything": 7}),
        ("two descriptions", {"rows": {"prior": HALVES}, "prior": ["1"], "foo": 3}),
    ):
        yield f"distances with {name}", changed(distances, (("problem", "source"), source), (("mechanism",), None))
    pointwise = true["distances-pointwise-loss"]
    yield "distances at no level", changed(pointwise, (("distances", "level"), None), (("mechanism",), None))
    yield (
        "distances at an infinite level",
        changed(pointwise, (("distances", "level"), "infinity"), (("mechanism",), None)),
    )
    yield "two kinds of evidence", {**rows, "converse": None}
    yield "no evidence", {key: value for key, value in rows.items() if key != "rows"}


def curves() -> Iterator[tuple[str, Json]]:
    """Yield curves that prove something else than they say."""
    true = honest()
    loss, distortion = (
        true["curve-differential_privacy-loss"]["proof"],
        true["curve-differential_privacy-distortion"]["proof"],
    )
    free = {"given": "1/5", "lower": "log(1)", "upper": "infinity", "letters": [1, 1]}
    rounding = {"bits": 61, "distance": "1/1000000000000000"}
    open_curve = changed(loss, (("points",), [free]), (("rounding",), rounding))
    yield (
        "a prior below zero of a curve",
        changed(loss, (("points",), [free]), (("source", "prior"), ["3/2", "-1/4", "-1/4"])),
    )
    yield (
        "a prior of a curve above one",
        changed(loss, (("points",), [free]), (("source", "prior"), ["1/2", "1/2", "1/2"])),
    )
    for name, other in (
        ("other units", {"bits": 60}),
        ("no distance", {"distance": "0"}),
        ("too small a distance", {"distance": "1/" + "1" + "0" * 40}),
        ("a distance too large", {"distance": "1/2"}),
    ):
        yield f"a rounding with {name}", changed(open_curve, (("rounding",), rounding | other))
    yield "a curve of a capacity", changed(loss, (("points",), [free]), (("notion",), {"name": "capacity"}))
    yield "a curve of everything", changed(loss, (("points",), [free]), (("source",), {"everything": 3}))
    yield (
        "a curve of a graph",
        changed(loss, (("points",), [free]), (("universe",), {"graph": {"nodes": [0, 1, 2], "edges": []}})),
    )
    yield "a curve of absolute costs", changed(loss, (("points",), [free]), (("distortion",), {"name": "absolute"}))
    yield "a curve that asks for anything", changed(distortion, (("asks",), "anything"))
    yield "a point at a decimal", changed(loss, (("points", 0, "given"), 0.2))
    yield "a curve without points", changed(loss, (("points",), []))
    yield "points that are no list", changed(loss, (("points",), {"0": free}))
    yield (
        "a negative distortion that is reached",
        changed(loss, (("points",), [free | {"given": "-1", "lower": "infinity", "upper": "1"}])),
    )
    yield "a point at a negative loss", changed(distortion, (("points",), [free | {"given": "-1", "lower": "0"}]))
    yield "a point at no fraction", changed(loss, (("points",), [free | {"given": "log(2)"}]))
    unlikely = changed(true["curve-identifiability-loss"]["proof"], (("source", "prior"), ["1/2", "1/2", "0"]))
    yield (
        "a curve of identifiability with a letter that never comes",
        changed(unlikely, (("points",), [free | {"letters": [3, 3]}])),
    )
    answers = true["curve-answers-loss"]
    yield "a curve of other answers", changed(answers, (("asks",), "distortion"), (("unit",), "distortion"))
    yield "a curve of no answers", changed(answers, (("answers",), {}))
    yield "a curve with a proof and answers", {**true["curve-differential_privacy-loss"], "answers": [None] * 3}
    yield "a curve without evidence", {**answers, "answers": None}
    yield (
        "a proof of a curve of another schema",
        changed(true["curve-differential_privacy-loss"], (("proof", "schema"), "epstar/proof/1")),
    )
    mixed = changed(answers, (("answers", 2), honest()["curve-answers-gain"]["answers"][0]))
    yield "a curve of two questions", mixed
    for notion in ("mutual_information", "identifiability", "min_entropy_leakage", "maximal_leakage"):
        for asks in ("loss", "distortion"):
            proof = true[f"curve-{notion}-{asks}"]["proof"]
            for point in range(len(proof["points"])):
                for letters in ([1, 1], [1, 3], [2, 2], [3, 1], [3, 3], [2, 1]):
                    name = f"point {point} of a curve of {notion} and {asks} by {letters}"
                    yield name, changed(proof, (("points", point, "letters"), letters))
            yield (
                f"a curve of {notion} and {asks} with a rational",
                changed(proof, (("points", 0, "lower"), "1/100"), (("points", 0, "upper"), "1/2")),
            )
            yield (
                f"a curve of {notion} and {asks} with a logarithm",
                changed(proof, (("points", 0, "lower"), "log(11/10)"), (("points", 0, "upper"), "log(9/8)")),
            )


def texts() -> Iterator[tuple[str, bytes]]:
    """Yield documents that are faulty as texts."""
    true = json.dumps(honest()["0-differential_privacy-size-prior-loss"])
    yield "cut short", true[:-1].encode()
    yield "in another encoding", true.encode("utf-16")
    yield "a field twice", ('{"unit": "distortion", ' + true[1:]).encode()
    yield "a number that is none", ('{"lower": NaN, ' + true[1:].replace('"lower":', '"beside":', 1)).encode()
    yield (
        "an end that no float prints as",
        true.replace('"lower": 0.46', '"lower": 0.4600000000000000000000001', 1).encode(),
    )
    yield "an end of a million digits", true.replace('"lower": 0.46', f'"lower": 0.{"4" * 1_000_000}', 1).encode()
    yield "a number of a million digits", true.replace('"lower": 0.46', f'"lower": {"4" * 1_000_000}', 1).encode()
    yield "a long number", json.dumps(lower(PRIVACY, weight="1" + "0" * 5000)).encode()
    yield "a division by zero", json.dumps(lower(PRIVACY, weight="1/0")).encode()
    yield "a large exponent", json.dumps(lower(PRIVACY, weight="1e6000")).encode()
    for depth in (23, 24, 25, 100, 1000, 100_000):
        yield f"{depth} lists", b"[" * depth + b"]" * depth
    yield "something else", b'{"schema": "something else"}'
    yield "a number", b"1"


def crafted() -> list[Document]:
    """Return all of them, with the attacks and the documents that once deceived a checker."""
    found = [Document(name, json.dumps(document).encode(), True) for name, document in true_halves()]
    found += [Document(name, json.dumps(document).encode()) for name, document in ATTACKS.items()]
    found += [Document(path.stem, path.read_bytes()) for path in sorted(FORGED.glob("*.json"))]
    for part in (problems, mechanisms, converses, by_rows, curves):
        for name, document in part():
            accepted = None if part is curves or name == "a ball of ten letters" else False
            written = json.dumps(document).replace('{"raw": "10000000000000003.0"}', "10000000000000003.0")
            found.append(Document(name, written.replace('{"raw": "1e400"}', "1e400").encode(), accepted))
    return [*found, *(Document(name, content) for name, content in texts())]
