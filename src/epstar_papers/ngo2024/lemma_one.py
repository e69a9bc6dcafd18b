r"""Lemma 1: relative entropy as an integral of hockey-stick divergences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from epstar.convert import curve_of
from epstar.exact import ZERO, Ball, Rational, Real, rationals
from epstar.mechanism import Mechanism
from epstar.notions.measure.relative_entropy import divergence
from epstar.query.bounds import in_bits
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import capacity_from_curve
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

Measure = Sequence[Rational]


def lemma_integral(left: Measure, right: Measure) -> Real:
    """Return the integral of H(P||Q) + e^-level H(Q||P) over levels, in nats, atom by atom.

    An atom with r = p/q > 1 adds the integral of (p - E q) dE / E up to r, which is p log r - p + q; one with r < 1
    adds that of (q - E p) dE / E^2 up to 1/r, which is q - p - p log(q/p).
    """

    def enclose(_bits: int) -> Ball:
        total = Ball(0)
        for p, q in zip(left, right, strict=True):
            if p > q:
                total += p * Ball(p / q).log() - (p - q)
            elif p < q:
                total += (q - p) - (p * Ball(q / p).log() if p > 0 else 0)
        return total

    return Real.from_ball(enclose)


def integral_by_curve(case: Case) -> Real:
    """Return the same integral from the exact privacy curve of the two-input mechanism, for symmetric pairs."""
    return capacity_from_curve(curve_of(Mechanism([case["left"], case["right"]])))


def _moments(case: Case) -> Rational:
    """Return the printed moment-generating function at a natural number: 1 + t (t + 1) times an integral."""
    order, total = int(case["order"]), ZERO
    for p, q in zip(case["left"], case["right"], strict=True):
        ratio = p / q
        if ratio > 1:
            # integral of E^(t-1) (p - E q) from 1 to the ratio
            total += p * (ratio**order - 1) / order - q * (ratio ** (order + 1) - 1) / (order + 1)
        elif ratio < 1:
            # integral of E^-(t+2) (q - E p) from 1 to 1 / ratio
            total += q * (1 - ratio ** (order + 1)) / (order + 1) - p * (1 - ratio**order) / order
    return 1 + order * (order + 1) * total


def _true_moment(case: Case) -> Rational:
    order = int(case["order"])
    return sum((p * (p / q) ** order for p, q in zip(case["left"], case["right"], strict=True)), ZERO)


def _with_orders() -> Iterator[Case]:
    for case in cases.pairs_of_distributions(12, 31):
        for order in (1, 2, 5):
            yield {**case, "order": order}


def _symmetric(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        row = cases.distribution(random, random.randint(2, 4))
        yield {"left": row, "right": tuple(reversed(row))}


_UNEQUAL: Case = {"left": rationals([2, 1]), "right": rationals(["1/2", "1/2"])}

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:lemma-1",
        label="Lemma 1",
        place="Appendix",
        statement=r"$KL(P\|Q) = \log(e)\int_0^\infty H_{e^\epsilon}(P\|Q) + e^{-\epsilon}H_{e^\epsilon}(Q\|P)\,"
        r"d\epsilon$ for probability measures.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.pairs_of_distributions(30, 32),
        hypotheses=Hypothesis(
            r"both are probability measures", lambda case: sum(case["left"]) == sum(case["right"]) == 1
        ),
        printed=lambda case: in_bits(lemma_integral(case["left"], case["right"])),
        computed=lambda case: truth.relative_entropy(case["left"], case["right"]),
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:lemma-1-curve",
        label="Lemma 1 and the privacy curve",
        place="Appendix",
        statement=r"For two distributions that are mirror images the integral is that of the privacy curve.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _symmetric(12, 33),
        hypotheses=Hypothesis(
            r"the distributions are mirror images", lambda case: tuple(reversed(case["left"])) == tuple(case["right"])
        ),
        printed=integral_by_curve,
        computed=lambda case: truth.relative_entropy(case["left"], case["right"]),
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:lemma-1-measures",
        label="Lemma 1 for two measures",
        place="Appendix",
        statement=r"Lemma 1 for any two measures $P$ and $Q$ (in nats).",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: (
            _UNEQUAL,
            {"left": rationals(["1/3", "1/3"]), "right": rationals([1, 2])},
            {"left": rationals(["1/2", "1/2"]), "right": rationals(["1/4", "3/4"])},
        ),
        printed=lambda case: lemma_integral(case["left"], case["right"]),
        corrected=lambda case: (
            lemma_integral(case["left"], case["right"]) + (sum(case["left"], ZERO) - sum(case["right"], ZERO))
        ),
        computed=lambda case: divergence(case["left"], case["right"]),
        counterexample=Counterexample(
            _UNEQUAL, 1.46573590, 3.46573590, "the integral lacks the difference of the total masses"
        ),
        correction=r"For probability measures; in general $P(\Omega)-Q(\Omega)$ nats must be added to the integral.",
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:lemma-1-moments",
        label="Lemma 1, the moment-generating function",
        place="Appendix, proof of Lemma 1",
        statement=r"$\varphi_L(t) = 1+t(t+1)\int_0^\infty e^{t\epsilon}H_{e^\epsilon}(P\|Q)+e^{-(t+1)\epsilon}"
        r"H_{e^\epsilon}(Q\|P)\,d\epsilon$ for $L=\ln P/Q$ under $P$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_with_orders,
        printed=_moments,
        computed=lambda case: Real.of(_true_moment(case)),
        tolerance=0.0,
    ),
)
