"""Claims over regions of distributions that rest on a cover, a share, a multiplier or an order which is not one.

Each names something that a checker might believe: parts of a region that leave some of it out, cells that do not cover
the rows, shares that some distribution exceeds, a distribution of the output that is none.
"""

from __future__ import annotations

from typing import Any

from tests.claims.forged_attained import BOX, HULL, MOSTLY, PAIR, SIDES, TRUTH, attained
from tests.proofs.certificates import Document, proof

ALL = {"everything": 2}
# Nothing is answered, and it costs one if the two rows differ: 2 p (1 - p) of the time, if the rows share p.
SILENT: Document = {"rows": [["1"]] * 4}
DIFFER = {"matrix": [["0"], ["1"], ["1"], ["0"]]}
CLOSED = {"polytope": {"matrix": [["0", "1"]], "bounds": ["0"], "member": ["1", "0"]}}
SIBSON = {"name": "sibson_mutual_information", "order": "1/2"}


def silent(source: Document, distortion: str, *cells: Document) -> Document:
    """Return what is said of rows that differ, with cells that cover their distributions."""
    claim = attained("0", distortion, SILENT, **({"cells": list(cells)} if cells else {}))
    return proof("differential_privacy", source, universe=PAIR, distortion=DIFFER, attained=claim)


def cut(share: str, first: int = 0, second: int = 1, row: int = 0) -> Document:
    """Return a cell that is cut once."""
    return {"cut": [row, first, second, share], "cells": [{}, {}]}


def over(notion: Document | str, source: Document, loss: str, mechanism: Document = MOSTLY, **hints: Any) -> Document:
    """Return what is said of a loss over a source."""
    return proof(notion, source, attained=attained(loss, "infinity", mechanism, **hints))


def also(loss: str, source: Document, **hints: Any) -> Document:
    """Return what is said of a further guarantee, of guesses, over a source."""
    claim = attained("infinity", "infinity", MOSTLY, further=[hints])
    document = proof("differential_privacy", source, attained=claim)
    document["problem"]["also"] = [{"notion": {"name": "min_entropy_leakage"}, "loss": loss}]
    return document


