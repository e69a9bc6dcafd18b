r"""What the text says of Figures 1 to 4."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from epstar.convert import gaussian_curve
from epstar.exact import Real, rational, rationals
from epstar.gaussian import Gaussian
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import capacity_from_curve, delta_from_capacity
from epstar_papers.ngo2024.normal_noise import (
    normal_bound_10,
    normal_information,
    normal_local_delta,
    normal_mechanism,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

_LEVELS = ("1/10", "1/2", 1, 2, 4)
# Variances of Figure 1 in ten dimensions, rounded up in the eighth digit; the hypotheses check them.
_FIGURE_1 = {"1/10": "71.635900", "1/100": "720.84764"}
_VARIANCES = (10, 20, 50, 100, 150, 200)


def _figure_1() -> Iterator[Case]:
    for mu, variance in _FIGURE_1.items():
        gaussian = Gaussian(variance=variance, peak=1, dimension=10)
        for level in _LEVELS:
            yield {"gaussian": gaussian, "mu": rational(mu), "level": Real.of(level)}


def _keeps(case: Case) -> bool:
    return truth.gaussian_capacity(case["gaussian"]).upper.upper <= float(Real.of(case["mu"])) * (1 + 1e-12)


def equation_8(case: Case) -> Real:
    """Return (8) for the curve of the normal mechanism."""
    return capacity_from_curve(gaussian_curve(_peaked(case)))


def _peaked(case: Case) -> Gaussian:
    return Gaussian(variance=case["variance"], peak=1, dimension=case["dimension"])


def _figure_2() -> Iterator[Case]:
    for dimension in (1, 10):
        for variance in _VARIANCES:
            yield {"variance": rational(variance), "dimension": dimension}


def _little_noise() -> Iterator[Case]:
    yield from ({"variance": rational(variance), "dimension": 1} for variance in ("1/10", "1/2", 1, 5))


def _ratio(case: Case) -> float:
    return float(equation_8(case)) / float(truth.gaussian_capacity(_peaked(case)).lower)


def integrated_8(case: Case) -> float:
    """Return (8) by quadrature over the levels."""
    from scipy import integrate

    gaussian = _peaked(case)
    ratio = float(gaussian.distance) / 2

    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    def term(level: float) -> float:
        delta = phi(ratio - level / (2 * ratio)) - math.exp(level) * phi(-ratio - level / (2 * ratio))
        return (1 + math.exp(-level)) * delta

    reach = 2 * ratio * (ratio + 9)
    found, _ = integrate.quad(term, 0, reach, epsabs=1e-13, epsrel=1e-12, limit=200)
    return float(found) / math.log(2)


def _local_delta(case: Case) -> Real:
    return normal_local_delta(case["variance"], case["level"])


def _falling(values: list[float]) -> bool:
    return all(first > second for first, second in pairwise(values))


_LIP_CASE: Case = {"variance": rational(1), "level": rational(1)}

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:text-fig-1",
        label="Figure 1, normal noise does better",
        place="Section III-A",
        statement=r"The Gaussian mechanism calibrated to $\bar\mu_G^{CI}=\mu$ has a lower LDP curve than "
        r"$\delta_\mu^{LDP}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_figure_1,
        hypotheses=Hypothesis(r"the capacity of the noise is at most $\mu$", _keeps),
        printed=lambda case: case["gaussian"].delta(case["level"]) < delta_from_capacity(case["mu"], case["level"]),
        beyond=r"For $d=10$ the variances are 71.63589949 ($\mu=0.1$) and 720.84763589 ($\mu=0.01$).",
    ),
    Theorem(
        key="ngo2024:text-fig-2-gap",
        label="Figure 2, the gap",
        place="Section III-A",
        statement=r"For $\sigma^2 \in [0, 200]$ the gap between (8) and $\bar\mu_G^{CI}$ remains almost constant; on "
        r"the logarithmic scale of the figure, their ratio does.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [*_figure_2(), *_little_noise()],
        printed=lambda case: 4 < _ratio(case) < 4.2,
        corrected=lambda case: _ratio(case) > 4 and (case["variance"] < 10 or _ratio(case) < 4.2),
        counterexample=Counterexample(
            {"variance": rational("1/10"), "dimension": 1}, 1.0, 0.0, "the ratio is 21.9 at a variance of 1/10"
        ),
        correction=r"From $\sigma^2=10$ on: there the ratio lies between 4 and 4.2. For less noise it grows "
        r"without bound: 8.0 at $\sigma^2=0.5$ and 21.9 at $0.1$ ($d=1$). It tends to 4.",
    ),
    Theorem(
        key="ngo2024:text-fig-2-falls",
        label="Figure 2, both curves fall",
        place="Section III-A",
        statement=r"$\mu_{\delta(\epsilon)}^{CI}$ keeps decreasing as $\sigma^2$ grows.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: ({"dimension": dimension} for dimension in (1, 10)),
        printed=lambda case: _falling([float(equation_8({**case, "variance": v})) for v in _VARIANCES]),
    ),
    Theorem(
        key="ngo2024:beyond-8-normal",
        label="Figure 2, (8) in closed form",
        place="beyond the paper",
        statement=r"For the Gaussian mechanism (8) is $2d\Delta^2\log(e)/\sigma^2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_figure_2,
        printed=lambda case: 2 * case["dimension"] * math.log2(math.e) / float(Real.of(case["variance"])),
        computed=integrated_8,
        tolerance=1e-9,
    ),
    Theorem(
        key="ngo2024:text-fig-3-falls",
        label="Figure 3, normal noise",
        place="Section III-B",
        statement=r"The LIP curve of the Gaussian mechanism keeps decreasing with $\epsilon$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: ({"mu": rational("1/10")},),
        leaves_out="Levels between those of the figure.",
        printed=lambda case: _falling(
            [float(normal_local_delta(cases.FIGURE_3[case["mu"]], level)) for level in rationals([0, "1/4", 4])]
        ),
    ),
    Theorem(
        key="ngo2024:text-fig-4-falls",
        label="Figure 4, both curves fall",
        place="Section III-B",
        statement=r"$\mu_{\delta(\epsilon)}^{CD}$ keeps decreasing as $\delta(\epsilon)$ gets lower, and bounds the "
        r"information.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: ({"low": rational(low), "high": rational(high)} for low, high in ((1, 5), (5, 20), (20, 100))),
        printed=lambda case: (
            normal_bound_10(case["low"]) > normal_bound_10(case["high"]) > normal_information(case["high"]).upper
        ),
        beyond=r"The ratio of the two falls from 71 at $\sigma^2=0.5$ to 5.2 at 100.",
    ),
    Theorem(
        key="ngo2024:fig-4-caption",
        label="Figure 4, its caption",
        place="Figure 4",
        statement=r"A mechanism that has $(\epsilon,\delta(\epsilon))$-LDP with $\delta(\epsilon)="
        r"\bar\delta_G^{LIP}(\epsilon)$: the curve of LIP as one of LDP.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: ({"variance": rational(10), "level": rational("1/10")},),
        printed=lambda case: normal_mechanism(case["variance"]).delta(case["level"]),
        corrected=_local_delta,
        computed=_local_delta,
        counterexample=Counterexample(
            _LIP_CASE, 0.50986166, 0.14372555, "two inputs differ more than an input and the output distribution"
        ),
        correction=r"$(\epsilon,\delta(\epsilon))$-LIP.",
    ),
    Theorem(
        key="ngo2024:text-fig-4-mechanism",
        label="Figure 4, its mechanism",
        place="Section III-B",
        statement=r"Figure 4 shows the parameter of the Gaussian mechanism considered in Fig. 4.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: ({"mu": mu} for mu in cases.FIGURE_3),
        corrected=lambda case: case["mu"],
        computed=lambda case: normal_information(cases.FIGURE_3[case["mu"]]),
        correction="Considered in Fig. 3, whose variances are points of its horizontal axis.",
    ),
    Theorem(
        key="ngo2024:text-axes",
        label="Figures 1 to 4, axes",
        place="Figures 1 to 4",
        statement="The ranges of the axes and the plotted points.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=tuple,
        correction="They were not available as numbers; the figures here use grids of their own.",
    ),
    Theorem(
        key="ngo2024:text-truncated",
        label="Figure 3, the distribution of the input",
        place="Figure 3",
        statement=r"$N(0,1/4)$ truncated in 21 points that are spread evenly over $[-1,1]$.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=tuple,
        correction=r"Here $P(x_i)\propto e^{-2x_i^2}$; the words also allow the masses of 21 cells.",
    ),
)
