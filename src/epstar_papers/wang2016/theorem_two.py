r"""Section IV: mutual information, Theorem 2 with its optimality conditions, and Corollary 1."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ZERO, Interval, Rational, Real
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import mechanism_i, output_distribution, prior_level
from epstar_papers.wang2016.theorem_one import inverse, true_privacy
from epstar_papers.wang2016.truth import (
    distortion_of,
    information_of,
    least_information,
    privacy_level,
)

PLACE = "Section IV"


def _levels() -> Iterator[Case]:
    return cases.within(cases.ALL, "1.2", "2")


def _levels_with_silent_outputs() -> Iterator[Case]:
    """Yield the very levels at which some output just vanishes, where they are fractions."""
    for database, ratio in ((cases.SKEWED, 9), (cases.THREE, 8), (cases.FOUR, 7), (cases.EQUAL_ROWS, 3)):
        yield cases.at_ratio(database, ratio)


def true_information(case: Case) -> Interval:
    return least_information(case["database"], case["distortion"])


def level_of_mechanism(case: Case) -> Real:
    return privacy_level(mechanism_i(case["database"], case["ratio"]))


def _stationarity(case: Case) -> list[tuple[Rational, Rational]]:
    """Return, for each output, its probability and the left side of (26) and (27) with lambda = epsilon."""
    database, ratio = case["database"], case["ratio"]
    distribution, size = output_distribution(database, ratio), len(database.prior)
    weight = [[1 / ratio ** int(database.universe.distance(x, y).p) for y in range(size)] for x in range(size)]
    totals = [sum((distribution[y] * weight[x][y] for y in range(size)), ZERO) for x in range(size)]
    return [
        (distribution[y], sum((database.prior[x] * weight[x][y] / totals[x] for x in range(size)), ZERO))
        for y in range(size)
    ]


def _uniform() -> Iterator[Case]:
    for database in (cases.UNIFORM, cases.UNIFORM_PAIR):
        for ratio in (2, 5):
            yield cases.at_ratio(database, ratio)


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "thm-2",
        "Theorem 2",
        r"For $0 \le D \le h(\tilde\epsilon_X)$ the mechanism $\mathcal E_i^\epsilon$ with $\epsilon=h^{-1}(D)$ has "
        r"the least mutual information.",
        _levels,
        lambda case: information_of(mechanism_i(case["database"], case["ratio"]), case["database"]),
        true_information,
        place=PLACE,
        hypotheses=cases.WITHIN,
        beyond=r"The value is $H(X) - nH_b(D/n) - D\log(m-1)$.",
    ),
    claim(
        "eq-26",
        "Condition (26)",
        r"With $\lambda=\epsilon$ the stationarity condition holds with equality at every output that occurs.",
        _levels,
        lambda case: all(value == 1 for chance, value in _stationarity(case) if chance > 0),
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=cases.FEASIBLE,
    ),
    claim(
        "eq-27",
        "Condition (27)",
        r"At outputs of probability 0 the left side of (27) is at most 1 (it is 1 there too).",
        _levels_with_silent_outputs,
        lambda case: all(value == 1 for chance, value in _stationarity(case) if chance == 0),
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=Hypothesis(
            r"some output of the optimum has probability 0",
            lambda case: any(chance == 0 for chance, _ in _stationarity(case)),
        ),
    ),
    claim(
        "eq-28",
        "Condition (28)",
        r"The distortion of $\mathcal E_i^\epsilon$ is $h(\epsilon) = D$, so that the slackness condition holds.",
        _levels,
        lambda case: case["distortion"],
        lambda case: Real.of(distortion_of(mechanism_i(case["database"], case["ratio"]), case["database"])),
        place=PLACE,
        hypotheses=cases.FEASIBLE,
    ),
    claim(
        "cor-1-lower",
        "Corollary 1, lower bound",
        r"$\mathcal E_i^\epsilon$ with $\epsilon=h^{-1}(D)$ has a differential-privacy level of at least "
        r"$\epsilon_d^*(D)$.",
        lambda: cases.within(cases.SMALL, "1", "1.7"),
        level_of_mechanism,
        true_privacy,
        Relation.AT_MOST,
        place=PLACE,
        hypotheses=cases.WITHIN,
    ),
    claim(
        "cor-1-upper",
        "Corollary 1, upper bound",
        r"$\mathcal E_i^\epsilon$ with $\epsilon=h^{-1}(D)$ has a differential-privacy level of at most "
        r"$\epsilon_d^*(D)+2\epsilon_X$.",
        lambda: cases.within(cases.SMALL, "1", "1.7"),
        lambda case: true_privacy(case).lower + prior_level(case["database"]) * 2,
        level_of_mechanism,
        Relation.AT_MOST,
        place=PLACE,
        hypotheses=cases.WITHIN,
        beyond=r"The level is $\epsilon_d^*(D)+\epsilon_X$ exactly for $0<D<h(\tilde\epsilon_X)$: the factor 2 is not "
        r"needed.",
    ),
    claim(
        "cor-1-level",
        "Corollary 1, its proof",
        r"The differential-privacy level of $\mathcal E_i^\epsilon$ with $\epsilon=h^{-1}(D)$ is at most "
        r"$h^{-1}(D)+\epsilon_X$.",
        lambda: cases.within(cases.ALL, "1", "1.7"),
        lambda case: inverse(case) + prior_level(case["database"]),
        level_of_mechanism,
        Relation.AT_MOST,
        place=PLACE,
        hypotheses=cases.WITHIN,
    ),
    claim(
        "text-uniform-information",
        "After Corollary 1",
        r"For the uniform prior the mutual-information optimal mechanism has the least differential-privacy level.",
        _uniform,
        level_of_mechanism,
        true_privacy,
        place=PLACE,
        hypotheses=cases.UNIFORM_PRIOR,
    ),
)
