r"""Appendices C and D: the conditions of the minimax theorem and the spectra at the saddle point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real, rationals
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.noise import Matrix, determinant, mean, plus, spectral
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

_C, _D = "Appendix C", "Appendix D"


def _escaping(case: Case) -> tuple[tuple[Rational, ...], tuple[Rational, ...]]:
    """Return points and chances of a variable of variance 1 that is 0 but for a chance of 1/n^2, when it is n or -n."""
    far, chance = Rational(case["n"]), ONE / Rational(case["n"]) ** 2
    return (-far, ZERO, far), (chance / 2, 1 - chance, chance / 2)


def _variance_in_the_limit(case: Case) -> Real:
    """Return the mean of min(X^2, 1), a continuous bounded function, which weak limits keep."""
    points, distribution = _escaping(case)
    return Real.of(sum((p * min(x * x, ONE) for x, p in zip(points, distribution, strict=True)), ZERO))


def _variance(case: Case) -> Rational:
    points, distribution = _escaping(case)
    return sum((p * x * x for x, p in zip(points, distribution, strict=True)), ZERO)


def _mixed_rows(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        size, outputs = random.randint(2, 3), random.randint(2, 4)
        yield {
            "first": cases.mechanism(random, size, outputs, 0),
            "second": cases.mechanism(random, size, outputs, 0),
            "prior": Prior(cases.distribution(random, size)),
            "share": Rational(random.randint(1, 9), 10),
        }


def _mixed_distributions(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for case in cases.mechanisms(count, seed):
        size = case["mechanism"].shape[0]
        yield {
            "mechanism": case["mechanism"],
            "distributions": (cases.distribution(random, size), cases.distribution(random, size)),
            "share": Rational(random.randint(1, 9), 10),
        }


def _mixture(left: Sequence[Rational], right: Sequence[Rational], share: Rational) -> list[Rational]:
    return [(1 - share) * a + share * b for a, b in zip(left, right, strict=True)]


def _of_mixed_rows(case: Case) -> Real:
    rows = [_mixture(a, b, case["share"]) for a, b in zip(case["first"].rows, case["second"].rows, strict=True)]
    return truth.information(Mechanism(rows), case["prior"])


def _mean_of_rows(case: Case) -> Real:
    share: Rational = case["share"]
    first, second = (truth.information(case[name], case["prior"]) for name in ("first", "second"))
    return first * (1 - share) + second * share


def _of_mixed_distributions(case: Case) -> Real:
    first, second = case["distributions"]
    return truth.information(case["mechanism"], Prior(_mixture(first, second, case["share"])))


def _mean_of_distributions(case: Case) -> Real:
    share: Rational = case["share"]
    first, second = (
        truth.information(case["mechanism"], Prior(distribution)) for distribution in case["distributions"]
    )
    return first * (1 - share) + second * share


def _covariance_pairs(count: int, seed: int) -> Iterator[Case]:
    shares = rationals(["1/10", "1/2", "4/5"])
    pairs = zip(cases.covariances(count, seed), cases.covariances(count, seed + 1), strict=True)
    for k, (first, second) in enumerate(pairs):
        yield {"first": first["input"], "second": second["input"], "noise": first["noise"], "share": shares[k % 3]}


def _information_of(matrix: Matrix, case: Case) -> Real:
    return truth.half_log_det(determinant(plus(matrix, case["noise"])), determinant(case["noise"]))


def _concave(case: Case) -> bool:
    """Whether half log det(I + K_Y^-1 K) at a mixture of covariances is at least the mixture of its values."""
    share: Rational = case["share"]
    mixed = [_mixture(a, b, share) for a, b in zip(case["first"], case["second"], strict=True)]
    value = _information_of(case["first"], case) * (1 - share) + _information_of(case["second"], case) * share
    return _information_of(mixed, case).upper >= value.lower


def _sorted(case: Case) -> Real:
    """Return the printed sum over eigenvalues in decreasing order, for diagonal covariances."""
    falling = [sorted((case[name][k][k] for k in range(2)), reverse=True) for name in ("input", "noise")]
    return spectral(*falling)


def _aligned(case: Case) -> Real:
    """Return the sum over the eigenvalues of K_Y^-1 K_X, for diagonal covariances."""
    return spectral(*([case[name][k][k] for k in range(2)] for name in ("input", "noise")))


def _diagonals() -> Iterator[Case]:
    for first, second in (((3, 1), (2, 1)), ((1, 3), (2, 1)), ((1, 2), (3, "1/2")), ((5, 1), (1, 5))):
        yield {"input": cases.diagonal(*first), "noise": cases.diagonal(*second)}


def _by_determinants(case: Case) -> Real:
    return _information_of(case["input"], case)


_OPPOSITE: Case = {"input": cases.diagonal(2, 1), "noise": cases.diagonal(1, 2)}

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:app-c-i",
        label="Appendix C, condition (i)",
        place=_C,
        statement=r"The set $\mathcal P(K)$ of distributions with mean 0 and covariance $K$ is compact: weak limits "
        r"of distributions of variance 1 have variance 1.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: ({"n": n} for n in (10**4, 10**5)),
        hypotheses=Hypothesis(r"the variance is 1", lambda case: _variance(case) == 1),
        printed=lambda case: 1.0,
        corrected=lambda case: 0.0,
        computed=_variance_in_the_limit,
        counterexample=Counterexample(
            {"n": 10**6}, 1.0, 0.0, "X = n or -n with chance 1/n^2, else 0: it tends to the constant 0"
        ),
        correction=r"The variance escapes to infinity, so the set is not weakly closed. (12) is true all the same.",
        tolerance=1e-7,
    ),
    Theorem(
        key="ngo2024:app-c-ii",
        label="Appendix C, condition (ii)",
        place=_C,
        statement=r"Mutual information is convex in the channel.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: _mixed_rows(30, 61),
        printed=_mean_of_rows,
        computed=_of_mixed_rows,
    ),
    Theorem(
        key="ngo2024:eq-32",
        label="Equations (30) to (32)",
        place=_C,
        statement=r"Information given which of two input distributions was used is at most that of their mixture.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: _mixed_distributions(30, 62),
        printed=_mean_of_distributions,
        computed=_of_mixed_distributions,
    ),
    Theorem(
        key="ngo2024:eq-34",
        label="Equations (33) and (34)",
        place=_C,
        statement=(
            r"A mixture of centred distributions has the mixture of their covariances, and $f(K,P_Y)$ is concave in "
            r"$K$."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _covariance_pairs(30, 63),
        printed=_concave,
        beyond=r"Checked for normal noise, where $f$ is $\frac12\log\det(I+K_Y^{-1}K)$.",
    ),
    Theorem(
        key="ngo2024:app-c-iii",
        label="Appendix C, condition (iii)",
        place=_C,
        statement=r"$f(K_X,P_Y)$ is concave over $K_X\in\mathcal K_d(d\sigma^2)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: _covariance_pairs(30, 64),
        corrected=_concave,
        correction=r"Over $\mathcal K_d(d\Delta^2)$: $\sigma^2$ is the power of the noise.",
    ),
    Theorem(
        key="ngo2024:app-d-sorted",
        label="Appendix D, sorted eigenvalues",
        place=_D,
        statement=r"$\mu(K_X,K_Y) = \frac12\sum_i\log(1+\lambda_{X,i}/\lambda_{Y,i})$ with both spectra in decreasing "
        r"order.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_diagonals,
        printed=_sorted,
        corrected=_aligned,
        computed=_by_determinants,
        counterexample=Counterexample(
            _OPPOSITE, 1.0, 1.08496250, "the larger power of the input meets the smaller noise"
        ),
        correction=r"The eigenvalues of $K_Y^{-1}K_X$ take the place of the quotients; sorting gives a lower bound, "
        r"and the theorem survives.",
        tolerance=1e-12,
    ),
    Theorem(
        key="ngo2024:app-d-sorted-below",
        label="Appendix D, sorted eigenvalues as a lower bound",
        place="beyond the paper",
        statement=r"$\frac12\log\det(I+K_Y^{-1}K_X) \ge \frac12\sum_i\log(1+\lambda_{X,i}/\lambda_{Y,i})$ for sorted "
        r"spectra.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: (_OPPOSITE, *_diagonals()),
        leaves_out="Covariances that are not diagonal.",
        hypotheses=Hypothesis(r"covariances are matrices", lambda case: isinstance(case["input"][0], tuple)),
        printed=_sorted,
        computed=_by_determinants,
    ),
    Theorem(
        key="ngo2024:eq-36",
        label="Equation (36)",
        place=_D,
        statement=r"Nothing is lost by asking for the whole power: more input power tells more, less noise too.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.spectra(30, 65),
        hypotheses=Hypothesis(
            r"covariances are given by their spectra", lambda case: not isinstance(case["input"][0], tuple)
        ),
        printed=lambda case: (
            spectral(case["input"], case["noise"]) < spectral([2 * x for x in case["input"]], case["noise"])
            and spectral(case["input"], case["noise"]) < spectral(case["input"], [x / 2 for x in case["noise"]])
        ),
    ),
    Theorem(
        key="ngo2024:eq-37",
        label="Equation (37)",
        place=_D,
        statement=r"Against noise that is spread evenly no input spectrum of the same sum tells more than the "
        r"even one.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.spectra(60, 66),
        hypotheses=Hypothesis(
            r"covariances are given by their spectra", lambda case: not isinstance(case["input"][0], tuple)
        ),
        printed=lambda case: spectral(_even(case["input"]), _even(case["noise"])),
        computed=lambda case: spectral(case["input"], _even(case["noise"])),
    ),
    Theorem(
        key="ngo2024:eq-38",
        label="Equation (38)",
        place=_D,
        statement=r"Against an input that is spread evenly no noise spectrum of the same sum hides more than the even "
        r"one.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: cases.spectra(60, 67),
        hypotheses=Hypothesis(
            r"covariances are given by their spectra", lambda case: not isinstance(case["input"][0], tuple)
        ),
        printed=lambda case: spectral(_even(case["input"]), _even(case["noise"])),
        computed=lambda case: spectral(_even(case["input"]), case["noise"]),
    ),
)


def _even(spectrum: tuple[Rational, ...]) -> tuple[Rational, ...]:
    return (mean(spectrum),) * len(spectrum)
