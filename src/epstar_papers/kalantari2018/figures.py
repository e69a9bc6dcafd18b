"""Tables I to IV and Figures 4 to 7 with the values that they must show, each proven by the frontier."""

from __future__ import annotations

from collections.abc import Callable

from epstar.exact import Rational, Real, rational
from epstar_papers.figure import Figure
from epstar_papers.kalantari2018.programs import equation_9, equation_16
from epstar_papers.kalantari2018.tables import (
    EXCHANGES,
    TABLE_I,
    TABLE_II,
    TABLE_III,
    TABLE_IV,
    Points,
    uniform,
)
from epstar_papers.kalantari2018.truth import least_information, least_loss

GRID_SIX = tuple(
    rational(d)
    for d in [
        "0.01",
        "0.015",
        "0.02",
        "0.025",
        "0.03",
        "0.04",
        "0.05",
        "0.06",
        "0.08",
        "0.10",
        "0.12",
        "0.14",
        "0.16",
        "0.18",
        "0.20",
        "0.22",
        "0.24",
        "0.26",
        "0.28",
        "0.299",
        "0.30",
        "0.35",
        "0.40",
        "0.45",
        "0.50",
        "0.55",
        "0.57",
        "0.575",
        "0.60",
        "0.65",
        "0.69",
        "0.70",
        "0.75",
        "0.76",
        "0.77",
        "0.80",
        "0.83",
        "0.84",
    ]
)
GRID_TEN = tuple(
    rational(d)
    for d in [
        "0.01",
        "0.015",
        "0.02",
        "0.025",
        "0.03",
        "0.04",
        "0.05",
        "0.06",
        "0.08",
        "0.10",
        "0.14",
        "0.18",
        "0.20",
        "0.22",
        "0.26",
        "0.30",
        "0.34",
        "0.38",
        "0.42",
        "0.46",
        "0.50",
        "0.54",
        "0.58",
        "0.62",
        "0.66",
        "0.69",
        "0.70",
        "0.72",
        "0.74",
        "0.75",
        "0.78",
        "0.79",
        "0.80",
        "0.81",
        "0.82",
        "0.85",
        "0.89",
        "0.90",
    ]
)
_NEAR = Rational(1, 10**9)
# Where curves jump; the row just before holds the limit from the left.
_FREE_SIX, _FREE_TEN, _FIRST = Rational(3, 10), Rational(7, 10), Rational(1, 50)
GRID_SIX, GRID_TEN = (
    tuple(sorted({*grid, *(jump - _NEAR for jump in (_FIRST, free))}))
    for grid, free in ((GRID_SIX, _FREE_SIX), (GRID_TEN, _FREE_TEN))
)
Columns = dict[str, list[float]]


def _floats(values: tuple[Rational, ...]) -> list[float]:
    return [float(Real.of(value)) for value in values]


def _losses(distributions: Points, grid: tuple[Rational, ...]) -> list[float]:
    return [float(least_loss(distributions, distortion).upper) for distortion in grid]


def _printed_bounds(base: Points, name: str, grid: tuple[Rational, ...]) -> list[float]:
    steps = tuple(step[: len(base[0])] for step in EXCHANGES[name])
    return [float(equation_16(base, distortion, steps)) for distortion in grid]


def _three_classes(base: Points, sets: dict[str, Points], grid: tuple[Rational, ...]) -> Columns:
    columns = {"D": _floats(grid), "Class I": _losses(uniform(len(base[0])), grid), "Class II": _losses(base, grid)}
    columns |= {f"Class III:{name}": _losses(distributions, grid) for name, distributions in sets.items()}
    columns["(9) as printed, Class II"] = [float(equation_9(base, distortion)) for distortion in grid]
    columns |= {f"(16) as printed, Class III:{name}": _printed_bounds(base, name, grid) for name in sets}
    return columns


