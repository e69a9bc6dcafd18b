"""Proofs written by hand for the second checker: one for each part of its rule, with the arithmetic beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

Document: TypeAlias = dict[str, Any]

#: Proofs of small problems of every notion and source, as they were written for epstar's own corpus.
GENUINE: list[Document] = json.loads((Path(__file__).parent / "genuine_proofs.json").read_text(encoding="utf-8"))


def proof(notion: Document | str, source: Document, **rest: Any) -> Document:
    """Return a proof about an alphabet under Hamming's cost, unless the rest says otherwise."""
    problem = {
        "notion": {"name": notion} if isinstance(notion, str) else notion,
        "source": source,
        "distortion": rest.pop("distortion", {"name": "hamming"}),
    }
    if "universe" in rest:
        problem["universe"] = rest.pop("universe")
    return {"schema": "epstar/proof/2", "problem": problem, **rest}


def response(size: int, truth: str, other: str) -> Document:
    """Return randomised response as a mechanism."""
    return {"rows": [[truth if x == y else other for y in range(size)] for x in range(size)]}


TWO = {"prior": ["2/3", "1/3"]}
EVEN = {"prior": ["1/2", "1/2"]}

# Two categories, 2/3 and 1/3: at distortion 1/6 the least loss is log 5. At output 0 the coefficients are -1/24 and
# 1/3 - 1/8 = 5/24, at output 1 they are 2/3 - 1/24 = 15/24 and -1/8: spread holds with equality at e^L = 5, and the
# total is 1/6 - 1/24 - 1/8 = 0. The loss is open, so the entries with positive coefficients vanish: input 1 at output
# 0 and input 0 at output 1. Their ratio bounds then empty the rest: 1 * z(0,0) - 5 z(1,0) <= 0, less the row of input
# 0: -1 < 0.
SPREAD = proof(
    "differential_privacy",
    TWO,
    attained={"loss": "log(5)", "distortion": "1/6", "mechanism": response(2, "5/6", "1/6")},
    excluded={
        "loss": "log(5)",
        "distortion": "1/6",
        "open": "loss",
        "steps": [
            {"laws": [["1", ["2/3", "1/3"]]], "rows": ["1/24", "1/8"], "spread": True},
            {"ratios": [[0, 1, 0, "1"]], "rows": ["1", "0"]},
        ],
    },
)

# The same by ratio multipliers: 1/24 of q(0) <= 5 q(1) at output 0 lifts -1/24 to 0 and takes 5/24 from 5/24.
RATIOS = proof(
    "differential_privacy",
    TWO,
    excluded={
        "loss": "log(5)",
        "distortion": "1/6",
        "open": "distortion",
        "steps": [
            {
                "laws": [["1", 0]],
                "ratios": [[0, 1, 0, "1/24"], [1, 0, 1, "1/8"]],
                "rows": ["1/24", "1/8"],
            }
        ],
    },
)

# Maximal leakage: a third of max q at each output, at the entry of input y: coefficients 0 + 1/3 and 1/3 - 1/3, 2/3 -
# 1/3 and 0 + 1/3 less the prices 1/3 each; the total is 1/6 + e^L / 3 - 2/3, which is 0 at e^L = 3/2.
MAXIMUM = proof(
    "maximal_leakage",
    TWO,
    attained={"loss": "log(3/2)", "distortion": "1/6", "mechanism": {"rows": [["1", "0"], ["1/2", "1/2"]]}},
    excluded={
        "loss": "log(3/2)",
        "distortion": "1/6",
        "open": "loss",
        "steps": [{"laws": [["1", 0]], "sums": [[[], "1/3", [[0, 0, "1"], [1, 1, "1"]]]], "rows": ["1/3", "1/3"]}],
    },
)

# Two rows that share no answer: D = 0 makes the entries off the diagonal vanish; then q(0) <= e^L q(1) empties output
# 0 of input 0 whatever e^L is, and nothing is left of its row. No finite loss.
FORCED = proof(
    "differential_privacy",
    EVEN,
    excluded={
        "loss": "infinity",
        "distortion": "0",
        "open": "loss",
        "steps": [{"laws": [["1", 0]]}, {"ratios": [[0, 1, 0, "1"]], "rows": ["1", "0"]}],
    },
)

