r"""Appendix, Lemmas 2 to 5: the bounds that follow from Lemma 1 and the mechanisms that meet them."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import Rational, Real
from epstar.mechanism import DistanceMechanism
from epstar_papers.theorem import Case, Relation, Theorem
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import Database, h, mechanism_d, mechanism_i, prior_level
from epstar_papers.wang2016.theorem_one import privacy_lower, privacy_upper, true_identifiability, true_privacy
from epstar_papers.wang2016.truth import (
    IDENTIFIABILITY,
    PRIVACY,
    distortion_of,
    identifiability_level,
    least_distortion,
    privacy_level,
)


def _random(count: int, seed: int) -> Iterator[Case]:
    for database in cases.small_databases(count, seed, ((2, 1), (3, 1), (2, 2))):
        yield from cases.everywhere((database,))


def _levels() -> Iterator[Case]:
    """Yield levels at and above the prior's own, where identifiability has mechanisms at all."""
    for database in cases.SMALL:
        floor = Real.exp(prior_level(database)).rational
        assert floor is not None, "these priors have full support"
        for factor in (Rational(11, 10), Rational(2)):
            yield {"database": database, "ratio": floor * factor}


def _h(case: Case) -> Rational:
    return h(case["ratio"], case["database"].categories, case["database"].rows)


def _h_beside_prior(case: Case) -> Rational:
    ratio = Real.exp(prior_level(case["database"])).rational
    assert ratio is not None, "these priors have full support"
    return h(case["ratio"] * ratio, case["database"].categories, case["database"].rows)


def _private_levels() -> Iterator[Case]:
    for database in (*cases.ALL, cases.UNIFORM_PAIR, Database.of("0.5 0.5 0", 3)):
        for ratio in (1, 2, 9):
            yield {"database": database, "ratio": Rational(ratio)}


def _private(case: Case) -> DistanceMechanism:
    return mechanism_d(case["database"].categories, case["database"].rows, case["ratio"])


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "lemma-2-identifiability",
        "Lemma 2, equation (A.9)",
        r"$\epsilon_i^*(D) \ge h^{-1}(D)$.",
        lambda: (*cases.everywhere(cases.SMALL), *_random(6, 31)),
        privacy_upper,
        true_identifiability,
        Relation.AT_LEAST,
        place="Appendix",
    ),
    claim(
        "lemma-2-privacy",
        "Lemma 2, equation (A.10)",
        r"$\epsilon_d^*(D) \ge \max\{h^{-1}(D)-\epsilon_X, 0\}$.",
        lambda: (*cases.everywhere(cases.SMALL), *_random(6, 31)),
        privacy_lower,
        true_privacy,
        Relation.AT_LEAST,
        place="Appendix",
    ),
    claim(
        "lemma-2-distortion-identifiability",
        "Lemma 2, its first step",
        r"$D_i^*(\epsilon) \ge h(\epsilon)$.",
        _levels,
        _h,
        lambda case: least_distortion(IDENTIFIABILITY, case["database"], case["ratio"]),
        Relation.AT_LEAST,
        place="Appendix",
        hypotheses=cases.ABOVE_PRIOR,
    ),
    claim(
        "lemma-2-distortion-privacy",
        "Lemma 2, its second step",
        r"$D_d^*(\epsilon) \ge h(\epsilon+\epsilon_X)$.",
        _levels,
        _h_beside_prior,
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        Relation.AT_LEAST,
        place="Appendix",
    ),
    claim(
        "lemma-3",
        "Lemma 3",
        r"$\epsilon_i^*(D) \ge \epsilon_X$ for every $D$.",
        lambda: (*cases.everywhere(cases.SMALL), *_random(6, 31)),
        lambda case: prior_level(case["database"]),
        true_identifiability,
        Relation.AT_LEAST,
        place="Appendix",
        beyond="Attained from the distortion of the best constant output on.",
    ),
    claim(
        "lemma-4-level",
        "Lemma 4, the level",
        r"$\mathcal E_i^\epsilon$ satisfies $\epsilon$-identifiability for $\epsilon\ge\tilde\epsilon_X$.",
        lambda: cases.within(cases.ALL, "1", "1.3", "4"),
        lambda case: Real.log(case["ratio"]),
        lambda case: identifiability_level(mechanism_i(case["database"], case["ratio"]), case["database"]),
        place="Appendix",
        hypotheses=cases.WITHIN,
    ),
    claim(
        "lemma-4-distortion",
        "Lemma 4, the distortion",
        r"$\mathcal E_i^\epsilon$ has distortion $h(\epsilon)$ for $\epsilon\ge\tilde\epsilon_X$.",
        lambda: cases.within(cases.ALL, "1", "1.3", "4"),
        _h,
        lambda case: Real.of(distortion_of(mechanism_i(case["database"], case["ratio"]), case["database"])),
        place="Appendix",
        hypotheses=cases.WITHIN,
    ),
    claim(
        "lemma-5-level",
        "Lemma 5, the level",
        r"$\mathcal E_d^\epsilon$ satisfies $\epsilon$-differential privacy.",
        _private_levels,
        lambda case: Real.log(case["ratio"]),
        lambda case: privacy_level(_private(case)),
        place="Appendix",
    ),
    claim(
        "lemma-5-distortion",
        "Lemma 5, the distortion",
        r"$\mathcal E_d^\epsilon$ has distortion $h(\epsilon)$, whatever the prior.",
        _private_levels,
        _h,
        lambda case: Real.of(distortion_of(_private(case), case["database"])),
        place="Appendix",
    ),
)
