"""Whatever is exported is accepted: questions with impossible inputs, exact and extreme losses, and random ones."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.theory.building import AXIOMS, proven, refused

from epstar.answer import answer
from epstar.errors import EmptySource, InvalidInput, NoSolution
from epstar.export import export
from epstar.problem_file import read_problem

pytestmark = pytest.mark.xdist_group("coq")

COIN_ROWS = {"rows": {"prior": ["3/5", "2/5"]}, "iid": True}
PAIR = {"databases": {"size": 2, "rows": 2}}
EDGES: dict[str, dict[str, Any]] = {
    "an impossible input": {"notion": "mutual_information", "source": {"prior": ["1/4", "3/4", "0"]}, "loss": "log(2)"},
    "one impossible under each": {
        "notion": "sibson_mutual_information 3/2",
        "source": {"finite": [["0", "1"], ["5/8", "3/8"]]},
        "loss": "2",
    },
    "a loss that is a logarithm": {"notion": "capacity", "source": {"everything": 3}, "distortion": "0"},
    "another such loss": {"notion": "pointwise_leakage", "source": {"prior": ["2/5", "0", "3/5"]}, "distortion": "0"},
    "equal rows": {"notion": "renyi_differential_privacy 3/2", "source": {"everything": 3}, "loss": "0"},
    "no information": {"notion": "mutual_information", "source": {"prior": ["1/2", "1/3", "1/6"]}, "loss": "0"},
    "no information of an order": {
        "notion": "sibson_mutual_information 1/2",
        "source": {"finite": [["0", "0", "1"], ["3/7", "1/7", "3/7"]]},
        "loss": "0",
    },
    "a row that reaches less": {"notion": "pointwise_leakage", "source": {"prior": ["1", "0"]}, "loss": "1"},
    "informations of rows": {
        "notion": "mutual_information",
        "source": COIN_ROWS,
        "universe": PAIR,
        "distortion": "3/10",
    },
    "divergences of rows": {
        "notion": "renyi_differential_privacy 2",
        "source": COIN_ROWS,
        "universe": PAIR,
        "loss": "1/2",
    },
    "a leakage over a box": {
        "notion": "min_entropy_leakage",
        "source": {"box": {"lower": ["2/5", "0", "0"], "upper": ["1", "1/2", "1/4"]}},
        "distortion": "1/10",
    },
    "a leakage over a ball": {
        "notion": "pointwise_leakage",
        "source": {"ball": {"center": ["0", "1"], "radius": "1"}},
        "loss": "log(2)",
    },
}


def question(told: dict[str, Any]) -> dict[str, Any]:
    name, _, order = told["notion"].partition(" ")
    return {
        "schema": "epstar/problem/1",
        "notion": {"name": name, "order": order} if order else {"name": name},
        "distortion": {"name": "hamming"},
        "at": {key: value for key, value in told.items() if key in ("loss", "distortion")},
        **{key: value for key, value in told.items() if key in ("source", "universe")},
    }


def exported(problem: dict[str, Any]) -> str:
    return export(answer(read_problem(problem)).claims, "coq")


def test_answers_at_the_edges_are_exported_and_accepted(tmp_path: Path) -> None:
    verdict = proven([exported(question(told)) for told in EDGES.values()], tmp_path)
    assert verdict.accepted, verdict.said
    assert verdict.axioms <= AXIOMS


NOTIONS: list[dict[str, Any]] = [
    {"name": "differential_privacy"},
    {"name": "approximate_differential_privacy", "delta": "1/20"},
    {"name": "approximate_differential_privacy", "delta": "1/20", "reading": "pointwise"},
    {"name": "identifiability"},
    {"name": "maximal_information"},
    {"name": "local_information_privacy"},
    {"name": "local_information_privacy", "delta": "1/20"},
    {"name": "maximal_leakage"},
    {"name": "min_entropy_leakage"},
    {"name": "min_entropy_capacity"},
    {"name": "mutual_information"},
    {"name": "capacity"},
    {"name": "pointwise_leakage"},
    *({"name": "renyi_differential_privacy", "order": order} for order in ("2", "1/2", "1", "3/2", "infinity")),
    *({"name": "sibson_mutual_information", "order": order} for order in ("2", "1/2", "1", "3/2", "infinity")),
]


class Questions:
    """Random questions of two to four inputs, many of them impossible or equally likely."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def law(self, size: int) -> list[str]:
        weights = [self.draw.choice([0, 0, 1, 2, 3, 5, 7]) for _ in range(size)]
        if not any(weights) or self.draw.random() < 0.3:
            weights = [1] * size
        return [f"{weight}/{sum(weights)}" for weight in weights]

    def source(self, size: int) -> dict[str, Any]:
        kind = self.draw.choice([*["prior"] * 4, "finite", "hull", "box", "ball", "polytope", "everything"])
        match kind:
            case "prior":
                return {kind: self.law(size)}
            case "finite" | "hull":
                return {kind: [self.law(size) for _ in range(self.draw.choice([1, 2, 3]))]}
            case "box":
                upper = [self.draw.choice(["0", "1/2", "3/4", "1", "1"]) for _ in range(size)]
                lower = ["0" if high == "0" else self.draw.choice(["0", "1/10", "1/5"]) for high in upper]
                return {kind: {"lower": lower, "upper": upper}}
            case "ball":
                return {kind: {"center": self.law(size), "radius": self.draw.choice(["1/10", "1/3", "1"])}}
            case "polytope":
                matrix = [[self.draw.choice([-1, 0, 1]) for _ in range(size)] for _ in range(2)]
                return {kind: {"matrix": matrix, "bounds": [self.draw.choice(["0", "1/4", "1/2"]) for _ in range(2)]}}
        return {kind: size}

    def universe(self, size: int) -> dict[str, Any]:
        kind = self.draw.choice(["alphabet"] * 3 + ["graph", "metric", "databases"])
        if kind == "graph":
            return {"universe": {kind: {"nodes": list(range(size)), "edges": [[i, i + 1] for i in range(size - 1)]}}}
        if kind == "metric":
            return {"universe": {kind: [[abs(i - j) for j in range(size)] for i in range(size)]}}
        if kind == "databases":
            letters, rows = self.draw.choice([(2, 2), (2, 2), (3, 2), (2, 3)])
            sources: list[dict[str, Any]] = [
                {"rows": {"prior": self.law(letters)}, "iid": True},
                {"rows": {"finite": [self.law(letters), self.law(letters)]}, "iid": True},
                {"prior": self.law(letters**rows)},
                {"everything": letters**rows},
            ]
            whole = {"databases": {"size": letters, "rows": rows}}
            return {"universe": whole, "source": self.draw.choice(sources), "distortion": {"name": "hamming"}}
        return {}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            size = self.draw.choice([2, 2, 3, 3, 4])
            matrix = [[self.draw.choice(["0", "0", "1", "2", "1/2"]) for _ in range(3)] for _ in range(size)]
            loss = {"loss": self.draw.choice(["0", "1/2", "1", "log(2)", "2"])}
            distortion = {"distortion": self.draw.choice(["0", "1/10", "1/5", "1/3", "1/2"])}
            yield {
                "schema": "epstar/problem/1",
                "notion": self.draw.choice(NOTIONS),
                "source": self.source(size),
                "distortion": self.draw.choice([{"name": "hamming"}, {"name": "absolute"}, {"matrix": matrix}]),
                "at": self.draw.choice([loss, distortion]),
                **self.universe(size),
            }


COUNT, BATCH = 200, 20
# Exact ends whose proofs need roots, which Coq's fractions only approach.
UNSAID = "by roots of numbers"


@pytest.mark.full
def test_whatever_is_exported_is_accepted(tmp_path: Path) -> None:
    texts: list[str] = []
    asked: list[dict[str, Any]] = []
    unsaid: list[str] = []
    for problem in Questions(random.randrange(2**32)):
        if len(texts) == COUNT:
            break
        try:
            texts.append(exported(problem))
        except (NoSolution, EmptySource):
            continue
        except InvalidInput as refusal:
            unsaid.append(str(refusal))
            continue
        asked.append(problem)
    found = [is_refused for i in range(0, COUNT, BATCH) for is_refused in refused(texts[i : i + BATCH], tmp_path)]
    assert [problem for problem, is_refused in zip(asked, found, strict=True) if is_refused] == []
    assert [reason for reason in unsaid if UNSAID not in reason] == []
    assert len(unsaid) < COUNT // 20
