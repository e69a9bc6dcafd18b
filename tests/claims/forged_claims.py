"""Claims that one guard of `epstar.claims` stands against: each is true but for one thing, by which it is named.

Most would prove something false if the guard were not there; the others would trip the checker.
"""

from __future__ import annotations

from typing import Any

from tests.proofs.certificates import EVEN, HAND_MADE, SPREAD, Document, proof, response
from tests.proofs.forgeries import MOSTLY_TRUE, TIED, UNEVEN, UNIFORM_BY_DISTANCES, attained, excluded
from tests.proofs.test_check_proof import changed

PAIR = {"databases": {"size": 2, "rows": 1}}
PAIRS = {"databases": {"size": 2, "rows": 2}}
POINT = {"points": [[["1", 0]]]}
CORNERS = {"finite": [["1", "0"], ["0", "1"]]}
CONSTANT = {"rows": [["1", "0"], ["1", "0"]]}
HALVES = [["1/2", 0], ["1/2", 1]]
# A capacity of log 2 by the divergences from a law of the output.
CAPACITY = proof(
    "capacity", {"everything": 2}, attained=attained("7/10", "0", response(2, "1", "0"), output=["1/2", "1/2"])
)
# The uniform distribution is a mixture of members, which is as good where the notion ignores the source.
MIXED = proof("differential_privacy", CORNERS, universe=PAIR, excluded={**UNIFORM_BY_DISTANCES, "uniform": HALVES})
BY_DISTANCES = {"symmetry": "distances"}
INFORMATION = {k: v for k, v in HAND_MADE["information"].items() if k != "attained"}
ORDER = HAND_MADE["order"]
POWER = HAND_MADE["power_at_infinity"]
LEVEL_ZERO = {k: v for k, v in HAND_MADE["level_zero"].items() if k != "attained"}
MAXIMUM = {k: v for k, v in HAND_MADE["maximum"].items() if k != "attained"}
DISTANCES = {k: v for k, v in HAND_MADE["distances"].items() if k != "attained"}
PART = {"source": EVEN, "excluded": HAND_MADE["rows"]["excluded"]["rows"][0][0]["excluded"]}


# The same row where joint probabilities are compared, at the even distribution.
LIKELY = {"source": EVEN, "excluded": {**PART["excluded"], **POINT}}


# Two inputs of a mutual information that answer alike: q(1) <= own and own <= q(0).
BOTH_SIDES = excluded(
    "0",
    "1/2",
    {"laws": [["1", 0]], "ratios": [[0, 1, 0, 1, "1/2"], [0, 0, 1, 1, "1/2"]], "rows": ["0", "1/2"]},
    **POINT,
)
# What a mutual information of two rows excludes, row by row.
INFORMED = {"source": EVEN, "excluded": HAND_MADE["conjugate"]["excluded"]}
# Every answer costs at least one, and no bound of a notion is needed.
DEAR = {"matrix": [["1", "2"], ["2", "1"]]}
BELOW = excluded("1", "99/100", {"laws": [["1", 0]], "rows": ["1/2", "1/2"]}, open="loss")


def by_rows(notion: Document | str, source: Document, parts: list[Any], **claim: Any) -> Document:
    """Return what rows exclude of two rows of two values."""
    whole = {"loss": "log(3)", "distortion": "1/2", "open": "distortion", **claim, "rows": parts}
    return proof(notion, source, universe=PAIRS, excluded=whole)


