"""Lower halves made by hand, each with one fault in its multipliers, its rows or its distances."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from tests.proofs.corpus import honest
from tests.proofs.mutations import weaken
from tests.proofs.parts import (
    COSTLY,
    DP,
    EVEN,
    INFORMATION,
    INFORMATION_PRICES,
    KULLBACK,
    LEAKAGE,
    RENYI,
    SIBSON,
    Json,
    attained,
    changed,
    even,
)
from tests.proofs.test_attacks import ATTACKS, HALVES, LEAST, PRIOR, PRIVACY, UNIT, lower, problem


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
        ("huge prices", {"prices": ["1e200", "0"]}),
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
            **(prices | {"distortion_law": [["1", scarce]], "points": [[["1", scarce]]], "prices": ["0", "0"]}),
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
    box = {"rows": {"box": {"lower": ["7/10", "1/5"], "upper": ["4/5", "3/10"]}}, "iid": True}
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
