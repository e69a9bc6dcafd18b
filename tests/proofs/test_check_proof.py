"""The second checker: accepts genuine proofs, and refuses false, malformed and hostile ones."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import check_proof
import pytest
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD, Document, proof, response

HAIR = Fraction(1, 10**30)
ALL = [*HAND_MADE.values(), *GENUINE]
NAMES = [*HAND_MADE, *(f"{k}-{document['problem']['notion']['name']}" for k, document in enumerate(GENUINE))]


def verdict(document: object) -> str:
    """Return "yes", "no" or "?" for a document; anything else than these is an error of the checker."""
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    try:
        check_proof.check(content)
    except check_proof.Refused:
        return "no"
    except check_proof.Unreadable:
        return "?"
    return "yes"


def changed(document: Document, path: str, value: object) -> Document:
    """Return a copy with another value at a path such as "excluded.steps.0.rows"; ... removes what is there."""
    found: Document = json.loads(json.dumps(document))  # a deep copy would keep shared parts shared
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    inner: Any = found
    for key in parents:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return found


@pytest.mark.parametrize("document", ALL, ids=NAMES)
def test_genuine_proofs_are_accepted(document: Document) -> None:
    assert verdict(document) == "yes"


def more(loss: str, by: Fraction) -> str:
    """Return a loss that is larger by a share of itself."""
    if loss.startswith("log("):
        return f"log({Fraction(loss[4:-1]) * (1 + by)})"
    return str(Fraction(loss) * (1 + by) + max(by, Fraction(0)) / 10**6)


def lies(document: Document) -> Iterator[Document]:
    """Yield documents one of whose claims contradicts the other, which was verified: a false claim by a hair."""
    attained, excluded = document.get("attained"), document.get("excluded")
    if attained and excluded and "infinity" not in (attained["loss"], excluded["loss"], excluded["distortion"]):
        above = more(attained["loss"], HAIR)
        lie = {**excluded, "loss": above, "distortion": attained["distortion"], "open": "loss"}
        yield {**document, "excluded": lie}
        further = str(Fraction(attained["distortion"]) + HAIR)
        yield {**document, "excluded": {**lie, "loss": attained["loss"], "distortion": further, "open": "distortion"}}
        if excluded["open"] == "loss" and excluded["loss"] not in ("0", "log(1)"):
            below = {"distortion": excluded["distortion"], "loss": more(excluded["loss"], -HAIR)}
            yield {**document, "attained": {**attained, **below}}
        if excluded["open"] == "distortion":
            less = str(Fraction(excluded["distortion"]) - HAIR)
            yield {**document, "attained": {**attained, "distortion": less, "loss": excluded["loss"]}}


def mutations(value: Any) -> Iterator[Any]:
    """Yield copies of evidence with one place changed."""
    if isinstance(value, dict):
        for key, entry in value.items():
            for other in mutations(entry) if key not in ("loss", "distortion", "open") else ():
                yield {**value, key: other}
            if key not in ("loss", "distortion", "open"):
                yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            for other in mutations(entry):
                yield [*value[:k], other, *value[k + 1 :]]
            yield value[:k] + value[k + 1 :]
            yield [*value[:k], entry, *value[k:]]
            yield [*value[:k], *value[k + 1 :], entry]
    elif isinstance(value, str) and value[:1] in "-0123456789":
        number = Fraction(value)
        yield from map(str, (-number, number * 2, number / 2, number + 1, number - HAIR, Fraction(0)))
    elif type(value) is int:
        yield from (value + 1, value - 1, 0)
    else:
        yield None


@pytest.mark.parametrize("document", ALL, ids=NAMES)
def test_no_evidence_proves_a_claim_that_is_false_by_a_hair(document: Document) -> None:
    chance = random.Random(len(json.dumps(document)))
    for lie in lies(document):
        assert verdict(lie) != "yes"
        name = "excluded" if lie["attained"] is document["attained"] else "attained"
        forged = list(mutations(lie[name]))
        for evidence in chance.sample(forged, min(40, len(forged))):
            assert verdict({**lie, name: evidence}) != "yes"


@pytest.mark.parametrize("step", [Fraction(1), Fraction(1, 10**6), HAIR])
def test_exact_ends_are_exact(step: Fraction) -> None:
    for name in ("spread", "maximum", "events", "level_zero", "distances", "rows"):
        document = HAND_MADE[name]
        for claim, sign in (("excluded", 1), ("attained", -1)):
            loss, distortion = document[claim]["loss"], document[claim]["distortion"]
            assert verdict(changed(document, f"{claim}.distortion", str(Fraction(distortion) + sign * step))) == "no"
            if document[claim]["loss"] != "0":
                assert verdict(changed(document, f"{claim}.loss", more(loss, sign * step / 2))) != "yes"


ANSWER: Document = {
    "schema": "epstar/answer/2",
    "at": {"distortion": "1/6"},
    "lower": 1.6094379124341003,
    "upper": 1.6094379124341005,
    "lower_exact": "log(5)",
    "upper_exact": "log(5)",
    "unit": "nats",
    "status": "optimal",
    "proof": SPREAD,
}


def test_ends_of_answers_are_compared_exactly() -> None:
    assert verdict(ANSWER) == "yes"
    for path, value in {
        "lower": 1.6094379124341005,  # the next float
        "upper": 1.6094379124341003,
        "lower_exact": "log(50000000000000000000000000000001/10000000000000000000000000000000)",
        "upper_exact": "log(49999999999999999999999999999999/10000000000000000000000000000000)",
        "at": {"distortion": "0.16666666666666666666666666666667"},
        "unit": "bits",
        "proof.attained": ...,
        "proof.excluded": ...,
    }.items():
        assert verdict(changed(ANSWER, path, value)) != "yes", path
    assert verdict(changed(ANSWER, "at", {"distortion": "0.16666666666666666666666666666666"})) == "no"
    weaker = {**ANSWER, "lower": 0, "upper": "infinity"}
    assert verdict({k: v for k, v in weaker.items() if "exact" not in k}) == "yes"


def test_answers_at_a_loss_and_utilities() -> None:
    at_loss = {**ANSWER, "at": {"loss": "log(3)"}, "unit": "distortion", "lower": 0.25, "upper": 0.25}
    row = HAND_MADE["rows"]["excluded"]["rows"][0][0]
    evidence = {"attained": HAND_MADE["rows"]["attained"]["rows"][0][0]["attained"], "excluded": row["excluded"]}
    answer = {
        **at_loss,
        "lower_exact": "1/4",
        "upper_exact": "1/4",
        "proof": proof("differential_privacy", row["source"], **evidence),
    }
    assert verdict(answer) == "yes"
    assert verdict({**answer, "lower": 0.25000000000000006}) == "no"
    assert verdict({**answer, "at": {"loss": "log(2)"}}) == "no"  # the mechanism loses more
    gain = changed(answer, "proof.problem.distortion", {"gain": [["1", "0"], ["0", "1"]]})
    for claim, distortion in (("attained", "-3/4"), ("excluded", "-3/4")):
        gain = changed(gain, f"proof.{claim}.distortion", distortion)
    prices = changed(gain, "proof.excluded.steps.0.rows", ["-3/8", "-3/8"])
    utility = {**prices, "unit": "utility", "lower": 0.75, "upper": 0.75, "lower_exact": "3/4", "upper_exact": "3/4"}
    assert verdict(utility) == "yes"
    assert verdict({**utility, "upper": 0.7499999999999999}) == "no"
    assert verdict({**utility, "unit": "distortion"}) == "?"


def test_curves_hold_claims_for_one_problem() -> None:
    point = {"at": "1/6", "lower": 1.6, "upper": 1.61, "attained": SPREAD["attained"], "excluded": SPREAD["excluded"]}
    silent = {"at": "1/5", "lower": None, "upper": None}
    curve = {
        "schema": "epstar/curve/2",
        "problem": SPREAD["problem"],
        "asks": "loss",
        "unit": "nats",
        "points": [point, silent],
    }
    assert verdict(curve) == "yes"
    for other in (
        {**curve, "asks": "distortion"},
        {**curve, "unit": "distortion"},
        {**curve, "points": [{**point, "lower": 1.61}]},
        {**curve, "points": [{**point, "at": "1/7"}]},
        {**curve, "points": [{**silent, "lower": 0.5}]},
        {**curve, "points": [{**silent, "attained": SPREAD["attained"]}]},
        {**curve, "points": [{**point, "problem": SPREAD["problem"]}]},
    ):
        assert verdict(other) != "yes"


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no object": b"[]",
    "not JSON": b"{",
    "another encoding": json.dumps(SPREAD).encode("utf-16"),
    "deep": b'{"schema":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep label": json.dumps(SPREAD)
    .replace('"source"', f'"universe": {{"alphabet": [{"[" * 400}1{"]" * 400}, 1]}}, "source"', 1)
    .encode(),
    "NaN": json.dumps(SPREAD).replace('"1/24"', "NaN").encode(),
    "twice": json.dumps(SPREAD).replace('"open"', '"open": "distortion", "open"').encode(),
    "half a character": json.dumps({**ANSWER, "status": "\ud800"}).encode(),
    "huge integer": json.dumps(SPREAD).replace("[0, 1, 0,", f"[{'9' * 5000}, 1, 0,").encode(),
    "huge number": json.dumps(SPREAD).replace('"1/24"', f'"1/{"9" * 5000}"').encode(),
    "huge exponent": json.dumps(SPREAD).replace('"1/24"', '"1e9999"').encode(),
    "division by zero": json.dumps(SPREAD).replace('"1/24"', '"1/0"').encode(),
    "many lists": b'{"schema": [' + b"[]," * (1 << 22) + b"[]]}",
    "common denominator": json.dumps(
        proof(
            "differential_privacy",
            {"everything": 6},
            universe={"alphabet": [{"rational": f"1/{10**3900 + n}"} for n in range(1, 13, 2)]},
            attained={"loss": "0", "distortion": "1", "mechanism": {"rows": [["1", *["0"] * 5]] * 6}},
        )
    ).encode(),
    "many databases": json.dumps(
        proof(
            "differential_privacy",
            {"everything": 2**60},
            universe={"databases": {"size": 2, "rows": 60}},
            excluded=SPREAD["excluded"],
        )
    ).encode(),
    "many rows": json.dumps(changed(HAND_MADE["rows"], "problem.universe.databases.rows", 10**9)).encode(),
    "many letters": json.dumps(
        proof("differential_privacy", {"everything": 10**9}, universe={"size": 10**9}, excluded=SPREAD["excluded"])
    ).encode(),
    "many determinants": json.dumps(
        proof(
            "pointwise_leakage",
            {
                "polytope": {
                    "matrix": [[str(x * i % 7 + 50 * (x == i)) for x in range(40)] for i in range(40)],
                    "bounds": [str(Fraction(50 + sum(x * i % 7 for x in range(40)), 40)) for i in range(40)],
                    "member": ["1/40"] * 40,
                }
            },
            attained={
                "loss": "0",
                "distortion": "1",
                "mechanism": {"rows": [["1/40"] * 40] * 40},
                "multipliers": [["0"] * 40],
                "cover": {"corners": [[["1/40"] * 40, *[[*range(40, 79)]] * 400]]},
            },
        )
    ).encode(),
}


# It takes 11 CPU seconds to refuse what asks for as much work as is allowed; a sixteenth of that is tried every time.
@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "many determinants"])
def test_hostile_documents_cannot_be_read(name: str) -> None:
    assert verdict(HOSTILE[name]) == "?"


@pytest.mark.parametrize("share", [16, pytest.param(1, marks=pytest.mark.full)])
def test_work_is_counted(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_proof, "FREE", check_proof.FREE // share)
    monkeypatch.setattr(check_proof, "MULTIPLE", check_proof.MULTIPLE // share)
    with pytest.raises(check_proof.Unreadable, match="more work than a document of its size may"):
        check_proof.check(HOSTILE["many determinants"])


WRONG: list[tuple[str, object]] = [
    ("schema", "epstar/proof/1"),
    ("unknown", 1),
    ("attained", ...),
    ("problem.schema", "epstar/problem/1"),
    ("problem.at", {"distortion": "1/6"}),
    ("problem.notion", "differential_privacy"),
    ("problem.notion.name", "privacy"),
    ("problem.notion.delta", "1/10"),
    ("problem.notion.name", "approximate_differential_privacy"),
    ("problem.notion", {"name": "renyi_differential_privacy", "order": "0"}),
    ("problem.notion", {"name": "approximate_differential_privacy", "delta": "2"}),
    ("problem.notion", {"name": "approximate_differential_privacy", "delta": "0", "reading": "other"}),
    ("problem.source", {"prior": ["2/3", "1/3"], "finite": [["2/3", "1/3"]]}),
    ("problem.source", {"prior": ["2/3", "1/6"]}),
    ("problem.source", {"prior": ["4/3", "-1/3"]}),
    ("problem.source", {"prior": []}),
    ("problem.source", {"prior": [True, False]}),
    ("problem.source", {"finite": []}),
    ("problem.source", {"hull": [["1"], ["1/2", "1/2"]]}),
    ("problem.source", {"box": {"lower": ["1/2", "2/3"], "upper": ["1", "1"]}}),
    ("problem.source", {"box": {"lower": ["0", "0"], "upper": ["1"]}}),
    ("problem.source", {"ball": {"center": ["2/3", "1/3"], "radius": "3"}}),
    ("problem.source", {"polytope": {"matrix": [], "bounds": [], "member": ["1/2", "1/2"]}}),
    ("problem.source", {"polytope": {"matrix": [["1", "1"]], "bounds": ["1", "1"], "member": ["1/2", "1/2"]}}),
    ("problem.source", {"polytope": {"matrix": [["1", "1"]], "bounds": ["1"]}}),
    ("problem.source", {"polytope": {"matrix": [["1", "1"]], "bounds": ["1"], "member": ["1"]}}),
    ("problem.source", {"polytope": {"matrix": [["1", "1"]], "bounds": ["1"], "member": ["1/2", "1/3"]}}),
    ("problem.source", {"polytope": {"matrix": [["1", "1"]], "bounds": ["1/2"], "member": ["1/2", "1/2"]}}),
    ("problem.source", {"everything": True}),
    ("problem.source", {"everything": 3}),
    ("problem.source", {"rows": {"prior": ["1/3", "1/3", "1/3"]}}),
    ("problem.source", {"rows": {"prior": ["2/3", "1/3"]}, "iid": 1}),
    ("problem.source", {"rows": [{"prior": ["2/3", "1/3"]}], "iid": True}),
    ("problem.universe", {"size": 2, "alphabet": [0, 1]}),
    ("problem.universe", {"size": True}),
    ("problem.universe", {"size": 3}),
    ("problem.universe", {"alphabet": []}),
    ("problem.universe", {"alphabet": [10000000000000001, 10000000000000003]}),
    ("problem.universe", {"graph": {"nodes": [0, 1], "edges": [[0, 0]]}}),
    ("problem.universe", {"graph": {"nodes": [0, 1], "edges": [[0, 1], [1, 0]]}}),
    ("problem.universe", {"graph": {"nodes": [0, 1], "edges": [[0, 2]]}}),
    ("problem.universe", {"metric": [[0, 1], [2, 0]]}),
    ("problem.universe", {"metric": [[0, -1], [-1, 0]]}),
    ("problem.universe", {"metric": [[1, 1], [1, 0]]}),
    ("problem.universe", {"databases": {"size": 2, "rows": 0}}),
    ("problem.distortion", {"name": "hamming", "matrix": [["0", "1"], ["1", "0"]]}),
    ("problem.distortion", {"name": "cosine"}),
    ("problem.distortion", {"matrix": [["0", "-1"], ["1", "0"]]}),
    ("problem.distortion", {"matrix": [["0", "1"], ["1"]]}),
    ("attained.mechanism.rows.0", ["5/6", 0.16666]),
    ("attained.mechanism.rows.0", "5/6"),
    ("attained.mechanism.floats", []),
    ("attained.mechanism", {"rows": [["1", "0"]] * 2, "distances": ["1", "0"]}),
    ("attained.loss", "log(1/2)"),
    ("attained.loss", "-1"),
    ("attained.loss", 1.6),
    ("attained.loss", "log(5"),
    ("attained.digits", 5),
    ("attained.digits", 10**6),
    ("excluded.open", "both"),
    ("excluded.open", None),
    ("excluded.mechanism", {}),
    ("excluded.steps.0.rows", ["1/24"]),
    ("excluded.steps.0.rows", ["1/24", True]),
    ("excluded.steps.0.laws.0", ["1"]),
    ("excluded.steps.0.laws.0", ["1", 1]),
    ("excluded.steps.0.laws.0", ["1", ["1"]]),
    ("excluded.steps.0.spread", 1),
    ("excluded.steps.0.spread", False),
    ("excluded.steps.0.bounds", []),
    ("excluded.steps.1.ratios.0", [0, 1, 2, "1"]),
    ("excluded.steps.1.ratios.0", [0, True, 0, "1"]),
    ("excluded.steps.1.ratios.0", [-1, 1, 0, "1"]),
    ("excluded.steps.1.ratios.0", []),
]


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_malformed_documents_cannot_be_read(path: str, value: object) -> None:
    document = SPREAD if path != "attained" else {k: v for k, v in SPREAD.items() if k != "excluded"}
    assert verdict(changed(document, path, value)) == "?"


FALSE: list[tuple[str, str, object]] = [
    ("spread", "attained.mechanism", response(2, "5/6", "1/5")),
    ("spread", "attained.mechanism", {"rows": [["7/6", "-1/6"], ["1/6", "5/6"]]}),
    ("spread", "attained.mechanism", {"rows": [["5/6", "1/6", "0"]] * 2}),
    ("spread", "attained.mechanism", {"diagonal": ["5/6", "5/6"], "left": ["1/6", "1/6"], "right": ["1", "2"]}),
    ("spread", "attained.multipliers", [["1"]]),
    ("spread", "attained.cells", [{}]),
    ("spread", "excluded.steps", []),
    ("spread", "excluded.steps", SPREAD["excluded"]["steps"][:1]),
    ("spread", "excluded.steps", [*SPREAD["excluded"]["steps"], {}]),
    ("spread", "excluded.steps.0.laws.0.0", "-1"),
    ("spread", "excluded.steps.0.laws.0.1", ["1/3", "2/3"]),
    ("spread", "excluded.steps.0.spread", ...),
    ("spread", "excluded.steps.1.ratios.0.3", "-1"),
    ("spread", "excluded.steps.1.ratios.0", [0, 0, 0, "1"]),
    ("spread", "excluded.steps.1.ratios.0", [0, 1, 1, "1"]),
    ("spread", "excluded.steps.1.ratios.0", [0, 0, 1, 0, "1"]),
    ("spread", "excluded.steps.1.rows", ["0", "0"]),
    ("spread", "excluded.symmetry", "distances"),
    ("spread", "excluded.order", "1"),
    ("spread", "problem.universe", {"graph": {"nodes": [0, 1], "edges": []}}),
    ("spread", "problem.notion", {"name": "approximate_differential_privacy", "delta": "1/100"}),
    ("ratios", "excluded.steps.0.ratios.0.3", "1/25"),
    ("ratios", "excluded.steps.0.sums", [[[0, 1], "1", []]]),
    ("maximum", "excluded.steps.0.sums.0.1", "-1/3"),
    ("maximum", "excluded.steps.0.sums.0.1", "0"),
    ("maximum", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [0, 1, "1"], [1, 1, "1"]]),
    ("maximum", "excluded.steps.0.sums.0.2", [[0, 0, "1"], [1, 1, "-1"]]),
    ("maximum", "excluded.steps.0.sums.0.2", "conjugate"),
    ("maximum", "excluded.steps.0.ratios", [[0, 0, 0, "1"]]),
    ("maximum", "problem.notion.name", "min_entropy_leakage"),
    ("forced", "excluded.open", "distortion"),
    ("forced", "excluded.steps.0.laws", []),
    ("forced", "problem.notion", {"name": "approximate_differential_privacy", "delta": "1"}),
    ("forced", "problem.notion", {"name": "local_information_privacy", "delta": "1/9"}),
    ("events", "problem.notion.delta", "1/11"),
    ("events", "excluded.steps.0.ratios", [[0, 1, 0, "1/2"], [0, 1, 1, "3/2"]]),
    ("level_zero", "excluded.loss", "1/10"),
    ("level_zero", "excluded.points", [[["1/2", 0], ["1/3", 0]]]),
    ("level_zero", "excluded.points", [[["3/2", 0], ["-1/2", 0]]]),
    ("level_zero", "problem.notion.name", "maximal_leakage"),
    ("information", "excluded.steps.1.sums.0.2", [["2", "0"], [None, "2"]]),
    ("information", "excluded.steps.1.sums.0.2", [["-2", None], [None, "2"]]),
    ("information", "excluded.steps", [{"sums": [[[0], "1", [["2", "1"], ["1", "2"]]]], "rows": ["9", "9"]}]),
    ("conjugate", "excluded.steps.0.rows", ["0.21", "0.21"]),
    ("conjugate", "excluded.steps.0.sums", [[[0], "1/2", "conjugate"], [[0], "1/2", "conjugate"]]),
    ("conjugate", "problem.notion.name", "pointwise_leakage"),
    ("curved", "problem.source.rows.box", {"lower": ["1/5", "1/5"], "upper": ["4/5", "4/5"]}),
    ("curved", "attained.cells", []),
    ("curved", "attained.cells", [{}, {}]),
    ("cells", "attained.cells.0.cut", [0, 0, 0, "1/2"]),
    ("cells", "attained.cells.0.cut", [0, 0, 1, "1"]),
    ("cells", "attained.loss", "log(15)"),
    ("distances", "attained.mechanism.distances", ["1/2", "1/61", *["0"] * 29]),
    ("distances", "attained.mechanism.distances", ["1/2", "2/60", "-1/870", *["0"] * 28]),
    ("distances", "problem.distortion.name", "absolute"),
    ("distances", "problem.notion.name", "maximal_information"),
    ("distances", "problem.notion.name", "pointwise_leakage"),
    ("distances", "problem.source", {"rows": {"prior": ["1/3", "2/3"]}}),
    ("distances", "excluded.uniform", []),
    ("distances", "excluded.points", [[[f"1/{2**30}", 0]]]),
    ("rows", "attained.rows.0.1", 999),
    ("rows", "attained.rows.0.0.source", {"everything": 2}),
    ("rows", "attained.rows.0.0.attained.distortion", "infinity"),
    ("rows", "excluded.rows.0.0.source", {"prior": ["1/3", "2/3"]}),
    ("rows", "excluded.rows.0.0.source", {"everything": 2}),
    ("rows", "excluded.rows.0.0.excluded.open", "loss"),
    ("rows", "excluded.open", "loss"),
    ("rows", "problem.notion", {"name": "approximate_differential_privacy", "delta": "1/9", "reading": "pointwise"}),
    ("rows", "problem.notion", {"name": "pointwise_leakage"}),
    ("envelope", "attained.envelope", False),
    ("envelope", "problem.notion.name", "identifiability"),
    ("shares", "attained.shares.1", ["3/5", 0]),
    ("shares", "attained.shares.0", ["1/2", 0]),
    ("shares", "attained.shares.0", ["1", 7]),
    ("output", "attained.output", ["1/3", "2/3"]),
    ("output", "attained.output", ["1", "0"]),
    ("output", "attained.output", ...),
    ("polytope", "attained.multipliers", []),
    ("polytope", "attained.multipliers", [["-1"]]),
    ("polytope", "attained.multipliers", [["1/2"]]),
    ("power_at_infinity", "problem.notion.order", "2"),
    ("power_at_infinity", "excluded.open", "distortion"),
    ("power_at_infinity", "excluded.steps.1.sums.0.2", [["1", None]]),
    ("order", "problem.notion.order", "3/2"),
    ("order", "excluded.order", "5/2"),
]


@pytest.mark.parametrize(("name", "path", "value"), FALSE)
def test_false_proofs_are_refused(name: str, path: str, value: object) -> None:
    assert verdict(changed(HAND_MADE[name], path, value)) != "yes"


def test_exit_codes(tmp_path: Path) -> None:
    checker = Path(check_proof.__file__)
    for document, code, start in (
        (SPREAD, 0, "yes: a mechanism has loss <= log(5) and distortion <= 1/6"),
        (changed(SPREAD, "excluded.loss", "log(6)"), 1, "no: "),
        (changed(SPREAD, "excluded.steps.0.rows", [1, 2]), 2, "cannot be read: excluded.steps[0].rows[0]: a number"),
    ):
        path = tmp_path / "proof.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        found = subprocess.run([sys.executable, "-I", checker, path], capture_output=True, text=True, check=False)
        assert (found.returncode, (found.stdout + found.stderr)[: len(start)]) == (code, start)
    missing = subprocess.run(
        [sys.executable, "-I", checker, tmp_path / "x"], capture_output=True, text=True, check=False
    )
    assert missing.returncode == 2
    many = subprocess.run([sys.executable, "-I", checker, missing.args[-1], "-"], capture_output=True, check=False)
    assert many.returncode == 2


def test_work_is_bounded_by_the_size_of_the_document() -> None:
    for document in ALL:
        content = json.dumps(document).encode()
        check_proof.check(content)
        allowed = check_proof.FREE + check_proof.MULTIPLE * len(content)
        assert 0 <= check_proof.Work.left <= allowed
        assert allowed - check_proof.Work.left < 20 * len(content) + 2**12


def test_equal_rows_have_one_order() -> None:
    """Twelve rows have 479,001,600 orders, which nobody counts if all have the same known distribution."""
    inputs = 2**12
    constant = proof(
        "maximal_information",
        {"rows": {"prior": ["1/3", "2/3"]}},
        universe={"databases": {"size": 2, "rows": 12}},
        distortion={"matrix": [["1"]] * inputs},
        attained={"loss": "0", "distortion": "1", "mechanism": {"rows": [["1"]] * inputs}},
    )
    assert verdict(constant) == "yes"
    assert verdict(changed(constant, "attained.distortion", "0")) == "no"
    unknown = changed(constant, "problem.source", {"rows": {"everything": 2}})
    assert verdict(unknown) == "?"  # here each of thirteen mixed products would be a mean over all orders


def test_memory_is_bounded_by_the_size_of_the_document() -> None:
    """At most 32 bytes for each byte, and 128 for each of the operations that every document may ask for."""
    size, whole = 100, 10**12
    rows = [[f"{(x * y) % 97 + 1}/{whole}" for y in range(size - 1)] for x in range(size)]
    rows = [[*row, str(1 - sum(map(Fraction, row), Fraction(0)))] for row in rows]
    prior = {"prior": [f"1/{size}"] * size}
    matrix = proof(
        "maximal_leakage", prior, attained={"loss": "log(2)", "distortion": "1", "mechanism": {"rows": rows}}
    )
    parts = {"diagonal": ["1/2"] * size, "left": [f"1/{2 * size - 2}"] * size, "right": ["1"] * size}
    compact = proof("maximal_leakage", prior, attained={"loss": "log(60)", "distortion": "1", "mechanism": parts})
    for document in (matrix, compact, *GENUINE[:10]):
        content = json.dumps(document).encode()
        tracemalloc.start()
        check_proof.check(content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        used = check_proof.FREE + check_proof.MULTIPLE * len(content) - check_proof.Work.left
        assert peak < 32 * len(content) + 128 * min(used, check_proof.FREE) + 2**18


@pytest.mark.parametrize(
    "schema", ["epstar/release/1", "epstar/breakpoints/1", "epstar/proof/1", ["epstar/proof/2"], None]
)
def test_what_it_does_not_take_it_names(schema: object) -> None:
    with pytest.raises(check_proof.Unreadable, match=r"epstar/curve/2.*takes release files and breakpoints"):
        check_proof.check(json.dumps({"schema": schema}).encode())


def test_roots_are_exact() -> None:
    """The largest whole number whose power is not larger, however many digits it has."""
    check_proof.Work.left = 10**6
    for n, degree in ((1, 7), (2**70, 7), (2**70 - 1, 7), (10**400 - 1, 4), (10**400, 4), (3, 10**9), (80, 1)):
        root = check_proof.root_of(n, degree)
        assert root >= 1
        assert degree > n or root**degree <= n < (root + 1) ** degree


def test_the_file_does_not_grow() -> None:
    """Its parts have the lines that the page about proofs says."""
    lines = Path(check_proof.__file__).read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("# -- ")]
    parts = [end - start for start, end in pairwise([0, *starts, len(lines)])]
    first = next(number for number, line in enumerate(lines) if line.startswith("# PART TWO")) - 1
    page = (Path(check_proof.__file__).parent / "docs" / "proofs.md").read_text(encoding="utf-8")
    told = page.partition("| part of `check_proof.py` | lines |")[2].partition("| together |")[0]
    assert [int(row.split("|")[2]) for row in told.splitlines() if row.endswith(" |")] == parts
    assert f"Its first {first:,} lines are a checker by themselves" in page
    assert first <= 1091
    assert len(lines) <= 2404
    assert not any(line.startswith(("import epstar", "from epstar")) for line in lines)
