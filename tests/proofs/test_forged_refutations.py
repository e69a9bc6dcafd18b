"""Refutations that are false: a mechanism shows it, and both checkers refuse what would rule that mechanism out."""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf, log
from typing import Any

import check_proof
import pytest

from epstar.errors import ProofRejected
from epstar.statement import established

Document = dict[str, Any]
_PROBLEM: Document = {
    "notion": {"name": "differential_privacy"},
    "source": {"prior": ["2/3", "1/3"]},
    "distortion": {"name": "hamming"},
}
_ALWAYS_FIRST = {"loss": "0", "distortion": "1/3", "mechanism": {"rows": [["1", "0"], ["1", "0"]]}}
_RESPONSE = {"loss": "log(3)", "distortion": "1/4", "mechanism": {"rows": [["3/4", "1/4"], ["1/4", "3/4"]]}}
_TRUTH = {"loss": "infinity", "distortion": "0", "mechanism": {"rows": [["1", "0"], ["0", "1"]]}}
# No finite loss is possible at this distortion; no mechanism at all keeps the loss; none is as good as both.
_AT_A_THIRD: Document = {"loss": "infinity", "distortion": "1/3", "open": "loss"}
_AT_A_QUARTER: Document = {"loss": "infinity", "distortion": "1/4", "open": "loss"}
_AT_LOG_3: Document = {"loss": "log(3)", "distortion": "infinity", "open": "distortion"}
_NEVER_FIRST = {"allowed": [[False, True], [True, True]]}
_DIVERGENCE = {"name": "renyi_differential_privacy", "order": "2"}
_HALF = {"name": "renyi_differential_privacy", "order": "1/2"}
_SLACK = {"name": "approximate_differential_privacy", "delta": "1/2", "reading": "pointwise"}
_LIST = {"finite": [["1", "0"], ["0", "1"]]}


def _with(**fields: Any) -> Document:
    return _PROBLEM | fields


