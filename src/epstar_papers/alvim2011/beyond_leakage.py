r"""What leaks through few outputs and through queries, exactly: beyond Proposition 2 and Section 5."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ONE, Rational, Real, rational, rationals
from epstar.mechanism import geometric
from epstar.query.end_to_end import System
from epstar.query.optimum import cost_of_obliviousness
from epstar.query.query import Query
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.background import column_maxima
from epstar_papers.alvim2011.limited_range import improved_bound
from epstar_papers.alvim2011.truth import bits, leakage, range_leakage
from epstar_papers.theorem import Case, Relation, Theorem, Verdict


def _queries() -> Iterator[Case]:
    for name, u, v in (("count", 2, 2), ("max", 2, 3), ("sum", 2, 2), ("parity", 3, 2)):
        query = Query.named(name, individuals=u, values=v)
        for ratio in (2, 4):
            yield {"query": query, "mechanism": geometric(query.size, ratio)}


def _costs() -> list[Case]:
    rows = (
        ("max", 2, 2, "4/5", "67/80"),
        ("sum", 2, 3, "137/261", "92/171"),
        ("count", 2, 2, None, None),
        ("count", 3, 2, "13/20", "13/20"),
    )
    return [{"name": name, "u": u, "v": v, "seen": rationals([a, b]) if a else None} for name, u, v, a, b in rows]


def _cost_is(case: Case) -> bool:
    """Whether the two optima for a uniform database are the stated ones (equal where none are stated)."""
    found = cost_of_obliviousness(Query.named(case["name"], case["u"], case["v"]), Real.log(rational(4)))
    values = [float(part.interval.upper) for part in (found.oblivious, found.unrestricted)]
    wanted = [values[0]] * 2 if case["seen"] is None else [float(Real.of(value)) for value in case["seen"]]
    return max(abs(a - b) for a, b in zip(values, wanted, strict=True)) < 1e-9


def _two_outputs(individuals: int, q: Rational) -> Rational:
    if individuals % 2 == 0:
        return 2 - q ** (individuals // 2)
    return 2 * (1 - q ** ((individuals + 1) // 2) / (1 + q))


THEOREMS = (
    Theorem(
        key="alvim2011:beyond-range",
        label="Proposition 2 improved",
        place="beyond Proposition 2",
        statement=r"With $r$ outputs, for any $r$, $2^{I_\infty} \le \min_{0 \le \ell \le u} "
        r"\frac{r E^u}{E^u - E^\ell + r((v-1+E)/v)^\ell}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: [*cases.ranges(), cases.at(1, 2, 2, r=4), cases.at(2, 2, rational("101/100"), r=3)],
        printed=lambda case: improved_bound(case["u"], case["v"], case["r"], case["ratio"]),
        computed=lambda case: range_leakage(case["u"], case["v"], case["r"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:beyond-two-outputs",
        label="Two outputs",
        place="beyond Proposition 2",
        statement=r"With two outputs the largest sum of column maxima is $2 - q^{u/2}$ for even $u$ and "
        r"$2(1 - q^{(u+1)/2}/(1+q))$ for odd $u$, $q = e^{-\epsilon}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [
            cases.at(u, v, ratio, r=2) for u, v in ((1, 2), (1, 3), (2, 2), (3, 2)) for ratio in cases.RATIOS
        ],
        printed=lambda case: bits(_two_outputs(case["u"], ONE / case["ratio"])),
        computed=lambda case: range_leakage(case["u"], case["v"], 2, case["ratio"]),
    ),
    Theorem(
        key="alvim2011:beyond-oblivious-leakage",
        label="Leakage of a system",
        place="beyond Section 5",
        statement=r"For a uniform database, what leaks through a query and a mechanism is the capacity of the "
        r"mechanism, "
        r"whatever the query.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_queries,
        printed=lambda case: bits(column_maxima(case["mechanism"])),
        computed=lambda case: leakage(System(case["query"], case["mechanism"]).channel()),
    ),
    Theorem(
        key="alvim2011:beyond-obliviousness",
        label="The cost of seeing only the answer",
        place="beyond Section 5",
        statement=r"For a uniform database and $e^\epsilon = 4$ seeing only the answer costs utility for the maximum "
        r"of two "
        r"bits ($4/5$ against $67/80$) and the sum of two values of three ($137/261$ against $92/171$), not for "
        r"counts.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_costs,
        printed=_cost_is,
    ),
)
