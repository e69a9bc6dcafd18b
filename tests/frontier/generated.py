"""Seeded random questions of every kind: notion x source x distortion x universe x which way it is asked."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix, Squared
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Problem
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

Point = tuple[Rational, ...]
Asked = Literal["loss", "distortion"]

NOTIONS = (
    "differential privacy",
    "approximate",
    "pointwise approximate",
    "renyi",
    "mutual information",
    "capacity",
    "sibson",
    "maximal leakage",
    "maximal information",
    "identifiability",
    "local information",
    "pointwise leakage",
    "min-entropy leakage",
    "min-entropy capacity",
)
SOURCES = ("prior", "finite", "hull", "box", "ball", "polytope", "everything", "rows")
DISTORTIONS = ("hamming", "absolute", "squared", "matrix", "gain")
UNIVERSES = ("alphabet", "databases", "ring", "line", "star", "disconnected", "metric")
CONVEX = (MutualInformation, Capacity, SibsonMutualInformation, RenyiDifferentialPrivacy, PointwiseLeakage)


@dataclass(frozen=True)
class Kind:
    """Which sort of question."""

    notion: str
    source: str
    distortion: str
    universe: str
    asks: Asked


def every_kind() -> list[Kind]:
    """Return the full product; rows of a database need a universe of databases."""
    return [
        Kind(notion, source, distortion, universe, asks)
        for notion in NOTIONS
        for source in SOURCES
        for distortion in DISTORTIONS
        for universe in UNIVERSES
        for asks in ("loss", "distortion")
        if source != "rows" or universe == "databases"
    ]


def generated(kind: Kind, seed: int) -> Problem:
    """Return a question of this kind; the same one for the same seed."""
    numbers = random.Random(f"{kind} {seed}")
    universe = _universe(kind.universe, numbers)
    source = _source(kind.source, universe, numbers)
    distortion = _distortion(kind.distortion, universe, numbers)
    notion = _notion(kind.notion, numbers)
    if kind.asks == "distortion":
        level = Real.of(numbers.choice(["0", "1/10", "1/2", "log(2)", "1", "2", "4", "1/1000"]))
        return Problem(notion, source, distortion, universe, "distortion", level)
    return Problem(notion, source, distortion, universe, "loss", _reachable(source, distortion, universe, numbers))


def width_limit(notion: Notion) -> float:
    """Return the widest interval that counts as an answer."""
    return 1e-7 if isinstance(notion, CONVEX) else 1e-9


def law(size: int, numbers: random.Random, zeros: bool = False) -> Point:
    """Return a law with small denominators; ties are common."""
    while True:
        weights = [numbers.randint(0 if zeros and numbers.random() < 0.4 else 1, 9) for _ in range(size)]
        if any(weights):
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def _notion(name: str, numbers: random.Random) -> Notion:
    orders = ["1/2", "1", "3/2", "2", "3", "5"]
    return {
        "differential privacy": DifferentialPrivacy(),
        "approximate": ApproximateDifferentialPrivacy(numbers.choice(["1/100", "1/10", "0"])),
        "pointwise approximate": ApproximateDifferentialPrivacy(numbers.choice(["1/50", "1/10"]), "pointwise"),
        "renyi": RenyiDifferentialPrivacy(numbers.choice(orders)),
        "mutual information": MutualInformation(),
        "capacity": Capacity(),
        "sibson": SibsonMutualInformation(numbers.choice(orders)),
        "maximal leakage": MaximalLeakage(),
        "maximal information": MaximalInformation(),
        "identifiability": Identifiability(),
        "local information": LocalInformationPrivacy(numbers.choice(["0", "1/20"])),
        "pointwise leakage": PointwiseLeakage(),
        "min-entropy leakage": MinEntropyLeakage(),
        "min-entropy capacity": MinEntropyCapacity(),
    }[name]


def _universe(name: str, numbers: random.Random) -> Universe:
    size = numbers.randint(2, 5)
    match name:
        case "databases":
            return Databases(2, 2)
        case "ring":
            return Graph.ring(max(3, size))
        case "line":
            return Graph.line(size)
        case "star":
            return Graph(max(3, size), [(0, leaf) for leaf in range(1, max(3, size))])
        case "disconnected":
            return Graph(max(4, size), [(0, 1), (2, 3)])
        case "metric":
            places = [Rational(numbers.randint(0, 3) + 4 * k, 4) for k in range(size)]
            return Metric([[abs(a - b) for b in places] for a in places])
    return Alphabet(size)


def _source(name: str, universe: Universe, numbers: random.Random) -> Source:
    size = universe.size
    zeros = numbers.random() < 0.3
    center = law(size, numbers, zeros)
    points = [law(size, numbers, zeros) for _ in range(numbers.randint(2, 4))]
    match name:
        case "finite":
            return Finite(points)
        case "hull":
            return Hull(points)
        case "box":
            room = Rational(numbers.randint(1, 6), 20)
            return Box([max(ZERO, p - room) for p in center], [min(ONE, p + room) for p in center])
        case "ball":
            return Ball(center, Rational(numbers.randint(1, 10), 10))
        case "polytope":
            normals = [[Rational(numbers.randint(-3, 3)) for _ in range(size)] for _ in range(2)]
            return Polytope(normals, [dot(normal, center) + Rational(numbers.randint(0, 3), 4) for normal in normals])
        case "everything":
            return Everything(size)
        case "rows":
            row: Source = numbers.choice([Prior(law(2, numbers)), Finite([law(2, numbers) for _ in range(2)])])
            return Rows(row, 2, iid=numbers.random() < 0.5)
    return Prior(center)


def _distortion(name: str, universe: Universe, numbers: random.Random) -> Distortion:
    outputs = universe.size + numbers.choice([-1, 1, 2])
    values = [[Rational(numbers.randint(0, 10), 10) for _ in range(max(1, outputs))] for _ in range(universe.size)]
    match name:
        case "absolute":
            return Absolute()
        case "squared":
            return Squared()
        case "matrix":
            return Matrix(values)
        case "gain":
            return Gain([[value - Rational(1, 5) for value in row] for row in values])
    return Hamming()


def _reachable(source: Source, distortion: Distortion, universe: Universe, numbers: random.Random) -> Real:
    """Return a distortion between the least of all and that of a constant answer, now and then outside."""
    cost = distortion.matrix(universe)
    least = source.maximum([min(row) for row in cost]).value
    constant = min(source.maximum(column).value for column in zip(*cost, strict=True))
    return Real.of(least + (constant - least) * Rational(numbers.choice([-1, 0, 1, 3, 5, 8, 10, 15, 18, 20, 21]), 20))
