r"""Definition 1, the classes of source sets; Definition 19, the losses as closed formulas; a wrong reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import permutations

from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions import Notion
from epstar.source import Everything, Prior
from epstar_papers.theorem import Case, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.constructions import symmetric_mechanism
from epstar_papers.zhong2022.distributions import Point, Setting, as_float, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    INFORMATION_RATIO,
    LEAKAGE,
    POINTWISE,
    RENYI,
    SHANNON,
    SIBSON,
    loss,
)

Formula = Callable[[Mechanism, Point], float]


def _largest_ratio(mechanism: Mechanism, slack: Rational) -> float:
    """Definition 19(1) and (2)."""
    ratios = [
        (a - slack) / b
        for y in range(mechanism.shape[1])
        for a, b in permutations(mechanism.column(y), 2)
        if a > slack and b > 0
    ]
    return max(0.0, math.log(as_float(max(ratios, default=ONE))))


def _largest_information(mechanism: Mechanism, distribution: Point) -> float:
    """Definition 19(3)."""
    outputs = mechanism.output_law(distribution)
    return math.log(as_float(max(q / outputs[y] for row in mechanism.rows for y, q in enumerate(row))))


def _leakage(mechanism: Mechanism, _distribution: Point) -> float:
    """Definition 19(4)."""
    return math.log(sum(as_float(max(mechanism.column(y))) for y in range(mechanism.shape[1])))


def _renyi(mechanism: Mechanism, _distribution: Point) -> float:
    """Definition 19(5) with order 2."""
    pairs = permutations(mechanism.rows, 2)
    return max(math.log(sum(as_float(a * a / b) for a, b in zip(*pair, strict=True))) for pair in pairs)


def _sibson(mechanism: Mechanism, distribution: Point) -> float:
    """Definition 19(6) with order 2."""
    columns = [mechanism.column(y) for y in range(mechanism.shape[1])]
    terms = [math.sqrt(as_float(sum((p * q * q for p, q in zip(distribution, c, strict=True)), ZERO))) for c in columns]
    return 2 * math.log(sum(terms))


def _information(mechanism: Mechanism, distribution: Point) -> float:
    """Definition 19(7)."""
    outputs = mechanism.output_law(distribution)
    rows = zip(distribution, mechanism.rows, strict=True)
    return sum(as_float(p * q) * math.log(as_float(q / outputs[y])) for p, row in rows for y, q in enumerate(row))


_DEFINITIONS: tuple[tuple[Notion, Formula], ...] = (
    (DIFFERENTIAL, lambda mechanism, distribution: _largest_ratio(mechanism, ZERO)),
    (POINTWISE, lambda mechanism, distribution: _largest_ratio(mechanism, Rational(1, 10))),
    (INFORMATION_RATIO, _largest_information),
    (LEAKAGE, _leakage),
    (RENYI, _renyi),
    (SIBSON, _sibson),
    (SHANNON, _information),
)


def _definitions() -> Iterator[Case]:
    for case in cases.mechanisms(8, 141):
        yield from ({**case, "place": place} for place in range(len(_DEFINITIONS)))


def _special_sets() -> Iterator[Case]:
    for size in (2, 3, 5):
        yield {"source": Prior(uniform(size)), "class": "I"}
        yield {"source": Everything(size), "class": "I"}
    for case in cases.one_distribution(8, 142):
        distribution = case["distributions"][0]
        yield {"source": Prior(distribution), "class": "I" if len(set(distribution)) == 1 else "II"}


def _settings() -> Iterator[Case]:
    for categories, rows, distortion in ((2, 2, "1/2"), (3, 2, "1"), (4, 3, "3/4"), (2, 5, "2")):
        yield {"categories": categories, "rows": rows, "distortion": rational(distortion)}


def _of_one_row(case: Case) -> Real:
    """Proposition 8(1) at the distortion per row."""
    return formulas.differential_privacy(Setting(case["categories"], 1, case["distortion"] / case["rows"]))


THEOREMS = (
    Theorem(
        key="zhong2022:def-1",
        label="Definition 1, special cases",
        place="Section II",
        statement=(
            r"The uniform distribution alone and the set of all distributions are of Class I; one other distribution "
            r"alone is of Class II."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_special_sets,
        printed=lambda case: case["source"].kalantari_class().name == case["class"],
    ),
    Theorem(
        key="zhong2022:text-theorem-8",
        label="Before Theorem 17",
        place="Section IV-C",
        statement=r"Theorem 17 follows from additivity and Theorem 8.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_settings,
        corrected=_of_one_row,
        computed=lambda case: loss(
            DIFFERENTIAL, symmetric_mechanism(case["categories"], case["rows"], case["distortion"])
        ),
        correction="Proposition 8, at the distortion per row; there is no Theorem 8.",
    ),
    Theorem(
        key="zhong2022:def-19",
        label="Definition 19",
        place="Appendix A",
        statement=r"The seven closed formulas for the losses are equivalent to Definition 3.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_definitions,
        printed=lambda case: _DEFINITIONS[case["place"]][1](case["mechanism"], case["distribution"]),
        computed=lambda case: loss(_DEFINITIONS[case["place"]][0], case["mechanism"], Prior(case["distribution"])),
    ),
)
