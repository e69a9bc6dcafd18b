r"""Section II: the notions, their equivalent forms (2) and (4), and the curves of normal noise."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from epstar.exact import Interval, Real, largest
from epstar.gaussian import DiscreteInput, Gaussian
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import COIN, one_sided
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

PLACE = "Section II"


def sup_of_sticks(case: Case) -> Real:
    """Return the left side of (2)."""
    rows = case["mechanism"].rows
    pairs = [(left, right) for left in rows for right in rows]
    return largest(truth.hockey_stick(left, right, case["level"]) for left, right in pairs)


def equation_4(case: Case, as_printed: bool) -> Real:
    """Return the left side of (4); as printed both divergences have the same order of arguments."""
    mechanism, level = case["mechanism"], case["level"]
    output, factor = mechanism.output_law(case["prior"]), Real.exp(level)
    found = []
    for row in mechanism.rows:
        found.append(truth.hockey_stick(*((row, output) if as_printed else (output, row)), level))
        found.append(truth.hockey_stick(row, output, level) / factor)
    return largest(found)


def _small(count: int, seed: int) -> Iterator[Case]:
    return (case for case in cases.with_priors(count, seed) if case["mechanism"].shape[1] <= 3)


def _normal() -> Iterator[Case]:
    for variance, dimension in ((1, 1), (5, 1), (4, 3), (30, 10)):
        for level in ("0", "1/10", "1", "5/2"):
            yield {"gaussian": Gaussian(variance=variance, peak=1, dimension=dimension), "level": Real.of(level)}


def normal_curve(case: Case) -> float:
    """Return the closed form of the curve of the normal mechanism, as printed."""
    gaussian, level = case["gaussian"], float(case["level"])
    ratio = float(gaussian.distance) / 2

    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return phi(ratio - level / (2 * ratio)) - math.exp(level) * phi(-ratio - level / (2 * ratio))


def normal_excess(case: Case) -> float:
    """Return the excess of one normal distribution over e^level times another, integrated where it is positive."""
    from scipy import integrate

    apart, level = float(case["gaussian"].distance), float(case["level"])

    def gap(y: float) -> float:
        return (math.exp(-((y - apart) ** 2) / 2) - math.exp(level - y * y / 2)) / math.sqrt(2 * math.pi)

    start = apart / 2 + level / apart
    found, _ = integrate.quad(gap, start, max(start, apart) + 12, epsabs=1e-13, epsrel=1e-12)
    return float(found)


_THREE = DiscreteInput([-1, 0, 1], ["1/4", "1/2", "1/4"])
_UNEVEN = DiscreteInput([-1, "1/2"], ["2/3", "1/3"])


def _mixtures() -> Iterator[Case]:
    for inputs in (_THREE, _UNEVEN, cases.NORMAL_INPUT):
        for level in ("1/10", "1") if len(inputs.points) < 9 else ("1/2",):
            yield {"gaussian": Gaussian(variance=1, inputs=inputs), "level": Real.of(level)}


def mixture_excess(case: Case) -> Interval:
    """Return the least delta of (3) for normal noise, summed over a fine grid of outputs, with room for its error."""
    gaussian, factor = case["gaussian"], math.exp(float(case["level"]))
    points = np.array([float(Real.of(x)) for x in gaussian.inputs.points])
    weights = np.array([float(Real.of(p)) for p in gaussian.inputs.probabilities])
    grid, step = np.linspace(-12, 12, 120_001, retstep=True)
    densities = np.exp(-((grid[None, :] - points[:, None]) ** 2) / 2) / math.sqrt(2 * math.pi)
    output = weights @ densities
    above = np.maximum(output - factor * densities, 0).sum(axis=1).max() * step
    below = np.maximum(densities / factor - output, 0).sum(axis=1).max() * step
    worst = float(max(above, below))
    return Interval(Real.of(worst - 1e-7), Real.of(worst + 1e-7))


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:def-1",
        label="Definitions 1 and 2",
        place=PLACE,
        statement=r"A mechanism that is $\mu$-CI-LMIDP for a set of distributions is $\mu$-CD-LMIDP for each of them: "
        r"the context-independent parameter is at least the mutual information at every distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.with_priors(16, 1),
        printed=lambda case: truth.capacity(case["mechanism"]).upper,
        computed=lambda case: truth.information(case["mechanism"], case["prior"]),
    ),
    Theorem(
        key="ngo2024:eq-2",
        label="Equation (2)",
        place=PLACE,
        statement=r"$(\epsilon,\delta)$-LDP holds exactly if the largest hockey-stick divergence of parameter "
        r"$e^\epsilon$ between two inputs is at most $\delta$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _small(14, 2),
        printed=sup_of_sticks,
        computed=lambda case: truth.delta_by_events(case["mechanism"], case["level"]),
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:eq-4",
        label="Equation (4)",
        place=PLACE,
        statement=r"$(\epsilon,\delta)$-LIP holds exactly if $\sup_x \max\{H(P_{M(x)}\|P_{M(X)}), "
        r"e^{-\epsilon}H(P_{M(x)}\|P_{M(X)})\} \le \delta$ with hockey-stick divergences of parameter $e^\epsilon$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: _small(14, 4),
        printed=lambda case: equation_4(case, as_printed=True),
        corrected=lambda case: equation_4(case, as_printed=False),
        computed=lambda case: truth.local_delta_by_events(case["mechanism"], case["prior"], case["level"]),
        counterexample=Counterexample(
            {"mechanism": one_sided("9/50"), "prior": COIN, "level": Real.of(1)},
            0.0,
            0.09,
            "the event of the output 1, which input 0 never gives, has probability 0.09",
        ),
        correction=r"$\sup_x \max\{H(P_{M(X)}\|P_{M(x)}), e^{-\epsilon}H(P_{M(x)}\|P_{M(X)})\} \le \delta$: the first "
        r"divergence has its arguments in the wrong order.",
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:text-normal-curve",
        label="The LDP curve of the Gaussian mechanism",
        place=f"{PLACE}, after (5)",
        statement=r"$\bar\delta_G^{LDP}(\epsilon) = \Phi(r - \epsilon/2r) - e^\epsilon\Phi(-r-\epsilon/2r)$ with "
        r"$r = \sqrt d\Delta/\sigma$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_normal,
        printed=normal_curve,
        computed=normal_excess,
        tolerance=1e-10,
    ),
    Theorem(
        key="ngo2024:text-normal-farthest",
        label="The LDP curve, the worst pair",
        place=f"{PLACE}, after (5)",
        statement=r"The curve is that of two inputs at the largest distance $2\sqrt d\Delta$: nearer pairs need no "
        r"larger $\delta$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: (
            {"near": Gaussian(variance=3, sensitivity=Real.of(2 * k).rational), "peak": 5, "level": level}
            for k in range(1, 6)
            for level in cases.LEVELS
        ),
        printed=lambda case: Gaussian(variance=3, peak=case["peak"]).delta(case["level"]),
        computed=lambda case: case["near"].delta(case["level"]),
    ),
    Theorem(
        key="ngo2024:text-mixture",
        label="The LIP curve of the Gaussian mechanism",
        place=f"{PLACE}, last paragraph",
        statement=r"For a discrete input the output is a mixture of normal distributions, and the LIP curve is "
        r"computed from the hockey-stick divergences between it and its components.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_mixtures,
        hypotheses=Hypothesis(r"the input is discrete", lambda case: case["gaussian"].inputs is not None),
        printed=lambda case: case["gaussian"].local_delta(case["level"]),
        computed=mixture_excess,
        beyond=r"$\ln p/\varphi_x$ is convex, so the events are intervals and the curve is exact after two root "
        r"searches.",
    ),
    Theorem(
        key="ngo2024:text-mixture-information",
        label="The CD parameter of the Gaussian mechanism",
        place=f"{PLACE}, last paragraph",
        statement=r"For a discrete input $\bar\mu_G^{CD}$ is the mean of the divergences of the components from the "
        r"mixture.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({"gaussian": Gaussian(variance=v, inputs=i)} for i in (_THREE, _UNEVEN) for v in (1, 4)),
        hypotheses=Hypothesis(r"the input is discrete", lambda case: case["gaussian"].inputs is not None),
        printed=lambda case: sum(
            (
                case["gaussian"].mixture.divergence(place) * share
                for place, share in enumerate(case["gaussian"].inputs.probabilities)
            ),
            Real.of(0),
        ),
        computed=lambda case: _by_entropies(case["gaussian"]),
        tolerance=1e-9,
    ),
)


def _by_entropies(gaussian: Gaussian) -> float:
    """Return h(X + Y) - h(Y) in nats."""
    from scipy import integrate

    assert gaussian.inputs is not None
    variance = float(Real.of(gaussian.variance))
    distributions = [
        (float(Real.of(x)), float(Real.of(p)))
        for x, p in zip(gaussian.inputs.points, gaussian.inputs.probabilities, strict=True)
    ]

    def term(y: float) -> float:
        density = sum(p * math.exp(-((y - x) ** 2) / (2 * variance)) for x, p in distributions)
        density /= math.sqrt(2 * math.pi * variance)
        return -density * math.log(density) if density > 0 else 0.0

    reach = 2 + 10 * math.sqrt(variance)
    found, _ = integrate.quad(term, -reach, reach, epsabs=1e-12, epsrel=1e-12, limit=200)
    return float(found) - math.log(2 * math.pi * math.e * variance) / 2
