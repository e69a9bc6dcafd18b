r"""Which graphs the construction covers, and Remarks 1 and 2: Section 5.2 after Theorem 4."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.query.baselines import completed, constant_border, doubled_ring, equation_six
from epstar.query.query import Query
from epstar.universe import Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.constructions import even_ring
from epstar_papers.alvim2011.truth import best_utility, edges_of, keeps, utility
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict


def _degrees(size: int) -> set[int]:
    """Return the numbers c of all connected circulant graphs with constant borders: all that Theorem 4 covers."""
    borders = (constant_border(graph) for graph in cases.connected_circulants(range(size, size + 1)))
    return {border for border in borders if border is not None}


def _even_divisors(number: int) -> int:
    return sum(number % divisor == 0 for divisor in range(2, number + 1, 2))


def _count_modulo(case: Case) -> bool:
    """Whether counting modulo m gives a ring: every answer has exactly two neighbours."""
    m = case["modulus"]
    query = Query(lambda rows: sum(rows) % m, Query.named("count", individuals=case["u"], values=2).databases)
    return query.size == m and edges_of(query.graph) == edges_of(Graph.ring(m))


def undoubled(size: int, ratio: Rational) -> Rational:
    """Return the diagonal a of a E^-distance on a ring with an even number 2n of answers."""
    q = ONE / ratio
    return (1 - q) / ((1 + q) * (1 - q ** (size // 2)))


def _raw_doubling(size: int, ratio: Rational) -> Mechanism:
    """Return the matrix of Remark 1 without asking for its condition."""
    q, half = ONE / ratio, size // 2
    alpha = ONE / (ONE + 2 * sum((q**d for d in range(1, half + 1)), ZERO))
    ring = Graph.ring(size)
    rows = [[alpha * q**d * (2 if d == half else 1) for d in row] for row in ring.distances.tolist()]
    return Mechanism(rows, ring)


def _is_private(case: Case) -> bool:
    """Whether Remark 1 gives a private matrix exactly if E^2 >= 2, and `even_ring` refuses it otherwise."""
    size, ratio = case["size"], case["ratio"]
    meets = bool(ratio**2 >= 2)
    pair = even_ring(size, Real.log(ratio))
    return keeps(_raw_doubling(size, ratio), ratio) == meets == (pair.doubled is not None)


def _even_rings(*ratios: object) -> Iterator[Case]:
    return ({"size": size, "ratio": rational(ratio)} for size in (4, 6, 8) for ratio in ratios)


def _lines(*sizes: int) -> Iterator[Case]:
    return cases.on_graphs([Graph.line(size) for size in sizes], "5/4", 2, 4)


def _completion(case: Case) -> bool:
    """Whether completing the graph gives a private mechanism that is no better than the best one."""
    mechanism = completed(case["graph"], Real.log(case["ratio"])).mechanism
    best = best_utility(case["graph"], case["ratio"]).upper
    return keeps(mechanism, case["ratio"]) and not Real.of(utility(mechanism)) > best


def _nested() -> Iterator[Case]:
    """Yield pairs of admissible graphs on five, seven and nine answers, the first part of the second."""
    for size in (5, 7, 9):
        graphs = list(cases.with_constant_borders(range(size, size + 1)))
        for first, second in combinations(graphs, 2):
            if set(edges_of(first)) < set(edges_of(second)):
                yield {"smaller": first, "larger": second, "ratio": cases.TWO}


def _alpha(graph: Graph, ratio: Rational) -> Rational:
    return equation_six(graph, Real.log(ratio)).entry(0, 0)


def _only_the_clique(case: Case) -> bool:
    done = completed(Graph.line(case["size"]), Real.log(cases.TWO))
    return edges_of(done.graph) == edges_of(Graph.clique(case["size"]))


THEOREMS = (
    Theorem(
        key="alvim2011:text-number-of-cases",
        label="How many cases",
        place="Section 5.2, after Theorem 4",
        statement=r"Theorem 4 covers $\lfloor |Y|/2 \rfloor - 1$ different degrees of connectivity $c$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: [{"size": size} for size in range(3, 12)],
        printed=lambda case: Rational(case["size"] // 2 - 1),
        corrected=lambda case: Rational(1 if case["size"] % 2 == 0 else _even_divisors(case["size"] - 1)),
        computed=lambda case: Real.of(len(_degrees(case["size"]))),
        counterexample=Counterexample({"size": 5}, 1.0, 2.0, "the ring and the clique"),
        correction=r"For even $|Y|$ only the clique; for odd $|Y|$ one case for each even divisor of $|Y|-1$.",
    ),
    Theorem(
        key="alvim2011:text-c-one",
        label="Connectivity 1",
        place="Section 5.2, after Theorem 4",
        statement=r"$c = 1$ is not possible.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"size": size} for size in range(3, 10)],
        printed=lambda case: 1 not in _degrees(case["size"]),
        corrected=lambda case: (1 in _degrees(case["size"])) == (case["size"] == 2),
        counterexample=Counterexample({"size": 2}, 1.0, 0.0, "two answers, such as the parity of a count"),
        correction=r"$c = 1$ if and only if there are two answers; then $\mathcal{U} = e^\epsilon/(1+e^\epsilon)$.",
    ),
    Theorem(
        key="alvim2011:text-extremes",
        label="Ring and clique",
        place="Section 5.2, after Theorem 4",
        statement=r"The extreme cases are the ring, $c = 2$, and the clique, $c = |Y| - 1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"size": size} for size in (3, 5, 7, 9)],
        hypotheses=Hypothesis(r"the ring is odd", lambda case: case["size"] >= 3 and case["size"] % 2 == 1),
        printed=lambda case: (
            constant_border(Graph.ring(case["size"])) == 2 == min(_degrees(case["size"]))
            and constant_border(Graph.clique(case["size"])) == case["size"] - 1 == max(_degrees(case["size"]))
        ),
        beyond="For rings with an even number of answers, see Remark 1.",
    ),
    Theorem(
        key="alvim2011:text-modulo",
        label="Counting modulo",
        place="Section 5.2, after Theorem 4",
        statement=r"Counting modulo $|Y|$ gives a ring.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [{"u": u, "modulus": m} for m in (3, 4, 5) for u in range(m - 1, m + 2)],
        printed=_count_modulo,
        corrected=lambda case: _count_modulo(case) == (case["u"] >= case["modulus"]),
        correction=r"If there are at least $|Y|$ individuals; with fewer the count never comes round.",
    ),
    Theorem(
        key="alvim2011:remark-1",
        label="Remark 1",
        place="Section 5.2",
        statement=r"On a ring with an even number of answers, doubling the entries at the largest distance in (6) "
        r"gives a "
        r"private channel if $(e^\epsilon)^2 \ge 2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _even_rings("5/4", "1.414213562", "1.414213563", 2, 4),
        hypotheses=Hypothesis(r"the ring is even", lambda case: case["size"] >= 4 and case["size"] % 2 == 0),
        printed=_is_private,
        beyond=r"And only if.",
    ),
    Theorem(
        key="alvim2011:remark-1-even",
        label="Remark 1, which rings",
        place="Section 5.2",
        statement=r"Exactly the rings with an even number of answers miss the conditions of Theorem 4, at the largest "
        r"distance.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"size": size} for size in range(4, 11)],
        hypotheses=Hypothesis(r"a ring has at least three answers", lambda case: case["size"] >= 3),
        printed=lambda case: (constant_border(Graph.ring(case["size"])) is None) == (case["size"] % 2 == 0),
    ),
    Theorem(
        key="alvim2011:remark-1-optimal",
        label="Remark 1 as the optimal mechanism",
        place="Section 5.2 and Example 3",
        statement=r"On rings with an even number of answers the doubled matrix has the largest utility.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: _even_rings(2, 4),
        printed=lambda case: utility(doubled_ring(case["size"], Real.log(case["ratio"]))),
        corrected=lambda case: undoubled(case["size"], case["ratio"]),
        computed=lambda case: best_utility(Graph.ring(case["size"]), case["ratio"]),
        counterexample=Counterexample({"size": 4, "ratio": cases.TWO}, 0.4, 4 / 9, "a ring of four answers"),
        correction=r"Do not double: $\alpha (e^\epsilon)^{-d}$ with $\alpha = \frac{1-q}{(1+q)(1-q^n)}$ for $2n$ "
        r"answers is "
        r"optimal at every level.",
    ),
    Theorem(
        key="alvim2011:remark-2",
        label="Remark 2",
        place="Section 5.2",
        statement=r"Adding adjacencies until the conditions of Theorem 4 hold gives a private mechanism, in general "
        r"not an "
        r"optimal one.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _lines(3, 5, 6, 7),
        printed=_completion,
    ),
    Theorem(
        key="alvim2011:remark-2-smaller",
        label="Remark 2, fewer edges",
        place="Section 5.2",
        statement=r"The fewer adjacencies are added, the higher the utility.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_nested,
        printed=lambda case: _alpha(case["smaller"], case["ratio"]) > _alpha(case["larger"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:beyond-remark-2",
        label="Remark 2 for even numbers",
        place="beyond Section 5.2",
        statement=r"For an even number of answers on a line only the clique completes it.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"size": size} for size in (4, 6, 8)],
        hypotheses=Hypothesis(
            r"the number of answers is even and at least four", lambda case: case["size"] >= 4 and case["size"] % 2 == 0
        ),
        printed=_only_the_clique,
    ),
)
