"""What documents made by hand are made of: small questions, and halves of proofs about them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tests.proofs.test_attacks import HALVES, PRIOR, PRIVACY, lower, problem, upper

Json = dict[str, Any]
TWO: Json = {"size": 2}
PAIRS: Json = {"databases": {"size": 2, "rows": 2}}
COSTLY: Json = {"distortion": "1"}  # a distortion that any mechanism keeps
EVEN = [HALVES, HALVES]
DP: Json = {"name": "differential_privacy"}
RENYI: Json = {"name": "renyi_differential_privacy", "order": "2"}
KULLBACK: Json = {"name": "renyi_differential_privacy", "order": "1"}
INFORMATION: Json = {"name": "mutual_information"}
SIBSON: Json = {"name": "sibson_mutual_information", "order": "2"}
LEAKAGE: Json = {"name": "maximal_leakage"}
# Two even letters: I + D >= 2 * 1899/10000 for every mechanism, because (1 + 1/e)/2 exp(2 * 0.1899) <= 1.
INFORMATION_PRICES: Json = {
    "weight": "1",
    "distortion_law": [["1", HALVES]],
    "points": [[["1", HALVES]]],
    "sums": ["1"],
    "prices": ["1899/10000", "1899/10000"],
}


def even(notion: Json, at: Json, **others: Any) -> Json:
    """Return a problem about two even letters."""
    return {**problem(notion, at, {"prior": HALVES}), **others}


def attained(asked: Json, mechanism: Json) -> Json:
    """Return an upper half with a mechanism of any kind."""
    mechanism = {"schema": "epstar/mechanism/1", **mechanism}
    return {"schema": "epstar/proof/1", "problem": asked, "mechanism": mechanism, "converse": None}


def about(universe: Json, source: Json, rows: list[list[str]], outputs: list[Any] | None = None) -> Json:
    """Return a mechanism that keeps any distortion, for some inputs."""
    asked = problem(DP, {"distortion": "100"}, source, universe)
    return upper(asked, rows, list(range(len(rows[0]))) if outputs is None else outputs, universe)


def changed(document: Json, *changes: tuple[tuple[Any, ...], Any]) -> Json:
    """Return a copy with other values at some paths."""
    copied = copy.deepcopy(document)
    for path, value in changes:
        part: Any = copied
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
    return copied


def true_halves() -> Iterator[tuple[str, Json]]:
    """Yield small true proofs that no solver writes for the questions of the other tests."""
    for asks in ({"loss": "1/5"}, {"distortion": "1/10"}):
        yield f"information-prices-{next(iter(asks))}", lower(even(INFORMATION, asks), **INFORMATION_PRICES)
    yield "two-laws", lower({**PRIVACY, "source": {"finite": [PRIOR, HALVES]}}, distortion_law=[["1", PRIOR]])
    tangents = [[i, 0, y, ["1"]] for i in (0, 1) for y in (0, 1)]
    yield (
        "tangents",
        lower(even(RENYI, {"distortion": "1/10"}), distortion_law=[["1", HALVES]], sums=["1", "1"], slopes=tangents),
    )
