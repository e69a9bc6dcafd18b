"""Documents that one guard of the second checker stands against: without it, most would prove something false."""

from __future__ import annotations

from tests.proofs.certificates import EVEN, HAND_MADE, SPREAD, TWO, Document, proof, response
from tests.proofs.test_check_proof import ANSWER, changed

ROW = HAND_MADE["rows"]["excluded"]["rows"][0][0]["excluded"]
CONSTANT = {"rows": [["1", "0"], ["1", "0"]]}
EVEN_BOX = {"box": {"lower": ["0", "0"], "upper": ["1", "1"]}}


def attained(loss: str, distortion: str, mechanism: Document, **hints: object) -> Document:
    """Return a claim."""
    return {"loss": loss, "distortion": distortion, "mechanism": mechanism, **hints}


def excluded(loss: str, distortion: str, *steps: Document, **rest: object) -> Document:
    """Return a claim with the distortion open unless the rest says otherwise."""
    return {"loss": loss, "distortion": distortion, "open": "distortion", "steps": list(steps), **rest}


def plain(**problem: object) -> Document:
    """Return the proof that a constant answer loses nothing, about a problem that may be malformed."""
    document = proof("differential_privacy", EVEN, attained=attained("0", "1", CONSTANT))
    return {**document, "problem": {**document["problem"], **problem}}


def by_rows(notion: Document | str, claim: str, whole: Document, part: Document, row: Document = EVEN) -> Document:
    """Return a proof about two independent rows."""
    universe = {"databases": {"size": 2, "rows": 2}}
    claims = {claim: {**whole, "rows": [[{"source": row, claim: part}, 2]]}}
    return proof(notion, {"rows": row}, universe=universe, **claims)


POINT = {"points": [[["1", 0]]]}
UNIFORM_BY_DISTANCES = excluded(
    "log(3)", "1/4", {"laws": [["1"]], "ratios": [[0, 1, 0, "1/4"]], "rows": ["1/4"]}, symmetry="distances"
)


def sloped(loss: str, slope: str) -> Document:
    """Return what the truth leaks over a box, by slopes of logarithms."""
    source = {"box": {"lower": ["1/4", "1/4"], "upper": ["3/4", "3/4"]}}
    return proof("pointwise_leakage", source, attained=attained(loss, "0", response(2, "1", "0"), slopes=[slope] * 2))


