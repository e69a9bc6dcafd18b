r"""What is true beyond the paper for correlated rows: single rows given all the others, and where h is exact."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ZERO, Rational, Real
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.beyond import PLACE, one_row_distortion, one_row_private_distortion
from epstar_papers.wang2016.beyond_rows import level_ratio
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import Database, feasible_from, h, prior_level
from epstar_papers.wang2016.theorem_one import inverse, true_privacy
from epstar_papers.wang2016.truth import IDENTIFIABILITY, PRIVACY, least_distortion


def local_threshold(database: Database) -> Real:
    """Return eps_loc, the largest one-row threshold over what an informed adversary may know."""
    prior, m = database.prior, database.categories
    ratios = [sum((prior[x] for x in g), ZERO) / min(prior[x] for x in g) - (m - 1) for g in database.groups()]
    return Real.log(max(ratios))


def _local_levels() -> Iterator[Case]:
    for database in cases.ALL:
        ratio = local_threshold(database).argument_of_log
        assert ratio is not None, "the local threshold is the logarithm of a fraction"
        for factor in (Rational(1), Rational(3, 2)):
            yield {"database": database, "ratio": ratio * factor}


def _conditional_sum(case: Case, private: bool) -> Rational:
    """Sum over rows of the mean one-row distortion given all the other rows."""
    database, total = case["database"], ZERO
    one_row = one_row_private_distortion if private else one_row_distortion
    for group in database.groups():
        mass = sum((database.prior[x] for x in group), ZERO)
        total += mass * one_row(tuple(database.prior[x] / mass for x in group), case["ratio"])
    return total


def _at_floor() -> Iterator[Case]:
    for database in cases.ALL:
        for factor in (Rational(21, 20), Rational(8, 5)):
            yield {"database": database, "ratio": level_ratio(database) * factor}


def _ordered_levels(case: Case) -> bool:
    local = local_threshold(case["database"])
    return prior_level(case["database"]) <= local and local.lower <= feasible_from(case["database"]).upper.upper + 1e-12


def _below_local() -> Iterator[Case]:
    yield {"database": cases.CORRELATED, "ratio": Rational(18, 5)}
    yield {"database": cases.THREE_ROWS, "ratio": Rational(5, 2)}
    yield {"database": Database.of("6/17 3/17 7/17 1/17", 2, 2), "ratio": Rational(28, 5)}


def _open(key: str, label: str, statement: str) -> Theorem:
    return Theorem(
        key=f"wang2016:beyond-{key}",
        label=label,
        place=PLACE,
        statement=statement,
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=tuple,
        correction="No closed form is known; the frontier gives proven intervals.",
    )


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "beyond-privacy-range",
        "Differential privacy below the threshold",
        r"$\epsilon_d^*(D)=\epsilon_i^*(D)=h^{-1}(D)$ for $0<D<h(\tilde\epsilon_X)$ and any prior of full support.",
        lambda: (*cases.within(cases.SMALL, "1.02"), *cases.within(cases.ALL, "1.7")),
        inverse,
        true_privacy,
        place=PLACE,
        hypotheses=cases.STRICTLY_WITHIN,
    ),
    claim(
        "beyond-local",
        "Differential privacy above the local threshold",
        r"$D_d^*(\epsilon)=h(\epsilon)$ from $\epsilon_{loc}=\max_{i,x_{-i}}\ln(1/\min p(x_i|x_{-i})-(m-1))$ on.",
        _local_levels,
        lambda case: h(case["ratio"], case["database"].categories, case["database"].rows),
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        place=PLACE,
        hypotheses=cases.FULL_SUPPORT
        & Hypothesis(
            r"$\epsilon \ge \epsilon_{loc}$",
            lambda case: bool(Real.log(case["ratio"]) >= local_threshold(case["database"])),
        ),
    ),
    claim(
        "beyond-local-order",
        "The order of the three levels",
        r"$\epsilon_X\le\epsilon_{loc}\le\tilde\epsilon_X$.",
        lambda: ({"database": database} for database in (*cases.ALL, *cases.small_databases(12, 53, ((2, 2), (3, 2))))),
        _ordered_levels,
        relation=Relation.IMPLIES,
        place=PLACE,
        hypotheses=cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-conditional-privacy",
        "A bound from single rows, differential privacy",
        r"$D_d^*(\epsilon)\ge\sum_i E\,D_d^{(1)}(\epsilon;p(\cdot|x_{-i}))$.",
        _at_floor,
        lambda case: _conditional_sum(case, private=True),
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        Relation.AT_LEAST,
        place=PLACE,
    ),
    claim(
        "beyond-conditional-identifiability",
        "A bound from single rows, identifiability",
        r"$D_i^*(\epsilon)\ge\sum_i E\,D_i^{(1)}(\epsilon;p(\cdot|x_{-i}))$ for $\epsilon\ge\epsilon_X$.",
        _at_floor,
        lambda case: _conditional_sum(case, private=False),
        lambda case: least_distortion(IDENTIFIABILITY, case["database"], case["ratio"]),
        Relation.AT_LEAST,
        place=PLACE,
        hypotheses=cases.ABOVE_PRIOR,
    ),
    claim(
        "beyond-local-not-least",
        "Differential privacy below the local threshold",
        r"For some correlated rows $D_d^*(\epsilon)=h(\epsilon)$ at levels below $\epsilon_{loc}$ already.",
        _below_local,
        lambda case: h(case["ratio"], case["database"].categories, case["database"].rows),
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        settled=True,
        place=PLACE,
        hypotheses=Hypothesis(
            r"$\epsilon < \epsilon_{loc}$",
            lambda case: bool(Real.log(case["ratio"]) < local_threshold(case["database"])),
        ),
    ),
    _open(
        "privacy-start",
        "Where differential privacy meets h",
        r"The least level from which on $D_d^*=h$ for correlated rows (it can lie below $\epsilon_{loc}$).",
    ),
    _open(
        "correlated",
        "Correlated rows beyond the threshold",
        r"A closed form of $\epsilon_i^*(D)$ for correlated rows, $D>h(\tilde\epsilon_X)$, other than two binary rows.",
    ),
)
