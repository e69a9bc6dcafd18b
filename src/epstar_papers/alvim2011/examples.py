r"""Examples 2 and 3 with Tables 1 and 2, and what Section 6 says of other work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from epstar.exact import ONE, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism
from epstar.query.gallery import CITY_PRIOR, table_one, table_two
from epstar.query.query import Query
from epstar.universe import Databases, Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.truth import best_utility, edges_of, ratio_of, uniform, utility
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

CITIES = rationals(CITY_PRIOR)
TABLE_1_FIRST_COLUMN = ("0.535", "0.465", "0.405", "0.353", "0.307", "0.267")
TABLE_1_LAST_ROW = ("0.267", "0.040", "0.046", "0.052", "0.060", "0.535")
TABLE_2_M1 = (
    "2/3 1/6 1/12 1/24 1/48 1/48",
    "1/3 1/3 1/6 1/12 1/24 1/24",
    "1/6 1/6 1/3 1/6 1/12 1/12",
    "1/12 1/12 1/6 1/3 1/6 1/6",
)
TABLE_2_M1_LAST = "1/48 1/48 1/24 1/12 1/6 2/3"
TABLE_2_M2_FIRST_COLUMN = "4/11 2/11 1/11 1/11 1/11 2/11"
TABLE_2_M2_LAST = "2/11 1/11 1/11 1/11 2/11 4/11"
_ROUNDING = 5e-5


def _winner(rows: Sequence[int]) -> int:
    """Return the value with most votes; the smallest wins a tie."""
    counts = Counter(rows)
    return min(counts, key=lambda value: (-counts[value], value))


def _is_untied(rows: Sequence[int]) -> bool:
    most = Counter(rows).most_common()
    return len(most) == 1 or most[0][1] > most[1][1]


def _is_clique(graph: Graph) -> bool:
    return edges_of(graph) == edges_of(Graph.clique(graph.size))


def _votes(case: Case, with_ties: bool) -> Graph:
    """Return the graph of the leading value; ties are left out, or go to the smallest value."""
    databases = Databases(case["v"], case["u"])
    return Query(_winner, databases, domain=None if with_ties else _is_untied).graph


def _agrees(printed: Sequence[str], entries: Sequence[Rational]) -> bool:
    """Whether entries round to three printed decimals."""
    return all(
        abs(entry - rational(shown)) <= rational("0.0005") for shown, entry in zip(printed, entries, strict=True)
    )


def _table_1(case: Case) -> bool:
    data = table_one()
    if case["matrix"] == "M1":
        return _agrees(TABLE_1_FIRST_COLUMN, data.first.column(0)) and _agrees(TABLE_1_LAST_ROW, data.first.rows[5])
    return all(data.second.entry(y, z) == Rational(2 if y == z else 1, 7) for y in range(6) for z in range(6))


def _table_2(case: Case) -> bool:
    data = table_two()
    if case["matrix"] == "M1":
        rows = tuple(rationals(row.split()) for row in TABLE_2_M1)
        return data.first.rows[:4] == rows and data.first.rows[5] == rationals(TABLE_2_M1_LAST.split())
    column, last = (rationals(line.split()) for line in (TABLE_2_M2_FIRST_COLUMN, TABLE_2_M2_LAST))
    return tuple(data.second.column(0)) == column and data.second.rows[5] == last


def _mechanism(case: Case) -> Mechanism:
    data = table_one() if case["table"] == 1 else table_two()
    return data.first if case["matrix"] == "M1" else data.second


def _worth(case: Case) -> Real:
    return Real.of(utility(_mechanism(case), case["distribution"]))


def _of_table(number: int, matrix: str, value: object, distribution: Sequence[Rational] | None = None) -> Case:
    return {"table": number, "matrix": matrix, "distribution": distribution or uniform(6), "value": value}


def _is_better(case: Case) -> bool:
    """Whether M2 of Table 1 is worth more than M1 for this distribution."""
    data = table_one()
    return utility(data.second, case["distribution"]) > utility(data.first, case["distribution"])


def _city_distributions() -> Iterator[Case]:
    random = Random(81)
    yield {"distribution": CITIES}
    yield {"distribution": uniform(6)}
    for _ in range(6):
        yield {"distribution": cases.distribution(random, 6, 1)}


def _geometric_on_line(case: Case) -> Rational:
    from epstar.query.baselines import truncated_geometric

    return utility(truncated_geometric(Graph.line(case["size"]), Real.log(case["ratio"])), case["distribution"])


def _line_distributions() -> Iterator[Case]:
    random = Random(82)
    for size in (3, 4, 6):
        for ratio in cases.RATIOS:
            yield {"size": size, "ratio": ratio, "distribution": uniform(size)}
            yield {"size": size, "ratio": ratio, "distribution": cases.distribution(random, size)}


def _around(mechanism: Mechanism) -> Rational:
    """Return the largest ratio of a mechanism when its last answer is a neighbour of its first."""
    found = ratio_of(Mechanism(mechanism.rows, Graph.ring(mechanism.shape[0])))
    assert found is not None, "no entry of the tables is zero"
    return found


THEOREMS = (
    Theorem(
        key="alvim2011:ex-2-clique",
        label="Example 2, the graph",
        place="Section 5.2, Example 2",
        statement=r"For the city with most votes every two answers are neighbours, ties being left out.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"u": u, "v": v} for u, v in ((3, 2), (3, 3), (5, 2))],
        printed=lambda case: _is_clique(_votes(case, with_ties=False)),
        corrected=lambda case: _is_clique(_votes(case, with_ties=True)),
        counterexample=Counterexample(
            {"u": 2, "v": 2}, 1.0, 0.0, "two voters for one of two cities: without ties no answer has a neighbour"
        ),
        correction="With a rule for ties, such as the smaller name, or with voters who may be absent.",
    ),
    Theorem(
        key="alvim2011:text-table-1",
        label="Table 1",
        place="Section 5.2, Example 2",
        statement=r"The printed entries are those of the truncated geometric mechanism with ratio $2^{1/5}$ per place, "
        r"and of (6).",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"matrix": "M1"}, {"matrix": "M2"}],
        printed=_table_1,
    ),
    Theorem(
        key="alvim2011:ex-2-uniform",
        label="Example 2, uniform answers",
        place="Section 5.2, Example 2",
        statement=r"For uniform answers $\mathcal{U}(M_1) = 0.2243$ and $\mathcal{U}(M_2) = 0.2857$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [_of_table(1, "M1", "0.2243"), _of_table(1, "M2", "0.2857")],
        settled=True,
        printed=lambda case: rational(case["value"]),
        computed=_worth,
        tolerance=_ROUNDING,
    ),
    Theorem(
        key="alvim2011:ex-2-prior",
        label="Example 2, another distribution",
        place="Section 5.2, after Table 1",
        statement=(
            r"For the distribution $(1,2,2,2,2,1)/10$, $\mathcal{U}(M_1) = 0.2412$ and $\mathcal{U}(M_2) = "
            r"0.2857$."
        ),
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: [_of_table(1, "M1", "0.2412", CITIES), _of_table(1, "M2", "0.2857", CITIES)],
        printed=lambda case: rational(case["value"]),
        corrected=lambda case: rational("0.2415" if case["matrix"] == "M1" else "0.2857"),
        computed=_worth,
        correction=r"$\mathcal{U}(M_1) = 0.2415$; the printed value comes from rounded entries.",
        beyond=r"There $M_2$ is not the best: $8/25 > 2/7$.",
        tolerance=_ROUNDING,
    ),
    Theorem(
        key="alvim2011:ex-2-nonuniform",
        label="Example 2, all other distributions",
        place="Section 5.2, after Table 1",
        statement=r"Also for answers that are not uniform, $M_2$ has the better utility.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            *_city_distributions(),
            {"distribution": rationals(["0.4", "0.05", "0.05", "0.05", "0.05", "0.4"])},
        ],
        printed=_is_better,
        corrected=lambda case: min(case["distribution"]) < Rational(1, 7) or _is_better(case),
        counterexample=Counterexample(
            {"distribution": rationals(["1/2", 0, 0, 0, 0, "1/2"])},
            1.0,
            0.0,
            "0.6473 for the first and 0.5714 for the second",
        ),
        correction=r"If no answer has a chance below $1/(e^\epsilon + |Y| - 1) = 1/7$, where $M_2$ is optimal.",
    ),
    Theorem(
        key="alvim2011:ex-3-line",
        label="Example 3, the graph",
        place="Section 5.2, Example 3",
        statement=r"The answers of a counting query form a line.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"u": u} for u in (1, 2, 5)],
        printed=lambda case: edges_of(Query(sum, Databases(2, case["u"])).graph) == edges_of(Graph.line(case["u"] + 1)),
    ),
    Theorem(
        key="alvim2011:text-table-2",
        label="Table 2",
        place="Section 5.2, Example 3",
        statement=r"The printed entries are those of the truncated geometric mechanism and of Remark 1 on six answers.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"matrix": "M1"}, {"matrix": "M2"}],
        printed=_table_2,
    ),
    Theorem(
        key="alvim2011:ex-3-utilities",
        label="Example 3, utilities",
        place="Section 5.2, Example 3",
        statement=r"For uniform answers the utilities are $4/9$ and $4/11$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [_of_table(2, "M1", "4/9"), _of_table(2, "M2", "4/11")],
        settled=True,
        printed=lambda case: rational(case["value"]),
        computed=_worth,
    ),
    Theorem(
        key="alvim2011:ex-3-ring",
        label="Example 3, optimal on the ring",
        place="Section 5.2, Example 3",
        statement=r"If the answers formed a ring, $M_2$ would be optimal.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: [{"size": 6, "ratio": cases.TWO}],
        printed=lambda case: utility(table_two().second),
        corrected=lambda case: Rational(8, 21),
        computed=lambda case: best_utility(Graph.ring(case["size"]), case["ratio"]),
        counterexample=Counterexample({"size": 6, "ratio": cases.TWO}, 4 / 11, 8 / 21, "the ring of Example 3 itself"),
        correction=r"The optimum there is $8/21$, by (6) with the entry at distance 3 not doubled.",
    ),
    Theorem(
        key="alvim2011:ex-3-not-private",
        label="Example 3, the geometric mechanism on a ring",
        place="Section 5.2, Example 3",
        statement=r"On a ring $M_1$ would not be private at $\epsilon = \log 2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"mechanism": table_two().first}],
        settled=True,
        printed=lambda case: _around(case["mechanism"]) > 2,
        beyond="Its ratio there is 32.",
    ),
    Theorem(
        key="alvim2011:ex-3-geometric",
        label="Example 3, the geometric mechanism on a line",
        place="Section 5.2, Example 3",
        statement=r"On a line the truncated geometric mechanism is optimal, for every distribution of the answers.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_line_distributions,
        printed=_geometric_on_line,
        computed=lambda case: best_utility(Graph.line(case["size"]), case["ratio"], case["distribution"]),
        beyond=r"With the best remapping: for three answers of distribution $(7,1,2)/10$ and $e^\epsilon=2$ it is "
        r"worth $19/30$ without and $43/60$ with it.",
    ),
    Theorem(
        key="alvim2011:beyond-clique-threshold",
        label="When randomised response stays optimal",
        place="beyond Example 2",
        statement=r"On a clique $e^\epsilon/(e^\epsilon+|Y|-1)$ is the largest utility if and only if no answer has "
        r"a chance "
        r"below $1/(e^\epsilon+|Y|-1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*_city_distributions(), {"distribution": rationals(["1/7", "1/7", "1/7", "1/7", "1/7", "2/7"])}],
        hypotheses=Hypothesis(r"the clique has six answers", lambda case: len(case["distribution"]) == 6),
        printed=lambda case: (
            (float(best_utility(Graph.clique(6), cases.TWO, case["distribution"]).upper) < 2 / 7 + 1e-9)
            == (min(case["distribution"]) >= ONE / 7)
        ),
    ),
    Theorem(
        key="alvim2011:text-barthe-koepf",
        label="The function of Barthe and Koepf",
        place="Section 6",
        statement=r"$B(u,2,\epsilon)$ is the function for which Barthe and Koepf proved that the best bound is not "
        r"smaller.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=lambda: (),
        beyond="Their paper was not consulted; that the function is optimal is Proposition 1.",
    ),
)