FORGED: dict[str, Document] = {
    "negative place of a cube": proof(
        {"name": "renyi_differential_privacy", "order": 3},
        EVEN,
        excluded=excluded("log(2)", "infinity", {"sums": [[[0, 1], "1", [["-1", "-1"]]]], "rows": ["3/4", "1/2"]}),
    ),
    "place at zero of a root": proof(
        {"name": "sibson_mutual_information", "order": "1/2"},
        EVEN,
        excluded=excluded(
            "log(3/2)", "infinity", {"sums": [[[0], "1", [["1", "0"], ["0", "1"]]]], "rows": ["-3/8", "-3/8"]}, **POINT
        ),
    ),
    "conjugate by distances": proof(
        "mutual_information",
        {"prior": ["1/2", "1/2"]},
        universe={"databases": {"size": 2, "rows": 1}},
        excluded=excluded(
            "0.01",
            "1/4",
            {"laws": [["1.0986"]], "sums": [[[0], "1", "conjugate"]], "rows": ["0.29"]},
            symmetry="distances",
        ),
    ),
    "conjugate of a norm": proof(
        {"name": "sibson_mutual_information", "order": "1/2"},
        EVEN,
        excluded=excluded("1", "infinity", {"sums": [[[0], "1", "conjugate"]], "rows": ["-1/10", "-1/10"]}, **POINT),
    ),
    "negative multiplier": proof(
        "differential_privacy",
        EVEN,
        excluded=excluded("log(3)", "1", {"ratios": [[0, 1, 0, "-1"], [0, 1, 1, "-1"]], "rows": ["-1", "3"]}),
    ),
    "negative weight": proof(
        "differential_privacy", EVEN, excluded=excluded("1", "2", {"laws": [["-1", 0]], "rows": ["-1/2", "-1/2"]})
    ),
    "another law": proof(
        "differential_privacy",
        {"prior": ["9/10", "1/10"]},
        excluded=changed(ROW, "steps.0.laws.0.1", ["1/2", "1/2"]),
    ),
    "spread without neighbours": proof(
        "differential_privacy", EVEN, universe={"graph": {"nodes": [0, 1], "edges": []}}, excluded=ROW
    ),
    "vanishing without neighbours": changed(
        HAND_MADE["forced"], "problem.universe", {"graph": {"nodes": [0, 1], "edges": []}}
    ),
    "ratio from a maximum": proof(
        "maximal_leakage",
        EVEN,
        excluded=excluded("0", "1", {"ratios": [[0, 0, 0, "1"], [0, 0, 1, "1"]], "rows": ["1", "0"]}),
    ),
    # Told the truth, a guess gains most where all are as likely, which this ball allows: log 3.
    "guesses in the middle of a ball": proof(
        "min_entropy_leakage",
        {"ball": {"center": ["7/23", "7/23", "9/23"], "radius": "1/2"}},
        attained={"loss": "log(29/10)", "distortion": "0", "mechanism": response(3, "1", "0")},
    ),
    "identifiability over a box": proof(
        "identifiability",
        {"box": {"lower": ["1/3", "1/3"], "upper": ["2/3", "2/3"]}},
        attained={"loss": "log(5.999)", "distortion": "1/4", "mechanism": {"rows": [["3/4", "1/4"], ["1/4", "3/4"]]}},
    ),
    "identifiability by distances": proof(
        "identifiability",
        {"prior": ["1/3", "1/3", "1/3"]},
        attained=attained("0", "1/2", {"distances": ["1/2", "1/4"]}),
    ),
    "delta beyond one": proof(
        {"name": "approximate_differential_privacy", "delta": "2"},
        EVEN,
        attained=attained("0", "0", response(2, "1", "0")),
    ),
    "negative cost": plain(distortion={"matrix": [["-1", "0"], ["0", "0"]]}),
    "negative multiplier of a source": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["-1", "0"]], "bounds": ["-1/2"], "member": ["1/2", "1/2"]}},
        attained=attained("0", "1/2", {"rows": [["0", "1"], ["0", "1"]]}, multipliers=[["-1"]]),
    ),
    "asymmetric metric": plain(universe={"metric": [[0, 1], [2, 0]]}),
    "double edge": plain(universe={"graph": {"nodes": [0, 1], "edges": [[0, 1], [1, 0]]}}),
    "negative loss": proof("differential_privacy", EVEN, excluded={**ROW, "loss": "-1"}),
    "half a distribution": plain(source={"prior": ["1/3", "1/3"]}),
    "a list for a step": changed(SPREAD, "excluded.steps.0", []),
    "no common denominator": plain(source={"hull": [[f"1/{n}", f"{n - 1}/{n}"] for n in range(10**9, 10**9 + 6000)]}),
    "another size": changed(plain(universe={"size": 3}), "attained.mechanism.rows", [["1", "0", "0"]] * 3),
    "rows with another law": changed(
        by_rows("differential_privacy", "excluded", {"loss": "log(3)", "distortion": "1/2", "open": "distortion"}, ROW),
        "problem.source.rows.prior",
        ["9/10", "1/10"],
    ),
    "rows with two laws": changed(
        HAND_MADE["rows"], "excluded.rows.0.0.source", {"finite": [["1/2", "1/2"], ["1/2", "1/2"]]}
    ),
    "row of another size": proof(
        "differential_privacy",
        {"everything": 4},
        universe={"databases": {"size": 2, "rows": 2}},
        attained={
            "loss": "0",
            "distortion": "2",
            "rows": [[{"source": {"everything": 3}, "attained": attained("0", "1", CONSTANT)}, 2]],
        },
    ),
    "leakage of rows": by_rows(
        "maximal_leakage",
        "excluded",
        {"loss": "log(3/2)", "distortion": "1/2", "open": "loss"},
        {
            **HAND_MADE["maximum"]["excluded"],
            "distortion": "1/4",
            "steps": [{"laws": [["1", 0]], "sums": [[[], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": ["1/2", "1/2"]}],
        },
    ),
    "pointwise leakage of rows": by_rows(
        "pointwise_leakage",
        "attained",
        {"loss": "log(2)", "distortion": "0"},
        attained("log(2)", "0", response(2, "1", "0")),
    ),
    "rows without a named cost": {
        **by_rows("differential_privacy", "excluded", ROW, ROW),
        "problem": {
            "notion": {"name": "differential_privacy"},
            "universe": {"databases": {"size": 2, "rows": 1}},
            "source": {"rows": EVEN},
            "distortion": {"matrix": [["0", "1"], ["1", "0"]]},
        },
        "excluded": {
            **{k: v for k, v in ROW.items() if k != "steps"},
            "rows": [[{"source": EVEN, "excluded": ROW}, 1]],
        },
    },
    "more parts than rows": proof(
        "differential_privacy",
        {"everything": 4},
        universe={"databases": {"size": 2, "rows": 2}},
        excluded={
            "loss": "log(3)",
            "distortion": "3/4",
            "open": "distortion",
            "rows": [[{"source": EVEN, "excluded": ROW}, 3]],
        },
    ),
    "an end beyond all binary numbers": {**ANSWER, "upper": 10**400},
    "a number for a boolean": changed(HAND_MADE["rows"], "problem.source.iid", 1),
    "distances away from uniform": proof(
        "maximal_information",
        {"prior": ["9/10", "1/10"]},
        attained=attained("log(3/2)", "1/4", {"distances": ["3/4", "1/4"]}),
    ),
    "distances under another cost": proof(
        "differential_privacy",
        {"everything": 3},
        distortion={"name": "absolute"},
        attained=attained("0", "2/3", {"distances": ["1/3", "1/3"]}),
    ),
    "excluded by distances under another cost": proof(
        "differential_privacy",
        EVEN,
        distortion={"matrix": [["0", "0"], ["0", "0"]]},
        excluded=UNIFORM_BY_DISTANCES,
    ),
    "distances in a graph": proof(
        "differential_privacy",
        EVEN,
        universe={"graph": {"nodes": [0, 1], "edges": []}},
        excluded=UNIFORM_BY_DISTANCES,
    ),
    "distances that differ by two": proof(
        "differential_privacy",
        {"everything": 4},
        universe={"databases": {"size": 2, "rows": 2}},
        excluded=excluded("0", "1", {"laws": [["1"]], "ratios": [[0, 2, 0, "1"]], "rows": ["1"]}, symmetry="distances"),
    ),
    "a mixture that is not uniform": proof(
        "differential_privacy",
        {"hull": [["9/10", "1/10"], ["1", "0"]]},
        excluded={**UNIFORM_BY_DISTANCES, "uniform": [["1", 0]]},
    ),
    "a mixture of a finite source": {
        **HAND_MADE["information"],
        "problem": {**HAND_MADE["information"]["problem"], "source": {"finite": [["1", "0"], ["0", "1"]]}},
        "attained": attained("infinity", "infinity", CONSTANT),
        "excluded": {
            **HAND_MADE["information"]["excluded"],
            "points": [[["1/2", 0], ["1/2", 1]]],
            "steps": [
                {"laws": [["1/2", 0], ["1/2", 1]]},
                HAND_MADE["information"]["excluded"]["steps"][1],
            ],
        },
    },
    "spread of another notion": proof(
        "maximal_information",
        EVEN,
        excluded=excluded("log(3/2)", "2/5", {"laws": [["1", 0]], "rows": ["1/5", "1/5"], "spread": True}, **POINT),
    ),
    "a sum below order one bounds no ratio": proof(
        {"name": "renyi_differential_privacy", "order": "1/2"},
        EVEN,
        excluded=excluded(
            "1", "0", {"laws": [["1", 0]]}, {"ratios": [[0, 1, 0, 0, 0, "1"]], "rows": ["1", "0"]}, open="loss"
        ),
    ),
    "no name": changed(HAND_MADE["level_zero"], "excluded.steps.0.ratios", [[0, 0, "1"]]),
    "a third side": proof(
        {"name": "local_information_privacy"},
        {"prior": ["1/3", "1/3", "1/3"]},
        excluded=excluded(
            "0",
            "2/3",
            {"laws": [["1", 0]], "ratios": [[0, x, 2, x, "1/3"] for x in range(3)], "rows": ["2/9"] * 3},
            **POINT,
        ),
    ),
    "a closed infinite loss": proof(
        "identifiability",
        {"prior": ["1", "0"]},
        excluded=excluded(
            "infinity", "1", {"ratios": [[0, 0, 1, 0, "1"], [0, 0, 1, 1, "1"]], "rows": ["1", "0"]}, **POINT
        ),
    ),
    "many databases": {
        **HAND_MADE["rows"],
        "problem": {**HAND_MADE["rows"]["problem"], "universe": {"databases": {"size": 2, "rows": 1 << 16}}},
        "attained": {
            **HAND_MADE["rows"]["attained"],
            "distortion": str(1 << 14),
            "rows": [[HAND_MADE["rows"]["attained"]["rows"][0][0], 1 << 16]],
        },
        "excluded": {
            **HAND_MADE["rows"]["excluded"],
            "distortion": str(1 << 14),
            "rows": [[HAND_MADE["rows"]["excluded"]["rows"][0][0], 1 << 16]],
        },
    },
    "no claim": {k: v for k, v in SPREAD.items() if k not in ("attained", "excluded")},
    "an end without a claim": changed(ANSWER, "proof.attained", ...),
    "a large exponent": proof(
        "differential_privacy", EVEN, attained=attained("30000", "1/2", response(2, "1/2", "1/2"))
    ),
    "rows that share nothing": proof(
        {"name": "renyi_differential_privacy", "order": 2}, EVEN, attained=attained("5", "0", response(2, "1", "0"))
    ),
    "less than all shares": changed(HAND_MADE["shares"], "attained.loss", "log(2)"),
    "rows that are half": proof(
        "differential_privacy", EVEN, attained=attained("0", "1/4", {"rows": [["1/2", "0"], ["1/2", "0"]]})
    ),
    "NaN where nobody looks": {**ANSWER, "status": float("nan")},
    "lists where nobody looks": {
        "schema": "epstar/curve/2",
        "problem": ANSWER["proof"]["problem"],
        "asks": "loss",
        "unit": "nats",
        "points": [{"at": [[]] * (1 << 22), "lower": None, "upper": None}],
    },
}

ROWS_OF_TWO = {"databases": {"size": 2, "rows": 2}}
FOUR = attained("0", "2", {"rows": [["1", "0", "0", "0"]] * 4})


def of(name: str, path: str, value: object) -> Document:
    """Return one of the proofs made by hand with a change."""
    return changed(HAND_MADE[name], path, value)


FORGED |= {
    "a row of another size": proof(
        "differential_privacy", {"rows": {"prior": ["1/3", "1/3", "1/3"]}}, universe=ROWS_OF_TWO, attained=FOUR
    ),
    "rows that share one of several": proof(
        "differential_privacy", {"rows": [EVEN, EVEN], "iid": True}, universe=ROWS_OF_TWO, attained=FOUR
    ),
    "rows of a graph": plain(universe={"graph": {"nodes": ["a", "b"], "edges": []}}, source={"rows": EVEN}),
    "points by distances": proof(
        "differential_privacy",
        EVEN,
        universe={"databases": {"size": 2, "rows": 1}},
        excluded={**UNIFORM_BY_DISTANCES, **POINT},
    ),
    "an output that happens twice": of("output", "attained", {**HAND_MADE["output"]["attained"], "output": ["1", "1"]}),
    "an output below zero": proof(
        "capacity",
        {"everything": 2},
        distortion={"matrix": [["0", "1", "1"], ["1", "0", "1"]]},
        attained=attained("0", "0", {"rows": [["1", "0", "0"], ["0", "1", "0"]]}, output=["1", "1", "-1"]),
    ),
    "a cut of no row": of("cells", "attained.cells.0.cut", [5, 0, 1, "1/2"]),
    "a cut of no law": of("cells", "attained.cells.0.cut", [0, 0, 7, "1/2"]),
    "parts of a graph": {
        **plain(universe={"graph": {"nodes": ["a", "b"], "edges": []}}),
        "attained": {
            "loss": "0",
            "distortion": "1",
            "rows": [[{"source": {"everything": 2}, "attained": attained("0", "1", CONSTANT)}, 1]],
        },
    },
    "an end without a claim": {**ANSWER, "proof": {k: v for k, v in SPREAD.items() if k != "excluded"}},
    "an exact end below the claim": {**ANSWER, "lower": 0, "lower_exact": "0"},
    "an exact end above the claim": {**ANSWER, "upper": "infinity", "upper_exact": "infinity"},
    "a sum at an infinite loss": of("information", "excluded.loss", "infinity"),
    "a text for a list": {
        **plain(source={"prior": ["1"]}),
        "attained": attained("0", "0", {"rows": ["1"]}),
    },
    "four entries of a sum": of("maximum", "excluded.steps.0.sums.0", [[], "1/3", [[0, 0, "1"], [1, 1, "1"]], 0]),
    "a list for a text": of("spread", "excluded.open", []),
    "a length of its own": plain(universe={"metric": [["1", "1"], ["1", "0"]]}),
    "labels of others": plain(universe={"metric": [["0", "1"], ["1", "0"]], "labels": ["a"]}),
    "a box below zero": plain(source={"box": {"lower": ["-1/2", "0"], "upper": ["1", "1"]}}),
    "a box above one": plain(source={"box": {"lower": ["2/3", "2/3"], "upper": ["1", "1"]}}),
    "a prior below zero": plain(source={"prior": ["4/3", "-1/3"]}),
    "an order of zero": plain(notion={"name": "renyi_differential_privacy", "order": "0"}),
    "a name that is too long": of("spread", "excluded.steps.1.ratios.0", [0, 1, 7, 0, "1"]),
    "a point that is not named": of("level_zero", "excluded.steps.0.ratios.0", [5, 1, 0, 1, "1"]),
    "an atom that is not there": of("level_zero", "excluded.steps.0.ratios.0", [0, 7, 0, 1, "1"]),
    "a spread over what never happens": of("scaled", "problem.source", {"prior": ["1", "0"]}),
    "a spread over rows": proof(
        "differential_privacy",
        {"prior": ["1/4"] * 4},
        universe=ROWS_OF_TWO,
        excluded=excluded("0", "1", {"laws": [["1", 0]], "rows": ["1/4"] * 4, "spread": True}),
    ),
    "the same contradiction twice": of(
        "spread", "excluded.steps", [*SPREAD["excluded"]["steps"], SPREAD["excluded"]["steps"][1]]
    ),
    "a distortion without bound": of("forced", "excluded.distortion", "infinity"),
    "a closed loss without bound": proof(
        "identifiability",
        {"prior": ["1", "0"]},
        excluded=excluded(
            "infinity", "1", {"ratios": [[0, 0, 1, 0, "1"], [0, 0, 1, 1, "1"]], "rows": ["1", "0"]}, **POINT
        ),
    ),
    "a sum of a notion without sums": proof(
        "differential_privacy",
        TWO,
        excluded=excluded(
            "log(5)",
            "1/7",
            {
                "laws": [["1", 0]],
                "ratios": [[0, 1, 0, "1/24"], [1, 0, 1, "1/8"]],
                "sums": [[[0, 1], "1e-9", [["1", "1"]]]],
                "rows": ["1/25", "1/9"],
            },
        ),
    ),
    "a sum taken no times": of(
        "maximum", "excluded.steps.0.sums", [*HAND_MADE["maximum"]["excluded"]["steps"][0]["sums"], [[], "0", []]]
    ),
    "two conjugates, the larger last": of(
        "conjugate", "excluded.steps.0.sums", [[[0], "1e-12", "conjugate"], [[0], "1", "conjugate"]]
    ),
    "a negative share first": of("maximum", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [1, 0, "-1"], [1, 1, "2"]]),
    "a share of no entry": of("maximum", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [1, 7, "1"]]),
    "a smaller order of zero": proof(
        {"name": "renyi_differential_privacy", "order": "2"},
        EVEN,
        excluded=excluded(
            "0", "1/2", {"laws": [["1", 0]], "ratios": [[0, 1, 0, 0, 0, "1/2"]], "rows": ["1/2", "0"]}, order="0"
        ),
    ),
    "a third side of a ratio": proof(
        "mutual_information",
        EVEN,
        excluded=excluded(
            "0",
            "1/2",
            {"laws": [["1", 0]], "ratios": [[0, 1, 0, 1, "1/2"], [0, 0, 2, 1, "1/2"]], "rows": ["0", "1/2"]},
            **POINT,
        ),
    ),
    "the other side of a ratio": proof(
        {"name": "renyi_differential_privacy", "order": "2"},
        EVEN,
        excluded={
            **excluded("infinity", "0", {"laws": [["1", 0]]}, {"ratios": [[0, 1, 0, 1, 0, "1"]], "rows": ["1", "0"]}),
            "open": "loss",
        },
    ),
    "distances of one value": proof(
        "maximal_leakage",
        {"everything": 1},
        universe={"databases": {"size": 1, "rows": 1}},
        excluded=excluded(
            "0", "0", {"laws": [["1"]], "rows": ["1"], "sums": [[[], "1", [[0, 0, "1"]]]]}, symmetry="distances"
        ),
    ),
    "a share of another input": {
        **proof("min_entropy_leakage", {"ball": {"center": ["1/2", "1/2", "0"], "radius": "0"}}),
        "attained": attained("log(2)", "0", response(3, "1", "0"), shares=[["1", 0], ["1", 1], ["0", 7]]),
    },
    "a mixture that is not uniform": proof(
        "differential_privacy",
        {"finite": [["1", "0"], ["0", "1"]]},
        universe={"databases": {"size": 2, "rows": 1}},
        excluded={**UNIFORM_BY_DISTANCES, "uniform": [["1", 0]]},
    ),
    "distances at another distribution": proof(
        "maximal_information",
        {"prior": ["1/3", "2/3"]},
        universe={"databases": {"size": 2, "rows": 1}},
        attained=attained("log(3/2)", "1/4", {"distances": ["3/4", "1/4"]}),
    ),
    "distances of a notion that has none": proof(
        "pointwise_leakage",
        {"everything": 2},
        universe={"databases": {"size": 2, "rows": 1}},
        attained=attained("0", "1/2", {"distances": ["1/2", "1/2"]}),
    ),
    "a point by distances that is not there": proof(
        "maximal_information",
        {"everything": 2},
        universe={"databases": {"size": 2, "rows": 1}},
        excluded=excluded(
            "log(3/2)", "1/4", {"laws": [["1"]], "ratios": [[1, 0, 0, "1"]], "rows": ["1/4"]}, symmetry="distances"
        ),
    ),
    "databases that differ in two rows": proof(
        "differential_privacy",
        {"prior": ["1/2", "0", "0", "1/2"]},
        universe={"databases": {"size": 2, "rows": 2}},
        excluded=excluded(
            "0",
            "1",
            {
                "laws": [["1", 0]],
                "ratios": [[0, 3, 0, "1/2"], [3, 0, 3, "1/2"]],
                "rows": ["1/2", "0", "0", "1/2"],
            },
        ),
    ),
    "distances of an alphabet": proof("differential_privacy", EVEN, attained=attained("0", "0", {"distances": ["1"]})),
    "a distribution that stands twice": plain(source={"finite": [["1/2", "1/2"], ["1/2", "1/2"]]}),
    "labels that are one number": plain(universe={"alphabet": [1, {"rational": "1"}]}),
    "an empty label": plain(universe={"alphabet": ["a", []]}),
    "words that are no text": {**ANSWER, "status": True},
    "no parts of an alphabet": {**plain(), "attained": {"loss": "0", "distortion": "0", "rows": []}},
}

TIED = {"prior": ["9/10", "1/25", "3/100", "3/100"]}
UNEVEN = {"prior": ["3/4", "1/4"]}
ONE_ROW = {"databases": {"size": 2, "rows": 1}}
MOSTLY_TRUE = {"source": {"everything": 2}, "attained": attained("log(3)", "1/4", response(2, "3/4", "1/4"))}
INFORMED = {"source": EVEN, "excluded": HAND_MADE["conjugate"]["excluded"]}


def of_two_rows(notion: str, source: Document, **claims: Document) -> Document:
    """Return claims about two rows of two values."""
    return proof(notion, source, universe=ROWS_OF_TWO, **claims)


def shared(notion: str, source: Document, part: Document, loss: str, distortion: str, **rest: object) -> Document:
    """Return what two equal rows are said to exclude of a law that is no product."""
    whole = {"loss": loss, "distortion": distortion, "open": "distortion", "rows": [[part, 2]], "uniform": [["1", 0]]}
    return of_two_rows(notion, source, excluded={**whole, **rest})


FORGED |= {
    # A constant answer costs 1/4; at the uniform distribution nothing private costs less than 1/3.
    "privacy by the distances of another distribution": proof(
        "differential_privacy",
        UNEVEN,
        universe=ONE_ROW,
        excluded=excluded(
            "log(4/3)",
            "1/3",
            {"laws": [["1"]], "ratios": [[0, 1, 0, "1/3"]], "rows": ["1/3"]},
            symmetry="distances",
            uniform=[["1", 0]],
        ),
    ),
    # The least cost is 1/5; entropies are closer than the largest probabilities, and say nothing of a leakage.
    "a leakage by entropies": proof(
        "maximal_leakage",
        UNEVEN,
        universe=ONE_ROW,
        excluded=excluded(
            "log(6/5)",
            "1/4",
            {"laws": [["1"]], "sums": [[[], "1/2", [[0, 0, "1"]]]], "rows": ["1"]},
            symmetry="distances",
            uniform=[["1", 0]],
        ),
    ),
    "half of a distribution by distances": proof(
        "maximal_leakage",
        UNEVEN,
        universe=ONE_ROW,
        excluded=excluded(
            "log(3/2)",
            "1/4",
            {"laws": [["1"]], "sums": [[[], "1/2", [[0, 0, "1"]]]], "rows": ["1"]},
            symmetry="distances",
            uniform=[["1/2", 0]],
        ),
    ),
    # The share of the rows is 13/50, and that of their information nobody knows: on a chord there is 0.22 of it.
    "a share of an information": shared("mutual_information", TIED, INFORMED, "0.2616", "13/200", open="loss"),
    "more than the share of rows": shared(
        "differential_privacy", TIED, {"source": EVEN, "excluded": ROW}, "log(3)", "14/200"
    ),
    # Under this distribution nobody is private, however the rows are treated.
    "neighbours that are impossible": of_two_rows(
        "identifiability",
        {"prior": ["1/2", "1/2", "0", "0"]},
        attained={"loss": "log(9)", "distortion": "1/2", "rows": [[MOSTLY_TRUE, 2]]},
    ),
    "neighbours less unlike than they are": of_two_rows(
        "identifiability", TIED, attained={"loss": "log(89)", "distortion": "1/2", "rows": [[MOSTLY_TRUE, 2]]}
    ),
    "neighbours of any distribution": of_two_rows(
        "identifiability",
        {"everything": 4},
        attained={"loss": "log(9)", "distortion": "1/2", "rows": [[MOSTLY_TRUE, 2]]},
    ),
    # Told the truth, an input that is drawn evenly is known: log 2. At this prior it tells less than half a nat.
    "a capacity at the prior": proof(
        "capacity", {"prior": ["9/10", "1/10"]}, attained=attained("2/5", "0", response(2, "1", "0"))
    ),
    "an information at the ends of a hull": proof(
        "mutual_information", {"hull": [["1", "0"], ["0", "1"]]}, attained=attained("0", "0", response(2, "1", "0"))
    ),
    "two alphabets of rows": proof(
        "differential_privacy",
        {"everything": 4},
        universe={"databases": {"size": 2, "alphabet": [0, 1], "rows": 2}},
        attained=attained("0", "2", {"rows": [["1", "0", "0", "0"]] * 4}),
    ),
    # Told the truth, an input of the least probability 1/4 leaks log 4; from there to 3/4 the logarithm falls by log 3.
    "a slope that is too steep": sloped("log(4)", "3"),
    "a slope below zero": sloped("3", "-1"),
    "less than what leaks along a slope": sloped("1", "0"),
    "no gain is negative": proof(
        "differential_privacy", EVEN, distortion={"gain": [["1", "0"], ["0", "1"]]}, excluded=excluded("log(3)", "0")
    ),
}

# What is claimed is true; the package overlooks a member that it has no need of.
MEMBERS = proof(
    "differential_privacy",
    EVEN,
    excluded={**excluded("0", "1"), "open": "loss", "members": [[["2", ["1/2", "1/2"]], ["-1", ["1/4", "3/4"]]]]},
)

INPUTS = 60
# Randomised response at e^L = 3 is best for a uniform prior: it errs with probability (m - 1) / (m + 2), and row prices
# share that out.
LARGE = proof(
    "differential_privacy",
    {"prior": [f"1/{INPUTS}"] * INPUTS},
    attained=attained("log(3)", f"{INPUTS - 1}/{INPUTS + 2}", response(INPUTS, f"3/{INPUTS + 2}", f"1/{INPUTS + 2}")),
    excluded=excluded(
        "log(3)",
        f"{INPUTS - 1}/{INPUTS + 2}",
        {"laws": [["1", 0]], "rows": [f"{INPUTS - 1}/{INPUTS * (INPUTS + 2)}"] * INPUTS, "spread": True},
    ),
)


def large() -> dict[str, Document]:
    """Return large documents with one fault, each in the last place where it can be."""
    last, whole = INPUTS - 1, 10**30 * (INPUTS + 2)
    row = [f"1/{INPUTS + 2}"] * last + [f"3/{INPUTS + 2}"]
    more = [f"{10**30 + 1}/{whole}", *row[1:-1], f"{3 * 10**30 - 1}/{whole}"]
    found = {
        "a row of more than one": changed(
            changed(LARGE, "attained.distortion", "1"), f"attained.mechanism.rows.{last}.0", f"{10**30 + 1}/{whole}"
        ),
        "an entry below zero": changed(
            changed(LARGE, "attained.loss", "infinity"),
            f"attained.mechanism.rows.{last}",
            [f"-1/{INPUTS + 2}", *row[1:-1], f"5/{INPUTS + 2}"],
        ),
        "an entry that is no number": changed(LARGE, f"attained.mechanism.rows.{last}.{last}", 3),
        "a loss by a hair": changed(LARGE, "attained.loss", f"log({3 * 10**30 - 1}/{10**30})"),
        "a distortion by a hair": changed(LARGE, f"attained.mechanism.rows.{last}", more),
        "a price by a hair": changed(LARGE, f"excluded.steps.0.rows.{last}", f"{last * 10**30 + 1}/{INPUTS * whole}"),
        "a distortion that is excluded by a hair": changed(
            LARGE, "excluded.distortion", f"{last * 10**30 + 1}/{whole}"
        ),
        "an output beyond the last": changed(LARGE, "excluded.steps.0.ratios", [[0, 1, INPUTS, "0"]]),
    }
    del found["an entry that is no number"]["excluded"]
    return found
