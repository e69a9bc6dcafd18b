r"""Appendix, Lemma 1: the relaxed problem R-PD, each step of its proof and three misprints in it."""

from __future__ import annotations

from epstar.exact import ZERO, Rational, Real
from epstar.universe import Databases
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.wang2016 import profiles
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import h, mechanism_d

PLACE = "Appendix, Lemma 1"
_COIN: Case = {"categories": 2, "rows": 1, "ratio": Rational(2)}
_FAIR_COIN: Case = {**_COIN, "profile": (Rational(1, 2), Rational(1, 2))}


def _h(case: Case) -> Rational:
    return h(case["ratio"], case["categories"], case["rows"])


def _of_posteriors(case: Case) -> Real:
    """The distortion of the posteriors (20) under some output distribution, summed over all pairs."""
    outputs, size = case["outputs"], len(case["outputs"].prior)
    posterior = mechanism_d(case["categories"], case["rows"], case["ratio"])
    distance = outputs.universe.distance
    terms = (outputs.prior[y] * posterior.entry(y, x) * distance(x, y) for x in range(size) for y in range(size))
    return Real.of(sum(terms, ZERO))


def _is_distribution(case: Case) -> bool:
    posterior = mechanism_d(case["categories"], case["rows"], case["ratio"])
    size = case["categories"] ** case["rows"]
    return all(sum((posterior.entry(y, x) for x in range(size)), ZERO) == 1 for y in range(size))


