"""Documents that the readers of claims stand against: malformed, or doubly readable, or beyond what was proven."""

from __future__ import annotations

import json

from tests.claims.forged_claims import CONSTANT, DISTANCES, HALVES, MIXED, PAIR, PART
from tests.proofs.certificates import EVEN, SPREAD, Document, proof
from tests.proofs.forgeries import attained, excluded
from tests.proofs.test_check_proof import ANSWER, changed

MALFORMED: dict[str, Document] = {
    # -- reading
    "a polytope that is not shown to hold anything": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["1", "0"]], "bounds": ["1/2"]}},
        attained=attained("0", "1", CONSTANT, multipliers=[["0"]]),
    ),
    "a row's polytope that is not shown to hold anything": proof(
        "differential_privacy",
        {"rows": {"polytope": {"matrix": [["1", "0"]], "bounds": ["1/2"]}}, "iid": False},
        universe={"databases": {"size": 2, "rows": 1}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a polytope that does not hold what it names": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["1", "0"]], "bounds": ["1/2"], "member": ["2/3", "1/3"]}},
        attained=attained("0", "1", CONSTANT, multipliers=[["0"]]),
    ),
    "a polytope of one side without its bound": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["1", "0"]], "bounds": [], "member": ["1/2", "1/2"]}},
        attained=attained("0", "1", CONSTANT, multipliers=[["0"]]),
    ),
    "a source that lists one law twice": changed(
        changed(MIXED, "problem.source", {"finite": [["1", "0"], ["1", "0"], ["0", "1"]]}), "excluded.uniform", HALVES
    ),
    "a query for a universe": proof(
        "differential_privacy",
        EVEN,
        universe={"query": {"name": "count", "individuals": 1, "values": 2}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a symmetry of words": {**DISTANCES, "excluded": {**DISTANCES["excluded"], "symmetry": "rows"}},
    "spread in words": changed(SPREAD, "excluded.steps.0.spread", "yes"),
    "tangents in words": proof(
        {"name": "renyi_differential_privacy", "order": 2},
        EVEN,
        distortion={"matrix": [["1"], ["1"]]},
        excluded=excluded("1", "0", {"laws": [["1", 0]], "sums": [[[0, 1], "1e-9", "1"]], "rows": ["2/5", "2/5"]}),
    ),
    "prices in words": proof(
        "differential_privacy",
        EVEN,
        distortion={"matrix": [["2", "2"], ["2", "2"]]},
        excluded=excluded("1", "2", {"laws": [["1", 0]], "rows": "11"}),
    ),
    "a price by a hair": proof(
        "differential_privacy",
        EVEN,
        excluded=changed(PART["excluded"], "steps.0.rows", ["1/8", f"{10**30 + 1}/{8 * 10**30}"]),
    ),
    "a claim without a loss": changed(SPREAD, "excluded.loss", ...),
    "a claim without an end": changed(SPREAD, "excluded.open", ...),
    "a problem without a source": changed(SPREAD, "problem.source", ...),
    "a negative loss": changed(SPREAD, "attained.loss", "-1"),
    "a negative loss that is excluded": {
        "schema": SPREAD["schema"],
        "problem": SPREAD["problem"],
        "excluded": {"loss": "-1", "distortion": "1", "open": "loss"},
    },
    "a law beyond the list": changed(SPREAD, "excluded.steps.0.laws.0.1", 1),
    "a law that is true": changed(SPREAD, "excluded.steps.0.laws.0.1", False),
    "a list for a claim": changed(SPREAD, "excluded", []),
    "a list for a proof": {"schema": SPREAD["schema"], "problem": []},
    "a weight too few": changed(SPREAD, "excluded.steps.0.laws.0", ["1"]),
    "a weight too many": changed(SPREAD, "excluded.steps.0.laws.0", ["1", 0, 0]),
    "a loss that is a number": changed(SPREAD, "excluded.loss", 1),
    "a prior that was rounded": proof(
        "differential_privacy", {"prior": [0.5000000001, 0.5]}, attained=attained("0", "1", CONSTANT)
    ),
    "a prior of an object": proof(
        "differential_privacy", {"prior": {"0": "1/2", "1": "1/2"}}, attained=attained("0", "1", CONSTANT)
    ),
    "a source of a query": proof("differential_privacy", {"query": 1}, attained=attained("0", "1", CONSTANT)),
    "a box of three parts": proof(
        "differential_privacy",
        {"box": {"lower": ["0", "0"], "upper": ["1", "1"], "center": []}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a ball without a radius": proof(
        "differential_privacy", {"ball": {"center": ["1/2", "1/2"]}}, attained=attained("0", "1", CONSTANT)
    ),
    "rows and a prior": proof(
        "differential_privacy",
        {"rows": EVEN, "prior": ["1/2", "1/2"]},
        universe=PAIR,
        attained=attained("0", "1", CONSTANT),
    ),
    "listed rows that share": proof(
        "differential_privacy", {"rows": [EVEN], "iid": True}, universe=PAIR, attained=attained("0", "1", CONSTANT)
    ),
    "rows of no databases": proof("differential_privacy", {"rows": EVEN}, attained=attained("0", "1", CONSTANT)),
    "databases of both": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"databases": {"size": 2, "alphabet": [0, 1], "rows": 1}},
        attained=attained("0", "1", CONSTANT),
    ),
    "databases without rows": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"databases": {"size": 2}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a graph without edges": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"graph": {"nodes": [0, 1]}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a graph with words": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"graph": {"nodes": [0, 1], "edges": [], "name": ""}},
        attained=attained("0", "1", CONSTANT),
    ),
    "edges in words": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"graph": {"nodes": [0, 1], "edges": ""}},
        attained=attained("0", "1", CONSTANT),
    ),
    "a universe of nothing": proof(
        "differential_privacy", {"everything": 2}, universe={"line": 2}, attained=attained("0", "1", CONSTANT)
    ),
    "a universe of null": proof(
        "differential_privacy", {"everything": 2}, universe=None, attained=attained("0", "1", CONSTANT)
    ),
    "two universes": proof(
        "differential_privacy",
        {"everything": 2},
        universe={"size": 2, "alphabet": [0, 1]},
        attained=attained("0", "1", CONSTANT),
    ),
    "a cost without a name": proof(
        "differential_privacy", EVEN, distortion={"name": ["hamming"]}, attained=attained("0", "1", CONSTANT)
    ),
    "two costs": proof(
        "differential_privacy",
        EVEN,
        distortion={"name": "hamming", "matrix": [["0", "1"]] * 2},
        attained=attained("0", "1", CONSTANT),
    ),
    "no cost": proof("differential_privacy", EVEN, distortion={}, attained=attained("0", "1", CONSTANT)),
    "a cost in words": proof("differential_privacy", EVEN, distortion="hamming", attained=attained("0", "1", CONSTANT)),
    "half a cost": proof(
        "differential_privacy", EVEN, distortion={"matrix": [["0", "1"]]}, attained=attained("0", "1", CONSTANT)
    ),
}

