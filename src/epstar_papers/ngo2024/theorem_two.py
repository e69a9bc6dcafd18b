r"""Section III-B: Theorem 2, between mutual information at one distribution and local information privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epstar.convert import local_curve_of
from epstar.exact import ZERO, Rational, Real, largest, rational
from epstar.mechanism import Mechanism, identity
from epstar.query.bounds import in_bits
from epstar.universe import Alphabet
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import (
    COIN,
    binary_entropy,
    capped_information,
    delta_9,
    delta_from_information,
    indicator,
    information_10,
    limit_of_information,
    one_sided,
    telling_mechanism,
)
from epstar_papers.ngo2024.normal_noise import normal_information, normal_local_delta
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

PLACE = "Section III-B"
_FAR = Real.of(14)


def true_local_delta(case: Case) -> Real:
    return truth.local_delta(case["mechanism"], case["prior"], case["level"])


def true_information(case: Case) -> Real:
    return truth.information(case["mechanism"], case["prior"])


def _within_information() -> Iterator[Case]:
    yield from cases.breaking()
    for case in cases.with_priors(40, 21):
        found = true_information(case)
        if found > ZERO:
            yield {**case, "mu": found}


def _printed_bernoulli(case: Case) -> Real:
    p, q = case["left"][0], case["right"][0]
    return in_bits(Real.log((1 - p) / (1 - q)) + Real.log(p * (1 - q) / (q * (1 - p))) * p)


def _at_most_bounds(*levels: object) -> Iterator[Case]:
    for mu in cases.BOUNDS[:-1]:
        for prior in cases.PRIORS:
            for level in levels:
                yield {"mu": mu, "prior": prior, "level": Real.of(level)}


def largest_telling_delta(case: Case) -> Real:
    """Return the largest delta at a level over the mechanisms that tell one input and stay within mu bits."""
    return largest(
        truth.local_delta(telling_mechanism(case["mu"], case["level"], case["prior"], x), case["prior"], case["level"])
        for x in range(case["prior"].size)
        if binary_entropy(case["prior"].probabilities[x]) > case["mu"]
    )


_HIDDEN = r"$H_b(P(x)) > \mu$ for every input"


def _is_hidden(case: Case) -> bool:
    """Whether no input can be told within mu bits."""
    return all(binary_entropy(share) > case["mu"] for share in case["prior"].probabilities)


def true_limit(case: Case) -> float:
    """Return the limit of the tight bound as the level grows: the rarest input decides."""
    mu = float(Real.of(case["mu"]))
    return max(limit_of_information(mu, float(Real.of(share))) for share in case["prior"].probabilities)


def _figure_3(level: str) -> Iterator[Case]:
    for mu, variance in cases.FIGURE_3.items():
        yield {"variance": variance, "mu": mu, "level": rational(level)}


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:thm-2a",
        label="Theorem 2(a)",
        place=PLACE,
        statement=r"A mechanism with mutual information at most $\mu$ bits at the distribution $P_X$ has "
        r"$(\epsilon,\delta_\mu^{LIP}(\epsilon))$-LIP, with (9): the largest of $p_0-e^\epsilon p_1$ and "
        r"$e^{-\epsilon}p_1-p_0$ over $KL(Ber(p_1)\|Ber(p_0)) \le \mu$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_within_information,
        hypotheses=Hypothesis(
            r"the information at the distribution is at most $\mu$",
            lambda case: true_information(case).lower <= Real.of(case["mu"]).upper,
        ),
        printed=lambda case: delta_9(case["mu"], case["level"]),
        corrected=lambda case: delta_from_information(case["mu"], case["level"], case["prior"]),
        computed=true_local_delta,
        counterexample=Counterexample(
            {"mechanism": one_sided("9/50"), "prior": COIN, "mu": rational("1/10"), "level": Real.of(1)},
            0.07154127,
            0.09,
            "the information is .096431 bits, but the output 1 rules out input 0 whatever the level",
        ),
        correction=r"$\delta = \max_x\max\{(1-P(x))q - (e^\epsilon-P(x))p : I_{P(x)}(p,q)\le\mu\}$, $I_\pi(p,q)$ being "
        r"the information of a bit of distribution $(\pi,1-\pi)$ through the rows $p$ and $q$; tight.",
        beyond=r"The rarest input decides; if $H_b(P_{\min})\le\mu$, then $\delta=1-P_{\min}$ at every level and "
        r"nothing is guaranteed.",
    ),
    Theorem(
        key="ngo2024:thm-2a-indicator",
        label="Theorem 2(a) for the prior of Figure 3",
        place=PLACE,
        statement=r"For the 21-point distribution of Figure 3 and $\mu=0.1$ the $\delta$ of (9) is enough.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: (
            {"mechanism": indicator(21, 20), "prior": cases.NORMAL_DISTRIBUTION, "mu": rational("1/10"), "level": level}
            for level in cases.LEVELS
        ),
        printed=lambda case: delta_9(case["mu"], case["level"]),
        corrected=lambda case: Real.of(1 - min(case["prior"].probabilities)),
        computed=true_local_delta,
        hypotheses=Hypothesis(
            r"the information at the distribution is at most $\mu$",
            lambda case: bool(true_information(case) <= case["mu"]),
        ),
        counterexample=Counterexample(
            {
                "mechanism": indicator(21, 20),
                "prior": cases.NORMAL_DISTRIBUTION,
                "mu": rational("1/10"),
                "level": Real.of(1),
            },
            0.07154127,
            0.98880527,
            "1{X = 1} has .088613 bits, and its value 0 has probability .9888 but is impossible at X = 1",
        ),
        correction=r"$\delta = 1-P_{\min} = 0.98880527$ at every level: $H_b(P_{\min}) = 0.088613 \le 0.1$.",
    ),
    Theorem(
        key="ngo2024:thm-2a-normal",
        label="Theorem 2(a) for the Gaussian mechanism of Figure 3",
        place="Figure 3",
        statement=r"The LIP curve of the Gaussian mechanism of Figure 3 lies below (9).",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: _figure_3("1/4"),
        hypotheses=Hypothesis(
            r"the information at the distribution is at most $\mu$",
            lambda case: bool(normal_information(case["variance"]) <= case["mu"]),
        ),
        printed=lambda case: delta_9(case["mu"], case["level"]),
        corrected=lambda case: delta_from_information(case["mu"], case["level"], cases.NORMAL_DISTRIBUTION),
        computed=lambda case: normal_local_delta(case["variance"], case["level"]),
        counterexample=Counterexample(
            {"variance": rational("1.3599907"), "mu": rational("1/10"), "level": rational("1/10")},
            0.15245737,
            0.29180002,
            "at x = 1 the divergence from the output distribution is .468353 bits, though the mean is .1",
        ),
        correction=r"It lies above (9) for $\epsilon < 1.2155$ ($\mu=0.1$) and $\epsilon<0.3782$ ($\mu=0.01$).",
    ),
    Theorem(
        key="ngo2024:thm-2a-pointwise",
        proven_in="Ngo.v: ngo_theorem_2a",
        label="Theorem 2(a) for pointwise leakage",
        place="beyond the paper",
        statement=r"(9) holds unchanged if $\sup_x KL(P_{M(x)}\|P_{M(X)}) \le \mu$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.with_priors(60, 22, 1),
        hypotheses=Hypothesis(
            r"some divergence from the output distribution is positive",
            lambda case: bool(truth.pointwise(case["mechanism"], case["prior"]) > ZERO),
        ),
        printed=lambda case: delta_9(truth.pointwise(case["mechanism"], case["prior"]), case["level"]),
        computed=true_local_delta,
    ),
    Theorem(
        key="ngo2024:thm-2a-tight",
        label="Theorem 2(a) as corrected, tightness",
        place="beyond the paper",
        statement=r"The corrected $\delta$ is attained by a mechanism with two outputs that depends on $1\{X=x\}$ "
        r"only.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _at_most_bounds("1/10", 1, 3),
        hypotheses=Hypothesis(_HIDDEN, _is_hidden),
        printed=lambda case: delta_from_information(case["mu"], case["level"], case["prior"]),
        computed=largest_telling_delta,
        tolerance=1e-8,
    ),
    Theorem(
        key="ngo2024:thm-2a-nothing",
        label="Theorem 2(a) as corrected, no guarantee",
        place="beyond the paper",
        statement=r"If $H_b(P_{\min})\le\mu$, the least $\delta$ that is guaranteed is $1-P_{\min}$ at every level.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: (
            {"prior": prior, "mu": mu, "level": level, "mechanism": indicator(prior.size, place)}
            for prior, place in ((cases.SKEWED, 1), (cases.NORMAL_DISTRIBUTION, 0))
            for mu in (Rational(9, 100), Rational(1, 2))
            for level in cases.LEVELS
        ),
        hypotheses=Hypothesis(
            r"the information at the distribution is at most $\mu$",
            lambda case: bool(true_information(case) <= case["mu"]),
        )
        & Hypothesis(
            r"$H_b(P_{\min}) \le \mu$",
            lambda case: bool(binary_entropy(min(case["prior"].probabilities)) <= case["mu"]),
        ),
        printed=lambda case: delta_from_information(case["mu"], case["level"], case["prior"]),
        computed=true_local_delta,
    ),
    Theorem(
        key="ngo2024:thm-2a-every-prior",
        label="Theorem 2(a), where it breaks",
        place="beyond the paper",
        statement=(
            r"For every distribution with two or more atoms and every $\mu<1$ the printed (9) fails at large "
            r"levels."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _at_most_bounds(_FAR),
        hypotheses=Hypothesis(_HIDDEN, _is_hidden),
        printed=lambda case: largest_telling_delta(case) > delta_9(case["mu"], case["level"]),
    ),
    Theorem(
        key="ngo2024:text-bernoulli",
        label="Divergence of two bits",
        place=f"{PLACE}, after (9)",
        statement=r"$KL(Ber(p_1)\|Ber(p_0)) = \log\frac{1-p_1}{1-p_0} + p_1\log\frac{p_1(1-p_0)}{p_0(1-p_1)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: (case for case in cases.pairs_of_distributions(40, 23) if len(case["left"]) == 2),
        hypotheses=Hypothesis(
            r"both are distributions on two outcomes",
            lambda case: len(case["left"]) == 2 and sum(case["left"]) == sum(case["right"]) == 1,
        ),
        printed=_printed_bernoulli,
        computed=lambda case: truth.relative_entropy(case["left"], case["right"]),
    ),
    Theorem(
        key="ngo2024:text-limit-of-9",
        label="The limit of (9)",
        place=PLACE,
        statement=r"$\delta_\mu^{LIP}(\epsilon)$ as defined by (9) saturates to $1-2^{-\mu}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"mu": mu} for mu in cases.BOUNDS),
        printed=lambda case: -math.expm1(-float(Real.of(case["mu"])) * math.log(2)),
        computed=lambda case: delta_9(case["mu"], _FAR),
        tolerance=1e-6,
    ),
    Theorem(
        key="ngo2024:text-limit-lip",
        label="The limit of the LIP guarantee",
        place=PLACE,
        statement=r"The general LIP guarantee of $\mu$-CD-LMIDP saturates to $1-2^{-\mu}$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: _at_most_bounds(_FAR),
        hypotheses=Hypothesis(_HIDDEN, _is_hidden),
        printed=lambda case: -math.expm1(-float(Real.of(case["mu"])) * math.log(2)),
        corrected=true_limit,
        computed=largest_telling_delta,
        counterexample=Counterexample(
            {"mu": rational("1/10"), "prior": COIN, "level": _FAR},
            0.06696701,
            0.09309449,
            "a uniform bit, of which the value 1 is given away with probability .18619",
        ),
        correction=r"The limit is $(1-\pi)q$ with $H_b((1-\pi)q)-(1-\pi)H_b(q)=\mu$ and $\pi=P_{\min}$, or $1-\pi$ if "
        r"$H_b(\pi)\le\mu$.",
        beyond=r"For small $\mu$ it is about $\mu/\log(1/(1-\pi))$.",
        tolerance=1e-6,
    ),
    Theorem(
        key="ngo2024:thm-2b",
        label="Theorem 2(b)",
        place=PLACE,
        statement=r"A mechanism with $(\epsilon,\delta(\epsilon))$-LIP for all $\epsilon>0$ has mutual information at "
        r"most $\log(e)\int_0^\infty(e^\epsilon+e^{-\epsilon})\delta(\epsilon)\,d\epsilon$ bits.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: (*cases.with_priors(40, 24), {"mechanism": identity(Alphabet(2)), "prior": COIN}),
        printed=lambda case: information_10(local_curve_of(case["mechanism"], case["prior"])),
        computed=true_information,
        beyond="It may be infinite, as for the identity on a bit.",
    ),
    Theorem(
        key="ngo2024:thm-2b-capped",
        label="Theorem 2(b), capped",
        place="beyond the paper",
        statement=r"$I \le \log(e)\sum_x P(x)\int\min\{e^\epsilon\delta,(1-e^\epsilon P(x))^+\} + "
        r"e^{-\epsilon}\min\{\delta,1-P(x)\}\,d\epsilon$, which is always finite on a finite alphabet.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.with_priors(25, 25),
        printed=lambda case: capped_information(local_curve_of(case["mechanism"], case["prior"]), case["prior"]),
        computed=true_information,
    ),
    Theorem(
        key="ngo2024:thm-2b-capped-tight",
        label="Theorem 2(b), capped, for the identity",
        place="beyond the paper",
        statement=r"The capped bound is the entropy for the identity mechanism, for which (10) is infinite.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"prior": prior} for prior in cases.PRIORS),
        hypotheses=Hypothesis(
            r"(10) is infinite", lambda case: information_10(local_curve_of(_identity(case), case["prior"])).is_infinite
        ),
        printed=lambda case: capped_information(local_curve_of(_identity(case), case["prior"]), case["prior"]),
        computed=lambda case: truth.information(_identity(case), case["prior"]),
        tolerance=1e-3,
    ),
)


def _identity(case: Case) -> Mechanism:
    return identity(Alphabet(case["prior"].size))