def _respects_ratio(case: Case) -> bool:
    """Constraint (14) for the posteriors (20), pair by pair."""
    posterior, outputs = mechanism_d(case["categories"], case["rows"], case["ratio"]), case["outputs"]
    columns = range(len(outputs.prior))
    return all(
        posterior.entry(y, x) <= case["ratio"] * posterior.entry(y, other)
        for group in outputs.groups()
        for x in group
        for other in group
        for y in columns
    )


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "lemma-1",
        "Lemma 1",
        r"The least distortion of the relaxed problem is $h(\epsilon) = n/(1+e^\epsilon/(m-1))$.",
        profiles.shapes,
        _h,
        profiles.relaxed_value,
        place="Appendix, equation (A.1)",
    ),
    claim(
        "lemma-1-claim",
        "Lemma 1, first claim",
        r"Any posterior that satisfies (14) lies at a mean distance of at least $h(\epsilon)$ from its output.",
        lambda: profiles.posteriors(40, 21),
        _h,
        profiles.mean_distance,
        Relation.AT_LEAST,
        place=PLACE,
    ),
    claim(
        "eq-a2",
        "Lemma 1, spheres and neighbours",
        r"$N_l=\binom nl(m-1)^l$; a database at distance $l$ has $(n-l)(m-1)$ neighbours one step further and $l$ one "
        r"step nearer.",
        lambda: profiles.shapes(27),
        profiles.neighbours_are_counted,
        relation=Relation.IMPLIES,
        place="Appendix, equation (A.2)",
    ),
    claim(
        "eq-a5",
        "Equations (A.4) and (A.5)",
        r"$(n-l+1)(m-1)P_{l-1} \le e^\epsilon\, l P_l$, that is $P_{l-1}/N_{l-1} \le e^\epsilon P_l/N_l$.",
        lambda: profiles.posteriors(40, 22),
        profiles.climbs_slowly,
        relation=Relation.IMPLIES,
        place="Appendix, equation (A.5)",
    ),
    claim(
        "eq-a6",
        "Equation (A.6)",
        r"$P_l \le \frac{N_l}{N_n} e^{(n-l)\epsilon} P_n$.",
        lambda: profiles.posteriors(40, 23),
        profiles.against_last,
        relation=Relation.IMPLIES,
        place="Appendix, equation (A.6)",
    ),
    claim(
        "lemma-1-last-sphere",
        "Lemma 1, the bound on P_n",
        r"$P_n \ge N_n e^{-n\epsilon}/(1+(m-1)e^{-\epsilon})^n$.",
        lambda: profiles.posteriors(40, 24),
        profiles.last_share,
        lambda case: Real.of(case["profile"][-1]),
        Relation.AT_LEAST,
        place=PLACE,
    ),
    Theorem(
        key="wang2016:lemma-1-first-bound",
        label="Lemma 1, the first lower bound",
        place=PLACE,
        statement=r"$\sum_l lP_l \ge \sum_{l=0}^{n} l\left(P_l+a\frac{N_le^{-l\epsilon}}{\sum_{k<n}N_ke^{-k\epsilon}}"
        r"\right)+\frac{nN_ne^{-n\epsilon}}{(1+(m-1)e^{-\epsilon})^n}$ with $a$ the excess of $P_n$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.AT_LEAST,
        cases=lambda: profiles.posteriors(30, 25),
        printed=lambda case: profiles.first_bound(case, case["rows"]),
        corrected=lambda case: profiles.first_bound(case, case["rows"] - 1),
        computed=profiles.mean_distance,
        counterexample=Counterexample(
            _FAIR_COIN, 11 / 12, 1 / 2, "the fair posterior of a binary entry, at the level log 2"
        ),
        correction=r"The sum ends at $l = n-1$.",
    ),
    claim(
        "lemma-1-moved",
        "Lemma 1, the shorter problem",
        r"$P_l+aN_le^{-l\epsilon}/\sum_{k<n}N_ke^{-k\epsilon}$, $l<n$, is feasible in the problem over "
        r"$Q_0,\dots,Q_{n-1}$.",
        lambda: profiles.posteriors(30, 26),
        profiles.is_feasible_below,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    claim(
        "eq-a7",
        "Equation (A.7) and the next step",
        r"The optimum over $Q$ satisfies (A.7), $Q^*_{n-1} \ge N_{n-1}e^{-(n-1)\epsilon}/(1+(m-1)e^{-\epsilon})^n$, "
        r"and the problem with one distance fewer bounds it as stated.",
        profiles.shapes,
        profiles.shorter_step_holds,
        relation=Relation.IMPLIES,
        place="Appendix, equation (A.7)",
        hypotheses=Hypothesis(r"$n > 1$", lambda case: case["rows"] > 1),
    ),
    Theorem(
        key="wang2016:lemma-1-display",
        label="Lemma 1, the last display of the first claim",
        place=PLACE,
        statement=r"$\sum_{l=0}^n \frac{lN_le^{-(n-l)\epsilon}}{(1+(m-1)e^{-\epsilon})^n} = h(\epsilon)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=profiles.shapes,
        printed=lambda case: profiles.last_display(case, falling=False),
        corrected=lambda case: profiles.last_display(case, falling=True),
        computed=profiles.relaxed_value,
        counterexample=Counterexample(_COIN, 2 / 3, 1 / 3, "one binary entry at the level log 2"),
        correction=r"The exponent is $-l\epsilon$.",
    ),
    Theorem(
        key="wang2016:lemma-1-triangle",
        label="Lemma 1, the triangle inequality",
        place=PLACE,
        statement=r"$d(x,y) \le d(x',y)-d(x',x)$ for neighbours $x, x'$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=profiles.neighbour_triples,
        printed=lambda case: bool(profiles.triangle_sides(case)[0] <= profiles.triangle_sides(case)[1]),
        corrected=lambda case: bool(profiles.triangle_sides(case)[0] >= profiles.triangle_sides(case)[1]),
        counterexample=Counterexample(
            {"databases": Databases(2, 1), "x": 0, "y": 1, "other": 1}, 1.0, 0.0, "x' = y gives 1 <= -1"
        ),
        correction=r"$d(x,y) \ge d(x',y)-d(x',x)$, which is what the next display uses.",
    ),
    claim(
        "lemma-1-ratio",
        "Lemma 1, constraint (14)",
        r"The posteriors (20) satisfy $p(x|y) \le e^\epsilon p(x'|y)$ for neighbours.",
        profiles.output_distributions,
        _respects_ratio,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    claim(
        "lemma-1-normalised",
        "Lemma 1, constraint (15)",
        r"The posteriors (20) sum to 1.",
        lambda: profiles.shapes(27),
        _is_distribution,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    claim(
        "lemma-1-attained",
        "Lemma 1, second claim",
        r"With any output distribution the posteriors (20) have distortion $h(\epsilon)$.",
        profiles.output_distributions,
        _h,
        _of_posteriors,
        place=PLACE,
    ),
)