# Approximate privacy over events, delta = 1/10, uniform: q(x) of the truth at most 11/20 at level 0. One event bound
# in each direction: 1/2 (q0(0) - q0(1)) <= delta/2 pays once.
EVENTS = proof(
    {"name": "approximate_differential_privacy", "delta": "1/10"},
    EVEN,
    attained={"loss": "0", "distortion": "9/20", "mechanism": response(2, "11/20", "9/20")},
    excluded={
        "loss": "0",
        "distortion": "9/20",
        "open": "distortion",
        "steps": [{"laws": [["1", 0]], "ratios": [[0, 1, 0, "1/2"]], "rows": ["1/2", "0"]}],
    },
)

# Level zero of an information: inputs of positive probability answer alike, q(0) = own = q(1): the distortion is 1/3.
LEVEL_ZERO = proof(
    "mutual_information",
    TWO,
    attained={"loss": "0", "distortion": "1/3", "mechanism": {"rows": [["1", "0"], ["1", "0"]]}},
    excluded={
        "loss": "0",
        "distortion": "1/3",
        "open": "distortion",
        "points": [[["1", 0]]],
        # 2/3 z(0,1) + 1/3 z(1,0) with 1/3 (q(0) - own) at output 0: 1/3 q(0) - 2/9 q(0) - 1/9 q(1), thrice that is
        # needed
        "steps": [{"laws": [["1", 0]], "ratios": [[0, 1, 0, 1, "1"]], "rows": ["0", "1/3"]}],
    },
)

# Mutual information, uniform on two: log 2 at distortion 0, since then the answers are forced (tangents at ratio 2,
# null where the entries vanish): (1 + log 2) q(x) - 2 own, summed with weights 1/2.
INFORMATION = proof(
    "mutual_information",
    EVEN,
    attained={"loss": "log(2)", "distortion": "0", "mechanism": response(2, "1", "0")},
    excluded={
        "loss": "0.69314718055994530941723212145817656807550013436",
        "distortion": "0",
        "open": "loss",
        "points": [[["1", 0]]],
        "steps": [
            {"laws": [["1", 0]]},
            {
                "sums": [[[0], "1", [["2", None], [None, "2"]]]],
                "rows": ["0.34657359027997265470861606072908828403775006718"] * 2,
            },
        ],
    },
)

# The conjugate: at D = 1/4 the least information is log 2 - h(1/4). With s = 1 and the slope log 3 of the curve,
# sum_x p exp(-c/(s p)) <= 1 for c = w p d - price, w = log 3 rounded, prices p log(p-scaled) rounded down.
CONJUGATE = proof(
    "mutual_information",
    EVEN,
    excluded={
        "loss": "0.1308",
        "distortion": "1/4",
        "open": "loss",
        "points": [[["1", 0]]],
        "steps": [
            {
                "laws": [["1.0986122886", 0]],
                "sums": [[[0], "1", "conjugate"]],
                "rows": ["0.2027325540", "0.2027325540"],
            }
        ],
    },
)

# Two rows share an unknown distribution of the segment between (1/4, 3/4) and (3/4, 1/4). A constant answer [0, 0]
# costs one for each row with value 1, so 2 p(1) <= 3/2. The law of the database is a mixture of v x v, (v x w + w x
# v)/2 and w x w.
SEGMENT = {"rows": {"box": {"lower": ["1/4", "1/4"], "upper": ["3/4", "3/4"]}}, "iid": True}
PAIRS = {"databases": {"size": 2, "rows": 2}}
SEGMENT_COVER = [{"corners": [[["1/4", "3/4"], [2]], [["3/4", "1/4"], [3]]]}]
CURVED = proof(
    "maximal_information",
    SEGMENT,
    universe=PAIRS,
    attained={
        "loss": "0",
        "distortion": "3/2",
        "mechanism": {"rows": [["1", "0", "0", "0"]] * 4},
        "covers": SEGMENT_COVER,
    },
)

