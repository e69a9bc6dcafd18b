"""What the page asks when it opens, so that the answers are there already."""

from __future__ import annotations

from typing import Any

_PROBLEM: dict[str, Any] = {
    "schema": "epstar/problem/1",
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["never", "rarely", "sometimes", "often", "always"]},
    "source": {"prior": ["9/25", "7/25", "9/50", "3/25", "3/50"]},
    "distortion": {"name": "hamming"},
}

OPENING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("solve", {**_PROBLEM, "at": {"distortion": "1/5"}}),
    ("curve", {"problem": _PROBLEM, "points": 41}),
    ("breakpoints", _PROBLEM),
)
"""Tasks and documents, as the page writes them."""
