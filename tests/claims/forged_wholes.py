"""Claims about databases as a whole that one guard stands against: averaged over distances, or made of rows.

And what the rule itself must not conclude, whatever its premises.
"""

from __future__ import annotations

from tests.claims.forged_claims import BY_DISTANCES, DISTANCES, HALVES, INFORMED, MIXED, PAIR, PART, POINT, by_rows
from tests.proofs.certificates import EVEN, Document, proof
from tests.proofs.forgeries import excluded
from tests.proofs.test_check_proof import changed

UNTRUE: dict[str, Document] = {
    # -- symmetry
    "distances of one value": proof(
        "maximal_leakage",
        {"everything": 1},
        universe={"databases": {"size": 1, "rows": 3}},
        excluded=excluded("0", "-1", {"laws": [["1"]]}, **BY_DISTANCES),
    ),
    "distances of order one": proof(
        {"name": "sibson_mutual_information", "order": 1},
        {"everything": 2},
        universe=PAIR,
        excluded=excluded("1", "infinity", {"sums": [[[0], "1", [["1", "1"]]]]}, **BY_DISTANCES),
    ),
    "distances under another named cost": changed(DISTANCES, "problem.distortion.name", "squared"),
    "distances of an alphabet, excluded": proof("maximal_leakage", {"everything": 2}, excluded=DISTANCES["excluded"]),
    "distances over events": proof(
        {"name": "approximate_differential_privacy", "delta": "1/10"},
        {"everything": 2},
        universe=PAIR,
        excluded=excluded(
            "0", "9/20", {"laws": [["1"]], "ratios": [[0, 1, 0, "1/2"]], "rows": ["1/2"]}, **BY_DISTANCES
        ),
    ),
    "distances of a pointwise leakage": changed(DISTANCES, "problem.notion.name", "pointwise_leakage"),
    "distances without the uniform distribution": proof(
        "maximal_leakage",
        {"prior": ["9/10", "1/10"]},
        universe=PAIR,
        excluded=excluded(
            "log(3/2)", "1/4", {"laws": [["1"]], "sums": [[[], "1/2", [[0, 0, "1"]]]], "rows": ["1"]}, **BY_DISTANCES
        ),
    ),
    "distances with two laws": {
        **MIXED,
        "excluded": {**MIXED["excluded"], "steps": [{**MIXED["excluded"]["steps"][0], "laws": [["1", 0]]}]},
    },
    "a mixture below zero": changed(
        changed(MIXED, "problem.source", {"hull": [["2/3", "1/3"], ["1", "0"]]}),
        "excluded.uniform",
        [["3/2", 0], ["-1/2", 1]],
    ),
    "a mixture of something else": changed(MIXED, "excluded.uniform", [["1", 0]]),
    "a mixture elsewhere": changed(
        changed(MIXED, "problem.source", {"hull": [["2/3", "1/3"], ["1", "0"]]}),
        "excluded.uniform",
        [["1/2", ["1", "0"]], ["1/2", ["0", "1"]]],
    ),
    "a mixture of a list": proof(
        "maximal_information",
        {"finite": [["1", "0"], ["0", "1"]]},
        universe=PAIR,
        excluded=excluded(
            "log(3/2)",
            "1/4",
            {"laws": [["1"]], "ratios": [[0, 0, 0, "1"]], "rows": ["1/4"]},
            uniform=HALVES,
            **BY_DISTANCES,
        ),
    ),
    # -- rows
    "rows that add up in parts": by_rows(
        "mutual_information", {"rows": EVEN}, [[INFORMED, 1], [INFORMED, 1]], loss="0.1308", open="loss"
    ),
    "rows of everything that are three": by_rows(
        "differential_privacy",
        {"everything": 4},
        [[{"source": {"prior": ["1/2", "0", "1/2"]}, "excluded": PART["excluded"]}, 2]],
    ),
    "too few rows": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 1]]),
    "a row too many": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 3]], distortion="3/4"),
    "rows of an alphabet": proof(
        "differential_privacy", EVEN, excluded={**by_rows("differential_privacy", EVEN, [[PART, 2]])["excluded"]}
    ),
    "no row at all": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 0], [PART, 2]]),
    "rows within rows": by_rows(
        "differential_privacy",
        {"rows": EVEN},
        [[{"source": EVEN, "excluded": {**PART["excluded"], "steps": []} | {"rows": [[PART, 1]]}}, 2]],
    ),
    "rows with steps": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]], steps=[]),
    "rows of a smaller loss": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]], loss="log(4)"),
    "rows that exclude less": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]], distortion="3/5"),
    "rows that exclude as much": by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]], open="loss"),
    "rows whose loss is open": by_rows(
        "differential_privacy",
        {"rows": EVEN},
        [[{"source": EVEN, "excluded": {"loss": "0", "distortion": "9", "open": "loss"}}, 2]],
        loss="0",
    ),
    "rows of pointwise privacy": by_rows(
        {"name": "approximate_differential_privacy", "delta": "1/100", "reading": "pointwise"},
        {"rows": EVEN},
        [[{"source": EVEN, "excluded": {**PART["excluded"], "distortion": "1/8"}}, 2]],
        distortion="1/4",
    ),
    "rows of a leakage": by_rows(
        "maximal_leakage",
        {"rows": EVEN},
        [[{"source": EVEN, "excluded": {"loss": "0", "distortion": "9", "open": "loss"}}, 2]],
        loss="0",
        open="loss",
        distortion="17",
    ),
    "rows under a matrix": {
        **by_rows("differential_privacy", {"rows": EVEN}, [[PART, 2]]),
        "problem": {
            **by_rows("differential_privacy", {"rows": EVEN}, [])["problem"],
            "distortion": {"matrix": [["0", "1", "1", "2"]] * 4},
        },
    },
    "rows with other laws": by_rows(
        "differential_privacy",
        {"rows": {"everything": 2}, "iid": True},
        [
            [PART, 1],
            [
                {
                    **PART,
                    "source": {"prior": ["1", "0"]},
                    "excluded": {
                        "loss": "log(3)",
                        "distortion": "-1",
                        "open": "distortion",
                        "steps": [{"laws": [["1", 0]]}],
                    },
                },
                1,
            ],
        ],
        distortion="-3/4",
    ),
    "a row elsewhere": by_rows("differential_privacy", {"rows": {"prior": ["9/10", "1/10"]}}, [[PART, 2]]),
    "a listed row elsewhere": by_rows(
        "differential_privacy", {"rows": [EVEN, {"prior": ["9/10", "1/10"]}]}, [[PART, 2]]
    ),
    "rows elsewhere": by_rows("differential_privacy", {"prior": ["1", "0", "0", "0"]}, [[PART, 2]]),
    "a row without a distribution": by_rows(
        "differential_privacy", {"rows": EVEN}, [[{**PART, "source": {"everything": 2}}, 2]]
    ),
    "a row of three": by_rows(
        "differential_privacy", {"rows": EVEN}, [[{**PART, "source": {"prior": ["1/3"] * 3}}, 2]]
    ),
    "a row and more": by_rows("differential_privacy", {"rows": EVEN}, [[{**PART, "attained": {}}, 2]]),
    # -- the rule
    "a step after nothing": proof("differential_privacy", EVEN, excluded=excluded("0", "1", {}, open="loss")),
    "no steps": proof("differential_privacy", EVEN, excluded=excluded("log(3)", "1/4", open="loss")),
    "no steps at level zero": proof("differential_privacy", EVEN, excluded=excluded("0", "1/4")),
    "an input that never is, by the conjugate": proof(
        "mutual_information",
        {"prior": ["1", "0"]},
        excluded=excluded(
            "1", "9", {"laws": [["1", 0]], "sums": [[[0], "1", "conjugate"]], "rows": ["0", "99"]}, **POINT
        ),
    ),
    "a total of zero that is not strict": proof(
        "differential_privacy", EVEN, excluded=excluded("1", "0", {"laws": [["1", 0]]}, open="loss")
    ),
    "a negative coefficient": proof(
        "differential_privacy", EVEN, excluded=excluded("1", "1", {"laws": [["1", 0]], "rows": ["2", "0"]})
    ),
}
