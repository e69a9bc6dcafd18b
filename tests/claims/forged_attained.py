"""Claims about mechanisms that one guard stands against: each is a little better than its mechanism is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.proofs.certificates import Document, proof

TRUTH = {"rows": [["1", "0"], ["0", "1"]]}
# Tells the truth three times of four.
MOSTLY = {"rows": [["3/4", "1/4"], ["1/4", "3/4"]]}
HULL = {"hull": [["1/3", "2/3"], ["2/3", "1/3"]]}
# Of two categories each has a third at least: one is at most twice as likely as the other.
BOX = {"box": {"lower": ["1/3", "1/3"], "upper": ["2/3", "2/3"]}}
SIDES = {"polytope": {"matrix": [["1", "0"], ["0", "1"]], "bounds": ["2/3", "2/3"], "member": ["1/2", "1/2"]}}
PAIR = {"databases": {"size": 2, "rows": 2}}
# Of 66 categories, one in two is told truly, and more categories than are written out are judged by their kinds.
MANY = 66
RESPONSE = {"diagonal": ["1/2"] * MANY, "left": [f"1/{2 * (MANY - 1)}"] * MANY, "right": ["1"] * MANY}
EXACT = {"diagonal": ["1"] * MANY, "left": ["0"] * MANY, "right": ["1"] * MANY}
SAME = [f"1/{MANY}"] * MANY
# A polytope of 20 categories, of which each has at most a third.
UNITS = [[str(int(x == y)) for y in range(20)] for x in range(20)]
THIRDS = {"polytope": {"matrix": UNITS, "bounds": ["1/3"] * 20, "member": ["1/20"] * 20}}
# Of 128 categories, two in three are told truly, and floats come first.
LARGE = 128


def attained(loss: str, distortion: str, mechanism: Document, **rest: Any) -> Document:
    """Return what a mechanism is said to attain."""
    return {"loss": loss, "distortion": distortion, "mechanism": mechanism, **rest}


def by_rows(notion: str, source: Document, row: Document, loss: str, distortion: str) -> Document:
    """Return what two equal rows are said to attain, each of which tells the truth three times of four."""
    part = {"source": row, "attained": attained("log(3)", "1/4", MOSTLY)}
    claim = {"loss": loss, "distortion": distortion, "rows": [[part, 2]]}
    return proof(notion, source, universe=PAIR, attained=claim)


def large(loss: str) -> Document:
    """Return what is said of the mutual information of 128 equally likely categories: it is 2.6 nats."""
    right, wrong = Fraction(2, 3), Fraction(1, 3 * (LARGE - 1))
    rows = [[str(right if x == y else wrong) for y in range(LARGE)] for x in range(LARGE)]
    source = {"prior": [f"1/{LARGE}"] * LARGE}
    return proof("mutual_information", source, attained=attained(loss, "1/3", {"rows": rows}))


def distances(loss: str, distortion: str) -> Document:
    """Return what is said of two rows, each told truly three times of four: log 3, at a distortion of 1/2."""
    mechanism = {"distances": ["9/16", "3/16", "1/16"]}
    return proof(
        "differential_privacy", {"everything": 4}, universe=PAIR, attained=attained(loss, distortion, mechanism)
    )


SIBSON = {"name": "sibson_mutual_information", "order": 2}
TRUE: dict[str, Document] = {
    "large information": large("2.7"),
    "distances, attained": distances("log(3)", "1/2"),
    "rows, attained": by_rows("differential_privacy", {"everything": 4}, {"everything": 2}, "log(3)", "1/2"),
    "many categories": proof(
        "differential_privacy", {"everything": MANY}, attained=attained("log(65)", "1/2", RESPONSE)
    ),
    "the truth of many categories": proof(
        "capacity", {"everything": MANY}, attained=attained("log(66)", "0", EXACT, output=SAME)
    ),
    "identifiability over a box": proof("identifiability", BOX, attained=attained("log(6)", "1/4", MOSTLY)),
    "identifiability over a polytope": proof(
        "identifiability",
        SIDES,
        attained=attained("log(6)", "1/4", MOSTLY, multipliers=[["0", "0"], ["3", "0"], ["0", "3"]]),
    ),
}
UNTRUE: dict[str, Document] = {
    "too few multipliers": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["1", "0"], ["0", "1"]], "bounds": ["3/5", "3/5"], "member": ["1/2", "1/2"]}},
        distortion={"matrix": [["0", "1"], ["2", "0"]]},
        attained=attained("log(3)", "1/4", MOSTLY, multipliers=[["5/12"]]),
    ),
    "an information at a prior": proof(
        "mutual_information", {"prior": ["1/2", "1/2"]}, attained=attained("log(3/2)", "0", TRUTH)
    ),
    "a large information": large("2.5"),
    "many categories, privacy": proof(
        "differential_privacy", {"everything": MANY}, attained=attained("log(64)", "1/2", RESPONSE)
    ),
    "many categories, information": proof(
        "capacity", {"everything": MANY}, attained=attained("log(65)", "0", EXACT, output=SAME)
    ),
    "many categories, guesses": proof(
        "min_entropy_leakage", {"everything": MANY}, attained=attained("log(32)", "1/2", RESPONSE)
    ),
    "identifiability over a hull": proof("identifiability", HULL, attained=attained("log(5)", "1/4", MOSTLY)),
    "identifiability over a box, less": proof(
        "identifiability", BOX, attained=attained("log(5.999999999999999999999999)", "1/4", MOSTLY)
    ),
    "identifiability over a polytope, less": proof(
        "identifiability",
        SIDES,
        attained=attained("log(5.999)", "1/4", MOSTLY, multipliers=[["0", "0"], ["3", "0"], ["0", "3"]]),
    ),
    "identifiability over a polytope, a weak multiplier": proof(
        "identifiability",
        SIDES,
        attained=attained("log(6)", "1/4", MOSTLY, multipliers=[["0", "0"], ["3", "0"], ["0", "2"]]),
    ),
    "an output over a hull": proof("maximal_information", HULL, attained=attained("log(3/2)", "1/4", MOSTLY)),
    "guesses over a hull": proof("min_entropy_leakage", HULL, attained=attained("log(11/10)", "1/4", MOSTLY)),
    "guesses without shares": proof(
        "min_entropy_leakage",
        THIRDS,
        attained=attained(
            "log(19)",
            "0",
            {"rows": [[str(int(x == y)) for y in range(20)] for x in range(20)]},
            multipliers=[["0"] * 20],
        ),
    ),
    "too few shares": proof(
        "min_entropy_leakage", HULL, attained=attained("log(9/8)", "1/4", MOSTLY, shares=[["1", 0]])
    ),
    "a distance too many": distances("log(3)", "1/3"),
    "distances that lose more": distances("log(2)", "1/2"),
    "another order": proof(
        SIBSON, {"everything": 2}, attained=attained("log(6/5)", "1/4", MOSTLY, output=["1/2", "1/2"])
    ),
    "rows that distort more": by_rows("differential_privacy", {"everything": 4}, {"everything": 2}, "log(3)", "1/3"),
    "guesses of rows": proof(
        "min_entropy_leakage",
        {"rows": {"prior": ["1/2", "1/2"]}, "iid": True},
        universe=PAIR,
        attained={
            "loss": "log(3/2)",
            "distortion": "1/2",
            "rows": [[{"source": {"prior": ["1/2", "1/2"]}, "attained": attained("log(3/2)", "1/4", MOSTLY)}, 2]],
        },
    ),
    "rows that lose more": by_rows("differential_privacy", {"everything": 4}, {"everything": 2}, "log(2)", "1/2"),
}
