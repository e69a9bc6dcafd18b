"""The worst ratio over pairs with distances: of all that floats cannot rule out, the same as over all pairs."""

from hypothesis import example, given
from hypothesis import strategies as st

from epstar.exact import ONE, ZERO, Rational
from epstar.exact.enclosure import log_over
from epstar.notions.measure.worst_ratio import exact_worst_ratio
from epstar.universe import Metric

Rows = list[list[Rational]]
BITS = 400

# Next to each other in floats or the same, far below all floats, and certain or impossible.
WEIGHTS = st.sampled_from([0, 0, 1, 1, 2, 3, 7, 10**16, 10**16 + 1, 10**300])
LENGTHS = st.sampled_from([Rational(1), Rational(2), Rational(1, 3), 1 + Rational(1, 10**17), Rational(10**101)])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Rows, list[list[Rational]]]:
    size, outputs = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    kinds = draw(st.lists(st.lists(WEIGHTS, min_size=outputs, max_size=outputs).filter(any), min_size=1, max_size=size))
    chosen = [draw(st.sampled_from(kinds)) for _ in range(size)]
    rows = [[Rational(weight, sum(weights)) for weight in weights] for weights in chosen]
    table = [[ZERO] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            table[i][j] = table[j][i] = draw(LENGTHS)
    return rows, table


def over_all_pairs(rows: Rows, table: list[list[Rational]]) -> tuple[Rational, Rational] | None:
    """The definition: the largest log ratio per distance over all pairs and outputs, enclosed; None if infinite."""
    low = high = ZERO
    for i, left in enumerate(rows):
        for j, right in enumerate(rows):
            for above, below in zip(left, right, strict=True):
                if i != j and above > below:
                    if below == 0:
                        return None
                    ratio = log_over(above / below, table[i][j])
                    low, high = max(low, ratio.below(BITS)), max(high, ratio.above(BITS))
    return low, high


@given(cases())
@example(([[Rational(1, 2), Rational(1, 2)]] * 3, [[ZERO, ONE, ONE], [ONE, ZERO, ONE], [ONE, ONE, ZERO]]))
def test_what_floats_rule_out_is_not_the_worst(case: tuple[Rows, list[list[Rational]]]) -> None:
    rows, table = case
    found, expected = exact_worst_ratio(rows, Metric(table)).exact, over_all_pairs(rows, table)
    if expected is None:
        assert found.is_infinite
    else:
        assert found.below(BITS) <= expected[1]
        assert expected[0] <= found.above(BITS)