# Whether the database is (0, 0): the probability p^2 of the truth is 1/16 at least, so q(x) <= 16 own. Cut at the
# middle, the cells have the hulls of squares and mean products, all of which give (0, 0) at least 1/16 and at most
# 9/16.
CELLS = proof(
    "maximal_information",
    SEGMENT,
    universe=PAIRS,
    distortion={"matrix": [["0", "1"], ["1", "0"], ["1", "0"], ["1", "0"]]},
    attained={
        "loss": "log(16)",
        "distortion": "0",
        "mechanism": {"rows": [["1", "0"], ["0", "1"], ["0", "1"], ["0", "1"]]},
        "cells": [{"cut": [0, 0, 1, "1/2"], "cells": [{}, {"envelope": True}]}],
        "covers": SEGMENT_COVER,
    },
)

# Databases of 30 rows: f(0) = e^L / M under maximal leakage (the rest spread over distance 1). The distortion is at
# least price - sum N_l (price - l)_+ e^L / M, here with the price 1: shares of the maximum are N_l (1 - l)_+ / (s M),
# s = 1/M.
DISTANCES = proof(
    "maximal_leakage",
    {"everything": 2**30},
    universe={"databases": {"size": 2, "rows": 30}},
    attained={
        "loss": f"log({2**29})",
        "distortion": "1/2",
        "mechanism": {"distances": ["1/2", "1/60", *["0"] * 29]},
    },
    excluded={
        "loss": f"log({2**29})",
        "distortion": "1/2",
        "open": "distortion",
        "symmetry": "distances",
        "steps": [{"laws": [["1"]], "rows": ["1"], "sums": [[[], f"1/{2**30}", [[0, 0, "1"]]]]}],
    },
)

# A thousand rows, each uniform on two values: at log 3 a row errs with probability 1/4.
ROW = {"prior": ["1/2", "1/2"]}
ROWS = proof(
    "differential_privacy",
    {"rows": ROW},
    universe={"databases": {"size": 2, "rows": 1000}},
    attained={
        "loss": "log(3)",
        "distortion": "250",
        "rows": [
            [
                {
                    "source": ROW,
                    "attained": {"loss": "log(3)", "distortion": "1/4", "mechanism": response(2, "3/4", "1/4")},
                },
                1000,
            ]
        ],
    },
    excluded={
        "loss": "log(3)",
        "distortion": "250",
        "open": "distortion",
        "rows": [
            [
                {
                    "source": ROW,
                    "excluded": {
                        "loss": "log(3)",
                        "distortion": "1/4",
                        "open": "distortion",
                        "steps": [{"laws": [["1", 0]], "rows": ["1/8", "1/8"], "spread": True}],
                    },
                },
                1000,
            ]
        ],
    },
)

# Over a box of 16 categories, which has many corners, an envelope: every output has probability 1/16 under every law.
ENVELOPE = proof(
    "pointwise_leakage",
    {"box": {"lower": ["1/40"] * 16, "upper": ["1/4"] * 16}},
    attained={
        "loss": "0",
        "distortion": "15/16",
        "mechanism": {"rows": [["1/16"] * 16] * 16},
        "envelope": True,
    },
)

# Min-entropy leakage of the truth over a ball: the first category has at least 9/20, any other at most 3/10, which is
# 2/3 of that. So the leakage of the truth is at most log(1 + 2/3 + 2/3).
SHARES = proof(
    "min_entropy_leakage",
    {"ball": {"center": ["1/2", "1/4", "1/4"], "radius": "1/10"}},
    attained={
        "loss": "log(7/3)",
        "distortion": "0",
        "mechanism": response(3, "1", "0"),
        "shares": [["1", 0], ["2/3", 0], ["2/3", 0]],
    },
)

