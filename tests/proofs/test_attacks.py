"""Proofs made to deceive: each would establish a falsehood if a checker left out one of its checks."""

import copy
import math
from typing import Any

import check_proof
import pytest
from tests.proofs.cases import checked_by_epstar, checked_by_the_second

from epstar.errors import EpstarError

Json = dict[str, Any]
UNIT = [["1", "0"], ["0", "1"]]
PRIOR = ["2/3", "1/3"]
NOTHING: Json = {
    "weight": "1",
    "distortion_law": [["1", PRIOR]],
    "points": [],
    "level": None,
    "ratios": [],
    "maxima": [],
    "sums": [],
    "slopes": [],
    "prices": None,
    "forced": False,
}


def problem(notion: Json, at: Json, source: Json | None = None, universe: Json | None = None) -> Json:
    return {
        "schema": "epstar/problem/1",
        "notion": notion,
        "universe": {"size": 2} if universe is None else universe,
        "source": {"prior": PRIOR} if source is None else source,
        "distortion": {"name": "hamming"},
        "at": at,
    }


def lower(asked: Json, **converse: Any) -> Json:
    return {"schema": "epstar/proof/1", "problem": asked, "mechanism": None, "converse": {**NOTHING, **converse}}


def upper(asked: Json, rows: list[list[str]], outputs: list[Any], universe: Json) -> Json:
    mechanism = {
        "schema": "epstar/mechanism/1",
        "kind": "matrix",
        "universe": universe,
        "outputs": outputs,
        "rows": rows,
    }
    return {"schema": "epstar/proof/1", "problem": asked, "mechanism": mechanism, "converse": None}


LEAKAGE = problem({"name": "maximal_leakage"}, {"loss": "log(3/2)"})  # the least distortion is 1/6
PRIVACY = problem({"name": "differential_privacy"}, {"loss": "log(5)"})  # the least distortion is 1/6
STRICT = problem({"name": "differential_privacy"}, {"loss": "log(3/2)"})  # the least distortion is 1/3
LEAST = problem({"name": "differential_privacy"}, {"distortion": "1/6"})  # the least loss is log 5
POINTWISE = problem(
    {"name": "approximate_differential_privacy", "delta": "1/10", "reading": "pointwise"}, {"loss": "log(2)"}
)
EVENTS: Json = {"name": "approximate_differential_privacy", "delta": "1/10"}
HALVES = ["1/2", "1/2"]
INFORMATION = problem({"name": "mutual_information"}, {"distortion": "1/6"})
TWO = {"finite": [PRIOR, ["1/3", "2/3"]]}
LINE = {"graph": {"nodes": ["a", "b", "c"], "edges": [["a", "b"], ["b", "c"]]}}
ROWS = problem(
    {"name": "differential_privacy"},
    {"loss": "log(5)"},
    {"rows": {"prior": PRIOR}, "iid": True},
    {"databases": {"size": 2, "rows": 2}},
)  # the least distortion is 2/6
ROW = lower({**PRIVACY, "universe": {"size": 2}}, prices=["1/24", "1/8"])
WEAK_ROW = lower({**PRIVACY, "universe": {"size": 2}})

MANY: Json = {"databases": {"size": 3, "rows": 20}}
MANY_SOURCE: Json = {"rows": {"prior": ["1/2", "0", "1/2"]}, "iid": True}
MANY_ROW: Json = {
    "schema": "epstar/proof/1",
    "problem": {
        **problem(
            {"name": "differential_privacy"}, {"distortion": "7/10"}, {"prior": ["1/2", "0", "1/2"]}, {"size": 3}
        ),
        "distortion": {"name": "absolute"},
    },
    "mechanism": None,
    "converse": None,
}

