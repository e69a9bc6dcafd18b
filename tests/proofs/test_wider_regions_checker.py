"""Both checkers accept what is answered with limits and further guarantees over regions, and lies about it neither."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.proofs.test_check_proof import lies, verdict

from epstar.answer_file import read_answer, write_answer
from epstar.frontier import Frontier
from epstar.problem_file import read_problem

Json = dict[str, Any]
LAW = ["1/2", "3/10", "1/5"]
SOURCES: dict[str, Json] = {
    "box": {"box": {"lower": ["1/5", "1/5", "1/10"], "upper": ["3/5", "1/2", "2/5"]}},
    "hull": {"hull": [LAW, ["1/3"] * 3, ["1/5", "1/5", "3/5"]]},
    "polytope": {
        "polytope": {
            "matrix": [["1", "0", "0"], ["0", "-1", "0"]],
            "bounds": ["3/5", "-1/5"],
            "member": ["1/2", "1/4", "1/4"],
        }
    },
    "ball": {"ball": {"center": LAW, "radius": "1/5"}},
    "everything": {"everything": 3},
    "prior": {"prior": LAW},
}
NOTIONS: dict[str, Json] = {
    "differential privacy": {"name": "differential_privacy"},
    "information": {"name": "mutual_information"},
    "maximal information": {"name": "maximal_information"},
    "guessing": {"name": "min_entropy_leakage"},
    "local": {"name": "local_information_privacy", "delta": "1/20"},
    "sibson": {"name": "sibson_mutual_information", "order": "2"},
    "capacity": {"name": "capacity"},
    "gaussian": {"name": "gaussian_differential_privacy"},
}
GAINS: Json = {
    "name": "g_leakage",
    "gain": [["1", "0", "1/2"], ["0", "1", "1/2"], ["0", "2", "1"]],
    "others": [[["1", "0"], ["0", "1"], ["1/3", "1/2"]]],
}
CAPPED: Json = {"mechanism": {"upper": "9/10"}, "at": {"loss": "1/2"}}
ALSO: Json = {"also": [{"notion": NOTIONS["capacity"], "loss": "1/10"}], "at": {"loss": "1"}}
INFORMED: Json = {"also": [{"notion": NOTIONS["information"], "loss": "1/10"}], "at": {"distortion": "7/10"}}


def answered(notion: Json, source: Json, more: Json) -> Json:
    """Return the answer of a question as a document."""
    problem = {"schema": "epstar/problem/2", "notion": notion, "source": source, "distortion": {"name": "hamming"}}
    found: Json = json.loads(json.dumps(write_answer(Frontier.answer(read_problem({**problem, **more})))))
    return found


def assert_accepted(document: Json) -> None:
    assert verdict(document) == "yes"
    read_answer(document)
    assert all(verdict(lie) != "yes" for lie in lies(document["proof"]))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("notion", NOTIONS)
def test_limits_over_regions(notion: str, source: str) -> None:
    assert_accepted(answered(NOTIONS[notion], SOURCES[source], CAPPED))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("more", [ALSO, INFORMED], ids=["capacity", "information"])
def test_further_guarantees_over_regions(source: str, more: Json) -> None:
    assert_accepted(answered(NOTIONS["differential privacy"], SOURCES[source], more))


@pytest.mark.parametrize("at", [{"loss": "1/5"}, {"distortion": "3/10"}], ids=["loss", "distortion"])
def test_several_gains(at: Json) -> None:
    assert_accepted(answered(GAINS, SOURCES["prior"], {"at": at}))