TRUE: dict[str, Document] = {
    "capacity": CAPACITY,
    "mixed": MIXED,
    "by rows": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]]),
    "by rows of everything": by_rows("differential_privacy", {"everything": 4}, [[PART, 1], [PART, 1]]),
    "rows of a mixture": by_rows(
        "differential_privacy",
        {"hull": [["1/2", "1/2", "0", "0"], ["0", "0", "1/2", "1/2"]]},
        [[PART, 2]],
        uniform=HALVES,
    ),
    "rows of another distribution": by_rows(
        "differential_privacy", TIED, [[PART, 2]], distortion="13/200", uniform=[["1", 0]]
    ),
    "rows whatever the distribution": by_rows("identifiability", TIED, [[LIKELY, 2]]),
    "a leakage of another distribution": proof(
        "maximal_leakage",
        UNEVEN,
        universe=PAIR,
        excluded=excluded(
            "log(6/5)",
            "1/10",
            {"laws": [["1"]], "sums": [[[], "1/2", [[0, 0, "1"]]]], "rows": ["1"]},
            **BY_DISTANCES,
            uniform=[["1", 0]],
        ),
    ),
    "unlike neighbours": proof(
        "identifiability",
        TIED,
        universe=PAIRS,
        attained={"loss": "log(90)", "distortion": "1/2", "rows": [[MOSTLY_TRUE, 2]]},
    ),
    "no cost is negative": proof("differential_privacy", EVEN, excluded=excluded("log(3)", "0")),
    "no loss is negative": proof("differential_privacy", EVEN, excluded=excluded("0", "1", open="loss")),
    "a metric with a gap": proof(
        "differential_privacy",
        {"everything": 3},
        universe={"metric": [[0, 1, None], [1, 0, "1/2"], [None, "1/2", 0]]},
        attained=attained("0", "1", {"rows": [["1", "0", "0"]] * 3}),
    ),
    "level zero on both sides": proof("mutual_information", EVEN, excluded=BOTH_SIDES),
    "equal rows": proof(
        {"name": "renyi_differential_privacy", "order": 2},
        EVEN,
        attained=attained("0", "1/2", response(2, "1/2", "1/2")),
    ),
}