ATTACKS: dict[str, Json] = {
    "a negative multiplier of a sum": lower(LEAKAGE, sums=["-1/3"]),
    "maxima without a multiplier of their sum": lower(
        LEAKAGE, sums=["0"], maxima=[[0, 0, 0, 0, "1/3"], [0, 0, 1, 1, "1/3"]]
    ),
    "maxima without any sum": lower(LEAKAGE, maxima=[[0, 0, 0, 0, "1/3"], [0, 0, 1, 1, "1/3"]]),
    "one maximum used twice": lower(
        LEAKAGE, sums=["1/3"], maxima=[[0, 0, y, x, "1/3"] for y in (0, 1) for x in (0, 1)]
    ),
    "a maximum of an input that does not exist": lower(LEAKAGE, sums=["1/3"], maxima=[[0, 0, 0, -1, "1/3"]]),
    "more multipliers than sums": lower(LEAKAGE, sums=["0", "-1"]),
    "a law outside the source": lower(STRICT, distortion_law=[["1", ["1/2", "1/2"]]], prices=["1/5", "1/5"]),
    "weights beyond one": lower(PRIVACY, distortion_law=[["2", PRIOR]], prices=["1/12", "1/4"]),
    "a negative weight of a law": lower(
        {**PRIVACY, "source": TWO}, distortion_law=[["2", PRIOR], ["-1", ["1/3", "2/3"]]], prices=["0", "0"]
    ),
    "row prices that are too high": lower(PRIVACY, prices=["1/24", "1/7"]),
    "row prices for too few inputs": lower(PRIVACY, prices=["1"]),
    # Without a price there is no condition to fail, and the sum is zero: too much where distortions are gains.
    "no row prices for a gain": lower({**PRIVACY, "distortion": {"gain": UNIT}}, prices=[]),
    "row prices for a graph": lower(
        {**problem({"name": "differential_privacy"}, {"loss": "1"}, {"everything": 3}, LINE)},
        distortion_law=[["1", ["1/3", "1/3", "1/3"]]],
        prices=["1", "1", "1"],
    ),
    "a negative ratio multiplier that earns slack": lower(
        POINTWISE, ratios=[[k, y, "-100"] for k in (0, 1) for y in (0, 1)]
    ),
    # The slack is paid once for all outputs, and not by the largest of many shares of one multiplier.
    "a multiplier in shares": lower(
        problem(EVENTS, {"distortion": "9/20"}, {"prior": HALVES}),
        distortion_law=[["1", HALVES]],
        level="log(6/5)",
        ratios=[[k, k, "1/440"] for k in (0, 1) for _ in range(100)],
    ),
    "a step in shares": lower(
        {
            **problem(EVENTS | {"delta": "1/2"}, {"distortion": "1/4"}, {"finite": [["1", "0"], HALVES]}),
            "distortion": {"matrix": [["1/4", "1"], ["2/5", "0"]]},
        },
        weight="0",
        distortion_law=[["1", ["1", "0"]]],
        forced=True,
        steps=[{"weight": "1", "distortion_law": [["1", HALVES]], "ratios": [[1, 1, "1/500"]] * 100}],
    ),
    "a ratio bound that does not exist": lower(PRIVACY, ratios=[[2, 0, "1"]]),
    "a ratio bound counted from the end": lower(PRIVACY, ratios=[[-1, 0, "1"]]),
    "a ratio bound of an output that does not exist": lower(PRIVACY, ratios=[[0, 2, "1"]]),
    "ratio bounds at no level": lower(LEAST, ratios=[[0, 0, "1"]]),
    "a negative weight of the distortion": lower(LEAST, weight="-1", level="log(9)"),
    "no weight at all": lower(PRIVACY, weight="0"),
    "a level that is a little too high": lower(LEAST, level="log(5001/1000)", prices=["1/24", "1/8"]),
    "a forced mechanism that is not": lower(LEAST, weight="0", forced=True),
    "a tangent at a negative place": lower(
        INFORMATION, points=[[["1", PRIOR]]], sums=["1"], slopes=[[0, k, y, ["-1"]] for k in (0, 1) for y in (0, 1)]
    ),
    "a tangent that is missing": lower(INFORMATION, points=[[["1", PRIOR]]], sums=["1"], slopes=[[0, 0, 0, ["1"]]]),
    "a tangent with too many places": lower(
        INFORMATION, points=[[["1", PRIOR]]], sums=["1"], slopes=[[0, k, y, ["2", "2"]] for k in (0, 1) for y in (0, 1)]
    ),
    "information at a mixture of laws of which one is true": lower(
        {**INFORMATION, "source": TWO},
        distortion_law=[["1/2", PRIOR], ["1/2", ["1/3", "2/3"]]],
        points=[[["1/2", PRIOR], ["1/2", ["1/3", "2/3"]]]],
        sums=["1"],
        slopes=[[0, k, y, ["5/3" if k == y else "1/3"]] for k in (0, 1) for y in (0, 1)],
    ),
    "a negative number of rows": {
        **{key: value for key, value in ROW.items() if key != "converse"},
        "problem": ROWS,
        "rows": [[ROW, 7], [WEAK_ROW, -5]],
    },
    "more rows than there are": {"schema": "epstar/proof/1", "problem": ROWS, "mechanism": None, "rows": [[ROW, 3]]},
    "rows of another law": {
        "schema": "epstar/proof/1",
        "problem": {**ROWS, "source": {"rows": {"prior": ["9/10", "1/10"]}, "iid": True}},
        "mechanism": None,
        "rows": [[ROW, 2]],
    },
    "rows at a smaller level": {
        "schema": "epstar/proof/1",
        "problem": {**ROWS, "at": {"loss": "log(6)"}},
        "mechanism": None,
        "rows": [[ROW, 2]],
    },
    "distances without the uniform law": {
        "schema": "epstar/proof/1",
        "problem": {**ROWS, "notion": {"name": "maximal_leakage"}},
        "mechanism": None,
        "distances": {"price": "2", "level": None},
    },
    "a price of the wrong sign": {
        "schema": "epstar/proof/1",
        "problem": problem(
            {"name": "sibson_mutual_information", "order": "1/2"}, {"loss": "1"}, {"everything": 4}, ROWS["universe"]
        ),
        "mechanism": None,
        "distances": {"price": "2", "level": None},
    },
    "distances taken for another distortion": {
        "schema": "epstar/proof/1",
        "problem": {
            **problem({"name": "differential_privacy"}, {"distortion": "14"}, MANY_SOURCE, MANY),
            "distortion": {"name": "absolute"},
        },
        "mechanism": {
            "schema": "epstar/mechanism/1",
            "kind": "distance",
            "universe": MANY,
            "weights": [f"{math.comb(20, changed) * 2**changed}/{3**20}" for changed in range(21)],
        },
        "rows": [[MANY_ROW, 20]],
    },
    "a row that sums to less than one": upper(LEAST, [["1/2", "1/4"], ["1/2", "1/2"]], [0, 1], {"size": 2}),
    "a negative probability": upper(LEAST, [["2", "-1"], ["2", "-1"]], [0, 1], {"size": 2}),
    "a mechanism with too much distortion": upper(LEAST, [["1/2", "1/2"], ["1/2", "1/2"]], [0, 1], {"size": 2}),
    "outputs by other names": upper(LEAST, UNIT, [0, 7], {"size": 2}),
    "an output twice": upper(LEAST, UNIT, [0, 0], {"size": 2}),
    "outputs the wrong way round": upper(LEAST, UNIT, [1, 0], {"size": 2}),
    "inputs without neighbours": upper(LEAST, UNIT, [0, 1], {"graph": {"nodes": [0, 1], "edges": []}}),
    "too few rows": upper(LEAST, [["1", "0"]], [0, 1], {"size": 2}),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_both_checkers_resist(attack: str) -> None:
    with pytest.raises(EpstarError):
        checked_by_epstar(copy.deepcopy(ATTACKS[attack]))
    with pytest.raises((EpstarError, check_proof.Refused, check_proof.Unreadable)):
        checked_by_the_second(copy.deepcopy(ATTACKS[attack]))


def test_the_honest_neighbours_of_the_attacks_are_accepted() -> None:
    """What the attacks disguise themselves as: the same documents without the fault."""
    sixth, log5 = 1 / 6, 1.6094379124341003
    honest: list[tuple[Json, float]] = [
        (lower(LEAKAGE, sums=["1/3"], maxima=[[0, 0, 0, 0, "1/3"], [0, 0, 1, 1, "1/3"]]), sixth),
        (lower(PRIVACY, prices=["1/24", "1/8"]), sixth),
        (lower(LEAST, level="log(5)", prices=["1/24", "1/8"]), log5),
        ({"schema": "epstar/proof/1", "problem": ROWS, "mechanism": None, "rows": [[ROW, 2]]}, 2 * sixth),
        (lower({**LEAST, "at": {"distortion": "0"}}, forced=True), float("inf")),
        (
            lower(
                problem(EVENTS, {"loss": "0"}, {"prior": HALVES}),
                distortion_law=[["1", HALVES]],
                ratios=[[k, k, "1/40"] for k in (0, 1) for _ in range(10)],
            ),
            9 / 20,
        ),
        (lower(LEAST, forced=True), 0.0),  # nothing is forced, and the weight alone says that no loss is negative
    ]
    for proof, value in honest:
        assert checked_by_epstar(proof)[0] == pytest.approx(value, rel=1e-14)
        assert checked_by_the_second(proof)[0] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("guard", "attack", "truth"),
    [
        ("epstar.claims.form.check_member", "a law outside the source", 1 / 3),
    ],
)
def test_the_attacks_bite(guard: str, attack: str, truth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the check that stops it taken out, the attack is believed: it proves more than is true."""
    monkeypatch.setattr(guard, lambda *_: None)
    found, _ = checked_by_epstar(copy.deepcopy(ATTACKS[attack]))
    assert found > truth + 0.05
