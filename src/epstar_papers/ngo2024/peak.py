r"""Inputs of bounded peak: what Theorem 3 gives for them (footnote 2), and where it does not hold for them."""

from __future__ import annotations

import math

from epstar.exact import ONE, Real, rational
from epstar.gaussian import Gaussian
from epstar_papers.ngo2024 import truth
from epstar_papers.ngo2024.noise import PLACE, Density, normal_density
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _peaked() -> tuple[Density, float]:
    centre = math.sqrt(2) - 1
    variance = 2 * math.sqrt(2) - 2
    left, right = normal_density(variance, -centre), normal_density(variance, centre)
    return lambda y: (left(y) + right(y)) / 2, 11.0


def _divergence_at(place: float, peak: float) -> float:
    """Return the divergence in bits of the noise around a place from the output of the two end points."""
    from scipy import integrate

    noise, reach = _peaked()

    def term(y: float) -> float:
        here, output = noise(y - place), (noise(y - peak) + noise(y + peak)) / 2
        return here * math.log2(here / output) if here > 0 else 0.0

    found, _ = integrate.quad(term, -reach, reach, epsabs=1e-12, epsrel=1e-11, limit=200)
    return float(found)


def most_through_peaked_mixture(case: Case) -> float:
    """Return an upper bound on the capacity in bits: the largest divergence from one distribution of the output."""
    peak = float(Real.of(case["peak"]))
    return max(_divergence_at(peak * k / 40, peak) for k in range(41))


def least_peak_information(case: Case) -> float:
    """Return the information of the two end points with equal chances: what any capacity is at least."""
    peak = float(Real.of(case["peak"]))
    return _divergence_at(peak, peak)


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:footnote-2",
        label="Footnote 2",
        place=PLACE,
        statement=r"What a mechanism guarantees for inputs with $E\|X\|^2\le d\Delta^2$ it guarantees for inputs with "
        r"$\|X\|^2\le d\Delta^2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: ({"variance": rational(v), "dimension": d} for d in (1, 3, 10) for v in (10, 30)),
        printed=lambda case: truth.gaussian_capacity(
            Gaussian(variance=case["variance"], average_power=1, dimension=case["dimension"])
        ),
        computed=lambda case: truth.gaussian_capacity(
            Gaussian(variance=case["variance"], peak=1, dimension=case["dimension"])
        ),
    ),
    Theorem(
        key="ngo2024:thm-3-peak",
        label="Theorem 3 for inputs of bounded peak",
        place="beyond the paper",
        statement=r"Normal noise is the best of its variance also for the constraint $\|X\|\le\sqrt d\Delta$ of "
        r"Section II: no noise has a smaller capacity.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=lambda: ({"peak": rational("1/2"), "variance": ONE},),
        printed=lambda case: truth.gaussian_capacity(Gaussian(variance=case["variance"], peak=case["peak"])),
        corrected=least_peak_information,
        computed=most_through_peaked_mixture,
        counterexample=Counterexample(
            {"peak": rational("1/2"), "variance": ONE},
            0.16074722,
            0.16060540,
            "noise that is N(-c, 1 - c^2) or N(c, 1 - c^2) with equal chances, c = sqrt(2) - 1",
        ),
        correction=r"For $|X|\le1/2$ and variance 1 equal parts of $N(\pm(\sqrt2-1), 2\sqrt2-2)$ have a smaller "
        r"capacity; the paper does not claim this case.",
        tolerance=1e-9,
    ),
)