# Both outputs have between 5/12 and 7/12, between which minus the logarithm falls by 2.01883 for each unit in the mean.
SLOPING = [["0", "1/2"], ["1/2", "0"], ["1/2", "0"], ["0", "1/2"], ["0", "0.5047"], ["0.5047", "0"]]
SHARED, OWN = {"rows": ALL, "iid": True}, {"rows": [ALL, ALL]}
TRUE: dict[str, Document] = {
    "cells of rows that share": silent(SHARED, "1/2", cut("1/2")),
    "rows of their own": silent(OWN, "1"),
    "an input that no distribution uses": over(
        "mutual_information", CLOSED, "0", TRUTH, output=["1", "0"], multipliers=[["1"]]
    ),
    "slopes of a chord": over("pointwise_leakage", BOX, "0.2291", slopes=["2.0188", "2.0188"]),
    "slopes of a chord over a polytope": over(
        "pointwise_leakage", SIDES, "0.2291", slopes=["2.0188", "2.0188"], multipliers=SLOPING
    ),
    "no slopes": over("pointwise_leakage", BOX, "0.3132", slopes=["0", "0"]),
    "shares of each other": over("min_entropy_leakage", HULL, "log(3)", shares=[["2", 1], ["2", 0]]),
    "shares of a further guarantee": also("log(3)", HULL, shares=[["2", 1], ["2", 0]]),
}
UNTRUE: dict[str, Document] = {
    "rows that share, less": silent(SHARED, "0.4999999999999", cut("1/2")),
    "a cut at an end": silent(SHARED, "0.4999999999999", cut("1")),
    "a cut at no point": silent(SHARED, "0.4999999999999", cut("2")),
    "a cut before the first": silent(SHARED, "0.4999999999999", cut("-1")),
    "a cut between one and itself": silent(SHARED, "0.4999999999999", cut("1/2", 0, 0)),
    "a cut of another row": silent(SHARED, "0.4999999999999", cut("1/2", 0, 1, 1)),
    "more trees than choices": silent(SHARED, "0.4999999999999", cut("1/2"), cut("1/2")),
    "a cut of rows of their own": silent(OWN, "1/2", cut("1/2")),
    "a cut of rows that need not share": silent({"rows": ALL, "iid": False}, "1/2", cut("1/2")),
    "cells of a region": {
        **over("min_entropy_leakage", HULL, "log(1.1)"),
        "attained": attained("log(1.1)", "infinity", MOSTLY, cells=[{}]),
    },
    "an input that some distribution uses": over("mutual_information", ALL, "0", TRUTH, output=["1", "0"]),
    "an input that some distribution uses, of a polytope": over(
        "mutual_information", SIDES, "0", TRUTH, output=["1", "0"], multipliers=[["0", "0"]]
    ),
    "outputs that no input shares": over(SIBSON, ALL, "0", TRUTH, output=["1", "0"]),
    "more than a distribution of the output": over("mutual_information", HULL, "1/1000", output=["2", "2"]),
    "less than nothing of an output": over("mutual_information", HULL, "1/1000", output=["3/2", "-1/2"]),
    "a capacity at a prior": over("capacity", {"prior": ["9/10", "1/10"]}, "2/5", TRUTH, output=["9/10", "1/10"]),
    "an envelope below nothing": over(
        "pointwise_leakage", SIDES, "0", envelope=True, multipliers=[["5", "5"], ["5", "5"]]
    ),
    "an envelope of other outputs": over(
        "maximal_information", SIDES, "log(8/7)", envelope=True, multipliers=[["0", "1/2"], ["0", "1/2"]]
    ),
    "slopes that are less than they say": over("pointwise_leakage", BOX, "0.2290", slopes=["2.0188", "2.0188"]),
    "slopes too steep": over("pointwise_leakage", BOX, "0.2291", slopes=["2.0189", "2.0189"]),
    "a slope too steep": over("pointwise_leakage", BOX, "0.2291", slopes=["0", "100"]),
    "a negative slope": over("pointwise_leakage", BOX, "0.3132", slopes=["-1", "0"]),
    "too few slopes": over("pointwise_leakage", BOX, "0.3132", slopes=["0"]),
    "a slope of an output that may have none": over("pointwise_leakage", ALL, "1", TRUTH, slopes=["1", "1"]),
    "slopes of another notion": over("maximal_information", BOX, "0.3132", slopes=["0", "0"]),
    "slopes with too few multipliers": over(
        "pointwise_leakage", SIDES, "0.2291", slopes=["2.0188", "2.0188"], multipliers=SLOPING[:-1]
    ),
    "a share of itself": over("min_entropy_leakage", HULL, "log(1.1)", shares=[["1/2", 0], ["1", 1]]),
    "shares in a circle": over("min_entropy_leakage", HULL, "0", shares=[["1/2", 1], ["1/2", 0]]),
    "a share of no input": over("min_entropy_leakage", HULL, "log(1.1)", shares=[["1/2", 2], ["1", 1]]),
    "a negative share": over("min_entropy_leakage", BOX, "log(1.1)", shares=[["-1", 1], ["1", 1]]),
    "a share of a further guarantee": also("log(11/10)", HULL, shares=[["1", 0], ["1/2", 0]]),
    "a further guarantee over a ball": also("log(1.4999)", {"ball": {"center": ["3/5", "2/5"], "radius": "1/5"}}),
    "orders below one": over("concentrated_differential_privacy", BOX, "1/10", orders=["1/2", "1000"]),
    "orders that fall": over("concentrated_differential_privacy", BOX, "1/10", orders=["1000", "1.0001"]),
    "an order far away": over("concentrated_differential_privacy", BOX, "1/10", orders=["1000000"]),
    "a number of every event": over("gaussian_differential_privacy", BOX, "1/2", orders=["-3", "-7/10", "3"]),
}
