r"""Section III-A: Theorem 1, between mutual information at every distribution and local differential privacy."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.convert import curve_of
from epstar.exact import ONE, ZERO, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism, identity
from epstar.source import Prior
from epstar.universe import Alphabet
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import (
    binary_asymmetric_capacity,
    binary_mechanism,
    capacity_7,
    capacity_from_curve,
    delta_from_capacity,
    indicator,
    limit_of_capacity,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

PLACE = "Section III-A"
_FAR = Real.of(25)


def true_delta(case: Case) -> Real:
    return truth.delta(case["mechanism"], case["level"])


def _one_distribution() -> Iterator[Case]:
    """Yield the identity on two inputs when all that is bounded is the information at one skewed distribution."""
    for prior, mu in ((cases.SKEWED, "1/10"), (Prior(["1/50", "49/50"]), "1/5")):
        for level in cases.LEVELS:
            yield {"mechanism": identity(Alphabet(2)), "distribution": prior, "mu": rational(mu), "level": level}


def _is_bounded(case: Case) -> bool:
    return bool(truth.information(case["mechanism"], case["distribution"]) <= case["mu"])


def _channel_capacity(case: Case) -> object:
    return truth.capacity(cases.channel(case["first"], case["second"]))


def _is_noisy(case: Case) -> bool:
    return bool(case["first"] + case["second"] != 1)


def _symmetry(label: str, name: str, words: str, where: str) -> Theorem:
    def image(case: Case) -> tuple[Rational, Rational]:
        first, second = case["first"], case["second"]
        return {
            "swap": (second, first),
            "both": (1 - second, 1 - first),
            "outputs": (1 - first, 1 - second),
        }[name]

    return Theorem(
        key=f"ngo2024:eq-7-{name}",
        label=label,
        place=PLACE,
        statement=rf"$C_{{BAC}}(\epsilon_0,\epsilon_1) = C_{{BAC}}({words})${where}.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(20, 71),
        printed=lambda case: binary_asymmetric_capacity(*image(case)),
        computed=lambda case: truth.capacity(cases.channel(case["first"], case["second"])),
        tolerance=1e-9,
    )


def _rising() -> Iterator[Case]:
    for low, high in ((0, 1), (1, 2), (2, 3), (3, 4)):
        for level in cases.LEVELS:
            yield {"low": cases.BOUNDS[low], "high": cases.BOUNDS[high], "level": level}


def _many_categories() -> Iterator[Case]:
    """Yield mechanisms that tell their input with probability 1/10 and otherwise say nothing."""
    for size in (2, 8, 24):
        told = Rational(1, 10)
        rows = [[told if x == y else ZERO for y in range(size)] + [1 - told] for x in range(size)]
        yield {"mechanism": Mechanism(rows), "delta": told, "size": size}


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:thm-1a",
        label="Theorem 1(a)",
        place=PLACE,
        statement=r"A mechanism whose mutual information is at most $\mu$ bits at every distribution has "
        r"$(\epsilon, \delta_\mu^{LDP}(\epsilon))$-LDP for every $\epsilon > 0$, with (6): the largest "
        r"$p_0 - e^\epsilon p_1$ over binary channels of capacity at most $\mu$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.mechanisms(60, 11),
        printed=lambda case: delta_from_capacity(truth.capacity(case["mechanism"]).upper, case["level"]),
        computed=true_delta,
        hypotheses=Hypothesis(
            r"the mechanism says something", lambda case: bool(truth.capacity(case["mechanism"]).lower > ZERO)
        ),
        beyond=r"The set of distributions must contain every two-point distribution. At $\epsilon=0$ the bound is "
        r"$1 - 2H_b^{-1}(1-\mu)$.",
    ),
    Theorem(
        key="ngo2024:thm-1a-class",
        label="Theorem 1(a) for a given set of distributions",
        place=PLACE,
        statement=r"The same if the mutual information is at most $\mu$ at the distributions of a given set $\mathcal "
        r"P$, as Definition 1 allows.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_one_distribution,
        hypotheses=Hypothesis(r"the information at the distribution is at most $\mu$", _is_bounded),
        printed=lambda case: delta_from_capacity(case["mu"], case["level"]),
        corrected=lambda case: ONE,
        computed=true_delta,
        counterexample=Counterexample(
            {
                "mechanism": identity(Alphabet(2)),
                "distribution": cases.SKEWED,
                "mu": rational("1/10"),
                "level": Real.of(1),
            },
            0.20148321,
            1.0,
            "one distribution (.99, .01) has an entropy of .0808 bits, so even the identity is within .1",
        ),
        correction=r"$\mathcal P$ must contain every distribution on two points; otherwise $\delta = 1$ may be needed.",
    ),
    Theorem(
        key="ngo2024:thm-1a-tight",
        label="Theorem 1(a), tightness",
        place=PLACE,
        statement=r"No smaller $\delta$ will do: for each $\mu$ and $\epsilon$ some mechanism within $\mu$ needs "
        r"$\delta_\mu^{LDP}(\epsilon)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=cases.bounds,
        printed=lambda case: delta_from_capacity(case["mu"], case["level"]),
        computed=lambda case: truth.delta(binary_mechanism(case["mu"], case["level"]), case["level"]),
        tolerance=1e-9,
    ),
    Theorem(
        key="ngo2024:eq-7",
        label="Equation (7)",
        place=PLACE,
        statement=r"The capacity of the binary asymmetric channel with crossover probabilities "
        r"$\epsilon_0 \le \min\{\epsilon_1, 1-\epsilon_1, 1/2\}$ in closed form.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(60, 7),
        hypotheses=Hypothesis(r"$\epsilon_0+\epsilon_1 \ne 1$", _is_noisy),
        printed=lambda case: capacity_7(case["first"], case["second"]),
        computed=lambda case: truth.capacity(cases.channel(case["first"], case["second"])),
        tolerance=1e-9,
    ),
    Theorem(
        key="ngo2024:eq-7-useless",
        label="Equation (7) where the output says nothing",
        place=PLACE,
        statement=r"(7) gives the capacity also where $\epsilon_0+\epsilon_1 = 1$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: ({"first": p, "second": 1 - p} for p in rationals(["0", "1/10", "1/3", "1/2"])),
        printed=lambda case: capacity_7(case["first"], case["second"]),
        corrected=lambda case: binary_asymmetric_capacity(case["first"], case["second"]),
        computed=lambda case: truth.capacity(cases.channel(case["first"], case["second"])),
        undefined=lambda case: not _is_noisy(case),
        correction=r"It is $0/0$ there; the capacity is 0.",
        tolerance=1e-9,
    ),
    _symmetry("Equation (7), exchanged inputs", "swap", r"\epsilon_1,\epsilon_0", r" if $\epsilon_0>\epsilon_1$"),
    _symmetry("Equation (7), both exchanged", "both", r"1-\epsilon_1,1-\epsilon_0", r" if $\epsilon_0>1-\epsilon_1$"),
    _symmetry("Equation (7), exchanged outputs", "outputs", r"1-\epsilon_0,1-\epsilon_1", r" if $\epsilon_0>1/2$"),
    Theorem(
        key="ngo2024:thm-1b",
        label="Theorem 1(b)",
        place=PLACE,
        statement=r"A mechanism with $(\epsilon,\delta(\epsilon))$-LDP for all $\epsilon>0$ has mutual information at "
        r"most $\log(e)\int_0^\infty (1+e^{-\epsilon})\delta(\epsilon)\,d\epsilon$ bits at every distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.mechanisms(40, 12, 1),
        printed=lambda case: capacity_from_curve(curve_of(case["mechanism"])),
        computed=lambda case: truth.capacity(case["mechanism"]),
        beyond=r"For $k$ inputs $(1-1/k)$ times the bound is enough.",
    ),
    Theorem(
        key="ngo2024:thm-1b-pair",
        label="Theorem 1(b), one pair is not enough",
        place=PLACE,
        statement=r"$(\epsilon,\delta)$-LDP for one pair with $\delta>0$ bounds nothing: a mechanism with $(0,\delta)$ "
        r"may have $\delta\log k$ bits, $k$ being the number of inputs.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_many_categories,
        hypotheses=Hypothesis(
            r"the mechanism is $(0,\delta)$-LDP",
            lambda case: bool(truth.delta(case["mechanism"], Real.of(ZERO)) <= case["delta"]),
        ),
        printed=lambda case: Real.log(Rational(case["size"])) * case["delta"] / Real.log(Rational(2)),
        computed=lambda case: truth.capacity(case["mechanism"]),
        beyond="The whole curve is needed.",
    ),
    Theorem(
        key="ngo2024:text-monotone",
        label="After Theorem 1, first remark",
        place=PLACE,
        statement=r"At a fixed $\epsilon$ a smaller $\mu$ gives a smaller $\delta_\mu^{LDP}(\epsilon)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_rising,
        # A mechanism within the larger bound needs more than the smaller bound guarantees.
        printed=lambda case: (
            truth.delta(binary_mechanism(case["high"], case["level"]), case["level"])
            > delta_from_capacity(case["low"], case["level"])
        ),
    ),
    Theorem(
        key="ngo2024:text-one-bit",
        label="After Theorem 1, second remark",
        place=PLACE,
        statement=r"If $\mu \ge 1$ bit, no LDP is guaranteed: $\delta_\mu^{LDP} = 1$, because one bit says whether the "
        r"input lies in a set.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"size": size, "level": level} for size in (2, 3, 5) for level in cases.LEVELS),
        hypotheses=Hypothesis(
            r"the capacity is at most 1 bit",
            lambda case: truth.capacity(indicator(case["size"], 0)).lower.lower <= 1 + 1e-12,
        ),
        printed=lambda case: delta_from_capacity(1, case["level"]),
        computed=lambda case: truth.delta(indicator(case["size"], 0), case["level"]),
    ),
    Theorem(
        key="ngo2024:text-limit-unique",
        label="After Theorem 1, third remark: the number p-bar",
        place=PLACE,
        statement=r"For $\mu<1$ exactly one $\bar p_\mu\in[0,1]$ has $H_b(\bar p_\mu)/\bar p_\mu = -\log(2^\mu-1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"mu": mu} for mu in cases.BOUNDS),
        # H_b(p)/p falls, so the root is unique; the channel that gives input 1 away with chance p-bar has mu bits.
        printed=lambda case: case["mu"],
        computed=lambda case: truth.capacity(_leak(limit_of_capacity(float(Real.of(case["mu"]))))),
        tolerance=1e-9,
    ),
    Theorem(
        key="ngo2024:text-limit-below",
        label="After Theorem 1, third remark: the lower bound",
        place=PLACE,
        statement=r"For $\mu<1$ bit $\delta_\mu^{LDP}(\epsilon) \ge \bar p_\mu$ for every $\epsilon$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=cases.bounds,
        printed=lambda case: limit_of_capacity(float(Real.of(case["mu"]))),
        computed=lambda case: truth.delta(binary_mechanism(case["mu"], case["level"]), case["level"]),
        tolerance=1e-9,
    ),
    Theorem(
        key="ngo2024:text-limit",
        label="After Theorem 1, third remark: the limit",
        place=PLACE,
        statement=r"$\delta_\mu^{LDP}(\epsilon)\to\bar p_\mu$ as $\epsilon\to\infty$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"mu": mu, "level": _FAR} for mu in cases.BOUNDS[:-1]),
        hypotheses=Hypothesis(r"$\epsilon$ is large: 25", lambda case: bool(case["level"] >= _FAR)),
        printed=lambda case: limit_of_capacity(float(Real.of(case["mu"]))),
        computed=lambda case: truth.delta(binary_mechanism(case["mu"], case["level"]), case["level"]),
        beyond=r"The limit is not reached: $\bar p_\mu = 0.1775033$ for $\mu = 0.1$ and $0.0187298$ for $\mu = 0.01$.",
        tolerance=1e-8,
    ),
    Theorem(
        key="ngo2024:text-does-not-vanish",
        label="After Theorem 1, third remark: it does not vanish",
        place=PLACE,
        statement=r"$\delta_\mu^{LDP}(\delta)$ does not vanish as $\epsilon$ becomes large.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: ({"mu": mu, "level": _FAR} for mu in cases.BOUNDS[:-1]),
        corrected=lambda case: truth.delta(binary_mechanism(case["mu"], case["level"]), case["level"]) > case["mu"],
        correction=r"The argument is $\epsilon$. The limit exceeds $\mu$ itself.",
    ),
)


def _leak(chance: float) -> Mechanism:
    share = Rational(*chance.as_integer_ratio())
    return Mechanism([[ONE, ZERO], [1 - share, share]])
