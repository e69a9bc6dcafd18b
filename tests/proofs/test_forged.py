"""Documents that were made to deceive, and their variants: both checkers refuse them, quickly and in one sentence."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from typing import Any

import check_proof
import pytest
from tests.proofs.corpus import honest
from tests.proofs.crafted import FORGED

from epstar.cli.main import main
from epstar.completion import Proof
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, Interval, Real
from epstar.statement import established

ANSWERS = {name: document for name, document in honest().items() if document["schema"] == "epstar/answer/1"}


def codes(path: Any, content: bytes, capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """Return the exit codes of both checkers, each of which says one thing."""
    path.write_bytes(content)
    found: list[int] = []
    for which in ("epstar", "second"):
        found.append(main(["check", str(path)]) if which == "epstar" else check_proof.main([str(path)]))
        said = capsys.readouterr()
        message = said.out + said.err
        assert message.count("\n") == 1, message
        assert "Traceback" not in message
    return found[0], found[1]


@pytest.mark.parametrize("name", sorted(path.stem for path in FORGED.glob("*.json")))
def test_forged_documents_are_refused_by_both(name: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = codes(tmp_path / "document.json", (FORGED / f"{name}.json").read_bytes(), capsys)
    assert {first, second} <= {1, 2}


@pytest.mark.parametrize("name", ANSWERS)
def test_ends_are_verified_to_the_last_digit(name: str) -> None:
    answer = ANSWERS[name]
    claims: list[dict[str, object]] = []
    if isinstance(answer["lower"], float):
        claims.append({"lower": math.nextafter(answer["lower"], math.inf)})
    if isinstance(answer["upper"], float) and "upper_exact" in answer:
        claims.append({"upper": math.nextafter(answer["upper"], -math.inf)})
    for end, factor in (("lower_exact", 1 + Fraction(1, 10**30)), ("upper_exact", 1 - Fraction(1, 10**30))):
        exact = answer.get(end, "infinity")
        if exact.startswith("log("):
            claims.append({end: f"log({Fraction(exact[4:-1]) * factor})"})
        elif exact not in ("infinity", "0"):
            larger = Fraction(exact) * (factor if Fraction(exact) > 0 else 2 - factor)
            claims.append({end: str(larger)})
    assert claims or answer["lower"] == answer["upper"] == "infinity"
    for claim in claims:
        content = json.dumps(answer | claim).encode()
        assert _refused_by_epstar(content), claim


def _refused_by_epstar(content: bytes) -> bool:
    from epstar.cli.check import checked
    from epstar.errors import ProofRejected
    from epstar.json_document import parse_json

    try:
        checked(parse_json(content, "The document"))
    except ProofRejected:
        return True
    return False


def small(problem: dict[str, Any], mechanism: object = None, converse: object = None) -> bytes:
    document = {"schema": "epstar/proof/1", "problem": problem, "mechanism": mechanism, "converse": converse}
    return json.dumps(document).encode()


def question(notion: dict[str, str], universe: object, source: object, distortion: str = "1/2") -> dict[str, Any]:
    return {
        "schema": "epstar/problem/1",
        "notion": notion,
        "universe": universe,
        "source": source,
        "distortion": {"name": "hamming"},
        "at": {"distortion": distortion},
    }


def costly() -> dict[str, bytes]:
    """Return short documents that stand for much, and one long one that holds little."""
    dp, renyi = {"name": "differential_privacy"}, {"name": "renyi_differential_privacy", "order": "2"}
    nothing: dict[str, Any] = {name: [] for name in ("points", "ratios", "maxima", "sums", "slopes")}
    law = ["1", *["0"] * 999]
    converse = nothing | {
        "weight": "1",
        "distortion_law": [["1", law]],
        "level": None,
        "prices": ["0"] * 1000,
        "forced": False,
    }
    coin = {"schema": "epstar/mechanism/1", "kind": "matrix", "universe": {"size": 2}, "outputs": [0, 1]}
    coin["rows"] = [["3/4", "1/4"], ["1/4", "3/4"]]
    rows = {"databases": {"size": 2, "rows": 2_000_000}}
    box = {"rows": {"box": {"lower": ["1/3"] * 2, "upper": ["2/3"] * 2}}, "iid": False}
    product = {"schema": "epstar/mechanism/1", "kind": "product", "blocks": [{"factor": coin, "rows": 2_000_000}]}
    few = {"schema": "epstar/mechanism/1", "kind": "product", "blocks": [{"factor": coin, "rows": 1003}]}
    return {
        "labels": small(question(dp, {"size": 2**26}, {"everything": 2**26})),
        "labels that are not named": small(question(dp, None, {"everything": 2**26})),
        "rows": small(question(dp, rows, box, "2000000"), product),
        "rows of a mechanism": small(question(dp, {"databases": {"size": 2, "rows": 3}}, {"everything": 8}), few),
        "pairs": small(question(renyi, {"size": 1000}, {"everything": 1000}), None, converse),
        "pairs that are forced": small(
            question(dp, {"size": 1000}, {"everything": 1000}, "0"), None, converse | {"prices": None, "forced": True}
        ),
        "lists": b"[" + b"[]," * 11_000_000 + b"[]]",
        "spaces": b" " * (1 << 26),
        "an exponent": small(question(dp, {"size": 2}, {"prior": ["1e1000000000", "1"]})),
        "a tower": b"[" * 100_000 + b"]" * 100_000,
    }


@pytest.mark.parametrize("name", costly())
def test_short_documents_cost_little(name: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    content = costly()[name]
    started = time.process_time()
    first, second = codes(tmp_path / "document.json", content, capsys)
    assert time.process_time() - started < 10
    assert {first, second} <= {1, 2}


def test_an_earlier_answer_says_no_more_than_its_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the rules of the first schema were wrong, nothing would be believed that claims do not show."""
    document = next(document for document in ANSWERS.values() if 0 < float(document["lower"]) < math.inf)
    more = {name: value for name, value in document.items() if not name.endswith("_exact")} | {"lower": 40.0}
    more["upper"] = "infinity"
    assert established(document).intervals[0] is not None
    monkeypatch.setattr(Proof, "check", lambda self: Interval(Real.of(50), INFINITY))
    with pytest.raises(ProofRejected):
        established(more)
