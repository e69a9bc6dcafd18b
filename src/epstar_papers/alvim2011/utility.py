r"""How useful a private answer can be: equations (3) to (5), Theorems 3 and 4, and the text around them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.exact import ONE, ZERO, Interval, Rational, Real, rationals
from epstar.mechanism import Mechanism
from epstar.query.answer_graph import AnyShape
from epstar.query.baselines import constant_border, equation_six
from epstar.query.optimum import CostOfObliviousness, cost_of_obliviousness
from epstar.query.query import Query
from epstar.universe import Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.constructions import remappings, single_orbit_automorphism
from epstar_papers.alvim2011.truth import best_utility, bits, keeps, leakage, min_entropy, uniform, utility
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

SKEWED = {"graph": Graph.clique(2), "ratio": cases.TWO, "distribution": rationals(["9/10", "1/10"])}


def smallest_border(graph: Graph) -> int:
    """Return the largest c that Theorem 3 allows: the least number of answers at a distance from 1 on."""
    return min(AnyShape(graph).sphere_sizes[0][1:])


def longest(graph: Graph) -> int:
    """Return the diameter of a connected graph."""
    assert graph.diameter is not None, "the graph is connected"
    return int(graph.diameter.p)


def printed_bound(case: Case) -> Rational:
    """Return the quotient of Theorem 3 as it stands."""
    n, c = longest(case["graph"]), smallest_border(case["graph"])
    ratio: Rational = case["ratio"]
    top = ratio**n * (1 - ratio)
    return top / (top + c * (1 - ratio**n))


def summed_bound(case: Case) -> Rational:
    """Return 1/(1 + c (q + ... + q^n)), the same number without a quotient that breaks at level 0."""
    q = ONE / case["ratio"]
    powers = sum((q**d for d in range(1, longest(case["graph"]) + 1)), ZERO)
    return ONE / (ONE + smallest_border(case["graph"]) * powers)


def _best(case: Case) -> Interval:
    return best_utility(case["graph"], case["ratio"], case.get("distribution"))


def _for_any_distribution(case: Case) -> Rational:
    distribution = case.get("distribution") or uniform(case["graph"].size)
    size: int = case["graph"].size
    return min(ONE, size * max(distribution) * summed_bound(case))


def _circulants(*ratios: object) -> Iterator[Case]:
    return cases.on_graphs(cases.connected_circulants(range(2, 8)), *ratios)


def _with_distributions() -> Iterator[Case]:
    random = Random(71)
    for case in _circulants(2):
        yield {**case, "distribution": cases.distribution(random, case["graph"].size)}


def _borders(*ratios: object) -> Iterator[Case]:
    return cases.on_graphs(cases.with_constant_borders(range(2, 10)), *ratios)


def _remapped(case: Case) -> Iterator[Rational]:
    """Yield the expected gain for every way of reading the outputs as guesses."""
    mechanism: Mechanism = case["mechanism"]
    inputs, outputs = mechanism.shape
    for guess in remappings(outputs, inputs):
        yield sum((case["distribution"][guess[z]] * mechanism.entry(guess[z], z) for z in range(outputs)), ZERO)


def _expected_gain(case: Case) -> Rational:
    """Return (3) with p(y'|y) made of the outputs that are read as y'."""
    mechanism: Mechanism = case["mechanism"]
    guess = [z % mechanism.shape[0] for z in range(mechanism.shape[1])]
    right = [
        sum((mechanism.entry(y, z) for z in range(mechanism.shape[1]) if guess[z] == y), ZERO)
        for y in range(mechanism.shape[0])
    ]
    return sum((p * entry for p, entry in zip(case["distribution"], right, strict=True)), ZERO)


def _equation_4(case: Case) -> Rational:
    mechanism: Mechanism = case["mechanism"]
    inputs, outputs = mechanism.shape
    return sum((case["distribution"][z % inputs] * mechanism.entry(z % inputs, z) for z in range(outputs)), ZERO)


def _queries() -> Iterator[Case]:
    for name, u, v in (("parity", 2, 2), ("count", 2, 2), ("max", 2, 3), ("sum", 2, 2)):
        query = Query.named(name, individuals=u, values=v)
        best = best_utility(query.graph, cases.TWO)
        yield {"query": query, "ratio": cases.TWO, "best": best, "mechanism": _kernel(query.graph)}


def _kernel(graph: Graph) -> Mechanism:
    from epstar.query.closed_forms import closed_form

    return closed_form(graph, cases.TWO).mechanism.dense()


def _query_utility(query: Query) -> Rational:
    """Return U(X, Y): the chance of guessing the database from the true answer."""
    return query.size * Rational(1, query.databases.size)


def _cost(case: Case) -> CostOfObliviousness:
    query = Query(min, Query.named("min", individuals=2, values=2).databases)
    return cost_of_obliviousness(query, Real.log(case["ratio"]), case["distribution"])


def _is_legal(case: Case) -> bool:
    mechanism = equation_six(case["graph"], Real.log(case["ratio"]))
    return keeps(mechanism, case["ratio"]) and single_orbit_automorphism(case["graph"]) is not None


def _allows(case: Case, first: int) -> bool:
    """Whether the answers at every distance from `first` on are none or at least c = 2."""
    sizes = AnyShape(case["graph"]).sphere_sizes[0]
    return all(size == 0 or size >= 2 for size in sizes[first:])


def _square_matrices() -> Iterator[Case]:
    """Yield private matrices with equal column maxima on the diagonal: one that says nothing, and (6)."""
    for size in (5, 7):
        graph = Graph.ring(size)
        yield {"graph": graph, "ratio": cases.TWO, "mechanism": Mechanism([[Rational(1, size)] * size] * size)}
        yield {"graph": graph, "ratio": cases.TWO, "mechanism": equation_six(graph, Real.log(cases.TWO))}


def _off_the_diagonal(case: Case, at_most: bool) -> bool:
    """Whether entries off the diagonal are at most, or at least, the diagonal over E^d."""
    graph, mechanism, size = case["graph"], case["mechanism"].dense(), case["graph"].size
    pairs = [
        (mechanism.entry(i, j), mechanism.entry(i, i) / case["ratio"] ** int(graph.distance(i, j).p))
        for i in range(size)
        for j in range(size)
        if i != j
    ]
    return all(entry <= limit if at_most else entry >= limit for entry, limit in pairs)


THEOREMS = (
    Theorem(
        key="alvim2011:eq-4",
        label="Equations (3) and (4)",
        place="Section 5",
        statement=r"The expected gain with a remapping $\rho$ is $\sum_{y,z} p(y,z) g(y,\rho(z))$; for the binary "
        r"gain only "
        r"$\rho(z) = y$ counts.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(15, 72),
        printed=_equation_4,
        computed=lambda case: Real.of(_expected_gain(case)),
    ),
    Theorem(
        key="alvim2011:eq-5",
        label="Equation (5)",
        place="Section 5",
        statement=r"With the best remapping the utility is $\sum_z \max_y p(y,z)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(15, 73),
        printed=lambda case: utility(case["mechanism"], case["distribution"]),
        computed=lambda case: Real.of(max(_remapped(case))),
    ),
    Theorem(
        key="alvim2011:text-conditional-entropy",
        label="Utility and conditional min-entropy",
        place="Section 5, after equation (5)",
        statement=r"$H_\infty(Y|Z) = -\log_2 \mathcal{U}(Y,Z)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(15, 74),
        printed=lambda case: bits(ONE / max(_remapped(case))),
        computed=lambda case: min_entropy(case["distribution"]) - leakage(case["mechanism"], case["distribution"]),
    ),
    Theorem(
        key="alvim2011:text-leakage-utility",
        label="Utility and leakage",
        place="Section 5, after equation (5)",
        statement=r"$I_\infty(Y;Z) = H_\infty(X) + \log_2 \mathcal{U}(Y,Z)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_queries,
        printed=lambda case: (
            bits(Rational(case["query"].databases.size)) + bits(utility(case["mechanism"], case["query"].answer_law()))
        ),
        corrected=lambda case: (
            min_entropy(case["query"].answer_law().probabilities)
            + bits(utility(case["mechanism"], case["query"].answer_law()))
        ),
        computed=lambda case: leakage(case["mechanism"], case["query"].answer_law().probabilities),
        correction=r"$H_\infty(Y)$ instead of $H_\infty(X)$.",
    ),
    Theorem(
        key="alvim2011:thm-3",
        label="Theorem 3",
        place="Section 5.1",
        statement=r"On a graph with a single-orbit automorphism and at least $c$ answers at every distance that "
        r"occurs, "
        r"$\mathcal{U} \le \frac{(e^\epsilon)^n (1-e^\epsilon)}{(e^\epsilon)^n (1-e^\epsilon) + c(1-(e^\epsilon)^n)}$, "
        r"whatever the distribution of $Y$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: [*_circulants(2), *_with_distributions()],
        printed=printed_bound,
        corrected=_for_any_distribution,
        computed=_best,
        counterexample=Counterexample(SKEWED, 2 / 3, 0.9, "the likelier of two answers is right nine times in ten"),
        correction=r"For uniform $Y$; for any distribution $\mathcal{U}$ is at most $|Y| \max \pi$ times the bound.",
    ),
    Theorem(
        key="alvim2011:thm-3-uniform",
        label="Theorem 3 for uniform answers",
        place="Section 5.1",
        statement=r"For uniform $Y$ the bound of Theorem 3 holds, with $c$ answers at least at every $d \ge 1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: _circulants("5/4", 2, 4),
        hypotheses=Hypothesis(r"the answers are uniform", lambda case: case.get("distribution") is None)
        & Hypothesis(r"$\epsilon > 0$", lambda case: case["ratio"] > 1),
        printed=printed_bound,
        computed=_best,
        beyond=r"$\mathcal{U} \le 1/\min_y S(y)$ on every connected graph, $S(y) = \sum_z e^{-\epsilon d(y,z)}$.",
    ),
    Theorem(
        key="alvim2011:thm-3-notation",
        label="Theorem 3, what is bounded",
        place="Section 5.1",
        statement=r"The quantity that the theorem bounds, and that (6) makes largest, is $\mathcal{U}(X,Y)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_queries,
        printed=lambda case: _query_utility(case["query"]),
        corrected=lambda case: utility(case["mechanism"]),
        computed=lambda case: case["best"],
        correction=r"$\mathcal{U}(Y,Z)$.",
    ),
    Theorem(
        key="alvim2011:thm-3-every-d",
        label="Theorem 3, every distance",
        place="Section 5.1",
        statement=r"The condition on the number of answers at distance $d$ is asked of every natural $d$, $c = 2$ on "
        r"rings.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [{"graph": Graph.ring(n)} for n in (5, 7, 9)],
        printed=lambda case: _allows(case, 0),
        corrected=lambda case: _allows(case, 1),
        correction=r"Of every $d \ge 1$: at distance 0 there is one answer, which would force $c \le 1$.",
    ),
    Theorem(
        key="alvim2011:thm-3-proof-at-most",
        label="Theorem 3, entries off the diagonal",
        place="Appendix, proof of Theorem 3",
        statement=r"At distance $d$ from the diagonal entry $\alpha$, $M_{ij} \le \alpha/e^{d\epsilon}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_square_matrices,
        printed=lambda case: _off_the_diagonal(case, at_most=True),
        corrected=lambda case: _off_the_diagonal(case, at_most=False),
        counterexample=Counterexample(
            next(_square_matrices()), 1.0, 0.0, "every entry of the matrix that says nothing is 1/5, none at most 1/10"
        ),
        correction="At least, as in the proofs of Theorem 1 and Proposition 2; the row sum needs that direction.",
    ),
    Theorem(
        key="alvim2011:thm-3-zero",
        label="Theorem 3 at level 0",
        place="Section 5.1 and equation (6)",
        statement=r"The quotient gives the bound for every $\epsilon \ge 0$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: _borders(1, 2),
        printed=printed_bound,
        corrected=summed_bound,
        computed=_best,
        undefined=lambda case: bool(case["ratio"] == 1),
        correction=r"At $\epsilon = 0$ it is $0/0$; $1/(1 + c\sum_{d=1}^n e^{-\epsilon d})$ is the same above and "
        r"right there.",
    ),
    Theorem(
        key="alvim2011:text-optimal",
        label="The largest possible utility",
        place="Section 5.1, after Theorem 3",
        statement=r"The bound is the maximum possible utility for the given $\epsilon$.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"ratio": cases.TWO, "distribution": rationals(["1/2", 0, 0, "1/2"])}],
        printed=lambda case: _cost(case).unrestricted.interval.upper <= case["ratio"] / (1 + case["ratio"]),
        corrected=lambda case: _cost(case).oblivious.interval.upper <= case["ratio"] / (1 + case["ratio"]),
        counterexample=Counterexample(
            {"ratio": cases.TWO, "distribution": rationals(["1/6", "1/6", "1/6", "1/2"])},
            1.0,
            0.0,
            "for the conjunction of two bits a mechanism that sees the database is right with 25/36 > 2/3",
        ),
        correction="Among mechanisms that see only the answer.",
    ),
    Theorem(
        key="alvim2011:thm-4",
        label="Theorem 4",
        place="Section 5.2",
        statement=r"With $c$ answers at every distance $d \ge 1$ that occurs, the matrix (6) has the largest utility "
        r"for "
        r"uniform answers.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _borders("5/4", 2, 4),
        hypotheses=Hypothesis(r"the answers are uniform", lambda case: case.get("distribution") is None)
        & Hypothesis(
            r"every answer has $c$ others at each distance that occurs",
            lambda case: constant_border(case["graph"]) is not None,
        ),
        printed=lambda case: utility(equation_six(case["graph"], Real.log(case["ratio"]))),
        computed=_best,
        beyond=r"For an even number of answers only the clique meets the conditions.",
    ),
    Theorem(
        key="alvim2011:eq-6",
        label="Equation (6)",
        place="Section 5.2, Theorem 4",
        statement=r"The matrix (6) is a channel and private.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _borders(1, "5/4", 2, 4),
        hypotheses=Hypothesis(
            r"every vertex has as many others at each distance", lambda case: constant_border(case["graph"]) is not None
        ),
        printed=_is_legal,
    ),
)
