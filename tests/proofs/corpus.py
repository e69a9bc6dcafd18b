"""Documents to try checkers with: honest ones of every kind, and systematic changes of each of their fields.

The changes do not know what they change: a field is left out, added, given twice, made negative, a little larger, too
long, of another type. Most of the documents that come out must be refused, and some are still true;
`tests/proofs/guards.py` asks which guards of a checker they need.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from tests.proofs.cases import PROBLEMS, case, name
from tests.proofs.earlier import write_curve
from tests.proofs.guards import Document
from tests.proofs.mutations import weaken
from tests.proofs.schema_one import write_proof

from epstar.distortion import Absolute, Gain, Hamming
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalLeakage,
    MutualInformation,
    SibsonMutualInformation,
)
from epstar.source import Box, Everything, Prior, Rows
from epstar.universe import Databases

Json = Any
Path = tuple[Any, ...]

THREE = Prior(["1/2", "3/10", "1/5"])
# How often a change of one field of one kind of document is tried.
_TIMES = 1
# Few questions have proofs of these kinds: every field of each kind is tried.
_SPECIAL = "curve", "rows-many", "distances-many", "distances-pointwise", "lower-distances", "upper-rows-many"


@cache
def honest() -> dict[str, Json]:
    """Return documents that are true: an answer for each kind of question and evidence, proofs, and curves."""
    found: dict[str, Json] = {}
    seen: set[Path] = set()
    for number in range(len(PROBLEMS)):
        answer = case(number).answer
        if len(json.dumps(answer)) < 12_000:
            kinds = {place for place, _ in schema_places(answer)} | set(_question(answer["proof"]["problem"]))
            if not kinds <= seen:
                found[name(number)] = answer
                seen |= kinds
    points = Frontier(DifferentialPrivacy(), THREE, Absolute())
    found["curve-answers-loss"] = write_curve(points.curve(["-1", "1/5", "1/4"]))
    found["curve-answers-gain"] = write_curve(
        Frontier(DifferentialPrivacy(), THREE, Gain([[1, 0], [0, 1], ["1/2", 0]])).curve(losses=["log(2)", "log(3)"])
    )
    rows: list[tuple[str, Frontier]] = [
        ("rows", Frontier(DifferentialPrivacy(), Rows(Prior(["2/3", "1/3"]), 3), Hamming())),
        ("rows-many", Frontier(DifferentialPrivacy(), Rows(Prior(["2/3", "1/3"]), 40), Hamming())),
        ("rows-two", Frontier(DifferentialPrivacy(), Rows([Prior(["2/3", "1/3"]), Prior(["1/2", "1/2"])]), Hamming())),
        ("rows-sum", Frontier(MutualInformation(), Rows(Prior(["2/3", "1/3"]), 2), Hamming())),
        ("rows-box", Frontier(MutualInformation(), Rows(Box(["1/3", "1/3"], ["2/3", "2/3"]), 2), Hamming())),
        ("distances", Frontier(MaximalLeakage(), Everything(4), Hamming(), Databases(2, 2))),
        ("distances-many", Frontier(MaximalLeakage(), Everything(2**20), Hamming(), Databases(2, 20))),
        ("distances-order", Frontier(SibsonMutualInformation("1/2"), Everything(4), Hamming(), Databases(2, 2))),
        (
            "distances-pointwise",
            Frontier(ApproximateDifferentialPrivacy("1/10", "pointwise"), Everything(8), Hamming(), Databases(2, 3)),
        ),
    ]
    for kind, frontier in rows:
        found[f"{kind}-distortion"] = write_proof(frontier.distortion_at(loss="log(2)").proof)
        found[f"{kind}-loss"] = write_proof(frontier.loss_at(distortion="1/2").proof)
    return {key: json.loads(json.dumps(document)) for key, document in found.items()}


def halves() -> Iterator[tuple[str, Json]]:
    """Yield the halves of proofs: where both are there, a false one is found out because it contradicts the other."""
    for base, document in honest().items():
        proof = document.get("proof", document)
        if not base.startswith("curve") and proof["schema"] == "epstar/proof/1":
            lower, upper = copy.deepcopy(proof), copy.deepcopy(proof)
            lower["mechanism"] = None
            weaken(upper)
            if not ("gain" in proof["problem"]["distortion"] and "loss" in proof["problem"]["at"]):
                yield f"lower-{base}", lower
            if proof["mechanism"] is not None:
                yield f"upper-{base}", upper


def _question(problem: Json) -> Iterator[Path]:
    yield "notion", json.dumps(problem["notion"], sort_keys=True), *problem["at"]
    yield "distortion", *problem["distortion"], problem["distortion"].get("name")
    yield "source", *problem["source"], *problem["at"]


def schema_places(value: Json, path: Path = (), place: Path = ()) -> Iterator[tuple[Path, Path]]:
    """Yield (place, path) for every value of a document: places do not tell the entries of a list apart.

    Of a list the first and the last entry are taken; a list of lists that are all alike is a table.
    """
    yield place, path
    if isinstance(value, dict):
        kind = value.get("kind", "")
        for key, entry in value.items():
            yield from schema_places(entry, (*path, key), (*place, kind, key))
    elif isinstance(value, list) and value:
        for k in dict.fromkeys((0, len(value) - 1)):
            yield from schema_places(value[k], (*path, k), (*place, "*"))


@cache
def changed() -> tuple[Document, ...]:
    """Return changes of every field of the honest documents, each of a few of them."""
    tried: dict[tuple[Path, str], int] = {}
    found: dict[str, Document] = {}
    for base, document in (*honest().items(), *halves()):
        is_whole = document.get("schema") == "epstar/answer/1"
        for place, path in schema_places(document):
            if not path or (is_whole and len(path) > 1):
                continue
            for kind, value in _changes(_at(document, path)):
                group = "-".join(base.split("-")[:3]) if base.startswith(_SPECIAL) else ""
                key = ((group, *place), kind)
                if tried.get(key, 0) < _TIMES and f"{base}|{path}|{kind}" not in found:
                    tried[key] = tried.get(key, 0) + 1
                    label = f"{base}|{'.'.join(map(str, path))}|{kind}"
                    found[label] = Document(label, _written(document, path, kind, value), None)
    return tuple(found.values())


def _at(document: Json, path: Path) -> Json:
    for key in path:
        document = document[key]
    return document


def _written(document: Json, path: Path, kind: str, value: Json) -> bytes:
    copied = copy.deepcopy(document)
    parent = _at(copied, path[:-1])
    if kind == "left out":
        del parent[path[-1]]
    elif kind == "beside":
        parent[path[-1]]["nobody reads this"] = 1
    elif kind == "longer":
        parent[path[-1]].append(copy.deepcopy(parent[path[-1]][-1]))
    elif kind == "shorter":
        parent[path[-1]].pop()
    else:
        parent[path[-1]] = value
    return json.dumps(copied).encode()


def _changes(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield names of changes and, where it does not follow from the name, the value that takes the place."""
    yield "left out", None
    others: list[Json] = [None, True, "x", -1, 0.5, [], {}, "infinity"]
    yield from ((f"{junk!r}", junk) for junk in others)
    if isinstance(value, dict):
        yield "beside", None
    if isinstance(value, list) and value:
        yield "longer", None
        yield "shorter", None
    if isinstance(value, int) and not isinstance(value, bool):
        yield from ((f"{step:+d}", value + step) for step in (-1, 1, 1000))
    if isinstance(value, float):
        yield from ((f"times {factor}", value * factor) for factor in (0.5, 2, 1 + 1e-15, 1 - 1e-15))
    if isinstance(value, str):
        argument = value[4:-1] if value.startswith("log(") else value
        try:
            number = Fraction(argument)
        except (ValueError, ZeroDivisionError):
            return
        tiny = Fraction(1, 10**30)
        for what, other in (
            ("negated", -number),
            ("zero", Fraction(0)),
            ("a little larger", number * (1 + tiny)),
            ("a little smaller", number * (1 - tiny)),
            ("one larger", number + 1),
            ("tenfold", number * 10),
            ("a tenth", number / 10),
        ):
            yield what, f"log({other})" if argument != value else str(other)
        yield "written with an exponent", "1e99999"