# Capacity of the truth over two inputs: with r uniform each row has divergence log 2.
OUTPUT = proof(
    "capacity",
    {"box": {"lower": ["0", "0"], "upper": ["1", "1"]}},
    attained={
        "loss": "log(2)",
        "distortion": "0",
        "mechanism": response(2, "1", "0"),
        "output": ["1/2", "1/2"],
    },
)

# A polytope needs multipliers: p(0) <= 1/2, costs 1 and 0: 1/2 of the first inequality.
POLYTOPE = proof(
    "differential_privacy",
    {"polytope": {"matrix": [["1", "0"]], "bounds": ["1/2"], "member": ["1/2", "1/2"]}},
    attained={
        "loss": "0",
        "distortion": "1/2",
        "mechanism": {"rows": [["0", "1"], ["0", "1"]]},
        "multipliers": [["1"]],
    },
)

# Renyi privacy of order 1/2 at distortion 0: what vanishes makes the sum of powers vanish, which no finite loss
# allows.
POWER_AT_INFINITY = proof(
    {"name": "renyi_differential_privacy", "order": "1/2"},
    EVEN,
    excluded={
        "loss": "infinity",
        "distortion": "0",
        "open": "loss",
        "steps": [{"laws": [["1", 0]]}, {"sums": [[[0, 1], "1", [[None, None]]]]}],
    },
)

# An order of infinity read at order 2: the sum of q(0)^2/q(1) is e^L = 7/3 where the truth has probability 3/4.
ORDER = proof(
    {"name": "renyi_differential_privacy", "order": "infinity"},
    EVEN,
    excluded={
        "loss": "log(7/3)",
        "distortion": "1/4",
        "open": "loss",
        "order": "2",
        # Tangents at 3 and 1/3: 6 q(0) - 9 q(1) and 2/3 q(0) - 1/9 q(1), over 7/3. With 9/256 of both directions,
        # output 0 has 9/256 (6 - 1/9) = 53/256 for input 0 and 1/2 - 9/256 (9 - 2/3) = 53/256 for input 1; 1/4 +
        # 42/256 = 106/256.
        "steps": [
            {
                "laws": [["1", 0]],
                "sums": [
                    [[0, 1], "21/256", [["3", "1/3"]]],
                    [[1, 0], "21/256", [["1/3", "3"]]],
                ],
                "rows": ["53/256", "53/256"],
            }
        ],
    },
)

# Identifiability at the uniform distribution is differential privacy: the scales are 1/2 on both sides.
SCALED = proof(
    "identifiability",
    EVEN,
    excluded={
        "loss": "log(3)",
        "distortion": "1/4",
        "open": "distortion",
        "points": [[["1", 0]]],
        "steps": [{"laws": [["1", 0]], "rows": ["1/8", "1/8"], "spread": True}],
    },
)

# An input that no distribution uses may give an output that the others do not.
UNUSED = proof(
    "mutual_information",
    {"box": {"lower": ["1/4", "1/4", "0"], "upper": ["3/4", "3/4", "0"]}},
    attained={
        "loss": "log(2)",
        "distortion": "0",
        "mechanism": response(3, "1", "0"),
        "output": ["1/2", "1/2", "0"],
    },
)

# Informations of independent rows add up: twice log 2.
ADDED = proof(
    "mutual_information",
    {"rows": ROW},
    universe=PAIRS,
    attained={
        "loss": "log(4)",
        "distortion": "0",
        "rows": [
            [
                {
                    "source": ROW,
                    "attained": {"loss": "log(2)", "distortion": "0", "mechanism": response(2, "1", "0")},
                },
                2,
            ]
        ],
    },
)

# Labels that are numbers: the constant answer 1/3 is 1/3 off for every other record.
LABELS = proof(
    "differential_privacy",
    EVEN,
    universe={"alphabet": [{"rational": "1/3"}, {"rational": "2/3"}]},
    distortion={"name": "absolute"},
    attained={"loss": "0", "distortion": "1/6", "mechanism": {"rows": [["1", "0"], ["1", "0"]]}},
)

HAND_MADE: dict[str, Document] = {
    name.lower(): document
    for name, document in list(globals().items())
    if isinstance(document, dict) and "schema" in document
}