def _both_leakages(distributions: Points, grid: tuple[Rational, ...]) -> Columns:
    answers = [least_information(distributions, distortion) for distortion in grid]
    return {
        "D": _floats(grid),
        "differential privacy": _losses(distributions, grid),
        "proven lower bound, mutual information": [answer.lower.lower for answer in answers],
        "proven upper bound, mutual information": [answer.upper.upper for answer in answers],
    }


def _table(distributions: Points) -> Columns:
    categories = {"category": [float(x) for x in range(1, len(distributions[0]) + 1)]}
    return categories | {
        f"distribution {number}": _floats(distribution) for number, distribution in enumerate(distributions, 1)
    }


def _leakages(
    number: int, title: str, columns: Callable[[], Columns], notes: str, jumps: dict[str, tuple[Rational, ...]]
) -> Figure:
    return Figure(
        f"kalantari2018:fig-{number}",
        title,
        columns,
        "D",
        "distortion D",
        "leakage in nats",
        notes,
        jumps={name: tuple(_floats(places)) for name, places in jumps.items()},
    )


def _distributions(number: int, title: str, distributions: Points) -> Figure:
    return Figure(
        f"kalantari2018:table-{number}",
        title,
        lambda: _table(distributions),
        "category",
        "category",
        "probability under each distribution of the source set",
        "Each column is a distribution of the source set.",
        rows=tuple(str(x) for x in range(1, len(distributions[0]) + 1)),
    )


_LITERAL = (
    "The curves marked as printed evaluate the paper's formulas literally; where they lie below the proven ones, they "
    "promise less leakage than any mechanism has."
)

FIGURES: dict[str, Figure] = {
    figure.key: figure
    for figure in (
        _distributions(1, "Table I: one distribution on six categories", TABLE_I),
        _distributions(2, "Table II: the ends of a segment of distributions on ten categories", TABLE_II),
        _distributions(3, "Table III: Table I with categories exchanged", TABLE_III["c"]),
        _distributions(4, "Table IV: Table II with categories exchanged", TABLE_IV["c"]),
        _leakages(
            4,
            "Figure 4: differential-privacy leakage of the three classes, M = 6",
            lambda: _three_classes(TABLE_I, TABLE_III, GRID_SIX),
            "The leakage of Class II jumps to zero at 0.30, from log(14/3) = 1.5404; that of Class III reaches zero "
            f"without a jump at 0.575, 209/300 and 0.7625, and that of Class I at 5/6. {_LITERAL}",
            {
                "Class II": (_FREE_SIX,),
                "(9) as printed, Class II": (_FIRST, _FREE_SIX),
                "(16) as printed, Class III:a": (_FIRST,),
            },
        ),
        _leakages(
            5,
            "Figure 5: differential-privacy leakage of the three classes, M = 10",
            lambda: _three_classes(TABLE_II, TABLE_IV, GRID_TEN),
            "The leakage of Class II jumps to zero at 0.70, from log(3/2) = 0.4055; that of Class III reaches zero "
            f"without a jump at 0.75, 0.79 and 0.8175, and that of Class I at 0.90. {_LITERAL}",
            {
                "Class II": (_FREE_TEN,),
                "(9) as printed, Class II": (_FIRST, _FREE_TEN),
                **{f"(16) as printed, Class III:{name}": (_FIRST,) for name in TABLE_IV},
            },
        ),
        _leakages(
            6,
            "Figure 6: both leakages of a Class I set, M = 10",
            lambda: _both_leakages(uniform(10), GRID_TEN),
            "Both in nats; any convex Class I set on ten categories has the same curves.",
            {},
        ),
        _leakages(
            7,
            "Figure 7: both leakages of the segment in Table II",
            lambda: _both_leakages(TABLE_II, GRID_TEN),
            "Both in nats; the segment is taken as a convex set. At 0.70 the leakage jumps to zero, the information "
            "reaches it.",
            {"differential privacy": (_FREE_TEN,)},
        ),
    )
}