UNTRUE: dict[str, Document] = {
    # -- what is attained
    "an output of three": changed(CAPACITY, "attained.output", ["1/2", "1/2", "0"]),
    "an output below zero": changed(changed(CAPACITY, "attained.output", ["3/2", "-1/2"]), "attained.loss", "0"),
    "an output of two": changed(changed(CAPACITY, "attained.output", ["1", "1"]), "attained.loss", "0"),
    "an output that never comes": changed(CAPACITY, "attained.output", ["1", "0"]),
    "an output for no information": proof(
        "differential_privacy", EVEN, attained=attained("0", "0", response(2, "1", "0"), output=["1/2", "1/2"])
    ),
    "endless digits": changed(CAPACITY, "attained.digits", 10**7),
    "few digits": changed(CAPACITY, "attained.digits", 9),
    "less than the capacity": changed(CAPACITY, "attained.loss", "69314/100000"),
    "a mechanism of three rows": changed(SPREAD, "attained.mechanism.rows", [["1", "0"]] * 3),
    "a mechanism of ragged rows": changed(SPREAD, "attained.mechanism.rows", [["1", "0"], ["1"]]),
    "a mechanism without rows": changed(SPREAD, "attained.mechanism.rows", "10"),
    "a mechanism of texts": proof("differential_privacy", EVEN, attained=attained("0", "1/2", {"rows": ["10", "10"]})),
    "a distortion that is a logarithm, attained": proof(
        "differential_privacy", EVEN, attained=attained("0", "log(2)", CONSTANT)
    ),
    "a mechanism of nothing": changed(SPREAD, "attained.mechanism", {}),
    "a mechanism and no word": changed(SPREAD, "attained.mechanism", 5),
    "rows and distances": proof(
        "differential_privacy",
        {"everything": 2},
        universe=PAIR,
        attained=attained("0", "1/2", {"distances": ["1/2", "1/2"], "rows": response(2, "1", "0")["rows"]}),
    ),
    "distances and rows": proof(
        "differential_privacy",
        {"everything": 2},
        universe=PAIR,
        attained=attained("0", "1/2", {"distances": ["1/2", "1/2"], "floats": []}),
    ),
    "distances of an alphabet": proof(
        "differential_privacy", {"everything": 2}, attained=attained("0", "1/2", {"distances": ["1/2", "1/2"]})
    ),
    "too few distances": proof(
        "differential_privacy", {"everything": 2}, universe=PAIR, attained=attained("0", "0", {"distances": ["1"]})
    ),
    "a diagonal and rows": proof(
        "differential_privacy",
        EVEN,
        attained=attained("0", "1/2", {"diagonal": ["1/2"] * 2, "left": ["1/2"] * 2, "right": ["1"] * 2, "rows": []}),
    ),
    "a diagonal too short": proof(
        "differential_privacy",
        {"everything": 3},
        attained=attained("0", "1", {"diagonal": ["1/2"] * 2, "left": ["1/2"] * 3, "right": ["1"] * 3}),
    ),
    "a diagonal of other costs": proof(
        "differential_privacy",
        EVEN,
        distortion={"matrix": [["0", "1", "1"], ["1", "0", "1"]]},
        attained=attained("0", "1", {"diagonal": ["1/2"] * 2, "left": ["1/2"] * 2, "right": ["1"] * 2}),
    ),
    "a diagonal beyond one": proof(
        "differential_privacy",
        {"everything": 2},
        attained=attained("0", "1", {"diagonal": ["2", "2"], "left": ["1", "1"], "right": ["-1", "-1"]}),
    ),
    "rows attained by an alphabet": proof(
        "differential_privacy",
        EVEN,
        attained={
            "loss": "0",
            "distortion": "1",
            "rows": [[{"source": EVEN, "attained": attained("0", "1", CONSTANT)}, 1]],
        },
    ),
    "rows attained within rows": changed(
        HAND_MADE["added"],
        "attained.rows.0.0.attained",
        {"loss": "0", "distortion": "0", "rows": HAND_MADE["added"]["attained"]["rows"]},
    ),
    "rows attained under a matrix": changed(HAND_MADE["added"], "problem.distortion", {"matrix": [["0"] * 4] * 4}),
    "rows and a mechanism": changed(HAND_MADE["added"], "attained.mechanism", {"rows": [["1", "0", "0", "0"]] * 4}),
    "rows that err more": changed(HAND_MADE["added"], "attained.rows.0.0.attained.mechanism", CONSTANT),
    "nothing attained": changed(SPREAD, "attained", ...) | {"attained": None},
    "nothing excluded": changed(SPREAD, "excluded", None),
    # -- what is excluded: premises
    "spread at an infinite loss": proof(
        "differential_privacy",
        EVEN,
        excluded=excluded("infinity", "1/4", {"laws": [["1", 0]], "rows": ["1/8"] * 2, "spread": True}, open="loss"),
    ),
    "a law at an infinite distortion": proof(
        "differential_privacy", EVEN, excluded=excluded("1", "infinity", {"laws": [["1", 0]], "rows": ["1/8"] * 2})
    ),
    "a distortion that is a logarithm": changed(SPREAD, "excluded.distortion", "log(2)"),
    "shares of a power": changed(ORDER, "excluded.steps.0.sums", [[[0, 1], "21/256", [[0, 0, "1"]]]]),
    "shares of an information": changed(INFORMATION, "excluded.steps.1.sums", [[[0], "1", [[0, 0, "1"]]]]),
    "shares of nobody": changed(INFORMATION, "excluded.steps.1.sums", [[[0], "1", []]]),
    "places of a maximum": changed(MAXIMUM, "excluded.steps.0.sums", [[[], "1/3", [["1", "1"]]]]),
    "a share of an input that never is": proof(
        "min_entropy_leakage",
        {"prior": ["1", "0"]},
        excluded=excluded(
            "0", "2", {"sums": [[[0], "1", [[0, 1, "1"], [1, 1, "1"]]]], "rows": ["0", "1"]}, open="loss", **POINT
        )
        | {"loss": "log(2)"},
    ),
    "shares below zero": proof(
        "maximal_leakage",
        EVEN,
        # Shares k and 1 - k of a maximum would make 33/68 of a distortion of 1/4, at k = 9.
        excluded=excluded(
            "log(3/2)",
            "33/68",
            {
                "laws": [["1", 0]],
                "sums": [[[], "1/34", [[0, 0, "9"], [0, 1, "-8"], [1, 1, "9"], [1, 0, "-8"]]]],
                "rows": ["9/34", "9/34"],
            },
        ),
    ),
    "shares of an output that there is not": proof(
        "maximal_leakage",
        EVEN,
        # They would stand for the wrong answers, whose coefficients are below zero: 1/2 of a distortion of 1/4.
        excluded=excluded(
            "log(3/2)",
            "1/2",
            {
                "laws": [["1", 0]],
                "sums": [[[], "1", [[0, 0, "1"], [1, 1, "1"], [7, 0, "1/2"], [7, 1, "1/2"]]]],
                "rows": ["1", "1"],
            },
        ),
    ),
    "a spread of what never is": proof(
        "identifiability",
        {"prior": ["1", "0"]},
        excluded=excluded("log(3)", "1/4", {"laws": [["1", 0]], "rows": ["1/4", "0"], "spread": True}, **POINT),
    ),
    "a power at an infinite loss that is closed": proof(
        {"name": "renyi_differential_privacy", "order": "1/2"},
        EVEN,
        excluded=excluded("infinity", "1/2", {"sums": [[[0, 1], "1", [[None, None]]]]}),
    ),
    "a power above one at an infinite loss": proof(
        {"name": "renyi_differential_privacy", "order": "2"},
        EVEN,
        excluded=excluded(
            "infinity", "0", {"laws": [["1", 0]]}, {"sums": [[[0, 1], "1", [[None, None]]]]}, open="loss"
        ),
    ),
    "a place at an infinite loss": changed(POWER, "excluded.steps.1.sums.0.2", [["1", None]]),
    "a conjugate at an infinite loss": proof(
        "mutual_information",
        EVEN,
        excluded=excluded(
            "infinity", "1/4", {"laws": [["1", 0]], "sums": [[[0], "1", "conjugate"]]}, open="loss", **POINT
        ),
    ),
    "no multiple of a sum": proof(
        "maximal_leakage",
        EVEN,
        excluded=excluded("0", "0", {"laws": [["1", 0]], "sums": [[[], "0", []]]}, open="loss") | {"loss": "1"},
    ),
    "a negative multiple of a sum": proof(
        "maximal_leakage",
        EVEN,
        excluded=excluded("1", "1", {"laws": [["1", 0]], "sums": [[[], "-1", []]]}, open="loss"),
    ),
    "a conjugate in company": changed(
        HAND_MADE["conjugate"], "excluded.steps.0.sums", [[[0], "1", "conjugate"], [[0], "1e-9", "conjugate"]]
    ),
    "a spread of a leakage": proof(
        "maximal_leakage",
        EVEN,
        distortion=DEAR,
        excluded=changed({"excluded": BELOW}, "excluded.steps.0.spread", True)["excluded"],
    ),
    "a conjugate of several entropies": proof(
        "pointwise_leakage",
        EVEN,
        excluded=excluded(
            "1/100", "9/10", {"laws": [["1", 0]], "sums": [[[0, 0], "1", "conjugate"]], "rows": ["1/2", "1/2"]}, **POINT
        ),
    ),
    "too few places": changed(INFORMATION, "excluded.steps.1.sums.0.2", [["2", None]]),
    "places too short": changed(INFORMATION, "excluded.steps.1.sums.0.2", [["2"], ["2"]]),
    "a place that is not there": proof(
        "mutual_information",
        EVEN,
        excluded=excluded(
            "1/10", "infinity", {"sums": [[[0], "1", [[None, None], [None, None]]]], "rows": ["1", "1"]}, **POINT
        ),
    ),
    "a norm that is not there": proof(
        {"name": "sibson_mutual_information", "order": "1/2"},
        EVEN,
        excluded=excluded("1", "infinity", {"sums": [[[0], "1", [[None, None], [None, None]]]]}, **POINT),
    ),
    "a norm at half a column": proof(
        {"name": "sibson_mutual_information", "order": "2"},
        EVEN,
        excluded=excluded("1", "infinity", {"sums": [[[0], "1", [["1", None], ["1", None]]]]}, **POINT),
    ),
    "a norm at nothing": proof(
        {"name": "sibson_mutual_information", "order": "2"},
        EVEN,
        excluded=excluded("1", "infinity", {"sums": [[[0], "1", [["0", "0"], ["0", "0"]]]]}, **POINT),
    ),
    "points and distances": {**DISTANCES, "excluded": {**DISTANCES["excluded"], "points": [[["1", [f"1/{4}"] * 4]]]}},
    "an order of nothing": changed(ORDER, "excluded.order", "0"),
    "an order below nothing": changed(ORDER, "excluded.order", "-2"),
    "an order above": changed(changed(ORDER, "problem.notion.order", "3/2"), "excluded.order", "2"),
    "endless digits of a claim": changed(SPREAD, "excluded.digits", 10**7),
    "a multiple below zero": changed(HAND_MADE["ratios"], "excluded.steps.0.ratios.0.3", "-1/24"),
    "a weight below zero": changed(HAND_MADE["ratios"], "excluded.steps.0.laws", [["2", 0], ["-1", 0]]),
    "prices of three": changed(HAND_MADE["ratios"], "excluded.steps.0.rows", ["1/24", "1/8", "0"]),
    "an output beyond": changed(HAND_MADE["ratios"], "excluded.steps.0.ratios.0", [0, 1, 2, "1/24"]),
    "a law of three": changed(HAND_MADE["ratios"], "excluded.steps.0.laws.0.1", ["2/3", "1/3", "0"]),
    "a law elsewhere": changed(HAND_MADE["ratios"], "excluded.steps.0.laws.0.1", ["1/3", "2/3"]),
    "a point of weight two": changed(LEVEL_ZERO, "excluded.points", [[["2", 0]]]),
    "a point of weights below zero": changed(LEVEL_ZERO, "excluded.points", [[["2", 0], ["-1", ["2/3", "1/3"]]]]),
    "a point of no weight": changed(LEVEL_ZERO, "excluded.points", [[]]),
    "a point of two sizes": changed(LEVEL_ZERO, "excluded.points", [[["1/2", 0], ["1/2", ["1"]]]]),
    "a point elsewhere": changed(LEVEL_ZERO, "excluded.points", [[["1", ["1/2", "1/2"]]]]),
    "a mixture of two": proof(
        "mutual_information",
        {"finite": [["1", "0"], ["0", "1"]]},
        excluded=excluded(
            "0",
            "1/2",
            {
                "laws": [["1/2", 0], ["1/2", 1]],
                "ratios": [[0, 1, 0, 1, "1/2"], [0, 0, 1, 1, "1/2"]],
                "rows": ["0", "1/2"],
            },
            points=[HALVES],
        ),
    ),
    "a billion inputs of which nothing is said": proof(
        "maximal_leakage",
        {"everything": 2**30},
        universe={"databases": {"size": 2, "rows": 30}},
        excluded=excluded("1", "1", {"sums": [[[], "1", [[0, 0, "1"]]]]}),
    ),
    "divergences of a million pairs": proof(
        {"name": "renyi_differential_privacy", "order": 2},
        {"everything": 2000},
        excluded=excluded("1", "1", {"sums": [[[0, 1], "1", [["1"]]]], "rows": ["0"] * 2000}),
    ),
    # -- bounds
    "a slack that grows": proof(
        {"name": "local_information_privacy", "delta": "1/10"},
        EVEN,
        excluded=excluded(
            "infinity",
            "0",
            {"laws": [["1", 0]]},
            {"ratios": [[0, 0, 1, 1, "1"]], "rows": ["1", "0"]},
            open="loss",
            **POINT,
        ),
    ),
    "a third side of a divergence": proof(
        "mutual_information",
        EVEN,
        excluded=changed(BOTH_SIDES, "steps.0.ratios", [[0, 1, 0, 1, "1/2"], [0, 0, 2, 1, "1/2"]]),
    ),
    "a term beyond": changed(LEVEL_ZERO, "excluded.steps.0.ratios", [[0, 2, 0, 1, "1"]]),
    "a point beyond": changed(LEVEL_ZERO, "excluded.steps.0.ratios", [[1, 1, 0, 1, "1"]]),
    "a bound of nothing": changed(LEVEL_ZERO, "excluded.steps.0.ratios", [[1, "1"]]),
    "a sum of nothing": changed(INFORMATION, "excluded.steps.1.sums.0.0", [1]),
    "a ratio above level zero": changed(changed(LEVEL_ZERO, "excluded.loss", "1/10"), "excluded.distortion", "1/3"),
    "a ratio the other way": proof(
        "mutual_information",
        EVEN,
        excluded=excluded(
            "1", "1/8", {"laws": [["1", 0]]}, {"ratios": [[0, 0, 1, 0, "1"]], "rows": ["1", "0"]}, open="loss", **POINT
        ),
    ),
    "two inputs that are one": changed(HAND_MADE["ratios"], "excluded.steps.0.ratios.0", [0, 0, 0, "1/24"]),
    "an input beyond": changed(HAND_MADE["ratios"], "excluded.steps.0.ratios.0", [0, 2, 0, "1/24"]),
    "a name too short": changed(HAND_MADE["ratios"], "excluded.steps.0.ratios.0", [0, 0, "1/24"]),
}
