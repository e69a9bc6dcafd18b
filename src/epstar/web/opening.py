"""What the page asks when it opens, so that the answers are there already."""

from __future__ import annotations

from typing import Any

_LABELS = ["never", "rarely", "sometimes", "often", "always"]
_PRIOR = ["36/100", "28/100", "18/100", "12/100", "6/100"]
_NOTIONS = ("differential_privacy", "maximal_leakage", "mutual_information")


def _problem(notion: str) -> dict[str, Any]:
    return {
        "schema": "epstar/problem/1",
        "notion": {"name": notion},
        "universe": {"alphabet": _LABELS},
        "source": {"prior": _PRIOR},
        "distortion": {"name": "hamming"},
    }


OPENING: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("curve", {"problem": _problem(notion), "points": 41}) for notion in _NOTIONS),
    ("solve", {**_problem(_NOTIONS[0]), "at": {"distortion": "1/5"}}),
    *(("breakpoints", _problem(notion)) for notion in _NOTIONS),
    ("baselines", _problem(_NOTIONS[0])),
)
"""Tasks and documents, as the page writes them."""
