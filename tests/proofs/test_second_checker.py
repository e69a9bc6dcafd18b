"""The second checker, which shares no code with epstar, proves the same intervals as epstar's own."""

import copy
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import check_proof
import pytest
from tests.proofs.cases import PROBLEMS, case, checked_by_epstar, checked_by_the_second, name

ROOT = Path(__file__).resolve().parents[2]
NOTIONS: list[dict[str, Any]] = [
    {"name": "differential_privacy"},
    {"name": "approximate_differential_privacy", "delta": "1/10"},
    {"name": "approximate_differential_privacy", "delta": "1/10", "reading": "pointwise"},
    *({"name": "renyi_differential_privacy", "order": order} for order in ("1/2", "1", "3/2", "2", "infinity")),
    {"name": "mutual_information"},
    {"name": "capacity"},
    *({"name": "sibson_mutual_information", "order": order} for order in ("1/3", "1", "5/2", "infinity")),
    {"name": "maximal_leakage"},
    {"name": "maximal_information"},
    {"name": "identifiability"},
    {"name": "local_information_privacy"},
    {"name": "local_information_privacy", "delta": "1/20"},
    {"name": "pointwise_leakage"},
    {"name": "min_entropy_leakage"},
    {"name": "min_entropy_capacity"},
]
SOURCES = ("prior", "finite", "hull", "box", "ball", "polytope", "everything")
UNIVERSES: list[dict[str, Any]] = [
    {"size": 4},
    {"databases": {"size": 2, "rows": 2}},
    {"graph": {"nodes": ["a", "b", "c", "d"], "edges": [["a", "b"], ["b", "c"], ["d", "c"]]}},
    {"metric": [["0", "1", "2", "inf"], ["1", "0", "3/2", "1/2"], ["2", "3/2", "0", "3"], ["inf", "1/2", "3", "0"]]},
]


def close(left: float, right: float) -> bool:
    return left == right or math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_both_checkers_prove_the_same(number: int) -> None:
    solved = case(number)
    lower, upper = checked_by_the_second(solved.answer)
    assert close(lower, solved.lower), (lower, solved.lower)
    assert close(upper, solved.upper), (upper, solved.upper)
    assert checked_by_the_second(solved.proof) == (lower, upper)


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_the_interval_holds_the_value_of_an_independent_program(number: int) -> None:
    entry, solved = PROBLEMS[number], case(number)
    if "value" in entry:
        assert solved.lower - entry["tol"] <= entry["value"] <= solved.upper + entry["tol"]
    assert solved.lower <= solved.upper


def law(generator: random.Random, size: int, full: bool = True) -> list[str]:
    weights = [generator.randint(1 if full else 0, 9) for _ in range(size)]
    weights[generator.randrange(size)] += 1
    return [f"{weight}/{sum(weights)}" for weight in weights]


def source(generator: random.Random, kind: str, size: int, full: bool) -> dict[str, Any]:
    laws = [law(generator, size, full) for _ in range(3)]
    described: dict[str, Any] = {
        "prior": laws[0],
        "finite": laws,
        "hull": laws,
        "box": {"lower": ["1/20"] * size, "upper": [f"{generator.randint(4, 12)}/13" for _ in range(size)]},
        "ball": {"center": laws[0], "radius": f"{generator.randint(1, 8)}/20"},
        "polytope": {
            # The first letter alone always satisfies the inequalities.
            "matrix": [["0", *(str(generator.randint(-3, 4)) for _ in range(size - 1))] for _ in range(2)],
            "bounds": ["3/2", "2"],
        },
        "everything": size,
    }
    return {kind: described[kind]}


def random_upper_bound(seed: int) -> dict[str, Any]:
    """Return a proof of an upper bound on the loss: a random mechanism, and a distortion that it surely has."""
    generator = random.Random(seed)
    notion, kind = NOTIONS[seed % len(NOTIONS)], SOURCES[seed // len(NOTIONS) % len(SOURCES)]
    universe = generator.choice(UNIVERSES)
    rows = [law(generator, 3, generator.random() < 0.7) for _ in range(4)]
    if generator.random() < 0.2:
        rows[1] = rows[0]
    return {
        "schema": "epstar/proof/1",
        "problem": {
            "notion": notion,
            "universe": universe,
            "source": source(generator, kind, 4, generator.random() < 0.8),
            "distortion": {"matrix": [[str(generator.randint(0, 3)) for _ in range(3)] for _ in range(4)]},
            "at": {"distortion": "3"},
        },
        "mechanism": {
            "schema": "epstar/mechanism/1",
            "kind": "matrix",
            "universe": universe,
            "outputs": [0, 1, 2],
            "rows": rows,
        },
        "converse": None,
    }


def compare_random_losses(seeds: range) -> None:
    for seed in seeds:
        proof = random_upper_bound(seed)
        expected, found = checked_by_epstar(proof), checked_by_the_second(proof)
        assert found[0] == expected[0] == 0
        assert close(found[1], expected[1]), (seed, found, expected, proof)


def test_losses_of_random_mechanisms_agree() -> None:
    compare_random_losses(range(2 * len(NOTIONS) * len(SOURCES)))


@pytest.mark.full
def test_losses_of_many_random_mechanisms_agree() -> None:
    compare_random_losses(range(2 * len(NOTIONS) * len(SOURCES), 60 * len(NOTIONS) * len(SOURCES)))


def test_an_answer_may_not_claim_more_than_its_proof() -> None:
    answer = copy.deepcopy(case(0).answer)
    answer["lower"] += 1e-3
    with pytest.raises(check_proof.Rejected, match="claim"):
        checked_by_the_second(answer)
    answer = copy.deepcopy(case(0).answer)
    answer["upper_exact"] = "1/1000"
    with pytest.raises(check_proof.Rejected, match="claim"):
        checked_by_the_second(answer)
    answer = copy.deepcopy(case(0).answer)
    answer["mechanism"]["ratio"] = "2"
    with pytest.raises(check_proof.Rejected, match="not the one"):
        checked_by_the_second(answer)


def test_it_imports_nothing_of_epstar() -> None:
    code = "import sys, check_proof; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    found = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(json.loads(found.stdout.replace("'", '"')))
    assert names <= set(sys.stdlib_module_names) | {"check_proof", "__main__"} | set(baseline_modules())


def baseline_modules() -> list[str]:
    """The modules that this interpreter loads by itself, such as those of its environment."""
    code = "import sys; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded: list[str] = json.loads(found.stdout.replace("'", '"'))
    return loaded


def test_rows_that_are_alike_are_not_compared() -> None:
    size = 165
    law = ["1/3", "2/3", *["0"] * (size - 2)]
    universe = {"size": size}
    document = {
        "schema": "epstar/proof/1",
        "problem": {
            "schema": "epstar/problem/1",
            "notion": {"name": "renyi_differential_privacy", "order": "2"},
            "universe": universe,
            "source": {"prior": law},
            "distortion": {"name": "hamming"},
            "at": {"distortion": "2/3"},
        },
        "mechanism": {
            "schema": "epstar/mechanism/1",
            "kind": "matrix",
            "universe": universe,
            "outputs": list(range(size)),
            "rows": [law] * size,
        },
        "converse": None,
    }
    assert checked_by_the_second(document) == checked_by_epstar(document) == (0.0, 0.0)
