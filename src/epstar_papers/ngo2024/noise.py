r"""Section IV: Theorem 3, the best noise of a given power, by the saddle point at normal distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.gaussian import DiscreteInput, Gaussian
from epstar.query.bounds import in_bits
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem, Verdict

PLACE = "Section IV"
Matrix = Sequence[Sequence[Rational]]
Density = Callable[[float], float]


def determinant(matrix: Matrix) -> Rational:
    """Return the determinant of a matrix of size two."""
    (a, b), (c, d) = matrix
    return a * d - b * c


def plus(left: Matrix, right: Matrix) -> Matrix:
    """Return the sum of two matrices."""
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


def equation_14(case: Case) -> Real:
    """Return half log det(I + K_Y^-1 K_X) in bits, with the inverse written out."""
    (a, b), (c, d) = case["noise"]
    size = determinant(case["noise"])
    inverse = ((d / size, -b / size), (-c / size, a / size))
    ((p, q), (r, s)) = case["input"]
    mixed = [
        [inverse[0][0] * p + inverse[0][1] * r + 1, inverse[0][0] * q + inverse[0][1] * s],
        [inverse[1][0] * p + inverse[1][1] * r, inverse[1][0] * q + inverse[1][1] * s + 1],
    ]
    return truth.half_log_det(determinant(mixed))


def by_entropies(case: Case) -> Real:
    """Return h(X + Y) - h(Y) of normal vectors, in bits."""
    return truth.half_log_det(determinant(plus(case["input"], case["noise"])), determinant(case["noise"]))


def spectral(inputs: Sequence[Rational], noises: Sequence[Rational]) -> Real:
    """Return half the sum of log(1 + input/noise) over coordinates, in bits."""
    product = ONE
    for power, noise in zip(inputs, noises, strict=True):
        product *= 1 + power / noise
    return truth.half_log_det(product)


def mean(values: Sequence[Rational]) -> Rational:
    return sum(values, ZERO) / len(values)


def water_filled(noises: Sequence[Rational], power: Rational) -> tuple[Rational, ...]:
    """Return the input powers of a given sum that tell most through noise of these powers."""
    ordered = sorted(noises)
    for used in range(len(ordered), 0, -1):
        surface = (power + sum(ordered[:used], ZERO)) / used
        if surface > ordered[used - 1]:
            return tuple(max(ZERO, surface - noise) for noise in noises)
    return tuple(ZERO for _ in noises)


def most(case: Case) -> Real:
    """Return the most that inputs of total power d Delta^2 tell through independent normal noise, in bits."""
    power = case["power"] * len(case["noise"])
    return spectral(water_filled(case["noise"], power), case["noise"])


def flat(case: Case) -> Real:
    """Return d/2 log(1 + Delta^2 / sigma^2) in bits for the mean noise power."""
    size = len(case["noise"])
    return in_bits(Real.log(1 + case["power"] / mean(case["noise"]))) * Rational(size, 2)


def _with_power(count: int, seed: int) -> Iterator[Case]:
    for k, case in enumerate(cases.spectra(count, seed)):
        yield {**case, "power": Rational(1 + k % 5, 2)}


_INPUTS = {
    "two points": DiscreteInput([-1, 1], ["1/2", "1/2"]),
    "three points": DiscreteInput([-2, 0, 2], ["1/8", "3/4", "1/8"]),
    "uneven": DiscreteInput(["-1/2", 2], ["4/5", "1/5"]),
    "the distribution of Figure 3": cases.NORMAL_INPUT,
}


def _inputs() -> Iterator[Case]:
    for name, inputs in _INPUTS.items():
        for variance in ("1/2", 1, 4):
            yield {"input": name, "variance": rational(variance), "power": inputs.power}


def normal_density(variance: float, centre: float = 0.0) -> Density:
    scale = math.sqrt(2 * math.pi * variance)
    return lambda y: math.exp(-((y - centre) ** 2) / (2 * variance)) / scale


def _phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def through_uniform(power: float, variance: float) -> float:
    """Return the information, in nats, of a normal input through uniform noise."""
    width, scale = math.sqrt(3 * variance), math.sqrt(power)

    def density(y: float) -> float:
        return (_phi((y + width) / scale) - _phi((y - width) / scale)) / (2 * width)

    return truth.entropy(density, width + 9 * scale) - math.log(2 * width)


def through_laplace(power: float, variance: float) -> float:
    """Return the information, in nats, of a normal input through Laplace noise."""
    rate, scale = math.sqrt(2 / variance), math.sqrt(power)

    def density(y: float) -> float:
        tilt = math.exp(rate * rate * power / 2) * rate / 2
        down = math.exp(-rate * y) * _phi(y / scale - rate * scale)
        up = math.exp(rate * y) * _phi(-y / scale - rate * scale)
        return tilt * (down + up)

    return truth.entropy(density, 9 * scale + 30 / rate) - 1 - math.log(2 / rate)


def through_mixture(power: float, variance: float) -> float:
    """Return the information, in nats, of a normal input through two normal distributions around -c and c."""
    centre = 0.8 * math.sqrt(variance)
    rest = variance - centre * centre

    def entropy(extra: float) -> float:
        left, right = normal_density(rest + extra, -centre), normal_density(rest + extra, centre)
        return truth.entropy(lambda y: (left(y) + right(y)) / 2, centre + 9 * math.sqrt(rest + extra))

    return entropy(power) - entropy(0.0)


_NOISES = {"uniform": through_uniform, "Laplace": through_laplace, "mixture": through_mixture}


def _noises() -> Iterator[Case]:
    for name in _NOISES:
        for power, variance in ((1, 1), (1, 4), (3, 1)):
            yield {"noise": name, "power": rational(power), "variance": rational(variance)}


def through(case: Case) -> float:
    """Return the information of a normal input through noise of another distribution, in bits."""
    power, variance = (float(Real.of(case[name])) for name in ("power", "variance"))
    return _NOISES[case["noise"]](power, variance) / math.log(2)


def one_dimensional(case: Case) -> Real:
    """Return half log(1 + power/variance) in bits."""
    return truth.half_log_det(1 + case["power"] / case["variance"])


def _second_moments(case: Case) -> bool:
    """Whether the mean square of a centred distribution is the trace of its covariance."""
    points, shares = case["points"], case["distribution"]
    square = sum((p * (x * x + y * y) for p, (x, y) in zip(shares, points, strict=True)), ZERO)
    trace = sum((p * x * x for p, (x, _) in zip(shares, points, strict=True)), ZERO)
    trace += sum((p * y * y for p, (_, y) in zip(shares, points, strict=True)), ZERO)
    return bool(square == trace)


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:eq-11",
        label="Equation (11)",
        place=PLACE,
        statement=r"For centred distributions the constraint on $E\|X\|^2$ is one on the trace of the covariance.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: (
            {
                "points": ((rational(1), rational(2)), (rational(-1), rational(-2))),
                "distribution": (Rational(1, 2),) * 2,
            },
            {"points": ((ONE, ZERO), (-ONE, ONE), (ZERO, -ONE)), "distribution": (Rational(1, 3),) * 3},
        ),
        printed=_second_moments,
    ),
    Theorem(
        key="ngo2024:eq-12",
        label="Equation (12)",
        place=PLACE,
        statement=r"Infimum over noises and supremum over covariances may be exchanged: no noise of variance "
        r"$\sigma^2$ lets inputs of power $\Delta^2$ tell less than $\frac12\log(1+\Delta^2/\sigma^2)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_noises,
        printed=one_dimensional,
        computed=through,
        beyond=r"A direct proof needs no minimax theorem: $Y=N(0,\sigma^2I)$ gives $\le$; $X=N(0,\Delta^2I)$ and the "
        r"convexity of $\log(1+\Delta^2/\lambda)$ give $\ge$.",
    ),
    Theorem(
        key="ngo2024:eq-14",
        label="Theorem 3, equation (14)",
        place=PLACE,
        statement=r"For normal input and noise the information is $\frac12\log\det(I+K_Y^{-1}K_X)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.covariances(20, 51),
        hypotheses=Hypothesis(r"covariances are matrices", lambda case: isinstance(case["input"][0], tuple)),
        printed=equation_14,
        computed=by_entropies,
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:eq-35-input",
        label="Theorem 3, the normal input is the worst",
        place="Appendix D, equation (35)",
        statement=r"Through normal noise no input of variance $\Delta^2$ tells more than the normal one.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_inputs,
        printed=one_dimensional,
        computed=lambda case: in_bits(
            Gaussian(variance=case["variance"], inputs=_INPUTS[case["input"]]).mixture.information()
        ),
    ),
    Theorem(
        key="ngo2024:eq-35-noise",
        label="Theorem 3, normal noise is the best",
        place="Appendix D, equation (35)",
        statement=r"A normal input tells least through normal noise, among noises of one variance.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_noises,
        printed=one_dimensional,
        computed=through,
    ),
    Theorem(
        key="ngo2024:thm-3",
        label="Theorem 3, the covariances",
        place=PLACE,
        statement=r"Noise of total power $d\sigma^2$ is best spread evenly: for any other spectrum inputs of total "
        r"power $d\Delta^2$ tell at least $\frac d2\log(1+\Delta^2/\sigma^2)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: _with_power(200, 52),
        printed=flat,
        computed=most,
    ),
    Theorem(
        key="ngo2024:thm-3-value",
        label="Theorem 3, its value",
        place=PLACE,
        statement=r"With evenly spread noise the largest information is $\frac d2\log(1+\Delta^2/\sigma^2)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({**case, "noise": (mean(case["noise"]),) * len(case["noise"])} for case in _with_power(20, 53)),
        hypotheses=Hypothesis(
            r"covariances are given by their spectra", lambda case: not isinstance(case["input"][0], tuple)
        )
        & Hypothesis(r"the noise is spread evenly", lambda case: len(set(case["noise"])) == 1),
        printed=flat,
        computed=most,
        tolerance=1e-12,
    ),
)
