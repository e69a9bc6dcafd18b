"""Notions that a design must not be read as another: a slack, and a law that is one of several."""

from __future__ import annotations

import io
import json
from typing import Any

import check_proof
import pytest

from epstar.cli.main import main
from epstar.errors import ProofRejected
from epstar.statistics.document import read_design

ASKED: dict[str, Any] = {
    "schema": "epstar/problem/2",
    "notion": {"name": "differential_privacy"},
    "source": {"prior": ["1/2", "1/4", "1/4"]},
    "distortion": {"statistic": {"name": "frequencies", "rows": 100}},
    "at": {"loss": "log(3)"},
}
REGIONS: tuple[dict[str, Any], ...] = (
    {"everything": 3},
    {"hull": [["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"]]},
    {"finite": [["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"]]},
    {"box": {"lower": ["1/4"] * 3, "upper": ["1/2"] * 3}},
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def ask(document: object, *command: str) -> tuple[int, str, str]:
        content = json.dumps(document).encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        code = main([*command])
        return (code, *capsys.readouterr())

    return ask


@pytest.mark.parametrize("reading", ["event", "pointwise"])
def test_a_slack_is_no_bound_on_the_ratios_of_columns(reading: str, run: Any) -> None:
    """Approximate privacy loses less for the same error: what excludes errors of differential privacy does not here."""
    approximate = {"name": "approximate_differential_privacy", "delta": "1/10", "reading": reading}
    code, out, err = run({**ASKED, "notion": approximate}, "solve", "-", "--json")
    assert (code, out) == (2, "")
    assert "does not bound the ratios of single columns" in err
    code, out, _ = run(ASKED, "solve", "-", "--json")
    assert code == 0
    answer = json.loads(out)
    assert check_proof.check(out.encode())
    # The corners of the cone without a slack, whose sides have the same numbers.
    low, high = "1/7", "3/7"
    corners = [[[low, high, high], [5, 7]], [["1/5", "1/5", "3/5"], [7, 8]], [["1/5", "3/5", "1/5"], [5, 6]]]
    corners += [[[high, low, high], [3, 8]], [[high, high, low], [4, 6]], [["3/5", "1/5", "1/5"], [3, 4]]]
    for certificate in (answer["excluded"]["certificate"], {**answer["excluded"]["certificate"], "corners": corners}):
        forged = json.loads(json.dumps(answer))
        forged["problem"]["notion"] = approximate
        forged["excluded"]["certificate"] = certificate
        with pytest.raises(check_proof.Refused):
            check_proof.check(json.dumps(forged).encode())
        with pytest.raises(ProofRejected, match="does not bound the ratios"):
            read_design(forged)


@pytest.mark.parametrize("at", [{"loss": "log(3)"}, {"distortion": "1/2"}], ids=str)
@pytest.mark.parametrize("source", REGIONS, ids=str)
def test_identifiability_over_several_distributions_has_no_designs_that_are_known(
    source: dict[str, Any], at: dict[str, Any], run: Any
) -> None:
    """That of the uniform one was proposed, and refused by the check of the answer."""
    asked = {**ASKED, "notion": {"name": "identifiability"}, "source": source, "at": at}
    code, out, err = run(asked, "solve", "-", "--json")
    assert (code, out) == (2, "")
    assert "give a prior" in err
