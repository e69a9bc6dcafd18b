"""Answers of wider questions and about statistics, and forgeries of them: each is refused for one reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.proofs.certificates import CONJUGATE, SPREAD, Document, proof

_DOCUMENTS: dict[str, Any] = json.loads((Path(__file__).parent / "wider_documents.json").read_text(encoding="utf-8"))
#: Answers of every notion with a secret, limits or further guarantees, at a loss and at a distortion; refutations.
ANSWERS: dict[str, Document] = _DOCUMENTS["answers"]
#: Answers about the errors of statistics, with certificates of every kind.
STATISTICS: dict[str, Document] = _DOCUMENTS["statistics"]
#: Answers, and a problem that differs in one thing and was solved apart: its answer is another one.
OTHERS: list[Document] = _DOCUMENTS["others"]

UNIT = [["1", "0"], ["0", "1"]]
HALVES = ["1/2", "1/2"]
EVEN: Document = {"prior": HALVES}
COIN: Document = {"rows": [["3/4", "1/4"], ["1/4", "3/4"]]}

POINT: Document = {"points": [[["1", 0]]]}
GAUSSIAN = "gaussian_differential_privacy"
CONCENTRATED = "concentrated_differential_privacy"
GAIN: Document = {"name": "g_leakage", "gain": UNIT}


def wider(notion: Document | str, source: Document = EVEN, also: object = None, **rest: Any) -> Document:
    """Return a proof about a wider question."""
    parts: Document = {name: rest.pop(name) for name in ("secret", "mechanism") if name in rest}
    found = proof(notion, source, **rest)
    found["problem"] |= parts if also is None else {**parts, "also": also}
    return found


def attained(loss: str, mechanism: Document, **hints: Any) -> Document:
    """Return what is attained at any distortion."""
    return {"loss": loss, "distortion": "1", "mechanism": mechanism, **hints}


def excluded(loss: str, distortion: str, *steps: Document, **rest: Any) -> Document:
    """Return what is excluded at a loss that is open."""
    return {"loss": loss, "distortion": distortion, "open": "loss", **POINT, "steps": list(steps), **rest}


def statistic(**rest: Any) -> Document:
    """Return an answer about the frequencies of two inputs, without claims."""
    problem = {
        "schema": "epstar/problem/2",
        "notion": rest.pop("notion", {"name": "differential_privacy"}),
        "source": rest.pop("source", EVEN),
        "distortion": {"statistic": rest.pop("statistic", {"name": "frequencies", "rows": 1})},
        "at": rest.pop("at", {"loss": "log(3)"}),
    }
    if "universe" in rest:
        problem["universe"] = rest.pop("universe")
    ends = {"lower": 0, "upper": "infinity", "unit": "distortion"}
    return {"schema": "epstar/statistic/1", "problem": problem, **ends, **rest}


def design(error: str, **mechanism: Any) -> Document:
    """Return the claim that a mechanism has an error."""
    return {"loss": "log(3)", "error": error, "mechanism": mechanism}


def no_design(error: str, law: list[str], **certificate: Any) -> Document:
    """Return the claim that no mechanism has a smaller error."""
    return {"loss": "log(3)", "error": error, "law": law, "certificate": certificate}


# Randomised response at e^L = 3: a category is seen with probability 3/4 or 1/4, so that its share has the variance
# 1/4 at an even prior and the estimate, (share - 1/4) / (1/2), four times that: two categories have the error 2.
TWO_SETS: Document = {"chosen": 1, "ratio": "3"}
MATRIX: Document = {"rows": COIN["rows"], "outputs": ["a", "b"]}
# Columns of k entries 3 and 2 - k entries 1 of the sum S have the spread 2 k (2 - k) beside S^2 / 4: the price is 1/4.
COUNTS: Document = {"kind": "counts", "share": "0", "prices": ["1/4", "0"]}
# b = +-(1, -1) + (1/4, 1/4) tells 2 (5/4 + 5/4) - 1/2, less the prices: 2. The column (1, 3) gains 1 + 9 for 2 * 5.
RAYS: Document = {"kind": "rays", "estimators": [["5/4", "-3/4"], ["-3/4", "5/4"]], "prices": ["5/4", "5/4"]}

# Three inputs of which the last is alone and never happens: its column gains nothing, whatever its price takes away.
ALONE = statistic(
    universe={"graph": {"nodes": [0, 1, 2], "edges": [[0, 1]]}},
    source={"prior": ["1/2", "1/2", "0"]},
    statistic={"name": "frequencies", "rows": 1, "weights": ["1", "1", "0"]},
    lower=1000,
    excluded=no_design(
        "1000", ["1/2", "1/2", "0"], kind="rays", estimators=[["0"] * 3] * 3, prices=["0", "0", "-2000"]
    ),
)

SECOND = {"notion": {"name": "differential_privacy"}, "loss": "infinity"}
TRUTH: Document = {"sums": [[[0, 0, 0], "1", [["2", None], [None, "2"]]]], "rows": ["0.3465", "0.3465"]}
HAND_MADE: dict[str, Document] = {
    "secret": wider(
        "differential_privacy",
        secret={"given": UNIT},
        attained=attained("log(3)", COIN),
        excluded=excluded(
            "log(3)",
            "1/4",
            {
                "laws": [["1", 0]],
                "ratios": [[0, 0, 0, 1, 0, "1/8"], [0, 0, 1, 0, 1, "1/8"]],
                "rows": ["1/8", "1/8"],
            },
            {"ratios": [[0, 0, 0, 1, 0, "1"]], "rows": ["1", "0"]},
        ),
    ),
    "allowed": wider(
        "maximal_leakage",
        mechanism={"allowed": [[True, False], [False, True]]},
        attained=attained("log(2)", {"rows": UNIT}),
        excluded=excluded("log(2)", "1", {"sums": [[[0, 0], "1", [[0, 0, "1"], [1, 1, "1"]]]], "rows": ["1", "1"]}),
    ),
    "limits": wider(
        "maximal_leakage",
        mechanism={
            "lower": "1/5",
            "upper": [["3/4", "1"], ["1", "1"]],
            "invariant": True,
            "unbiased": {"inputs": ["1/4", "3/4"], "outputs": ["0", "1"]},
            "equations": [[UNIT, "3/2"]],
            "inequalities": [[UNIT, "3/2"]],
        },
        attained=attained("log(3/2)", COIN),
        excluded=excluded(
            "infinity", "1/5", {"laws": [["2", 0]], "limits": [["equation", 0, "1"]], "rows": ["1", "1"]}
        ),
    ),
    "gain": wider(
        GAIN,
        attained=attained("log(3/2)", COIN),
        excluded=excluded(
            "log(3/2)",
            "1/4",
            {"laws": [["1", 0]], "sums": [[[0, 0, 0], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": HALVES},
        ),
    ),
    "also": wider(
        "differential_privacy",
        also=[{"notion": {"name": "maximal_leakage"}, "loss": "log(3/2)"}],
        attained=attained("log(3)", COIN),
        excluded=excluded(
            "infinity",
            "1/5",
            {"laws": [["1", 0]], "sums": [[[1, 0], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": HALVES},
        ),
    ),
    "gaussian": wider(
        GAUSSIAN,
        attained=attained("1.35", COIN, orders=["-0.675"]),
        excluded=excluded(
            "1.34",
            "1/4",
            {
                "laws": [["1", 0]],
                "ratios": [[0, 0, 0, 0, 1, 0, "1/4"], [0, 0, 0, 1, 0, 1, "1/4"]],
                "rows": ["1/4", "1/4"],
            },
            numbers=["1"],
        ),
    ),
    "gains": wider(
        {**GAIN, "others": [[["1", "1"], ["1", "1"]]]},
        attained=attained("log(3/2)", COIN),
        excluded=excluded(
            "log(3/2)",
            "1/4",
            {"laws": [["1", 0]], "sums": [[[0, 0, 0, 0], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": HALVES},
        ),
    ),
    # Who must tell the truth tells log 2 under the even prior, whatever the prior is; a mixture of two priors is even.
    "capacity": wider(
        "capacity",
        {"prior": ["1/3", "2/3"]},
        mechanism={"allowed": [[True, False], [False, True]]},
        also=[SECOND],
        attained=attained("log(2)", {"rows": UNIT}, output=HALVES),
        excluded=excluded("0.69", "1", TRUTH) | {"points": [[["1", HALVES]]]},
    ),
    "hull": wider(
        "mutual_information",
        {"hull": [["1/3", "2/3"], ["2/3", "1/3"]]},
        mechanism={"allowed": [[True, False], [False, True]]},
        also=[{"notion": {"name": "maximal_information"}, "loss": "log(3)"}],
        attained=attained("log(2)", {"rows": UNIT}, output=HALVES),
        excluded=excluded("0.69", "1", TRUTH) | {"points": [[["1/2", 0], ["1/2", 1]]]},
    ),
    "polytope": wider(
        "mutual_information",
        {"polytope": {"matrix": UNIT, "bounds": ["2/3", "2/3"], "member": HALVES}},
        also=[{"notion": {"name": "maximal_information"}, "loss": "log(3)"}],
        attained=attained("log(2)", {"rows": UNIT}, output=HALVES, multipliers=[["0", "0"]])
        | {"further": [{"envelope": True, "multipliers": [["0", "1"], ["1", "0"]]}]},
    ),
    "concentrated": wider(CONCENTRATED, attained=attained("7/10", COIN, orders=["6/5", "2"])),
    "matrix": statistic(attained=design("2", **MATRIX), upper=2.1),
    "sets": statistic(attained=design("2", **TWO_SETS), upper=2),
    "counts": statistic(excluded=no_design("2", HALVES, **COUNTS), lower=2),
    "rays": statistic(excluded=no_design("2", HALVES, **RAYS), lower=2),
    "sampling": statistic(excluded=no_design("1/2", HALVES, kind="sampling"), lower=0.5),
}

#: Where a hand-made document is changed, so that it cannot be read.
MALFORMED: list[tuple[str, str, object]] = [
    ("secret", "problem.secret.given", [["1", "0"]]),
    ("secret", "problem.secret.given", [["1", "0"], ["1"]]),
    ("secret", "problem.secret.given", [["1", "0"], ["1/2", "1/3"]]),
    ("secret", "problem.secret.universe", {"size": 3}),
    ("secret", "problem.secret", {"of": ["a", "b"]}),
    ("secret", "problem.secret.labels", ["a", "b"]),
    ("secret", "problem.source", {"hull": [HALVES, ["1/3", "2/3"]]}),
    ("secret", "problem.source", {"everything": 2}),
    ("secret", "problem.notion", {"name": "capacity"}),
    ("secret", "problem.also", []),
    ("secret", "problem.also", [{"notion": {"name": "capacity"}, "loss": "1"}]),
    ("secret", "problem.also", [{"notion": {"name": "maximal_leakage"}}]),
    ("secret", "problem.also", [{"notion": {"name": "maximal_leakage"}, "loss": "-1"}]),
    ("secret", "problem.mechanism", {}),
    ("secret", "problem.mechanism", {"allowed": [[True, 1], [True, True]]}),
    ("secret", "problem.mechanism", {"allowed": [[True, True]]}),
    ("secret", "problem.mechanism", {"upper": "3/2"}),
    ("secret", "problem.mechanism", {"lower": [["0", "-1"], ["0", "0"]]}),
    ("secret", "problem.mechanism", {"lower": [["0", "0", "0"]] * 2}),
    ("secret", "problem.mechanism", {"invariant": False}),
    ("secret", "problem.mechanism", {"equations": [[UNIT, "1", "2"]]}),
    ("secret", "problem.mechanism", {"inequalities": [[[["1", "0"]], "1"]]}),
    ("secret", "problem.mechanism", {"unbiased": {"inputs": ["1"], "outputs": ["0", "1"]}}),
    ("secret", "problem.mechanism", {"unbiased": {"inputs": ["1", "0"], "outputs": ["0", "1", "2"]}}),
    ("secret", "problem.mechanism", {"other": 1}),
    ("secret", "excluded.steps.0.limits", [[]]),
    ("secret", "excluded.steps.0.limits", [["lower", 0, 0, 1]]),
    ("secret", "excluded.numbers", ["x"]),
    ("secret", "attained.further", {}),
    ("secret", "attained.further", [{"mechanism": {}}]),
    ("secret", "attained.orders", "2"),
    ("limits", "problem.source", {"finite": [HALVES, ["1/3", "2/3"]]}),
    ("limits", "problem.distortion", {"matrix": [["0", "1", "1"], ["1", "0", "1"]]}),
    ("gain", "problem.notion.gain", ...),
    ("gain", "problem.notion.gain", []),
    ("gain", "problem.notion.gain", [["1", "0"], ["0", "-1"]]),
    ("gain", "problem.notion.gain", [["1", "0"], ["0"]]),
    ("gain", "problem.notion.gain", [["1", "0"]]),
    ("gain", "problem.notion.gain", [["1", "0", "-1"], ["0", "1", "-1"]]),
    ("gain", "problem.source", {"everything": 2}),
    ("rays", "problem", []),
    ("rays", "problem.schema", ...),
    ("rays", "problem.schema", "epstar/problem/1"),
    ("rays", "problem.at", ...),
    ("rays", "problem.at", {"loss": "1", "distortion": "1"}),
    ("rays", "problem.distortion", {"name": "hamming"}),
    ("rays", "problem.distortion.statistic.rows", 0),
    ("rays", "problem.distortion.statistic.rows", "1"),
    ("rays", "problem.distortion.statistic.name", "median"),
    ("rays", "problem.distortion.statistic.weights", ["1", "-1"]),
    ("rays", "problem.distortion.statistic.weights", ["1"]),
    ("rays", "problem.distortion.statistic.contrasts", [["1", "0"]]),
    ("rays", "problem.distortion.statistic", {"name": "contrasts", "rows": 1}),
    ("rays", "problem.distortion.statistic", {"name": "contrasts", "rows": 1, "contrasts": []}),
    ("rays", "problem.distortion.statistic", {"name": "contrasts", "rows": 1, "contrasts": [["1"]]}),
    ("rays", "problem.secret", {"given": UNIT}),
    ("sampling", "problem.notion", {"name": GAUSSIAN}),
    ("rays", "problem.unknown", 1),
    ("rays", "unit", "nats"),
    ("rays", "lower_exact", "3/2"),
    ("rays", "lower", "2"),
    ("rays", "at", {"loss": "log(3)"}),
    ("rays", "excluded.law", ["1"]),
    ("rays", "excluded.law", ["1/2", "1/3"]),
    ("rays", "excluded.loss", "-1"),
    ("rays", "excluded.certificate.kind", "counts"),
    ("rays", "excluded.certificate.share", "0"),
    ("rays", "excluded.certificate.prices", ["1"]),
    ("rays", "excluded.certificate.estimators", [["1", "0"]]),
    ("rays", "excluded.certificate.estimators", [["1", "0"], ["1"]]),
    ("counts", "excluded.certificate.prices", ["1"]),
    ("counts", "excluded.certificate.factors", ["1"]),
    ("matrix", "attained.mechanism.kind", "matrix"),
    ("matrix", "attained.mechanism.universe", {"size": 2}),
    ("matrix", "attained.mechanism.ratio", "3"),
    ("matrix", "attained.mechanism.rows", [["1", "0"]]),
    ("matrix", "attained.mechanism.schema", "epstar/mechanism/1"),
    ("sets", "attained.mechanism.chosen", 0),
    ("sets", "attained.mechanism.ratio", ...),
]

LOOSE = {"allowed": [[True, True], [True, True]]}
TELLING = statistic(attained=design("1/2", rows=UNIT), upper=1)
#: Where a hand-made document is changed, so that it proves nothing.
FALSE: list[tuple[str, str, object]] = [
    ("secret", "excluded.loss", "log(3.000000000000000000000000000001)"),
    ("secret", "excluded.distortion", "0.250000000000000000000000000001"),
    ("secret", "attained.loss", "log(2.999999999999999999999999999999)"),
    ("secret", "problem.secret.given", [["1", "0"], ["1/10", "9/10"]]),
    ("secret", "problem.secret.universe", {"graph": {"nodes": [0, 1], "edges": []}}),
    ("secret", "excluded.points", []),
    ("secret", "excluded.points", [[["1", ["1/3", "2/3"]]]]),
    ("secret", "excluded.points", [[["1/2", 0]]]),
    ("secret", "excluded.steps.0.ratios.0", [1, 0, 0, 1, 0, "1/8"]),
    ("secret", "excluded.steps.0.ratios.0", [0, 1, 0, 1, 0, "1/8"]),
    ("secret", "excluded.steps.0.ratios.0", [0, 0, 0, 2, 0, "1/8"]),
    ("secret", "excluded.steps.0.ratios.0", [0, 0, 0, "1/8"]),
    ("secret", "excluded.steps.0.ratios.0.5", "-1/8"),
    ("secret", "excluded.steps.0.limits", [["lower", 0, 0, "1"]]),
    ("secret", "excluded.steps.0.spread", True),
    ("secret", "excluded.symmetry", "distances"),
    ("secret", "excluded.order", "1"),
    ("secret", "attained.mechanism", {"distances": ["1"]}),
    ("secret", "problem.also", [{"notion": {"name": "maximal_leakage"}, "loss": "1/10"}]),
    ("allowed", "problem.mechanism", LOOSE),
    ("allowed", "attained.mechanism", COIN),
    ("allowed", "excluded.steps.0.sums.0.0", [0]),
    ("allowed", "excluded.steps.0.sums.0.0", [0, 1]),
    ("limits", "problem.mechanism.lower", "1/3"),
    ("limits", "problem.mechanism.upper", "2/3"),
    ("limits", "problem.mechanism.unbiased.inputs", ["1/3", "3/4"]),
    ("limits", "problem.mechanism.equations.0.1", "1"),
    ("limits", "problem.mechanism.inequalities.0.1", "1"),
    ("limits", "problem.source", {"prior": ["1/3", "2/3"]}),
    ("limits", "excluded.steps.0.limits", [["equation", 1, "1"]]),
    ("limits", "excluded.steps.0.limits", [["equation", True, "1"]]),
    ("limits", "excluded.steps.0.limits", [["inequality", 0, "-1"]]),
    ("limits", "excluded.steps.0", {"limits": [["upper", 0, 0, "-9"]]}),
    ("limits", "excluded.steps.0", {"limits": [["upper", 0, 1, "1"]], "rows": ["1", "0"]}),
    ("gain", "problem.notion.gain", [["1", "0"], ["0", "2"]]),
    ("gain", "problem.notion.gain", [["0", "0"], ["0", "0"]]),
    ("gain", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [1, 2, "1"]]),
    ("gain", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [1, 1, "2"]]),
    ("gains", "excluded.steps.0.sums.0.0", [0, 0, 0]),
    ("gains", "excluded.steps.0.sums.0.0", [0, 0, 0, 1]),
    ("gains", "excluded.steps.0.sums.0.0", [0, 0, 0, 2]),
    ("gains", "excluded.steps.0.sums.0.0", [0, 0, 1, 0]),
    ("gains", "attained.loss", "log(1.499999999999999999999999999999)"),
    ("gains", "problem.notion.others.0", [["0", "0"], ["0", "0"]]),
    ("capacity", "problem.notion.name", "mutual_information"),
    ("capacity", "excluded.loss", "log(2)"),
    ("capacity", "attained.loss", "0.69"),
    ("capacity", "attained.output", ["1/3", "2/3"]),
    ("hull", "problem.source", {"finite": [["1/3", "2/3"], ["2/3", "1/3"]]}),
    ("hull", "problem.source", {"hull": [["1/3", "2/3"], ["3/4", "1/4"]]}),
    ("hull", "problem.also.0.loss", "log(2.999999999999999999999999999999)"),
    ("hull", "excluded.points", [[["1", HALVES]]]),
    ("hull", "excluded.points", [[["2", 0], ["-1", 1]]]),
    ("hull", "attained.output", ["1/3", "2/3"]),
    ("polytope", "attained.further.0.multipliers", [["0", "1"], ["1", "0"], ["0", "0"]]),
    ("polytope", "attained.further.0.multipliers", [["0", "1"], ["9/10", "0"]]),
    ("polytope", "attained.multipliers", [["0", "0"], ["0", "0"]]),
    ("polytope", "problem.source.polytope.bounds", ["2/3", "0.666666666666666666666666666667"]),
    ("also", "problem.also.0.loss", "log(2)"),
    ("also", "problem.also.0.loss", "infinity"),
    ("also", "problem.also.0.loss", "log(1.499999999999999999999999999999)"),
    ("also", "excluded.distortion", "1/4"),  # the loss of a further guarantee is never open
    ("also", "excluded.steps.0.sums.0.0", [0, 0]),
    ("also", "excluded.steps.0.sums.0.1", "1/3"),
    ("gaussian", "attained.loss", "1.34"),
    ("gaussian", "attained.orders", []),
    ("gaussian", "attained.orders", ["-0.674", "-0.676"]),
    ("gaussian", "attained.mechanism", {"rows": UNIT}),
    ("gaussian", "attained.mechanism", {"rows": [["1/2", "1/2"], ["0", "1"]]}),
    ("gaussian", "attained.mechanism", {"rows": [HALVES, ["1e-400", f"{10**400 - 1}/{10**400}"]]}),
    ("gaussian", "excluded.loss", "1.35"),
    ("gaussian", "excluded.loss", "infinity"),
    ("gaussian", "excluded.numbers", ["2"]),
    ("gaussian", "excluded.numbers", ["0"]),
    ("gaussian", "excluded.numbers", []),
    ("gaussian", "excluded.steps.0.ratios.0", [0, 0, 0, "1"]),
    ("concentrated", "attained.loss", "0.549"),
    ("concentrated", "attained.loss", "0"),
    ("concentrated", "attained.orders", []),
    ("concentrated", "attained.orders", ["1", "2"]),
    ("concentrated", "attained.orders", ["6/5"]),  # beyond it the largest ratio is too large
    ("concentrated", "attained.orders", ["3/2", "2"]),  # before it the divergence is
    ("concentrated", "attained.orders", ["11/10", "50"]),  # between them the chord is
    ("concentrated", "attained.orders", ["6/5", "3/2", "5/4", "2"]),
    ("concentrated", "attained.mechanism", {"rows": UNIT}),
    ("matrix", "attained.loss", "log(2.999999999999999999999999999999)"),
    ("matrix", "attained.error", "1.999999999999999999999999999999"),
    ("matrix", "attained.mechanism.rows", [["3/4", "1/4"], ["1/2", "1/4"]]),
    ("matrix", "attained.mechanism.rows", [["5/4", "-1/4"], ["1/4", "3/4"]]),
    ("matrix", "attained.mechanism.rows", [HALVES, HALVES]),
    ("matrix", "problem.source", {"everything": 2}),
    ("matrix", "problem.distortion.statistic.weights", ["1", "2"]),
    ("matrix", "upper", 1.9999),
    ("sets", "attained.loss", "log(2.999999999999999999999999999999)"),
    ("sets", "attained.error", "1.999999999999999999999999999999"),
    ("sets", "attained.mechanism.chosen", 2),
    ("sets", "attained.mechanism.ratio", "1"),
    ("sets", "attained.mechanism.ratio", "1/3"),
    ("sets", "problem.notion", {"name": "maximal_information"}),
    ("sets", "problem.notion", {"name": "approximate_differential_privacy", "delta": "1/9"}),
    ("sets", "problem.universe", {"graph": {"nodes": [0, 1], "edges": [[0, 1]]}}),
    ("sets", "problem.distortion.statistic", {"name": "contrasts", "rows": 1, "contrasts": UNIT}),
    ("counts", "excluded.error", "2.000000000000000000000000000001"),
    ("counts", "excluded.loss", "log(3.000000000000000000000000000001)"),
    ("counts", "excluded.loss", "infinity"),
    ("counts", "excluded.law", ["1/3", "2/3"]),
    ("counts", "excluded.certificate.prices", ["1/5", "0"]),
    ("counts", "excluded.certificate.prices", ["-1/4", "0"]),
    ("counts", "excluded.certificate.factors", ["2", "2"]),
    ("counts", "problem.notion", {"name": "maximal_information"}),
    ("counts", "problem.universe", {"graph": {"nodes": [0, 1], "edges": [[0, 1]]}}),
    ("counts", "problem.distortion.statistic", {"name": "contrasts", "rows": 1, "contrasts": UNIT}),
    ("counts", "problem.at", {"loss": "log(4)"}),
    ("rays", "excluded.error", "2.000000000000000000000000000001"),
    ("rays", "excluded.loss", "log(3.000000000000000000000000000001)"),
    ("rays", "excluded.loss", "infinity"),
    ("rays", "excluded.law", ["1/3", "2/3"]),
    ("rays", "excluded.certificate.prices", ["5/4", "1"]),
    ("rays", "excluded.certificate.estimators", [["5/4", "-3/4"], ["-1", "5/4"]]),
    ("rays", "problem.notion", {"name": "maximal_leakage"}),
    ("rays", "problem.notion", {"name": "approximate_differential_privacy", "delta": "1/9"}),
    ("rays", "problem.universe", {"metric": [["0", "2"], ["2", "0"]]}),
    ("rays", "problem.distortion.statistic.rows", 2),
    ("rays", "lower", 2.0000001),
    ("rays", "excluded", ...),
    ("sampling", "excluded.error", "0.500000000000000000000000000001"),
]
#: Further documents that prove nothing.
FORGED: dict[str, Document] = {
    "a spread of the values of a secret, at no distribution": wider(
        "differential_privacy",
        secret={"given": UNIT},
        excluded={"loss": "1", "distortion": "1/4", "open": "distortion", "steps": [{"spread": True}]},
    ),
    "a price below nothing for what never happens": ALONE,
    "rows of databases with limits": wider(
        "differential_privacy",
        {"rows": EVEN},
        universe={"databases": {"size": 2, "rows": 2}},
        mechanism={"lower": "0"},
        attained={"loss": "log(3)", "distortion": "1/2", "rows": []},
    ),
    "a notion of distances among secrets": wider(
        "differential_privacy",
        {"prior": ["1/4"] * 4},
        universe={"databases": {"size": 2, "rows": 2}},
        also=[SECOND],
        attained={"loss": "log(3)", "distortion": "2", "mechanism": {"distances": ["9/16", "3/16", "1/16"]}},
    ),
    "rows in a wider claim": wider(
        "differential_privacy",
        {"prior": ["1/4"] * 4},
        universe={"databases": {"size": 2, "rows": 2}},
        also=[SECOND],
        excluded={
            "loss": "0",
            "distortion": "0",
            "open": "distortion",
            "rows": [[{"source": EVEN, "excluded": {}}, 2]],
        },
    ),
    "a bound of another guarantee at an infinite loss": wider(
        "differential_privacy",
        also=[SECOND, {"notion": GAIN, "loss": "infinity"}],
        excluded=excluded("1", "1/4", {"ratios": [[1, 0, 0, 1, 0, "1"]], "rows": ["1", "0"]}),
    ),
    "a sum of another guarantee at an infinite loss": wider(
        "differential_privacy",
        also=[{"notion": {"name": "renyi_differential_privacy", "order": "1/2"}, "loss": "infinity"}],
        excluded=excluded("1", "1/4", {"sums": [[[1, 0, 0, 1], "1", [[None, None]]]]}),
        mechanism={"allowed": [[True, False], [False, True]]},
    ),
    # Only the identity is allowed: it costs nothing, and of an order below one its loss is infinite.
    "a sum that is nothing at an infinite loss that is not open": wider(
        {"name": "renyi_differential_privacy", "order": "1/2"},
        excluded=excluded("infinity", "1/4", {"sums": [[[0, 0, 0, 1], "1", [[None, None]]]]}) | {"open": "distortion"},
        mechanism={"allowed": [[True, False], [False, True]]},
    ),
    # What is nearly independent of the input may be told: a spread of the inputs says nothing of it.
    "a spread with a secret": wider(
        "differential_privacy",
        {"prior": ["2/3", "1/3"]},
        secret={"given": [HALVES, ["49/100", "51/100"]]},
        excluded=excluded("log(5)", "1/6", SPREAD["excluded"]["steps"][0]) | {"open": "distortion"},
    ),
    # The least loss is 0.5493, and at the order 1/2 the divergence is more than half of that: 0.2877.
    "an order below one": wider(
        CONCENTRATED,
        excluded=excluded(
            "0.56",
            "1/4",
            {
                "laws": [["1.329", 0]],
                "sums": [[[0, 0, 0, 0, 1], "1", [["3", "1/3"]]]],
                "rows": ["-0.3321", "-0.3321"],
            },
            numbers=["1/2"],
        ),
    ),
    "a negative multiple of an inequality": wider(
        "maximal_leakage",
        mechanism={"inequalities": [[UNIT, "5/2"]]},
        excluded=excluded("1", "1", {"limits": [["inequality", 0, "-1"]], "rows": ["-1", "-1"]}),
    ),
    "an edge to a node that is not there": proof(
        "differential_privacy",
        EVEN,
        universe={"graph": {"nodes": [0, 1], "edges": [[0, 2]]}},
        attained=attained("0", {"rows": UNIT}),
    ),
    "labels of more inputs than a metric has": proof(
        "differential_privacy",
        {"prior": ["1/3"] * 3},
        universe={"metric": [["0", "1"], ["1", "0"]], "labels": ["a", "b", "c"]},
        attained=attained("0", {"rows": [["1", "0", "0"], ["1", "0", "0"], ["0", "0", "1"]]}),
    ),
    "a metric that compares nothing": proof(
        "differential_privacy",
        EVEN,
        universe={"metric": [], "labels": ["a", "b"]},
        attained=attained("0", {"rows": [["1", "0"]] * 2}),
    ),
    "frequencies kept on other outputs": wider(
        "maximal_leakage",
        distortion={"matrix": [["0", "1", "1"], ["1", "0", "1"]]},
        mechanism={"invariant": True},
        attained=attained("0", {"rows": [["1/2", "1/2", "0"]] * 2}),
    ),
    "a negative weight": statistic(
        statistic={"name": "frequencies", "rows": 1, "weights": ["2", "-1"]},
        excluded=no_design("1/4", HALVES, kind="sampling"),
    ),
    "rows that are no distributions": statistic(
        attained=design("1/100", rows=[["9", "0"], ["0", "9"]]) | {"loss": "infinity"}
    ),
    "answers that tell nothing": statistic(
        statistic={"name": "contrasts", "rows": 1, "contrasts": [["1", "1"]]},
        attained=design("1", rows=[["1/3", "2/3"]] * 2),
    ),
    "a distribution that is not in question": statistic(
        source={"prior": ["9/10", "1/10"]}, excluded=no_design("1/2", HALVES, kind="sampling")
    ),
    "no prices at a loss of nothing": statistic(
        at={"loss": "0"},
        excluded=no_design("5", HALVES, kind="counts", share="0", prices=["0", "0"]) | {"loss": "0"},
    ),
    "a conjugate with a secret": wider(
        "mutual_information",
        secret={"given": [HALVES, ["1/3", "2/3"]]},
        excluded=excluded(
            "1/4", "1/4", {"laws": [["9", 0]], "sums": [[[0, 0, 0], "1", "conjugate"]], "rows": ["1", "1"]}
        ),
    ),
    # A secret that is the input: the same would be proven of the mechanism itself, and the format names no such thing.
    "a conjugate with a secret that is no other": wider(
        "mutual_information",
        secret={"given": UNIT},
        excluded=excluded(
            "0.1308", "1/4", {**CONJUGATE["excluded"]["steps"][0], "sums": [[[0, 0, 0], "1", "conjugate"]]}
        ),
    ),
    "a matrix over a set of distributions": statistic(
        source={"everything": 2}, attained=design("1", rows=UNIT) | {"loss": "infinity"}
    ),
    "a gain that no list of priors is asked about": wider(
        GAIN,
        {"everything": 2},
        excluded=HAND_MADE["gain"]["excluded"]
        | {
            "points": [[["1", HALVES]]],
            "steps": [HAND_MADE["gain"]["excluded"]["steps"][0] | {"laws": [["1", HALVES]]}],
        },
    ),
    "an answer that tells more at a law than it can": statistic(
        source={"prior": ["1", "0"]}, attained=design("1", rows=UNIT) | {"loss": "infinity"}
    ),
    "weights that differ over a set": statistic(
        source={"everything": 2},
        statistic={"name": "frequencies", "rows": 1, "weights": ["1", "2"]},
        attained=design("9", **TWO_SETS),
    ),
    "identifiability at a law that is not even": statistic(
        notion={"name": "identifiability"},
        source={"prior": ["1/3", "2/3"]},
        attained=design("9", **TWO_SETS),
    ),
    # Whoever tells the truth tells log 2 under the even prior, though little under this one.
    "the capacity at one prior": statistic(
        notion={"name": "capacity"},
        source={"prior": ["99/100", "1/100"]},
        attained=design("1", rows=UNIT) | {"loss": "1/10"},
    ),
    "a statistic in a proof": proof(
        "differential_privacy",
        EVEN,
        distortion={"statistic": {"name": "frequencies", "rows": 1}},
        attained=attained("log(3)", COIN),
    ),
}
#: Documents that ask for more work than their size allows.
COSTLY: dict[str, Document] = {
    "rays of forty inputs": statistic(
        source={"prior": ["1/40"] * 40},
        excluded=no_design("1", ["1/40"] * 40, kind="rays", estimators=[["0"] * 40] * 40, prices=["1"] * 40),
    ),
    "products of a thousand inputs": statistic(
        source={"everything": 1000},
        statistic={"name": "contrasts", "rows": 1, "contrasts": [["1"] * 1000]},
        excluded=no_design("1", ["1", *["0"] * 999], kind="rays", estimators=[], prices=["0"] * 1000),
    ),
    "guesses about a secret, many times": wider(
        {"name": "g_leakage", "gain": [["1"] * 40] * 40},
        {"prior": ["1/40"] * 40},
        secret={"given": [["1/40"] * 40] * 40},
        excluded=excluded("1", "1", {"sums": [[[0, 0, 0], "1", []]] * 60}),
    ),
    "limits of a million entries": wider(
        "maximal_leakage",
        {"everything": 1000},
        mechanism={"lower": "1/10000", "upper": "1/2"},
        excluded=excluded("1", "1"),
    ),
    "an equation many times": wider(
        "maximal_leakage",
        {"prior": ["1/40"] * 40},
        mechanism={"equations": [[[["1"] * 40] * 40, "40"]]},
        excluded=excluded("1", "1", {"limits": [["equation", 0, "0"]] * 2000}),
    ),
    "a table of all limits": wider(
        "maximal_leakage",
        {"everything": 10**6},
        universe={"size": 10**6},
        mechanism={"lower": "1/10000000"},
        excluded=excluded("1", "1"),
    ),
    "normal laws of many digits": wider(
        GAUSSIAN,
        {"prior": ["1/6"] * 6},
        attained=attained(
            "20",
            {"rows": [[f"{5 + 3 * (x == y)}/33" for y in range(6)] for x in range(6)]},
            orders=[f"{k}/100" for k in range(300)],
            digits=2000,
        ),
    ),
    "pairs of many inputs": wider(
        GAUSSIAN,
        {"prior": ["1", *["0"] * 2999]},
        distortion={"matrix": [["0"]] * 3000},
        attained=attained("1", {"rows": [["1"]] * 3000}),
    ),
    "many pairs at many orders": wider(
        CONCENTRATED,
        source={"everything": 200},
        distortion={"matrix": [["0", "0"]] * 200},
        attained=attained(
            "100",
            {"rows": [[f"{1000 + k}/3000", f"{2000 - k}/3000"] for k in range(200)]},
            orders=[str(2 + k) for k in range(20000)],
        ),
    ),
    "orders of many digits": wider(
        CONCENTRATED,
        source={"everything": 8},
        distortion={"matrix": [["0", "0"]] * 8},
        attained=attained(
            "100", {"rows": [[f"{10 + k}/30", f"{20 - k}/30"] for k in range(8)]}, orders=["2", "3"], digits=2000
        ),
    ),
}