POINT_OF_CURVE = {
    "at": "1/6",
    "lower": 1.6,
    "upper": 1.61,
    "attained": SPREAD["attained"],
    "excluded": SPREAD["excluded"],
}
CURVE = {
    "schema": "epstar/curve/2",
    "problem": SPREAD["problem"],
    "asks": "loss",
    "unit": "nats",
    "points": [POINT_OF_CURVE, {"at": "1/5", "lower": None, "upper": None}],
}
MALFORMED |= {
    # -- answers and curves
    "an answer of another unit": changed(ANSWER, "unit", "bits"),
    "an answer with more": {**ANSWER, "note": ""},
    "an answer with less": changed(ANSWER, "unit", ...),
    "an answer nowhere": changed(ANSWER, "at", {"distortion": "1/6", "loss": "1"}),
    "an answer at a word": changed(ANSWER, "at", {"loss": [1]}),
    "an answer at another point": changed(ANSWER, "at", {"distortion": "1/7"}),
    "an answer at a point beyond": changed(ANSWER, "at", {"distortion": "1/5"}),
    "an answer about the other end": {
        **{k: v for k, v in ANSWER.items() if "exact" not in k},
        "at": {"loss": "log(5)"},
        "unit": "distortion",
        "lower": 0.16666,
        "upper": 0.16667,
    },
    "a lower end by a hair": changed(ANSWER, "lower", 1.6094379124341005),
    "an upper end by a hair": changed(ANSWER, "upper", 1.6094379124341003),
    "an exact end that is lower": changed(ANSWER, "lower_exact", "0"),
    "an exact end that is a float": changed(ANSWER, "lower_exact", 1.6),
    "an end that is true": changed(ANSWER, "lower", True),
    "an end of nothing": changed(ANSWER, "lower", None),
    "an end beyond all floats": json.loads(json.dumps(ANSWER)) | {"upper": 10**400},
    "an exact end of infinity": changed(ANSWER, "upper_exact", "infinity"),
    "a curve with more": {**CURVE, "note": ""},
    "a curve of an object": {**CURVE, "points": {}},
    "a curve about both": {**CURVE, "asks": "both"},
    "a curve of another unit": {**CURVE, "unit": "distortion"},
    "a curve of words": {**CURVE, "points": ["point"]},
    "a point with more": {**CURVE, "points": [{**POINT_OF_CURVE, "problem": SPREAD["problem"]}]},
    "a point with less": {**CURVE, "points": [{k: v for k, v in POINT_OF_CURVE.items() if k != "upper"}]},
    "a point without ends": {**CURVE, "points": [{**POINT_OF_CURVE, "lower": None, "upper": None}]},
    "a point elsewhere": {**CURVE, "points": [{**POINT_OF_CURVE, "at": "1/7"}]},
    "a point beyond its claims": {**CURVE, "points": [{**POINT_OF_CURVE, "lower": 1.61}]},
}
ROW_ANSWER: Document = {
    "schema": "epstar/answer/2",
    "at": {"loss": "log(3)"},
    "unit": "distortion",
    "lower": 0.25,
    "upper": "infinity",
    "lower_exact": "1/4",
    "proof": proof("differential_privacy", EVEN, excluded=PART["excluded"]),
}
ROW_CURVE = {
    "schema": "epstar/curve/2",
    "problem": ROW_ANSWER["proof"]["problem"],
    "asks": "distortion",
    "unit": "distortion",
    "points": [{"at": "log(3)", "lower": 0.25, "upper": "infinity", "excluded": PART["excluded"]}],
}
MALFORMED |= {
    "an exact end that is a number": {**ROW_ANSWER, "lower_exact": 0.25},
    "words that are no text": {**ANSWER, "status": True},
    "a loss beyond all powers": proof(
        "differential_privacy",
        EVEN,
        excluded={
            "loss": "1e3999",
            "distortion": "0",
            "open": "loss",
            "steps": [{"laws": [["1", 0]], "ratios": [[0, 1, 1, "1"]]}],
        },
    ),
    "a curve about anything": {**ROW_CURVE, "asks": "anything"},
}
SOUND: dict[str, Document] = {
    "an answer": ANSWER,
    "a curve": CURVE,
    "an answer at a loss": ROW_ANSWER,
    "a curve at losses": ROW_CURVE,
}

RAW: dict[str, bytes] = {
    "an exponent of twenty digits": json.dumps(SPREAD).replace('"1/24"', "1e" + "9" * 20).encode(),
    "half a letter": json.dumps(changed(SPREAD, "problem.universe", {"alphabet": ["\ud800", "b"]})).encode(),
    "NaN": json.dumps(changed(SPREAD, "problem.universe", {"alphabet": [float("nan"), "b"]})).encode(),
    "a long number": json.dumps(SPREAD).replace('"1/24"', "9" * 4001).encode(),
    "a deep label": json.dumps(SPREAD)
    .replace('"source"', '"universe": {"alphabet": [0, ' + "[" * 200 + "]" * 200 + ']}, "source"')
    .encode(),
    "a name that stands twice": json.dumps(SPREAD).replace('"open"', '"open": "loss", "open"').encode(),
    "no text": b"\xff" + json.dumps(SPREAD).encode(),
}
