r"""Appendices A and B: the steps of the proofs of Theorems 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from epstar.convert import curve_of, local_curve_of
from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import (
    COIN,
    capacity_from_curve,
    indicator,
    information_10,
    one_sided,
)
from epstar_papers.ngo2024.theorem_two import true_information
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict

Measure = Sequence[Rational]


def _pair_in_event(case: Case) -> Iterator[Mechanism]:
    """Yield the binary channels that two inputs and an event make of a mechanism."""
    rows = case["mechanism"].rows
    for left, right in combinations(rows, 2):
        for event in truth.events(len(left)):
            yield Mechanism([[1 - truth.mass(row, event), truth.mass(row, event)] for row in (left, right)])


def _processed(case: Case) -> bool:
    whole = truth.capacity(case["mechanism"]).upper.upper
    return all(truth.capacity(part).lower.lower <= whole + 1e-12 for part in _pair_in_event(case))


def largest_pair(case: Case) -> Real:
    """Return the largest divergence between two inputs, in bits."""
    rows = case["mechanism"].rows
    return max((truth.relative_entropy(left, right) for left in rows for right in rows), key=float)


def mean_of_pairs(case: Case) -> Real:
    """Return E KL(P_X || P_X') for two independent inputs, in bits."""
    rows, shares = case["mechanism"].rows, case["prior"].probabilities
    return sum(
        (
            truth.relative_entropy(left, right) * (p * q)
            for p, left in zip(shares, rows, strict=True)
            for q, right in zip(shares, rows, strict=True)
        ),
        Real.of(ZERO),
    )


def lautum(case: Case) -> Real:
    """Return E KL(P_Y || P_X), the lautum information, in bits."""
    mechanism, prior = case["mechanism"], case["prior"]
    output = mechanism.output_law(prior)
    return sum(
        (truth.relative_entropy(output, row) * p for p, row in zip(prior.probabilities, mechanism.rows, strict=True)),
        Real.of(ZERO),
    )


def _bits_of_events(case: Case) -> bool:
    """Whether no event of any input has a larger divergence than the rows themselves."""
    output = case["mechanism"].output_law(case["prior"])
    for row in case["mechanism"].rows:
        whole = truth.relative_entropy(row, output).upper
        for event in truth.events(len(row)):
            inside, outside = truth.mass(row, event), truth.mass(output, event)
            if truth.relative_entropy((inside, 1 - inside), (outside, 1 - outside)).lower > whole + 1e-12:
                return False
    return True


def largest_bit(case: Case) -> Real:
    """Return the largest KL(Ber p1 || Ber p0) over inputs and events, in bits."""
    output = case["mechanism"].output_law(case["prior"])
    found = [Real.of(ZERO)]
    for row in case["mechanism"].rows:
        for event in truth.events(len(row)):
            inside, outside = truth.mass(row, event), truth.mass(output, event)
            found.append(truth.relative_entropy((inside, 1 - inside), (outside, 1 - outside)))
    return max(found, key=float)


_PLACE_A, _PLACE_B = "Appendix A", "Appendix B"
_RARE = Prior(["2/5", "3/10", "1/5", "1/10"])

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:eq-16",
        label="Equation (16)",
        place=_PLACE_A,
        statement=r"The binary channel that two inputs and an event make of $M$ has a capacity of at most $\mu$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(8, 34),
        printed=_processed,
    ),
    Theorem(
        key="ngo2024:eq-18",
        label="Equations (17) and (18)",
        place=_PLACE_A,
        statement=r"$KL(P_{M(x)}\|P_{M(x')})$ is at most the integral of $(1+e^{-\epsilon})\delta(\epsilon)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.mechanisms(30, 35, 1),
        leaves_out="Mechanisms with zeros, for which the right-hand side may be infinite.",
        printed=lambda case: capacity_from_curve(curve_of(case["mechanism"])),
        computed=largest_pair,
    ),
    Theorem(
        key="ngo2024:eq-21",
        label="Equations (19) to (21)",
        place=_PLACE_A,
        statement=r"$I(X;M(X)) \le E\,KL(P_{M(X)}\|P_{M(X')})$ for an independent copy $X'$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.positive(20, 36),
        leaves_out="Mechanisms with zeros, for which the right-hand side may be infinite.",
        printed=mean_of_pairs,
        computed=true_information,
    ),
    Theorem(
        key="ngo2024:eq-21-slack",
        label="Equation (21), what is lost",
        place="beyond the paper",
        statement=r"The slack of (21) is the lautum information $E\,KL(P_{M(X)}\|P_{M(x)})$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.positive(20, 37),
        leaves_out="Mechanisms with zeros, for which the right-hand side may be infinite.",
        printed=lambda case: mean_of_pairs(case) - true_information(case),
        computed=lautum,
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:eq-22",
        label="Equation (22)",
        place=_PLACE_A,
        statement=r"The mean divergence of two inputs is at most the integral (8).",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.positive(20, 38),
        leaves_out="Mechanisms with zeros, for which the right-hand side may be infinite.",
        printed=lambda case: capacity_from_curve(curve_of(case["mechanism"])),
        computed=mean_of_pairs,
    ),
    Theorem(
        key="ngo2024:eq-25",
        label="Equations (24) and (25)",
        place=_PLACE_B,
        statement=(
            r"The bit $1\{M\in E\}$ given $x$ diverges from its distribution by at most "
            r"$KL(P_{M(x)}\|P_{M(X)})$."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.positive(12, 39),
        printed=_bits_of_events,
    ),
    Theorem(
        key="ngo2024:proof-2a",
        label="The step after (25)",
        place=_PLACE_B,
        statement=r"(23) and (25) give $KL(Ber(p_1)\|Ber(p_0)) \le \mu$ for every input and event.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: (
            *({**case, "mu": true_information(case)} for case in cases.positive(12, 40)),
            {"mechanism": indicator(4, 3), "prior": _RARE, "mu": rational("1/2")},
        ),
        printed=lambda case: case["mu"],
        corrected=lambda case: Real.of(case["mu"]) / min(case["prior"].probabilities),
        computed=largest_bit,
        counterexample=Counterexample(
            {"mechanism": one_sided("9/50"), "prior": COIN, "mu": rational("1/10")},
            0.1,
            0.13606155,
            "the mean of the divergences of the two inputs is .096431 bits",
        ),
        correction=r"(23) bounds the mean over $x$: $P(x)\,KL(Ber(p_1)\|Ber(p_0)) \le \mu$ is all that follows.",
    ),
    Theorem(
        key="ngo2024:eq-27",
        label="Equations (26) and (27)",
        place=_PLACE_B,
        statement=r"$KL(P_{M(x)}\|P_{M(X)})$ is at most the integral of $(e^\epsilon+e^{-\epsilon})\delta(\epsilon)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.with_priors(30, 41),
        printed=lambda case: information_10(local_curve_of(case["mechanism"], case["prior"])),
        computed=lambda case: truth.pointwise(case["mechanism"], case["prior"]),
        beyond=r"It uses (4) as corrected: $H(P_{M(x)}\|P_{M(X)}) \le e^\epsilon\delta$ and "
        r"$H(P_{M(X)}\|P_{M(x)})\le\delta$.",
    ),
)
