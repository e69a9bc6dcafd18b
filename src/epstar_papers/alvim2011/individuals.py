r"""How much leaks about one individual: Theorem 2, Lemma 4 and equation (11)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.exact import ONE, Interval, Rational, Real
from epstar.universe import Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.leakage import bound
from epstar_papers.alvim2011.truth import best_utility, bits, individual_leakage, interval_in_bits, leakage, min_entropy
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _individuals() -> Iterator[Case]:
    return (cases.at(u, v, ratio) for u, v in ((1, 2), (1, 3), (2, 2), (2, 3), (3, 2)) for ratio in cases.RATIOS)


def _cliques(with_distributions: bool) -> Iterator[Case]:
    random = Random(21)
    for size in (2, 3, 4, 5):
        for ratio in cases.RATIOS:
            yield {"size": size, "ratio": ratio, "distribution": None}
        if with_distributions:
            yield {"size": size, "ratio": cases.TWO, "distribution": cases.distribution(random, size)}


def _most(case: Case) -> Interval:
    """Return the largest leakage about an input all of whose values are neighbours, in bits."""
    distribution = case["distribution"]
    before = Rational(1, case["size"]) if distribution is None else max(distribution)
    return interval_in_bits(best_utility(Graph.clique(case["size"]), case["ratio"], distribution), ONE / before)


def _is_no_larger(first: Real, second: Real) -> bool:
    return first.lower <= second.upper + 1e-12


THEOREMS = (
    Theorem(
        key="alvim2011:thm-2",
        label="Theorem 2",
        place="Section 4.1",
        statement=r"Whatever is known of the others, a private mechanism leaks at most $\log_2 e^\epsilon$ bits "
        r"about one "
        r"individual.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_individuals,
        printed=lambda case: bits(case["ratio"]),
        computed=lambda case: individual_leakage(case["u"], case["v"], case["ratio"]),
        beyond=r"Never reached: the largest value is $\log_2 \frac{v e^\epsilon}{v-1+e^\epsilon} = B(1,v,\epsilon)$.",
    ),
    Theorem(
        key="alvim2011:beyond-individual",
        label="Theorem 2 made tight",
        place="beyond Section 4.1",
        statement=r"The largest leakage about one individual is $\log_2 \frac{v e^\epsilon}{v-1+e^\epsilon}$, for "
        r"every "
        r"number of others; randomised response reaches it.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_individuals,
        printed=lambda case: bound(1, case["v"], case["ratio"]),
        computed=lambda case: individual_leakage(case["u"], case["v"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:text-thm-2-stronger",
        label="Theorem 2 against Theorem 1",
        place="Section 4.1, after Theorem 2",
        statement=r"The bound of Theorem 2 is stronger than that of Theorem 1.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [*_individuals(), cases.at(10, 2, 2), cases.at(2, 5, 2)],
        printed=lambda case: _is_no_larger(bits(case["ratio"]), bound(case["u"], case["v"], case["ratio"])),
        corrected=lambda case: all(
            _is_no_larger(bound(1, case["v"], case["ratio"]), other)
            for other in (bits(case["ratio"]), bound(case["u"], case["v"], case["ratio"]))
        ),
        counterexample=Counterexample(
            cases.at(1, 2, 2), 1.0, 0.0, "Theorem 1 gives 0.415 bits for one individual, Theorem 2 one bit"
        ),
        correction=r"The tight bound $B(1,v,\epsilon)$ is at most both; for $u=2$ Theorem 2 is the smaller one only if "
        r"$e^\epsilon \le (v-1)^2$.",
    ),
    Theorem(
        key="alvim2011:beyond-thm-2-threshold",
        label="Two individuals: which bound is smaller",
        place="beyond Section 4.1",
        statement=r"For $u=2$, $\log_2 e^\epsilon \le B(2,v,\epsilon)$ if and only if $e^\epsilon \le (v-1)^2$, for "
        r"$\epsilon > 0$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [cases.at(2, v, ratio) for v in (2, 3, 4) for ratio in ("5/4", 2, 4, 5, 9, 10)],
        printed=lambda case: (
            (case["ratio"] <= (case["v"] * case["ratio"] / (case["v"] - 1 + case["ratio"])) ** 2)
            == (case["ratio"] <= (case["v"] - 1) ** 2)
        ),
    ),
    Theorem(
        key="alvim2011:lemma-4",
        label="Lemma 4",
        place="Appendix",
        statement=r"If all inputs are within a ratio of $e^\epsilon$ of each other, at most $\epsilon \log_2 e$ bits "
        r"leak.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: _cliques(with_distributions=True),
        printed=lambda case: bits(case["ratio"]),
        computed=_most,
        beyond=r"The largest value for $n$ inputs is $\log_2 \frac{n e^\epsilon}{n-1+e^\epsilon}$.",
    ),
    Theorem(
        key="alvim2011:beyond-lemma-4",
        label="Lemma 4 made tight",
        place="beyond the Appendix",
        statement=r"For $n$ inputs of equal chance the largest leakage is $\log_2 \frac{n "
        r"e^\epsilon}{n-1+e^\epsilon}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _cliques(with_distributions=False),
        printed=lambda case: bound(1, case["size"], case["ratio"]),
        computed=_most,
    ),
    Theorem(
        key="alvim2011:eq-11",
        label="Equation (11)",
        place="Appendix, proof of Lemma 4",
        statement=r"$H_\infty(A|B) \ge H_\infty(A) - \epsilon \log_2 e$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: (case for case in cases.private_on_databases(10, 30) if case["u"] == 1),
        printed=lambda case: bits(Rational(case["v"])) - bits(case["ratio"]),
        computed=lambda case: min_entropy((Rational(1, case["v"]),) * case["v"]) - leakage(case["mechanism"]),
    ),
)