_REFUTATIONS: dict[str, tuple[Document, Document, Document]] = {  # a problem, a mechanism, what is said to be excluded
    "a price above the cost": (
        _PROBLEM,
        _ALWAYS_FIRST,
        _AT_A_THIRD | {"steps": [{"laws": [["1", 0]], "rows": ["1/3", "1/3"]}]},
    ),
    "a total that leaves room": (
        _PROBLEM,
        _ALWAYS_FIRST,
        _AT_A_THIRD | {"steps": [{"laws": [["1", 0]], "rows": ["0", "0"]}, {"rows": ["1", "0"]}]},
    ),
    "an end without a contradiction": (_PROBLEM, _ALWAYS_FIRST, _AT_A_THIRD | {"steps": [{"rows": ["0", "0"]}]}),
    "a distortion that counts against itself": (
        _PROBLEM,
        _TRUTH | {"distortion": "1/4"},
        {**_AT_A_QUARTER, "distortion": "1/2", "open": "distortion", "steps": [{"laws": [["-1", 0]]}]},
    ),
    "a distribution beside the source": (
        _with(source={"box": {"lower": ["1/2", "0"], "upper": ["1", "1/2"]}}),
        {**_ALWAYS_FIRST, "distortion": "1/2"},
        _AT_A_THIRD | {"distortion": "1/2", "steps": [{"laws": [["1", ["0", "1"]]], "rows": ["0", "1"]}]},
    ),
    "a bound whose right side may be positive": (
        _PROBLEM,
        _RESPONSE,
        _AT_A_QUARTER | {"steps": [{"ratios": [[0, 1, 0, "1"], [0, 1, 1, "1"]], "rows": ["1", "0"]}]},
    ),
    "an infinite loss that is allowed": (
        _with(mechanism=_NEVER_FIRST),
        {"loss": "infinity", "distortion": "2/3", "mechanism": {"rows": [["0", "1"], ["0", "1"]]}},
        {
            "loss": "infinity",
            "distortion": "1",
            "open": "distortion",
            "points": [[["1", 0]]],
            "steps": [{"ratios": [[0, 0, 1, 0, 0, "1"]], "rows": ["0", "1"]}],
        },
    ),
    "a distortion without a bound": (_PROBLEM, _RESPONSE, _AT_LOG_3 | {"steps": [{"laws": [["1", 0]]}]}),
    "a limit turned round": (
        _with(mechanism={"upper": "3/4"}),
        _RESPONSE,
        _AT_LOG_3
        | {"points": [[["1", 0]]]}
        | {"steps": [{"limits": [["upper", 0, 0, "-2"], ["upper", 0, 1, "-2"]], "rows": ["-2", "0"]}]},
    ),
    "a limit that nobody set": (
        _with(mechanism={"lower": "1/8"}),
        _RESPONSE,
        _AT_LOG_3 | {"steps": [{"limits": [["upper", 0, 0, "1"], ["upper", 0, 1, "1"]], "rows": ["1", "0"]}]},
    ),
    "a larger order": (
        _with(notion=_DIVERGENCE),
        {**_RESPONSE, "loss": "log(7/3)"},
        {"loss": "log(5/2)", "distortion": "1/4", "open": "loss", "order": "3", "steps": [{"rows": ["0", "0"]}]},
    ),
    "an equality above level zero": (
        _with(notion=_DIVERGENCE),
        {**_RESPONSE, "loss": "log(7/3)"},
        {
            "loss": "log(3)",
            "distortion": "1/4",
            "open": "loss",
            "steps": [{"laws": [["1", 0]], "ratios": [[1, 0, 0, 1, 0, "1/3"]], "rows": ["0", "1/3"]}],
        },
    ),
    "answers that are said never to meet": (
        _with(notion=_HALF),
        {**_RESPONSE, "loss": "log(3/2)"},
        _AT_A_QUARTER | {"steps": [{"sums": [[[0, 1], "1", [[None, None]]]]}]},
    ),
    "a slack that is paid once for two outputs": (
        _with(notion=_SLACK),
        {"loss": "0", "distortion": "1/6", "mechanism": {"rows": [["1", "0"], ["1/2", "1/2"]]}},
        {
            "loss": "0",
            "distortion": "1/4",
            "open": "distortion",
            "steps": [{"laws": [["1", 0]], "ratios": [[0, 1, 0, "1/6"], [1, 0, 1, "1/6"]], "rows": ["1/6", "1/6"]}],
        },
    ),
    "a mixture of a list": (
        _with(source=_LIST, notion={"name": "maximal_information"}),
        {**_TRUTH, "loss": "0", "distortion": "1", "mechanism": {"rows": [["1", "0"], ["1", "0"]]}},
        {
            "loss": "infinity",
            "distortion": "1",
            "open": "loss",
            "points": [[["1/2", 0], ["1/2", 1]]],
            "steps": [{"laws": [["1", 1]], "rows": ["0", "1"]}],
        },
    ),
}


def _number(end: str) -> float:
    if end == "infinity":
        return inf
    return log(Fraction(end[4:-1])) if end.startswith("log(") else float(Fraction(end))


def _refused(document: Document) -> None:
    with pytest.raises((check_proof.Refused, check_proof.Unreadable)):
        check_proof.check(json.dumps(document).encode())
    with pytest.raises(ProofRejected):
        established(document)


@pytest.mark.parametrize("name", _REFUTATIONS)
def test_a_false_refutation_is_refused(name: str) -> None:
    problem, mechanism, excluded = _REFUTATIONS[name]
    about = {"schema": "epstar/proof/2", "problem": problem}
    assert check_proof.check(json.dumps(about | {"attained": mechanism}).encode())
    assert established(about | {"attained": mechanism}).sentences
    ends = {end: (_number(mechanism[end]), _number(excluded[end])) for end in ("loss", "distortion")}
    assert all(reached <= ruled_out for reached, ruled_out in ends.values()), "the mechanism is as good as is excluded"
    reached, ruled_out = ends[excluded["open"]]
    assert reached < ruled_out or reached == ruled_out == inf
    _refused(about | {"excluded": excluded})
