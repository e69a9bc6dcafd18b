"""Breakpoints of the maximal leakage of three values, and what somebody might make of them who wants to be believed.

With r = e^loss the least distortion is 1/2 - 3/10 (r - 1) up to r = 2, and 1/5 (3 - r) from there on: it bends at 1/5.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.proofs.certificates import Document
from tests.proofs.test_check_proof import changed

_MATRIX = [["1", "0", "0"], ["0", "1", "0"], ["1", "0", "0"]]
_TRUTH = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
_PROBLEM = {
    "notion": {"name": "maximal_leakage"},
    "universe": {"alphabet": [0, 1, 2]},
    "source": {"prior": ["1/2", "3/10", "1/5"]},
    "distortion": {"name": "hamming"},
}
_KEPT = {"loss": "log(2)", "distortion": "1/5", "mechanism": {"rows": _MATRIX}}


def _line(multiple: str, shares: list[list[Any]], rows: list[str]) -> dict[str, Any]:
    step = {"laws": [["1", 0]], "sums": [[[], multiple, shares]], "rows": rows}
    return {"loss": "log(2)", "distortion": "1/5", "open": "distortion", "steps": [step]}


# A right answer that is paid s times its share costs s beside 0; a wrong one costs its probability.
_BEFORE = _line("3/10", [[0, 0, "1"], [1, 1, "1"], [2, 2, "2/3"]], ["3/10", "3/10", "1/5"])
_AFTER = _line("1/5", [[0, 0, "1"], [1, 1, "1"], [2, 2, "1"]], ["1/5", "1/5", "1/5"])
_NOTHING_BELOW = {"loss": "infinity", "distortion": "0", "open": "distortion", "steps": [{"laws": [["1", 0]]}]}
_TOLD = {"loss": "log(3)", "distortion": "0", "mechanism": {"rows": _TRUTH}}
_CONSTANT = {"loss": "0", "distortion": "1/2", "mechanism": {"rows": [["1", "0", "0"]] * 3}}
_RESPONSE = [["2/3", "1/3"], ["1/3", "2/3"]]
_SPREAD = {**_AFTER, "distortion": "1/3", "steps": [{"laws": [["1", 0]], "rows": ["1/6", "1/6"], "spread": True}]}


def _with(*points: dict[str, Any], **problem: Any) -> Document:
    return {"schema": "epstar/breakpoints/1", "problem": {**_PROBLEM, **problem}, "points": [*points]}


_ALL_TOLD = {**_AFTER, "loss": "log(3)", "distortion": "0", "open": "loss"}
_LEAST = {
    "kind": "least distortion",
    "distortion": "0",
    "at": {"attained": _TOLD},
    "below": {"excluded": _NOTHING_BELOW},
}
_KINK = {"kind": "kink", "distortion": "1/5", "at": {"attained": _KEPT}, "slopes": [_BEFORE, _AFTER]}
WHOLE = _with(_LEAST, _KINK)
# The same lines, the second by a further guarantee, whose bound does not know the loss.
_WIDER = {"also": [{"notion": {"name": "maximal_leakage"}, "loss": "log(2)"}]}


def _named(claim: dict[str, Any], *name: int) -> dict[str, Any]:
    found = copy.deepcopy(claim)
    found["points"] = [[["1", 0]]]
    found["steps"][0]["sums"][0][0] = list(name)
    return found


_AT_ZERO = {**_BEFORE, "loss": "0", "distortion": "1/2"}
_ALSO_AT_ZERO = {
    **_line("1/2", [[0, 0, "1"], [1, 1, "3/5"], [2, 2, "2/5"]], ["1/2", "3/10", "1/5"]),
    "loss": "0",
    "distortion": "1/2",
}

# Two rows that are equal: averaged over symmetries e^loss counts twice, so that both lines fall at the rate 1/2.
_EQUAL_ROWS = {"universe": {"databases": {"rows": 2, "size": 2}}, "source": {"prior": ["1/2", "0", "0", "1/2"]}}
_FIRST_OR_LAST = {"rows": [["1", "0", "0", "0"]] * 3 + [["0", "0", "0", "1"]]}
_PLAIN = {
    **_line("1/2", [[0, 0, "1"], [3, 3, "1"]], ["1/2", "0", "0", "1/2"]),
    "loss": "log(2)",
    "distortion": "0",
}
_AVERAGED = {
    **_PLAIN,
    "symmetry": "distances",
    "uniform": [["1", 0]],
    "steps": [{"laws": [["1"]], "sums": [[[], "1/4", [[0, 0, "1"]]]], "rows": ["1"]}],
}
_TWO_WAYS = {
    "kind": "kink",
    "distortion": "0",
    "at": {"attained": {"loss": "log(2)", "distortion": "0", "mechanism": _FIRST_OR_LAST}},
    "slopes": [_PLAIN, _AVERAGED],
}

TRUE: dict[str, Document] = {
    "breakpoints": WHOLE,
    "a kink whose lines are the notion's": _with(
        {**_KINK, "slopes": [_named(_BEFORE, 0, 0), _named(_AFTER, 0, 0)]}, **_WIDER
    ),
    "a breakpoint that was found": _with({"kind": "kink", "distortion": "1/5", "at": {}, "tolerance": 1e-9}),
}
UNTRUE: dict[str, Document] = {
    "a kink elsewhere": changed(WHOLE, "points.1.distortion", "1/10"),
    "a kink at a larger distortion": changed(WHOLE, "points.1.distortion", "1/4"),
    "a slope of another point": changed(WHOLE, "points.1.slopes.1.distortion", "1/6"),
    "a slope at a larger loss": changed(WHOLE, "points.1.slopes.1.loss", "log(9/4)"),
    "a slope at a smaller loss": changed(WHOLE, "points.1.slopes.1.loss", "log(3/2)"),
    "one slope twice": _with({**_KINK, "slopes": [_AFTER, _AFTER]}),
    "one slope in two ways": _with(_TWO_WAYS, **_EQUAL_ROWS),
    "one slope": _with({**_KINK, "slopes": [_AFTER]}),
    "one slope in other multiples": _with(
        {**_KINK, "slopes": [_AFTER, {**_AFTER, "steps": [{**_AFTER["steps"][0], "laws": [["1", 0]]}] * 2}]}
    ),
    "slopes of nothing that is attained": _with({**_KINK, "at": {}}),
    "a kink at the end of the curve": _with(
        {"kind": "kink", "distortion": "1/2", "at": {"attained": _CONSTANT}, "slopes": [_AT_ZERO, _ALSO_AT_ZERO]}
    ),
    "a slope of a further guarantee": _with(
        {**_KINK, "slopes": [_named(_BEFORE, 1, 0), _named(_AFTER, 0, 0)]}, **_WIDER
    ),
    "a slope that is open in its loss": _with({**_KINK, "slopes": [_BEFORE, {**_AFTER, "open": "loss"}]}),
    "slopes of ratios": _with(
        {
            "kind": "kink",
            "distortion": "1/3",
            "at": {"attained": {**_KEPT, "distortion": "1/3", "mechanism": {"rows": _RESPONSE}}},
            "slopes": [_SPREAD, _SPREAD],
        },
        notion={"name": "differential_privacy"},
        universe={"alphabet": [0, 1]},
        source={"prior": ["1/2", "1/2"]},
    ),
    "slopes by name": _with({**_KINK, "slopes": {"0": _BEFORE, "1": _AFTER}}),
    "claims swapped": _with({**_LEAST, "at": {"attained": _KEPT}}),
    "what is attained elsewhere": _with({**_LEAST, "distortion": "1/10", "at": {"attained": _KEPT}}),
    "what is excluded elsewhere": _with({**_KINK, "at": {"attained": _KEPT, "excluded": _BEFORE}}),
    "what is excluded at a smaller distortion": _with(
        {"kind": "kink", "distortion": "1/2", "at": {"excluded": _ALL_TOLD}}
    ),
    "what is excluded below, at a larger distortion": _with(
        {"kind": "threshold", "distortion": "1/10", "at": {}, "below": {"excluded": _BEFORE}}
    ),
    "what is excluded below, of the loss": _with(
        {"kind": "threshold", "distortion": "1/5", "at": {}, "below": {"excluded": {**_BEFORE, "open": "loss"}}}
    ),
    "something attained below": _with({**_LEAST, "below": {"attained": _TOLD}}),
    "another problem": {**WHOLE, "problem": {**_PROBLEM, "source": {"prior": ["1/2", "1/4", "1/4"]}}},
    "another notion": {**WHOLE, "problem": {**_PROBLEM, "notion": {"name": "capacity"}}},
    "a kind that there is not": changed(WHOLE, "points.1.kind", "bend"),
    "a place that is a number": changed(WHOLE, "points.1.distortion", 1),
    "a tolerance that is a list": _with({**_KINK, "tolerance": [1]}),
    "a tolerance below zero": _with({**_KINK, "tolerance": -1}),
    "a tolerance that is true": _with({**_KINK, "tolerance": True}),
    "a breakpoint with a note": _with({**_KINK, "note": "proven"}),
    "breakpoints with a note": {**WHOLE, "note": "proven"},
    "breakpoints that are no list": {**WHOLE, "points": {"0": _KINK}},
    "a breakpoint that is none": {**WHOLE, "points": ["kink"]},
    "claims that are a list": _with({**_LEAST, "below": [_NOTHING_BELOW]}),
    "claims with a note": _with({**_LEAST, "at": {"attained": _TOLD, "note": "proven"}}),
}  # fmt: skip
