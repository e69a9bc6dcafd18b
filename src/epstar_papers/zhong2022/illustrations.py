r"""Section IV-C: what the text says about Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.distortion import Hamming
from epstar.exact import ZERO, Rational, Real, largest, rational
from epstar.frontier import Frontier
from epstar.notions import Notion
from epstar.source import Everything, Prior
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.constructions import free_mechanism, symmetric_mechanism
from epstar_papers.zhong2022.distributions import Setting, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    EVENTS,
    LEAKAGE,
    RENYI,
    SHANNON,
    SIBSON,
    distortion,
    least_loss,
    loss,
)

_DIVERGENCES: tuple[Notion, ...] = (DIFFERENTIAL, EVENTS, RENYI)
_INFORMATION: tuple[Notion, ...] = (LEAKAGE, SIBSON, SHANNON)
_DISTRIBUTION = Prior(cases.FIGURE_4[0])


def _binary() -> Iterator[Case]:
    return ({"distortion": Rational(k, 50)} for k in range(1, 25))


def _four() -> Iterator[Case]:
    return ({"distortion": Rational(k, 50)} for k in range(1, 33))


def _smallest_divergence(case: Case) -> Real:
    return min(least_loss(notion, Everything(2), case["distortion"]).upper for notion in _DIVERGENCES)


def _largest_information(case: Case) -> Real:
    return largest(least_loss(notion, Everything(2), case["distortion"]).lower for notion in _INFORMATION)


def _smallest_privacy(case: Case) -> Real:
    return min(least_loss(notion, _DISTRIBUTION, case["distortion"]).upper for notion in (DIFFERENTIAL, EVENTS))


def _least_leakage(case: Case) -> Real:
    return least_loss(LEAKAGE, _DISTRIBUTION, case["distortion"]).lower


def _symmetric_cases() -> Iterator[Case]:
    for notion in (*_DIVERGENCES, *_INFORMATION):
        yield from ({"notion": notion, "distortion": rational(d)} for d in ("0.05", "0.2", "0.35", "0.45"))


def _jump(case: Case) -> Real:
    """Where the curve ends in a jump to 0."""
    last = Frontier(case["notion"], _DISTRIBUTION, Hamming()).breakpoints()[-1]
    assert last.kind == "jump", "the distribution has one likeliest category"
    return Real.of(last.distortion)


def _free_mechanism_is_valid_from(case: Case) -> bool:
    distribution, delta = case["distributions"][0], case["delta"]
    limit = (1 - delta) * (1 - distribution[0])
    needed = distortion(free_mechanism(len(distribution), delta), Prior(distribution))
    places = (limit - Rational(1, 100), limit, limit + Rational(1, 100))
    return all((needed <= place) == (place >= limit) for place in places)


THEOREMS = (
    Theorem(
        key="zhong2022:text-fig3",
        label="Figure 3, divergences and informations",
        place="Section IV-C",
        statement="For $D < 0.5$ (0.1-approximate, Rényi) differential privacy costs more than maximal leakage and "
        "(Sibson) mutual information.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=_binary,
        printed=_largest_information,
        corrected=lambda case: _largest_information(case) if case["distortion"] < Rational(38, 100) else Real.of(ZERO),
        computed=_smallest_divergence,
        counterexample=Counterexample(
            {"distortion": rational("0.45")}, 0.09531018, 0.0, "maximal leakage log 1.1, 0.1-approximate privacy 0"
        ),
        correction="0.1-approximate differential privacy is below maximal leakage for $D > 0.414590$, and Rényi "
        "differential privacy of order 2 for $D > 0.381966$.",
    ),
    Theorem(
        key="zhong2022:text-fig3-symmetric",
        label="Figure 3, randomised response",
        place="Section IV-C",
        statement=(
            r"For $D < 1/2$ and an unknown distribution of one bit $Q_D$ is optimal for every notion of the "
            r"figure."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_symmetric_cases,
        printed=lambda case: loss(
            case["notion"], symmetric_mechanism(2, 1, case["distortion"]).dense(), Prior(uniform(2))
        ),
        computed=lambda case: least_loss(case["notion"], Everything(2), case["distortion"]),
        beyond=r"Not for $D > 1/2$, where $Q_D$ loses something and nothing need be lost.",
    ),
    Theorem(
        key="zhong2022:text-fig3-source",
        label="Figure 3, where it comes from",
        place="Section IV-C",
        statement=r"The curves are those of Theorem 8 with $m = 2$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_binary,
        corrected=lambda case: formulas.differential_privacy(Setting(2, 1, case["distortion"])),
        computed=lambda case: least_loss(DIFFERENTIAL, Everything(2), case["distortion"]),
        correction=r"There is no Theorem 8; Proposition 8 is meant, also before Theorem 17.",
    ),
    Theorem(
        key="zhong2022:text-fig4",
        label="Figure 4, maximal leakage",
        place="Section IV-C",
        statement=r"For $P = (.4, .3, .2, .1)$ maximal leakage is the smallest of the three losses.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=_four,
        printed=_least_leakage,
        corrected=lambda case: (
            Real.of(ZERO) if Rational(54, 100) <= case["distortion"] < Rational(6, 10) else _least_leakage(case)
        ),
        computed=_smallest_privacy,
        counterexample=Counterexample(
            {"distortion": rational("0.54")}, 0.18232156, 0.0, "maximal leakage log 1.2, 0.1-approximate privacy 0"
        ),
        correction=r"Not on $[0.54, 0.60)$, where 0.1-approximate differential privacy is 0.",
    ),
    Theorem(
        key="zhong2022:text-fig4-jump",
        label="Figure 4, the jumps",
        place="Section IV-C",
        statement=r"Differential privacy jumps to 0 at $D = 0.6$, its 0.1-approximation at $D = 0.54$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [
            {"notion": DIFFERENTIAL, "place": rational("0.6")},
            {"notion": EVENTS, "place": rational("0.54")},
        ],
        printed=lambda case: case["place"],
        computed=_jump,
    ),
    Theorem(
        key="zhong2022:text-fig4-reason",
        label="Figure 4, the reason",
        place="Section IV-C",
        statement=r"$Q_\delta$ is valid exactly from $D = (1-\delta)(1-P_1)$ on.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.one_distribution(12, 181, ("0", "1/10", "7/20")),
        printed=_free_mechanism_is_valid_from,
    ),
)
