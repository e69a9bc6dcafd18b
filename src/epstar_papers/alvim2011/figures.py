"""Figures 3 and 4 and Tables 1 and 2 with their blanks filled, from proven optima and exact matrices."""

from __future__ import annotations

from collections.abc import Callable

from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions import MaximalLeakage
from epstar.query.baselines import proposition_one
from epstar.query.bounds import in_bits
from epstar.query.gallery import best_on_the_ring, example_one, table_one, table_two
from epstar_papers.alvim2011.constructions import even_ring
from epstar_papers.figure import Figure

Columns = dict[str, list[float]]
LEVELS = tuple(rational(k) / 4 for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40))
RINGS = (4, 6, 8, 10, 12)
PEOPLE = 100


def _floats(values: tuple[Rational, ...]) -> list[float]:
    return [float(Real.of(value)) for value in values]


def _most_leakage(values: int, level: Rational) -> float:
    """Return what the mechanism of Proposition 1 leaks about 100 people, by definition; by Theorem 1 it is the most."""
    leakage = MaximalLeakage().loss(proposition_one(PEOPLE, values, level)).upper
    assert leakage is not None, "exact mechanisms have exact losses"
    return float(in_bits(leakage))


def _figure_3() -> Columns:
    curves = {f"v = {v}": [_most_leakage(v, level) for level in LEVELS] for v in (2, 10, 100)}
    return {"epsilon": _floats(LEVELS)} | curves


def _figure_4() -> Columns:
    data = example_one()
    columns = zip(*data.distances, strict=True)
    numbers = {"database": [float(k) for k in range(1, len(data.order) + 1)]}
    return numbers | {name: [float(d) for d in column] for name, column in zip(data.order, columns, strict=True)}


def _matrix(mechanism: Mechanism) -> Columns:
    size = mechanism.shape[0]
    columns = {str(mechanism.outputs[z]): _floats(tuple(mechanism.column(z))) for z in range(size)}
    return {"row": [float(y) for y in range(1, size + 1)]} | columns


def _rings() -> Columns:
    pairs = [even_ring(size, "log(2)").utilities for size in RINGS]
    return {
        "answers": [float(size) for size in RINGS],
        "Remark 1": _floats(tuple(doubled for doubled, _ in pairs if doubled is not None)),
        "optimal": _floats(tuple(optimal for _, optimal in pairs)),
    }


CITIES, COUNTS = tuple("ABCDEF"), tuple("012345")


def _table(name: str, title: str, mechanism: Callable[[], Mechanism], rows: tuple[str, ...], notes: str) -> Figure:
    return Figure(
        f"alvim2011:{name}",
        title,
        lambda: _matrix(mechanism()),
        "row",
        "true answer",
        "report",
        notes,
        rows=rows,
    )


FIGURES: dict[str, Figure] = {
    figure.key: figure
    for figure in (
        Figure(
            "alvim2011:fig-3",
            "Figure 3: largest leakage about a database of 100 people",
            _figure_3,
            "epsilon",
            "level in nats",
            "leakage in bits",
            "The curves tend to 100, 332.193 and 664.386 bits.",
        ),
        Figure(
            "alvim2011:fig-4",
            "Figure 4(b): exponents of the most telling matrix for two people and three values",
            _figure_4,
            "database",
            "database",
            "reported database",
            "The entry is a E^-d with a = (E/(2 + E))^2, not the printed 3E/(2 + E).",
            rows=("aa", "ab", "ac", "ba", "ca", "bb", "bc", "cb", "cc"),
        ),
        _table(
            "table-1-m1",
            "Table 1(a): truncated geometric mechanism on six cities",
            lambda: table_one().first,
            CITIES,
            "The ratio is 2^(1/5) per place. Utility 0.224337 for uniform answers, 0.241522 (printed as 0.2412) for "
            "the distribution of Example 2.",
        ),
        _table(
            "table-1-m2",
            "Table 1(b): equation (6) on six cities",
            lambda: table_one().second,
            CITIES,
            "Utility 2/7; for the distribution of Example 2 the largest is 8/25.",
        ),
        _table(
            "table-2-m1",
            "Table 2(a): truncated geometric mechanism on a count of five",
            lambda: table_two().first,
            COUNTS,
            "Utility 4/9, which is the largest on the line.",
        ),
        _table(
            "table-2-m2",
            "Table 2(b): Remark 1 on six answers",
            lambda: table_two().second,
            COUNTS,
            "Utility 4/11; the largest on the ring is 8/21.",
        ),
        _table(
            "table-2-ring",
            "Beside Table 2: the optimal mechanism on a ring of six answers",
            best_on_the_ring,
            COUNTS,
            "Utility 8/21: equation (6) with the entry at the largest distance not doubled.",
        ),
        Figure(
            "alvim2011:rings",
            "Remark 1 beside the optimal mechanism on even rings, E = 2",
            _rings,
            "answers",
            "number of answers",
            "utility for uniform answers",
            "Doubling is never optimal.",
        ),
    )
}
