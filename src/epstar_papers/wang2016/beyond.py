r"""What is true beyond the paper: one row solved completely, and the exact range of each of its equalities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational, Real, largest
from epstar.frontier import Frontier
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import (
    Database,
    Point,
    feasible_from,
    h,
    is_feasible,
    mechanism_i,
    prior_level,
)
from epstar_papers.wang2016.illustration import threshold_distortion
from epstar_papers.wang2016.theorem_one import inverse, true_identifiability, true_privacy
from epstar_papers.wang2016.theorem_two import level_of_mechanism, true_information
from epstar_papers.wang2016.truth import (
    IDENTIFIABILITY,
    INFORMATION,
    PRIVACY,
    best_guess,
    identifiability_level,
    least_distortion,
    least_identifiability,
    least_privacy,
    optimum,
)

PLACE = "beyond the paper"
ONE_ROW = ((2, 1), (3, 1), (4, 1), (5, 1))


def one_row_ratio(distribution: Point, distortion: Rational) -> Rational:
    """Return e^(eps_i*(D)) for one row: the maximum of three branches."""
    size = len(distribution)
    return max(
        (1 / distortion - 1) * (size - 1), (1 - distortion) / min(distribution), max(distribution) / min(distribution)
    )


def one_row_distortion(distribution: Point, ratio: Rational) -> Rational:
    """Return D_i*(log R) for one row and R at least p_max / p_min."""
    return 1 - ratio * min(*distribution, 1 / (len(distribution) - 1 + ratio))


def one_row_private_distortion(distribution: Point, ratio: Rational) -> Rational:
    """Return D_d*(log R) for one row: randomised response on the best number of likeliest categories."""
    totals = accumulate(sorted(distribution, reverse=True))
    return 1 - max(ratio * total / (k + ratio) for k, total in enumerate(totals))


def one_row_private_ratio(distribution: Point, distortion: Rational) -> Rational:
    """Return e^(eps_d*(D)) for one row."""
    if distortion >= 1 - max(distribution):
        return ONE
    totals = enumerate(accumulate(sorted(distribution, reverse=True)))
    ratios = [(1 - distortion) * k / (t - 1 + distortion) for k, t in totals if k >= 1 and t > 1 - distortion]
    return max(ONE, min(ratios))


def _rows(count: int, seed: int) -> Iterator[Database]:
    yield from (cases.EXAMPLE, cases.THREE, cases.FOUR)
    yield from cases.small_databases(count, seed, ONE_ROW)


def _one_row(count: int, seed: int) -> Iterator[Case]:
    for database in _rows(count, seed):
        for share in (Rational(1, 2), Rational(23, 20), Rational(3, 2), Rational(3)):
            distortion = share * (database.categories - 1) * min(database.prior)
            if distortion < 1:
                yield cases.at(database, distortion)


def _one_row_levels(count: int, seed: int) -> Iterator[Case]:
    for database in _rows(count, seed):
        floor = max(database.prior) / min(database.prior)
        for factor in (Rational(21, 20), Rational(3, 2), Rational(4)):
            yield {"database": database, "ratio": floor * factor}


def _levels() -> Iterator[Case]:
    for case in _one_row_levels(4, 41):
        yield {**case, "ratio": case["ratio"] / 2 if case["ratio"] > 2 else case["ratio"]}


def _strictly_above(case: Case) -> bool:
    # At D = n the right-hand side is the logarithm of 0.
    at_most = case["distortion"] == case["database"].rows
    return at_most or least_identifiability(case["database"], case["distortion"]).lower > inverse(case)


def _is_tight_as_told(case: Case) -> bool:
    """Whether the bound of (12) is attained beyond the threshold exactly when the two levels of the prior agree."""
    database = case["database"]
    bound = largest([inverse(case), prior_level(database)])
    equal = feasible_from(database).upper.upper - prior_level(database).upper < 1e-9
    return (true_identifiability(case).lower <= bound + Real.of("1e-7")) == equal


def _just_beyond(databases: tuple[Database, ...]) -> Iterator[Case]:
    """Yield the distortion at which h^-1 meets eps_X, where the bound of (12) has its corner."""
    for database in databases:
        ratio = Real.exp(prior_level(database)).rational
        assert ratio is not None, "these priors have full support"
        yield cases.at(database, h(ratio, database.categories, database.rows))


def _entropy_form(case: Case) -> Real:
    """H(X) - n H_b(D/n) - D log(m-1), in nats."""
    database: Database = case["database"]
    distortion: Rational = case["distortion"]
    share = distortion / database.rows
    terms = [(-p, p) for p in database.prior]
    terms += [(database.rows * q, q) for q in (share, 1 - share)]
    value = Real.log(Rational(database.categories - 1)) * (-distortion)
    for factor, p in terms:
        if p > 0:
            # Entropy's convention: p log p vanishes with p, as it does at D = 0.
            value = value + Real.log(p) * factor
    return value


def _half_line(case: Case) -> bool:
    told = [is_feasible(case["database"], Rational(k, 8)) for k in range(9, 200)]
    return told == sorted(told)


def rate_distortion_level(case: Case) -> Real:
    """The identifiability level of a mechanism of least mutual information."""
    database = case["database"]
    if database.rows == 1:
        mechanism = Frontier(INFORMATION, database.source, Hamming()).loss_at(case["distortion"]).mechanism
    else:
        mechanism = optimum(INFORMATION, database, case["distortion"]).mechanism
    assert mechanism is not None, "every answer comes with a mechanism"
    return identifiability_level(mechanism, database)


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "beyond-only-there",
        "Theorem 1, the converse",
        r"$\epsilon_i^*(D) > h^{-1}(D)$ for every $D > h(\tilde\epsilon_X)$.",
        lambda: cases.beyond(cases.ALL, "0.05", "0.3"),
        _strictly_above,
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=cases.PAST & cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-tight",
        "Theorem 1, when its bound is attained",
        r"$\epsilon_i^*(D)=\max\{h^{-1}(D),\epsilon_X\}$ for all $D$ if and only if $\tilde\epsilon_X=\epsilon_X$.",
        lambda: _just_beyond((*cases.SMALL, cases.EQUAL_ROWS, cases.UNIFORM_PAIR)),
        _is_tight_as_told,
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=Hypothesis(
            r"$h^{-1}(D) = \epsilon_X$, where the bound has its corner",
            lambda case: case["distortion"] in [at["distortion"] for at in _just_beyond((case["database"],))],
        ),
    ),
    claim(
        "beyond-threshold",
        "One row, the threshold",
        r"For $n=1$: $\tilde\epsilon_X=\ln(1/p_{\min}-(m-1))$.",
        lambda: ({"database": database} for database in _rows(10, 42)),
        lambda case: Real.log(1 / min(case["database"].prior) - (case["database"].categories - 1)),
        lambda case: feasible_from(case["database"]),
        place=PLACE,
        hypotheses=cases.ONE_ROW & cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-threshold-distortion",
        "One row, the distortion of the threshold",
        r"For $n=1$: $h(\tilde\epsilon_X)=(m-1)p_{\min}$.",
        lambda: ({"database": database} for database in _rows(10, 42)),
        lambda case: (case["database"].categories - 1) * min(case["database"].prior),
        threshold_distortion,
        place=PLACE,
        hypotheses=cases.ONE_ROW & cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-one-row-identifiability",
        "One row, the least level of identifiability",
        r"For $n=1$: $\epsilon_i^*(D)=\max\{h^{-1}(D),\ln((1-D)/p_{\min}),\epsilon_X\}$.",
        lambda: _one_row(6, 43),
        lambda case: Real.log(one_row_ratio(case["database"].prior, case["distortion"])),
        true_identifiability,
        place=PLACE,
        hypotheses=cases.ONE_ROW & cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-one-row-identifiability-distortion",
        "One row, the least distortion under identifiability",
        r"For $n=1$ and $\epsilon\ge\epsilon_X$: $D_i^*(\epsilon)=1-e^\epsilon\min\{p_{\min},1/(m-1+e^\epsilon)\}$.",
        lambda: _one_row_levels(5, 44),
        lambda case: one_row_distortion(case["database"].prior, case["ratio"]),
        lambda case: least_distortion(IDENTIFIABILITY, case["database"], case["ratio"]),
        place=PLACE,
        hypotheses=cases.ONE_ROW & cases.ABOVE_PRIOR,
    ),
    claim(
        "beyond-one-row-privacy",
        "One row, the least level of differential privacy",
        r"For $n=1$ and $D<1-p_{\max}$: $\epsilon_d^*(D)$ is the least $\ln\frac{(1-D)(k-1)}{P_k-1+D}$ over $k\ge2$ "
        r"with $P_k>1-D$, where $P_k$ is the sum of the $k$ largest probabilities; it is 0 from there on.",
        lambda: _one_row(6, 43),
        lambda case: Real.log(one_row_private_ratio(case["database"].prior, case["distortion"])),
        true_privacy,
        place=PLACE,
        hypotheses=cases.ONE_ROW,
    ),
    claim(
        "beyond-one-row-privacy-distortion",
        "One row, the least distortion under differential privacy",
        r"For $n=1$: $D_d^*(\epsilon)=1-\max_k e^\epsilon P_k/(k-1+e^\epsilon)$.",
        _levels,
        lambda case: one_row_private_distortion(case["database"].prior, case["ratio"]),
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        place=PLACE,
        hypotheses=cases.ONE_ROW,
    ),
    claim(
        "beyond-information",
        "Theorem 2, the value",
        r"$\epsilon_m^*(D)=H(X)-nH_b(D/n)-D\log(m-1)$ for $D\le h(\tilde\epsilon_X)$ and any prior.",
        lambda: cases.within(cases.ALL, "1", "1.2", "2"),
        _entropy_form,
        true_information,
        place=PLACE,
        hypotheses=cases.WITHIN,
    ),
    claim(
        "beyond-corollary",
        "Corollary 1 without the factor 2",
        r"For $0<D<h(\tilde\epsilon_X)$ the differential-privacy level of $\mathcal E_i^\epsilon$ is "
        r"$\epsilon_d^*(D)+\epsilon_X$.",
        lambda: cases.within(cases.SMALL, "1.02", "1.7"),
        lambda case: true_privacy(case).upper + prior_level(case["database"]),
        level_of_mechanism,
        place=PLACE,
        hypotheses=cases.STRICTLY_WITHIN,
    ),
    claim(
        "beyond-guess",
        "The chance of a right guess is attained",
        r"Under $\mathcal E_i^\epsilon$ the best guess of an informed adversary succeeds with probability exactly "
        r"$1/(1+(m-1)e^{-\epsilon})$.",
        lambda: cases.within(cases.ALL, "1.3"),
        lambda case: 1 / (1 + (case["database"].categories - 1) / case["ratio"]),
        lambda case: Real.of(best_guess(mechanism_i(case["database"], case["ratio"]), case["database"])),
        place=PLACE,
        hypotheses=cases.FEASIBLE,
    ),
    claim(
        "beyond-half-open",
        "At the threshold itself",
        r"At $D=h(\tilde\epsilon_X)$ the differential-privacy level may drop to 0 while $\epsilon_i^*(D)=h^{-1}(D)$.",
        lambda: (cases.at(cases.EXAMPLE, "0.45"), cases.at(cases.SKEWED, "0.1")),
        lambda case: (
            least_privacy(case["database"], case["distortion"]).upper <= ZERO
            and abs(true_identifiability(case).upper.upper - float(inverse(case))) < 1e-7
        ),
        relation=Relation.IMPLIES,
        place=PLACE,
        settled=True,
    ),
    claim(
        "beyond-half-line",
        "The feasible levels",
        r"The levels at which the posteriors (20) are feasible form a half-line.",
        lambda: ({"database": database} for database in cases.ALL),
        _half_line,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    claim(
        "beyond-information-one-row",
        "Theorem 2 beyond its range, one row",
        r"For $n=1$ and every $D$ the mechanism of least mutual information has the least level of identifiability.",
        lambda: _one_row(3, 45),
        rate_distortion_level,
        true_identifiability,
        place=PLACE,
        hypotheses=cases.ONE_ROW & cases.FULL_SUPPORT,
        tolerance=1e-6,
    ),
    claim(
        "beyond-information-correlated",
        "Theorem 2 beyond its range, correlated rows",
        r"For correlated rows and $D>h(\tilde\epsilon_X)$ the mechanism of least mutual information may exceed "
        r"$\epsilon_i^*(D)$.",
        lambda: (cases.at(cases.CORRELATED, "0.291788"), cases.at(cases.NEGATIVE, "0.35")),
        lambda case: rate_distortion_level(case) > true_identifiability(case).upper + Real.of("1e-3"),
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=cases.PAST,
        settled=True,
    ),
)
