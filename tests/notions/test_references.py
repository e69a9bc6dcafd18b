"""Losses of given mechanisms against numbers computed elsewhere."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epstar.exact import Real, rational
from epstar.mechanism import (
    DiagonalMechanism,
    DistanceMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
)
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Finite, Prior, Rows
from epstar.universe import Alphabet, Databases, Graph, Universe

DATA: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "notions.json").read_text(encoding="utf-8")
)
BIT = math.log(2)


def symmetric(letters: int, error: object) -> Mechanism:
    """The mechanism Q_D of one row: wrong with probability `error`, evenly."""
    wrong = rational(error)
    other = wrong / (letters - 1)
    return Mechanism([[1 - wrong if x == y else other for y in range(letters)] for x in range(letters)])


@pytest.mark.parametrize("row", DATA["zhong2022_figure3"], ids=lambda row: str(row["D"]))
def test_zhong2022_figure_3(row: dict[str, float]) -> None:
    """Uniform bit: the symmetric mechanism is optimal for five notions, randomised response plus delta for one."""
    mechanism, uniform = symmetric(2, min(row["D"], 0.5)), Prior(["1/2", "1/2"])
    for notion, name in (
        (DifferentialPrivacy(), "DP"),
        (MaximalLeakage(), "ML"),
        (MutualInformation(), "mutual_information"),
        (RenyiDifferentialPrivacy(2), "renyi2_exact"),
        (SibsonMutualInformation(2), "sibson2_exact"),
    ):
        assert notion.loss(mechanism, uniform).value == pytest.approx(row[name], abs=2e-9)
    level = row["approxDP_0p1"]
    if level > 0:
        top = TopRandomisedResponse(Alphabet(2), range(2), Real.exp(rational(level)).below(), "1/10")
        for approximate in (
            ApproximateDifferentialPrivacy("1/10"),
            ApproximateDifferentialPrivacy("1/10", "pointwise"),
        ):
            assert approximate.loss(top).value == pytest.approx(level, abs=1e-10)


@pytest.mark.parametrize("case", DATA["zhong2022_products"], ids=str)
def test_zhong2022_symmetric_products(case: dict[str, Any]) -> None:
    """Q_D on n rows is optimal for DP, Rényi and mutual information under the uniform law."""
    letters, rows = case["m"], case["n"]
    mechanism = ProductMechanism(symmetric(letters, rational(case["D"]) / rows), rows)
    notions: dict[str, Notion] = {
        "DP": DifferentialPrivacy(),
        "renyi": RenyiDifferentialPrivacy(2),
        "mutual_information": MutualInformation(),
    }
    uniform = Rows(Prior.uniform_on(letters), rows)
    for form in (mechanism, mechanism.dense()):
        assert notions[case["notion"]].loss(form, uniform).value == pytest.approx(case["optimum"], abs=1e-9)


@pytest.mark.parametrize("case", DATA["zhong2022_pointwise"], ids=str)
def test_zhong2022_pointwise_optimum(case: dict[str, Any]) -> None:
    """f(l) = e^-eps (f(l-1) - delta)_+ has the pointwise loss that was found to be optimal."""
    letters, rows, delta, level = case["m"], case["n"], case["delta"], case["optimum"]
    counts = [math.comb(rows, d) * (letters - 1) ** d for d in range(rows + 1)]

    def entries(first: float) -> list[float]:
        found = [first]
        for _ in range(rows):
            found.append(max(0.0, (found[-1] - delta) / math.exp(level)))
        return found

    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        mass = sum(n * f for n, f in zip(counts, entries(middle), strict=True))
        low, high = (middle, high) if mass < 1 else (low, middle)
    weights = [n * f for n, f in zip(counts, entries(low), strict=True)]
    mechanism = DistanceMechanism(Databases(letters, rows), weights)
    assert sum(d * w for d, w in enumerate(weights)) == pytest.approx(case["D"], abs=1e-9)
    notion = ApproximateDifferentialPrivacy(delta, "pointwise")
    assert notion.loss(mechanism).value == pytest.approx(level, abs=1e-9)
    assert notion.loss(mechanism.dense()).value == pytest.approx(level, abs=1e-9)


def test_zhong2022_lemma_20_9_needs_one_row() -> None:
    """Q_D on several rows: maximal leakage and Sibson of high order exceed differential privacy."""
    for letters, rows, error, expected in (
        (2, 3, "2/5", (0.405465, 0.546965, 0.466355)),
        (3, 2, "1/2", (0.693147, 0.810930, 0.737968)),
    ):
        mechanism = ProductMechanism(symmetric(letters, error), rows)
        uniform = Rows(Prior.uniform_on(letters), rows)
        found = [
            DifferentialPrivacy().loss(mechanism),
            MaximalLeakage().loss(mechanism),
            SibsonMutualInformation(20).loss(mechanism, uniform),
        ]
        assert [loss.value for loss in found] == pytest.approx(expected, abs=1e-6)


def test_zhong2022_two_points_are_not_their_hull() -> None:
    points = Finite([["9/10", "1/10"], ["1/10", "9/10"]])
    mechanism = symmetric(2, "1/10")
    assert MutualInformation().loss(mechanism, points).value == pytest.approx(0.14631051342, abs=1e-10)
    assert SibsonMutualInformation(2).loss(mechanism, points).value == pytest.approx(0.28716210583, abs=1e-10)


@pytest.mark.parametrize("case", DATA["kalantari2018_diagonals"], ids=lambda case: str(case["id"]))
def test_kalantari2018_diagonals(case: dict[str, Any]) -> None:
    mechanism = DiagonalMechanism(Alphabet(len(case["q"])), case["q"])
    for form in (mechanism, mechanism.dense()):
        loss = DifferentialPrivacy().loss(form)
        assert loss.upper is not None
        assert Real.exp(loss.upper).rational == rational(case["E"])


@pytest.mark.parametrize("case", DATA["ngo2024_capacities_bits"], ids=str)
def test_ngo2024_capacity_of_binary_channels(case: dict[str, float]) -> None:
    first, second = rational(case["e0"]), rational(case["e1"])
    loss = Capacity().loss(Mechanism([[1 - first, first], [second, 1 - second]]))
    assert loss.lower is not None
    assert loss.upper is not None
    assert loss.value == pytest.approx(case["value"] * BIT, abs=1e-13)
    assert loss.upper.upper - loss.lower.lower < 1e-12


@pytest.mark.parametrize("case", DATA["ngo2024_delta_of_capacity"], ids=str)
def test_ngo2024_theorem_1a_is_attained(case: dict[str, float]) -> None:
    """The binary mechanism of capacity mu whose delta at eps is the largest possible."""
    p0, p1 = rational(case["p0"]), rational(case["p1"])
    mechanism = Mechanism([[1 - p0, p0], [1 - p1, p1]])
    assert Capacity().loss(mechanism).value == pytest.approx(case["mu"] * BIT, abs=1e-12)
    delta = ApproximateDifferentialPrivacy(0).delta_at(mechanism, case["eps"])
    assert delta.value == pytest.approx(case["value"], abs=1e-12)
    back = ApproximateDifferentialPrivacy(case["value"]).loss(mechanism)
    assert back.value == pytest.approx(case["eps"], abs=1e-9)


def test_ngo2024_counterexample_to_theorem_2a() -> None:
    """Little information on average, and yet no level is enough below delta = 9/100."""
    mechanism, uniform = Mechanism([[1, 0], ["41/50", "9/50"]]), Prior(["1/2", "1/2"])
    assert MutualInformation().loss(mechanism, uniform).value == pytest.approx(0.096431 * BIT, abs=1e-6)
    assert LocalInformationPrivacy("9/100").loss(mechanism, uniform).value < math.inf
    assert LocalInformationPrivacy("89/1000").loss(mechanism, uniform).value == math.inf


def test_ngo2024_no_average_guarantee_for_a_rare_input() -> None:
    rare = Prior(["1/20", "19/20"])
    reveals = Mechanism([[1, 0], [0, 1]])
    assert MutualInformation().loss(reveals, rare).value <= 0.3 * BIT
    assert LocalInformationPrivacy("19/20").loss(reveals, rare).value < math.inf
    assert LocalInformationPrivacy("949/1000").loss(reveals, rare).value == math.inf


def test_wang2016_examples() -> None:
    mechanism = Mechanism([["3/5", "2/5"], ["2/5", "3/5"]])
    even, skewed = Prior(["11/20", "9/20"]), Prior(["9/10", "1/10"])
    assert str(Identifiability().loss(mechanism, even).upper) == "log(11/6)"
    assert str(Identifiability().loss(mechanism, skewed).upper) == "log(27/2)"
    assert Identifiability().loss(mechanism, even).value == pytest.approx(0.6061358035703155)
    assert Identifiability().loss(mechanism, skewed).value == pytest.approx(2.6026896854443837)
    assert str(DifferentialPrivacy().loss(mechanism).upper) == "log(3/2)"
    blind = Mechanism([[1], [1]])
    assert Identifiability().loss(blind, even).value == pytest.approx(0.20067069546215124)
    assert Identifiability().loss(blind, skewed).value == pytest.approx(2.1972245773362196)


def identifiable(case: dict[str, Any], level: float) -> tuple[Mechanism, Prior] | None:
    """The mechanism under which the input given the output moves each row with probability e^-level."""
    letters, rows = case["m"], case["n"]
    universe: Universe = Alphabet(letters) if rows == 1 else Databases(letters, rows)
    points = list(product(range(letters), repeat=rows))
    distance = np.array([[sum(a != b for a, b in zip(x, y, strict=True)) for y in points] for x in points])
    kernel = np.exp(-level * distance) / (1 + (letters - 1) * math.exp(-level)) ** rows
    prior = np.array(case["prior"])
    outputs = np.linalg.solve(kernel, prior)
    if outputs.min() < 0:
        return None
    return Mechanism(kernel * outputs / prior[:, None], universe), Prior(case["prior"])


@pytest.mark.parametrize("case", DATA["wang2016_dp_level"], ids=str)
def test_wang2016_levels_of_the_identifiability_mechanism(case: dict[str, Any]) -> None:
    found = identifiable(case, case["eps"])
    assert found is not None
    mechanism, prior = found
    assert Identifiability().loss(mechanism, prior).value == pytest.approx(case["eps"], abs=1e-9)
    assert DifferentialPrivacy().loss(mechanism).value == pytest.approx(case["value"], abs=1e-9)


def test_wang2016_rate_distortion() -> None:
    """Where that mechanism exists it is also the one of least information at its distortion."""
    checked = 0
    for case in DATA["wang2016_rate_distortion_bits"]:
        found = identifiable(case, case["slope"])
        if found is not None:
            value = MutualInformation().loss(*found).value
            assert value == pytest.approx(case["value"] * BIT, abs=1e-9)
            checked += 1
    assert checked >= 8


@pytest.mark.parametrize("case", DATA["alvim2011_kernels"], ids=str)
def test_alvim2011_leakage_of_optimal_mechanisms(case: dict[str, Any]) -> None:
    """M = K a with K = E^-distance and K a = 1: its leakage is log2(answers * utility), its level log E."""
    graph = Graph(case["nodes"], [tuple(edge) for edge in case["edges"]])
    ratio, size = rational(case["e_eps"]), case["nodes"]
    kernel = np.array([[float(Real.of(ratio)) ** -int(d) for d in row] for row in graph.distances])
    shares = np.linalg.solve(kernel, np.ones(size))
    mechanism = Mechanism(kernel * np.maximum(shares, 0.0) / (kernel @ shares)[:, None], graph)
    assert DifferentialPrivacy().loss(mechanism).value == pytest.approx(math.log(float(Real.of(ratio))), abs=1e-12)
    leakage = float(case["leakage_bits"]) * BIT
    assert MinEntropyLeakage().loss(mechanism, Prior.uniform_on(size)).value == pytest.approx(leakage, abs=1e-12)
    assert MaximalLeakage().loss(mechanism).value == pytest.approx(leakage, abs=1e-12)


def test_alvim2011_zero_leakage_without_independence() -> None:
    channel = Mechanism([["3/5", "2/5"], ["2/5", "3/5"]])
    loss = MinEntropyLeakage().loss(channel, Prior(["9/10", "1/10"]))
    assert loss.upper is not None
    assert loss.upper.rational == 0
    leak = Mechanism([[1, 0], ["99/100", "1/100"]])
    assert str(MaximalLeakage().loss(leak).upper) == "log(101/100)"
    assert DifferentialPrivacy().loss(leak).value == math.inf
