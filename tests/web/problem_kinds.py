"""Problem files of every kind: all universes with all sources, and each distortion, secret, limit and guarantee."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

Problem = dict[str, Any]

PRIOR = ["1/2", "3/10", "1/5"]
PLAIN: Problem = {
    "schema": "epstar/problem/2",
    "notion": {"name": "differential_privacy"},
    "source": {"prior": PRIOR},
    "distortion": {"name": "hamming"},
    "at": {"distortion": "2/5"},
}
UNIVERSES: dict[str, Problem] = {
    "none": {},
    "null": {"universe": None},
    "names": {"universe": {"alphabet": ["a [b]", 'c "d", e', "f\\"]}},
    "numbers": {"universe": {"alphabet": [Decimal("0.10"), 1, Decimal("1e2")]}},
    "other labels": {"universe": {"alphabet": [True, None, {"rational": "1/3"}]}},
    "pairs": {"universe": {"alphabet": [["f", 0], ["f", 1], ["m", 0]]}},
    "so many": {"universe": {"alphabet": 3}},
    "size": {"universe": {"size": 3}},
    "graph": {"universe": {"graph": {"nodes": ["a", "b", "c"], "edges": [["a", "b"], ["b", "c"]]}}},
    "graph of so many": {"universe": {"graph": {"nodes": 3, "edges": [[0, 1], [1, 2]]}}},
    "metric": {"universe": {"metric": [[0, 1, "3/2"], [1, 0, 1], ["3/2", 1, 0]], "labels": ["a", "b", "c"]}},
    "metric with gaps": {"universe": {"metric": [[0, 1, None], [1, 0, "inf"], [None, "infinity", 0]]}},
    "query": {"universe": {"query": {"name": "count", "individuals": 2, "values": 2}}},
}
SOURCES: dict[str, Problem] = {
    "prior": {"prior": PRIOR},
    "decimals": {"prior": [Decimal("0.50"), 0.3, Decimal("2e-1")]},
    "finite": {"finite": [PRIOR, ["1/3", "1/3", "1/3"]]},
    "hull": {"hull": [PRIOR, ["1/3", "1/3", "1/3"]]},
    "box": {"box": {"lower": ["2/5", "1/5", 0.1], "upper": ["3/5", "2/5", 0.3]}},
    "ball": {"ball": {"center": PRIOR, "radius": "1/10"}},
    "polytope": {"polytope": {"matrix": [[-1, 1, 0], [0, -1, 1]], "bounds": [0, 0]}},
    "everything": {"everything": 3},
}
TWO: Problem = {"prior": ["3/5", "2/5"]}
UNKNOWN: Problem = {"everything": 2}
ROWS: dict[str, Problem] = {
    "alike": {"rows": TWO},
    "alike, as it is said": {"rows": {"box": {"lower": ["1/2", "1/5"], "upper": ["4/5", "1/2"]}}, "iid": True},
    "each in its own way": {"rows": {"finite": [["3/5", "2/5"], ["1/2", "1/2"]]}, "iid": False},
    "listed": {"rows": [TWO, {"prior": ["1/2", "1/2"]}]},
    "unknown": {"rows": UNKNOWN, "iid": True},
    "unknown, each in its own way": {"rows": UNKNOWN, "iid": False},
    "one known and one unknown": {"rows": [TWO, UNKNOWN]},
    "the whole database": {"prior": ["2/5", "3/10", "1/5", "1/10"]},
}
STATISTIC: Problem = {"name": "contrasts", "rows": 100, "contrasts": [[1, -1, 0]], "weights": ["2"]}
THIRDS = [["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]]
ENTRIES = {"lower": [[0, 0.05, 0]] * 3, "upper": [["4/5", 1, "9/10"]] * 3}
UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
OTHERS: dict[str, Problem] = {
    "absolute": {"distortion": {"name": "absolute"}},
    "squared": {"distortion": {"name": "squared"}},
    "a table of costs": {"distortion": {"matrix": [[0, 1, Decimal("2.50")], ["1/2", 0, 1], [2, 1, 0]]}},
    "more outputs than inputs": {"distortion": {"matrix": [[0, 1, 1, "1/4"]] * 3}},
    "a table of gains": {"distortion": {"gain": UNIT}, "at": {"distortion": "-3/5"}},
    "frequencies": {"distortion": {"statistic": {"name": "frequencies", "rows": 1000}}, "at": {"loss": 1}},
    "contrasts": {"distortion": {"statistic": STATISTIC}, "at": {"loss": 1}},
    "at a loss": {"at": {"loss": Decimal("0.50")}},
    "at a logarithm": {"at": {"loss": "log(3)"}},
    "at many points": {"at": {"curve": ["1/5", Decimal("0.40"), "1/2"]}},
    "an order": {"notion": {"name": "renyi_differential_privacy", "order": Decimal("2.0")}},
    "a reading": {"notion": {"name": "approximate_differential_privacy", "delta": "1/10", "reading": "pointwise"}},
    "a slack": {"notion": {"name": "approximate_differential_privacy", "delta": Decimal("1e-5")}},
    "g-leakage": {"notion": {"name": "g_leakage", "gain": UNIT}, "at": {"loss": "1/10"}},
    "several adversaries": {
        "notion": {"name": "g_leakage", "gain": UNIT, "others": [[[1, 0], [0, 1], [1, 1]]]},
        "at": {"loss": "1/10"},
    },
    "a secret": {"secret": {"of": ["low", "low", "high"]}, "at": {"distortion": "1/10"}},
    "a hidden secret": {"secret": {"given": THIRDS}, "at": {"distortion": "1/20"}},
    "a named secret": {"secret": {"given": THIRDS, "labels": ["low", "high"]}, "at": {"distortion": "1/20"}},
    "a secret of its own": {
        "secret": {"given": THIRDS, "universe": {"metric": [[0, 2], [2, 0]]}},
        "at": {"distortion": "1/20"},
    },
    "bounds": {"mechanism": {"lower": "1/20", "upper": Decimal("0.70")}},
    "bounds of each entry": {"mechanism": ENTRIES},
    "forbidden": {
        "notion": {"name": "maximal_leakage"},
        "mechanism": {"allowed": [[True, True, False], [True, True, True], [False, True, True]]},
    },
    "invariant": {"mechanism": {"invariant": True}},
    "unbiased": {"mechanism": {"unbiased": {"inputs": [0, 1, 2], "outputs": [-1, 1, 3]}}, "at": {"distortion": "9/10"}},
    "an equation": {"mechanism": {"equations": [[[[1, 0, 0], [0, -1, 0], [0, 0, 0]], 0]]}},
    "an inequality": {"mechanism": {"inequalities": [[UNIT, "5/2"]]}},
    "also": {"also": [{"notion": {"name": "maximal_leakage"}, "loss": "log(2)"}]},
    "also two": {
        "also": [
            {"notion": {"name": "mutual_information"}, "loss": Decimal("0.40")},
            {"notion": {"name": "approximate_differential_privacy", "delta": "1/100"}, "loss": 3},
        ]
    },
    "nothing more": {"secret": None, "mechanism": None, "also": None},
}
KINDS: dict[str, Problem] = {
    **{
        f"{universe} × {source}": {**PLAIN, **inputs, "source": known}
        for universe, inputs in UNIVERSES.items()
        for source, known in SOURCES.items()
    },
    **{
        f"rows {name}": {
            **PLAIN,
            "universe": {"databases": {"alphabet": ["no", "yes"], "rows": 2} if i % 2 else {"size": 2, "rows": 2}},
            "source": known,
        }
        for i, (name, known) in enumerate(ROWS.items())
    },
    **{name: {**PLAIN, **changes} for name, changes in OTHERS.items()},
}
"""By what is special about them."""


def text_of(problem: Problem) -> str:
    """A problem file with its decimals as they are written here, which no float keeps: 0.50, 2e-1."""
    marked = json.dumps(problem, indent=2, ensure_ascii=False, default=lambda decimal: f"\ue000{decimal}\ue001")
    return re.sub('"\ue000(.*?)\ue001"', r"\1", marked)
