"""Documents that are large enough for the paths in arrays: true ones, and each with one fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.proofs.guards import Document
from tests.proofs.test_attacks import lower, problem, upper

Json = dict[str, Any]
LETTERS = 11  # 110 pairs of rows times 11 outputs are more than a thousand tangents
SIDE = 128  # a matrix of 2**14 entries
ORDERS = ("1", "100000001/100000000", "99999999/100000000", "2", "1/2", "40")


def tangents(order: str, at: Json, place: str = "1", **others: Any) -> Json:
    """Return a lower half made of tangents of all divergences at one place; the last may be elsewhere."""
    law = [["1", [f"1/{LETTERS}"] * LETTERS]]
    bounds = LETTERS * (LETTERS - 1)
    slopes: list[Any] = [[i, 0, y, ["1"]] for i in range(bounds) for y in range(LETTERS)]
    slopes[-1] = [bounds - 1, 0, LETTERS - 1, [place]]
    asked = problem(
        {"name": "renyi_differential_privacy", "order": order}, at, {"everything": LETTERS}, {"size": LETTERS}
    )
    return lower(asked, distortion_law=law, **({"sums": ["1/1000"] * bounds, "slopes": slopes} | others))


def matrix(given: str, **changes: Any) -> Json:
    """Return an upper half: a large matrix, and costs given one by one."""
    rows = [[f"1/{SIDE}"] * SIDE] * SIDE
    costs = [[str((x - y) % SIDE) for y in range(SIDE)] for x in range(SIDE)]
    asked = {
        **problem({"name": "maximal_leakage"}, {"distortion": given}, {"prior": [f"1/{SIDE}"] * SIDE}, {"size": SIDE}),
        "distortion": {"matrix": costs},
    }
    document = upper(asked, rows, list(range(SIDE)), {"size": SIDE})
    document["problem"] |= changes.get("problem", {})
    document["mechanism"] |= changes.get("mechanism", {})
    return document


def _documents() -> Iterator[tuple[str, Json, bool | None]]:
    for order in ORDERS:
        for at in ({"loss": "1"}, {"distortion": "1/2"}):
            name = f"tangents of order {order} at a {next(iter(at))}"
            # What the first format encloses in floats is not always completed to claims; none is believed for that.
            yield name, tangents(order, at), None
            for place in ("0", "-1/1000000", "-2", "-3999/1000", "-1" + "0" * 40) if "loss" in at else ("-3",):
                yield f"{name} and the place {place}", tangents(order, at, place), False
    at = {"loss": "1"}
    whole = tangents("2", at)["converse"]
    yield "a tangent too few", tangents("2", at, slopes=whole["slopes"][:-1]), False
    yield "a tangent twice", tangents("2", at, slopes=[*whole["slopes"], whole["slopes"][-1]]), False
    yield "a tangent of no output", tangents("2", at, slopes=[*whole["slopes"][:-1], [0, 0, LETTERS, ["1"]]]), False
    yield "a tangent of no bound", tangents("2", at, slopes=[*whole["slopes"][:-1], [110, 0, 0, ["1"]]]), False
    yield "a tangent of no term", tangents("2", at, slopes=[*whole["slopes"][:-1], [0, 1, 0, ["1"]]]), False
    yield "a tangent at two places", tangents("2", at, slopes=[*whole["slopes"][:-1], [109, 0, 10, ["1", "1"]]]), False
    yield "a negative multiplier of a tangent", tangents("2", at, sums=["1/1000"] * 109 + ["-1/1000"]), False
    yield "a multiplier of a tangent too few", tangents("2", at, sums=["1/1000"] * 109), False
    yield "tangents with a negative weight", tangents("2", at, weight="-1"), False
    yield "tangents with ratios", tangents("2", at, ratios=[[0, 0, "1"]]), False
    yield "tangents with maxima", tangents("2", at, maxima=[[0, 0, 0, 0, "1"]]), False
    yield "tangents with prices", tangents("2", at, prices=["0"] * LETTERS), False
    yield "relative tangents", tangents("2", at, relative=True), None
    yield "tangents without a multiplier", tangents("2", at, sums=["0"] * 110), None
    yield "tangents that are hardly used", tangents("2", at, sums=["1e-60"] * 110), None
    yield "tangents far out", tangents("40", at, "1e6"), None
    yield "tangents of a tiny order", tangents("1/100000000000000000000", at), None
    yield "tangents of a huge order", tangents("1e20", at), None
    mean = f"{SIDE - 1}/2"
    yield "a large matrix", matrix("64"), True
    yield "a large matrix at its own distortion", matrix(mean), True
    short = f"{(SIDE - 1) * 10**30 - 1}/{2 * 10**30}"
    yield "a large matrix a little beyond", matrix(short), False
    rows = [[f"1/{SIDE}"] * SIDE for _ in range(SIDE)]
    rows[0] = ["1", *["0"] * (SIDE - 1)]
    turned = {"outputs": [*range(1, SIDE), 0], "rows": rows}
    yield "a large matrix with its outputs in another order", matrix("127/2", mechanism=turned), None
    yield (
        "a large matrix with an output of another name",
        matrix("64", mechanism={"outputs": [*range(SIDE - 1), "x"]}),
        False,
    )
    loose = [[f"1/{SIDE}"] * (SIDE - 1) + ["0"]] * SIDE
    yield "a large matrix that is short of one", matrix("64", mechanism={"rows": loose}), False
    below = [["2", "-1", *["0"] * (SIDE - 2)]] * SIDE
    yield "a large matrix below zero", matrix("64", mechanism={"rows": below}), False
    dear = [["1e150"] * SIDE] * SIDE
    yield "a large matrix of huge costs", matrix("1e150", problem={"distortion": {"matrix": dear}}), True
    yield "a large matrix over everything", matrix("127", problem={"source": {"everything": SIDE}}), True
    yield "a large matrix under Hamming distortion", matrix("1", problem={"distortion": {"name": "hamming"}}), True


def large() -> list[Document]:
    """Return all of them."""
    return [Document(name, json.dumps(document).encode(), accepted) for name, document, accepted in _documents()]
