r"""How much of the database leaks: Theorem 1, Proposition 1, Example 1 and Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from random import Random

from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.query.baselines import proposition_one
from epstar.query.bounds import database_bound, in_bits
from epstar.query.gallery import example_one
from epstar.universe import Databases
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.truth import bits, database_leakage, database_utility, keeps, leakage
from epstar_papers.theorem import Case, Relation, Theorem, Verdict

FIGURE_4B = """
aa 0 1 1 1 1 2 2 2 2
ab 1 0 1 2 2 1 2 1 2
ac 1 1 0 2 2 2 1 2 1
ba 1 2 2 0 1 1 1 2 2
ca 1 2 2 1 0 2 2 1 1
bb 2 1 2 1 2 0 1 1 2
bc 2 2 1 1 2 1 0 2 1
cb 2 1 2 2 1 1 2 0 1
cc 2 2 1 2 1 2 1 1 0
"""


def bound(individuals: int, values: int, ratio: Rational) -> Real:
    """Return B(u, v, epsilon) of Theorem 1, in bits."""
    return bits((values * ratio / (values - 1 + ratio)) ** individuals)


def diagonal(individuals: int, values: int, ratio: Rational) -> Rational:
    """Return the largest diagonal that (8) allows."""
    return (ratio / (values - 1 + ratio)) ** individuals


def _with_distributions() -> Iterator[Case]:
    yield from cases.sizes()
    random = Random(11)
    for number in range(18):
        u, v = cases.SIZES[number % len(cases.SIZES)]
        yield cases.at(u, v, cases.RATIOS[number % 3], distribution=cases.distribution(random, v**u))


def _printed_matrix(case: Case) -> bool:
    """Whether B/E^d is a channel, B in bits."""
    scale = bound(case["u"], case["v"], case["ratio"])
    total = scale * sum((size / case["ratio"] ** d for d, size in enumerate(_spheres(case))), ZERO)
    return abs(float(total) - 1) < 1e-9


def _spheres(case: Case) -> tuple[int, ...]:
    return Databases(case["v"], case["u"]).sphere_sizes()


def _corrected_matrix(case: Case) -> bool:
    u, v, ratio = case["u"], case["v"], case["ratio"]
    databases = Databases(v, u)
    apart = [[int(databases.distance(i, j).p) for j in range(databases.size)] for i in range(databases.size)]
    # The mechanism refuses rows that do not sum to 1.
    mechanism = Mechanism([[diagonal(u, v, ratio) / ratio**d for d in row] for row in apart], databases)
    return keeps(mechanism, ratio) and float(leakage(mechanism) - bound(u, v, ratio)) < 1e-12


def _counted(case: Case) -> Rational:
    """Return E^u times the sum of E^-distance over all databases, one by one."""
    databases = Databases(case["v"], case["u"])
    steps = [int(databases.distance(0, z).p) for z in range(databases.size)]
    return sum((case["ratio"] ** (case["u"] - d) for d in steps), ZERO)


def _binomial(case: Case, exponent: int) -> Rational:
    """Return the sum of binom(u, d) (v-1)^d E^(u-d), or with E^(d(u-d)) as printed."""
    u, v, ratio = case["u"], case["v"], case["ratio"]
    return sum((comb(u, d) * (v - 1) ** d * ratio ** ((u - d) * (d if exponent else 1)) for d in range(u + 1)), ZERO)


def _is_between(case: Case) -> bool:
    """Whether B starts at 0, grows with the level and tends to u log v."""
    u, v = case["u"], case["v"]
    levels = [rational(level) for level in ("0", "1/100", "1/2", 1, 3, 10, 40)]
    values = [float(in_bits(database_bound(u, v, level))) for level in levels]
    limit = float(bits(Rational(v) ** u))
    return values[0] == 0 and values == sorted(values) and abs(values[-1] - limit) < 1e-9


def _is_ordered(case: Case) -> bool:
    low, middle, high = (database_bound(100, v, case["level"]) for v in (2, 10, 100))
    return low < middle < high


def _matches_distance(case: Case) -> bool:
    rows = [line.split() for line in FIGURE_4B.strip().splitlines()]
    names = [row[0] for row in rows]
    databases = Databases(["a", "b", "c"], 2)
    row = rows[case["row"]]
    first = databases.index(tuple(row[0]))
    return all(
        databases.distance(first, databases.index(tuple(name))) == int(entry)
        for name, entry in zip(names, row[1:], strict=True)
    )


_CONSTANT = {"mechanism": Mechanism([["1/2", "1/2"]] * 2, Databases(2, 1)), "ratio": cases.TWO}


def _below(case: Case, at_most: bool) -> bool:
    """Whether all entries off the diagonal are at most, or at least, the diagonal over E^distance."""
    mechanism, ratio = case["mechanism"], case["ratio"]
    for i in range(mechanism.shape[0]):
        for j in range(mechanism.shape[0]):
            limit = mechanism.entry(j, j) / ratio ** int(mechanism.universe.distance(i, j).p)
            entry = mechanism.entry(i, j)
            if entry > limit if at_most else entry < limit:
                return False
    return True


THEOREMS = (
    Theorem(
        key="alvim2011:thm-1",
        proven_in="Alvim.v: alvim_theorem_1",
        label="Theorem 1",
        place="Section 4",
        statement=r"A private mechanism leaks $I_\infty(X;Z) \le B(u,v,\epsilon) = u \log_2 \frac{v e^\epsilon}{v-1+"
        r"e^\epsilon}$ bits about the database, whatever its distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_with_distributions,
        printed=lambda case: bound(case["u"], case["v"], case["ratio"]),
        computed=lambda case: database_leakage(case["u"], case["v"], case["ratio"], case.get("distribution")),
        beyond="Exact for a uniform database: Proposition 1.",
    ),
    Theorem(
        key="alvim2011:text-bound",
        label="The shape of the bound",
        place="Section 4, after Theorem 1",
        statement=r"$B$ is $0$ at $\epsilon = 0$, grows with $\epsilon$ and tends to $u \log_2 v$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"u": u, "v": v} for u, v in (*cases.SIZES, (100, 10))],
        printed=_is_between,
    ),
    Theorem(
        key="alvim2011:prop-1",
        label="Proposition 1",
        place="Section 4",
        statement=r"For a uniform database some private mechanism leaks exactly $B(u,v,\epsilon)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=cases.sizes,
        printed=lambda case: bound(case["u"], case["v"], case["ratio"]),
        computed=lambda case: database_leakage(case["u"], case["v"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:prop-1-matrix",
        label="Proposition 1, the matrix",
        place="Appendix, proof of Proposition 1",
        statement=r"$p(z|x) = B(u,v,\epsilon)/(e^\epsilon)^{d(x,z)}$ is a private channel that leaks $B$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=cases.sizes,
        printed=_printed_matrix,
        corrected=_corrected_matrix,
        correction=r"$p(z|x) = \alpha/(e^\epsilon)^d$ with $\alpha = (e^\epsilon/(v-1+e^\epsilon))^u$; $B$ is a number "
        r"of bits. At $u=1$, $v=2$, $e^\epsilon=2$ the printed rows sum to 0.6226.",
    ),
    Theorem(
        key="alvim2011:thm-1-proof-at-most",
        label="Theorem 1, entries off the diagonal",
        place="Appendix, proof of Theorem 1",
        statement=r"With the column maxima on the diagonal, $M_{ij} \le M_{jj}/(e^\epsilon)^{d(i,j)}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [
            _CONSTANT,
            *(
                {**case, "mechanism": proposition_one(case["u"], case["v"], "log(5/4)").dense()}
                for case in cases.sizes()
            ),
        ],
        printed=lambda case: _below(case, at_most=True),
        corrected=lambda case: _below(case, at_most=False),
        correction=r"At least: privacy bounds the entry from below, and the row sum needs that direction.",
    ),
    Theorem(
        key="alvim2011:thm-1-proof-exponent",
        label="Theorem 1, exponent",
        place="Appendix, proof of Theorem 1",
        statement=r"Multiplying the row sum by $(e^\epsilon)^u$ gives $\sum_d \binom{u}{d}(v-1)^d "
        r"((e^\epsilon)^d)^{u-d}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=cases.sizes,
        printed=lambda case: _binomial(case, exponent=1),
        corrected=lambda case: _binomial(case, exponent=0),
        computed=lambda case: Real.of(_counted(case)),
        correction=r"$(e^\epsilon)^{u-d}$.",
    ),
    Theorem(
        key="alvim2011:thm-1-proof-binomial",
        label="Theorem 1, binomial sum",
        place="Appendix, proof of Theorem 1",
        statement=r"$\alpha \sum_d \binom{u}{d}(v-1)^d (e^\epsilon)^{u-d} = (v-1+e^\epsilon)^u$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=cases.sizes,
        printed=lambda case: (
            (case["v"] - 1 + case["ratio"]) ** case["u"] / diagonal(case["u"], case["v"], case["ratio"])
        ),
        corrected=lambda case: (case["v"] - 1 + case["ratio"]) ** case["u"],
        computed=lambda case: Real.of(_counted(case)),
        correction=r"Without the factor $\alpha$ in front of the sum.",
    ),
    Theorem(
        key="alvim2011:eq-8",
        label="Equation (8)",
        place="Appendix, proof of Theorem 1",
        statement=r"The common diagonal is at most $\alpha \le (e^\epsilon/(v-1+e^\epsilon))^u$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=cases.sizes,
        printed=lambda case: diagonal(case["u"], case["v"], case["ratio"]),
        computed=lambda case: database_utility(case["u"], case["v"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:ex-1-value",
        label="Example 1, largest entry",
        place="Section 4, Example 1",
        statement=r"The largest entry of the most telling matrix for two people and three values is "
        r"$a = 3e^\epsilon/(2+e^\epsilon)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: [cases.at(2, 3, ratio) for ratio in cases.RATIOS],
        printed=lambda case: 3 * case["ratio"] / (2 + case["ratio"]),
        corrected=lambda case: (case["ratio"] / (2 + case["ratio"])) ** 2,
        computed=lambda case: database_utility(case["u"], case["v"], case["ratio"]),
        correction=r"$a = (e^\epsilon/(2+e^\epsilon))^2$; the printed one exceeds 1.",
    ),
    Theorem(
        key="alvim2011:ex-1-highest",
        label="Example 1, the matrix",
        place="Section 4, Example 1 and Figure 4(b)",
        statement=r"The matrix $a\,(e^\epsilon)^{-d}$ has the highest leakage of all private ones.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [cases.at(2, 3, ratio) for ratio in cases.RATIOS],
        printed=lambda case: leakage(example_one(Real.log(case["ratio"])).mechanism),
        computed=lambda case: database_leakage(2, 3, case["ratio"]),
    ),
    Theorem(
        key="alvim2011:text-fig4b",
        label="Figure 4(b)",
        place="Section 4",
        statement=r"The 81 exponents are the numbers of people in which two databases differ.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"row": row} for row in range(9)],
        printed=_matches_distance,
    ),
    Theorem(
        key="alvim2011:text-fig3",
        label="Figure 3, order of the curves",
        place="Section 4, caption of Figure 3",
        statement=r"For $u=100$ the curves of $B$ lie above each other in the order $v=2$, $10$, $100$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"level": rational(level)} for level in ("1/100", "1/2", 1, 2, 5, 10, 30)],
        printed=_is_ordered,
        beyond="The limits are 100, 332.193 and 664.386 bits.",
    ),
    Theorem(
        key="alvim2011:text-fig3-picture",
        label="Figure 3, the picture",
        place="Section 4",
        statement=r"The drawn curves are those of $B(100, v, \epsilon)$.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=lambda: (),
        beyond="The picture is not part of the text; the curves are drawn anew from the formula and from the program.",
    ),
)
