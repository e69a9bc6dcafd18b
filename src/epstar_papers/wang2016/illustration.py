r"""The illustration with film ratings at the end of Section IV, and Figure 4."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ZERO, Interval, Real, rational, rationals
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import Database, feasible_from, h, prior_level
from epstar_papers.wang2016.theorem_one import (
    inverse,
    privacy_lower,
    privacy_upper,
    true_identifiability,
    true_privacy,
)

PLACE = "Section IV, illustration"
PRINTED = rationals(["0.2533", "0.1821", "0.1821", "0.1873", "0.1953"])
NETFLIX = Database(tuple(p / sum(PRINTED, ZERO) for p in PRINTED), 5)
"""The distribution of one rating, divided by the sum 1.0001 of its printed entries."""

_FILM: Case = {"database": NETFLIX}
_RATINGS = Hypothesis("the distribution is that of the ratings", lambda case: case["database"] == NETFLIX)


def threshold_distortion(case: Case) -> Interval:
    """Return h(tilde epsilon_X) / n from the bisected level."""
    level = feasible_from(case["database"])
    ratios = [Real.exp(end).rational for end in (level.lower, level.upper)]
    high, low = (h(ratio, case["database"].categories) for ratio in ratios if ratio is not None)
    return Interval(Real.of(low), Real.of(high))


def _grid() -> Iterator[Case]:
    return (cases.at(NETFLIX, d) for d in ("0.05", "0.2", "0.4", "0.6", "0.7", "0.72", "0.728", "0.73"))


def _beyond_threshold() -> Iterator[Case]:
    return (cases.at(NETFLIX, d) for d in ("0.73", "0.745", "0.78", "0.9", "1"))


def _roundings() -> Iterator[Case]:
    """Yield priors that sum to 1 and print as the paper's, with the least likely rating at both ends and between."""
    yield {"database": Database.of("0.2533 0.18205 0.1821 0.1873 0.19525", 5)}
    yield {"database": Database.of("0.25325 0.182125 0.182125 0.18725 0.19525", 5)}
    yield {"database": Database.of("0.25325 0.1821 0.18215 0.18725 0.19525", 5)}


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "text-netflix-prior-level",
        "The ratings, epsilon_X",
        r"For the ratings $\epsilon_X = 0.33$.",
        lambda: (_FILM,),
        lambda case: 0.33,
        lambda case: prior_level(case["database"]),
        place=PLACE,
        settled=True,
        tolerance=0.005,
    ),
    Theorem(
        key="wang2016:text-netflix-threshold",
        label="The ratings, tilde epsilon_X",
        place=PLACE,
        statement=r"For the ratings $\tilde\epsilon_X = 0.41$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: (_FILM, *_roundings()),
        printed=lambda case: 0.41,
        corrected=lambda case: 0.40,
        computed=lambda case: feasible_from(case["database"]),
        counterexample=Counterexample(_FILM, 0.41, 0.40014253, "the least feasible level is log(1/p_min - 4)"),
        correction=r"0.40; four printed digits of the distribution leave only values between 0.3988 and 0.4008.",
        tolerance=0.005,
    ),
    claim(
        "text-netflix-rounding",
        "The ratings, what rounding allows",
        r"Distributions that print as the paper's have $0.3988 \le \tilde\epsilon_X \le 0.4008$.",
        _roundings,
        lambda case: Interval(Real.of("0.3988"), Real.of("0.4008")),
        lambda case: feasible_from(case["database"]),
        place="beyond the paper",
        hypotheses=Hypothesis(
            "the distribution prints as that of the ratings",
            lambda case: (
                len(case["database"].prior) == len(PRINTED)
                and all(abs(p - q) <= rational("0.00005") for p, q in zip(case["database"].prior, PRINTED, strict=True))
            ),
        ),
    ),
    claim(
        "text-netflix-distortion",
        "The ratings, h(tilde epsilon_X)",
        r"For the ratings $h(\tilde\epsilon_X) = 0.73 n$.",
        lambda: (_FILM,),
        lambda case: 0.73,
        threshold_distortion,
        place=PLACE,
        settled=True,
        tolerance=0.005,
        beyond=r"It is $(m-1)p_{\min} n$.",
    ),
    Theorem(
        key="wang2016:text-netflix-distribution",
        label="The ratings, their distribution",
        place=PLACE,
        statement=r"The printed probabilities of the five ratings are a distribution.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: ({"entries": PRINTED},),
        printed=lambda case: 1.0,
        corrected=lambda case: rational("1.0001"),
        computed=lambda case: Real.of(sum(case["entries"], ZERO)),
        counterexample=Counterexample({"entries": PRINTED}, 1.0, 1.0001, "the rounded entries sum to 1.0001"),
        correction="They sum to 1.0001; divide by it first.",
    ),
    claim(
        "text-independent-rows",
        "The ratings, independent rows",
        r"For independent rows of one distribution $\epsilon_X$ does not depend on the number of rows.",
        lambda: ({"database": database} for database in (NETFLIX, cases.THREE, cases.SKEWED)),
        lambda case: prior_level(case["database"]),
        lambda case: prior_level(Database.independent([case["database"].prior] * 2)),
        place=PLACE,
        hypotheses=cases.ONE_ROW,
    ),
    Theorem(
        key="wang2016:fig-4a",
        label="Figure 4(a)",
        place=PLACE,
        statement=r"The histogram of $\epsilon_X$ over 887 films.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=tuple,
        correction="The data are not published with the paper.",
    ),
    claim(
        "fig-4b-identifiability",
        "Figure 4(b), the curve of identifiability",
        r"For the ratings $\epsilon_i^*(D) = h^{-1}(D)$ for $D \le h(\tilde\epsilon_X)$, printed as $0.73 n$.",
        _grid,
        inverse,
        true_identifiability,
        place=PLACE,
        hypotheses=_RATINGS & cases.WITHIN,
    ),
    claim(
        "fig-4b-privacy-upper",
        "Figure 4(b), the upper curve",
        r"For the ratings $\epsilon_d^*(D) \le \max\{h^{-1}(D), 0\}$.",
        lambda: (*_grid(), *_beyond_threshold()),
        privacy_upper,
        true_privacy,
        Relation.AT_MOST,
        place=PLACE,
        hypotheses=_RATINGS,
    ),
    claim(
        "fig-4b-privacy-lower",
        "Figure 4(b), the lower curve",
        r"For the ratings $\epsilon_d^*(D) \ge \max\{h^{-1}(D)-\epsilon_X, 0\}$.",
        lambda: (*_grid(), *_beyond_threshold()),
        privacy_lower,
        true_privacy,
        Relation.AT_LEAST,
        place=PLACE,
        hypotheses=_RATINGS,
    ),
    claim(
        "fig-4b-gap",
        "Figure 4(b), the shaded gap",
        r"The gap between the curves is empty up to $0.7283 n$: there $\epsilon_d^*(D)$ is the upper curve.",
        _grid,
        inverse,
        true_privacy,
        place="beyond the paper",
        hypotheses=_RATINGS & cases.STRICTLY_WITHIN,
    ),
)
