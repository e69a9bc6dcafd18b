r"""Section III: identifiability and differential privacy, Theorem 1 and its relaxations."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import INFINITY, ZERO, Interval, Rational, Real, largest
from epstar.mechanism import ProductMechanism
from epstar.mechanism.standard import randomised_response
from epstar.universe import Alphabet
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import (
    Database,
    h_inverse,
    is_feasible,
    mechanism_d,
    mechanism_i,
    prior_level,
)
from epstar_papers.wang2016.truth import (
    identifiability_level,
    least_identifiability,
    least_privacy,
    privacy_level,
)

PLACE = "Section III"
# A level at which every prior of full support used here is feasible, and beyond any that double precision resolves.
_HUGE = Rational(2) ** 60
SLACK = Real.of("1e-7")


def inverse(case: Case) -> Real:
    """Return h^-1(D) of a case."""
    return h_inverse(case["distortion"], case["database"].categories, case["database"].rows)


def true_identifiability(case: Case) -> Interval:
    return least_identifiability(case["database"], case["distortion"])


def true_privacy(case: Case) -> Interval:
    return least_privacy(case["database"], case["distortion"])


def not_negative(value: Real) -> Real:
    return largest([value, Real.of(ZERO)])


def inverse_or(case: Case, least: Real) -> Real:
    """Return max{h^-1(D), least}; at D = n the first is the logarithm of 0, which bounds nothing."""
    return least if case["distortion"] == case["database"].rows else largest([inverse(case), least])


def _lower_bound(case: Case) -> Real:
    return inverse_or(case, prior_level(case["database"]))


def privacy_lower(case: Case) -> Real:
    """Return max{h^-1(D) - eps_X, 0}."""
    if case["distortion"] == 0:
        return INFINITY
    return not_negative(inverse_or(case, Real.of(ZERO)) - prior_level(case["database"]))


def privacy_upper(case: Case) -> Real:
    """Return max{h^-1(D), 0}."""
    return inverse_or(case, Real.of(ZERO))


def _gap_is_bounded(case: Case) -> bool:
    """Whether 0 <= eps_i* - eps_d* <= eps_X, as far as the proven intervals tell."""
    private, identifiable = true_privacy(case), true_identifiability(case)
    if case["distortion"] == 0:
        return private.lower.is_infinite and identifiable.lower.is_infinite
    above = identifiable.upper + SLACK >= private.lower
    return above and identifiable.lower <= private.upper + prior_level(case["database"]) + SLACK


def _with_upper_ends() -> Iterator[Case]:
    yield from cases.everywhere(cases.SMALL)
    yield from (cases.at(database, database.rows) for database in (cases.EXAMPLE, cases.THREE, cases.CORRELATED))


def _supports() -> Iterator[Case]:
    for database in cases.ALL:
        yield {"database": database}
    yield {"database": Database.of("0.5 0.5 0", 3)}
    yield {"database": Database.of("0.5 0 0 0.5", 2, 2)}
    yield {"database": Database.of("0.5 0.25 0.25 0", 2, 2)}


def _uniform() -> Iterator[Case]:
    for database in (cases.UNIFORM, cases.UNIFORM_PAIR):
        for distortion in ("0.1", "0.3", "0.45"):
            yield cases.at(database, distortion)


_AT_THRESHOLD = cases.at_ratio(Database.of("1/6 7/12 1/4", 3), 4)


def _levels() -> Iterator[Case]:
    for categories, rows in ((2, 1), (4, 1), (2, 3), (3, 2)):
        for ratio in (1, "3/2", 6):
            yield {
                "categories": categories,
                "rows": rows,
                "ratio": Rational(3, 2) if ratio == "3/2" else Rational(ratio),
            }


def _is_randomised_response(case: Case) -> bool:
    one = randomised_response(Alphabet(case["categories"]), ratio=case["ratio"])
    product = ProductMechanism(one, case["rows"]) if case["rows"] > 1 else one
    built = mechanism_d(case["categories"], case["rows"], case["ratio"])
    size = case["categories"] ** case["rows"]
    return all(built.entry(x, y) == product.entry(x, y) for x in range(size) for y in range(size))


def _posteriors_as_told(case: Case, silent: bool) -> bool:
    """Whether (20) gives the posteriors, at all outputs or at those that are not silent."""
    database, ratio = case["database"], case["ratio"]
    mechanism = mechanism_i(database, ratio)
    outputs = mechanism.output_law(database.prior)
    total = (1 + (database.categories - 1) / ratio) ** database.rows
    size = len(database.prior)
    told = [[1 / ratio ** int(database.universe.distance(x, y).p) / total for x in range(size)] for y in range(size)]
    if not silent:
        outputs_heard = [y for y in range(size) if outputs[y] > 0]
    elif min(outputs) == 0:
        return False  # 0/0
    else:
        outputs_heard = list(range(size))
    return all(
        p * mechanism.entry(x, y) / outputs[y] == told[y][x]
        for y in outputs_heard
        for x, p in enumerate(database.prior)
    )


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "eq-11",
        "Equation (11)",
        r"$\epsilon_X$ is the level of identifiability at which an output that says nothing is published.",
        lambda: ({"database": database} for database in cases.ALL),
        lambda case: prior_level(case["database"]),
        lambda case: least_identifiability(case["database"], Rational(case["database"].rows)),
        place=PLACE,
    ),
    claim(
        "text-support",
        "After equation (11)",
        r"$\epsilon_X$ is finite exactly when $p_X$ has full support.",
        _supports,
        lambda case: (prior_level(case["database"]) < INFINITY) == all(p > 0 for p in case["database"].prior),
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    Theorem(
        key="wang2016:text-threshold-finite",
        label="The level of the posteriors (20)",
        place=PLACE,
        statement=r"$\tilde\epsilon_X$ is finite for every prior.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_supports,
        printed=lambda case: is_feasible(case["database"], _HUGE),
        corrected=lambda case: is_feasible(case["database"], _HUGE) == case["database"].has_full_support,
        counterexample=Counterexample(
            {"database": Database.of("1 0", 2)},
            1.0,
            0.0,
            "every finite level gives the impossible value a positive probability under (20), whatever p_Y",
        ),
        correction=r"$\tilde\epsilon_X$ is finite if and only if $p_X$ has full support.",
    ),
    claim(
        "thm-1-equality",
        "Theorem 1, equation (12), first line",
        r"$\epsilon_i^*(D) = h^{-1}(D)$ for $0 \le D \le h(\tilde\epsilon_X)$.",
        lambda: [*cases.within(cases.ALL, "1", "1.7"), *cases.everywhere(cases.SMALL[:3])],
        inverse,
        true_identifiability,
        place=PLACE,
        proven_in="Wang.v: wang_theorem_1",
        hypotheses=cases.WITHIN,
        beyond=r"And only there: $\epsilon_i^*(D) > h^{-1}(D)$ for every $D > h(\tilde\epsilon_X)$.",
    ),
    claim(
        "thm-1-lower",
        "Theorem 1, equation (12), second line",
        r"$\epsilon_i^*(D) \ge \max\{h^{-1}(D), \epsilon_X\}$ for $h(\tilde\epsilon_X) < D \le n$.",
        _with_upper_ends,
        _lower_bound,
        true_identifiability,
        Relation.AT_LEAST,
        place=PLACE,
        proven_in="Wang.v: wang_theorem_1_beyond",
        hypotheses=cases.PAST,
        beyond=r"Attained for all $D$ exactly when $\tilde\epsilon_X = \epsilon_X$.",
    ),
    claim(
        "thm-1-privacy-lower",
        "Theorem 1, equation (13), lower bound",
        r"$\epsilon_d^*(D) \ge \max\{h^{-1}(D)-\epsilon_X, 0\}$ for $0 \le D \le n$.",
        lambda: cases.everywhere(cases.SMALL),
        privacy_lower,
        true_privacy,
        Relation.AT_LEAST,
        place=PLACE,
        proven_in="Wang.v: wang_theorem_1_privacy",
        beyond=r"Below $h(\tilde\epsilon_X)$ the gap is empty: $\epsilon_d^*(D) = h^{-1}(D)$.",
    ),
    claim(
        "thm-1-privacy-upper",
        "Theorem 1, equation (13), upper bound",
        r"$\epsilon_d^*(D) \le \max\{h^{-1}(D), 0\}$ for $0 \le D \le n$.",
        lambda: cases.everywhere(cases.SMALL),
        privacy_upper,
        true_privacy,
        Relation.AT_MOST,
        place=PLACE,
        proven_in="Wang.v: wang_theorem_1_privacy",
    ),
    Theorem(
        key="wang2016:text-gap",
        label="After Theorem 1",
        place=PLACE,
        statement=r"$0 \le \epsilon_d^*(D) - \epsilon_d^*(D) \le \epsilon_X$ for $D \le h(\tilde\epsilon_X)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: cases.everywhere(cases.SMALL),
        corrected=_gap_is_bounded,
        correction=r"$0 \le \epsilon_i^*(D) - \epsilon_d^*(D) \le \epsilon_X$; as printed it says only that "
        r"$\epsilon_X \ge 0$.",
        beyond=r"It holds for all $D$ in $[0, n]$.",
    ),
    claim(
        "text-uniform",
        "Section I, uniform priors",
        r"For the uniform prior $\epsilon_i^*(D) = \epsilon_d^*(D)$.",
        _uniform,
        true_identifiability,
        true_privacy,
        place="Section I",
        hypotheses=cases.UNIFORM_PRIOR,
    ),
    claim(
        "eq-19",
        "Equation (19)",
        r"A mechanism of differential-privacy level $\epsilon_d$ has a level of identifiability of at most "
        r"$\epsilon_d + \epsilon_X$.",
        lambda: cases.mechanisms(25, 11),
        lambda case: privacy_level(case["mechanism"]) + prior_level(case["database"]),
        lambda case: identifiability_level(case["mechanism"], case["database"]),
        Relation.AT_MOST,
        place=PLACE,
    ),
    Theorem(
        key="wang2016:eq-20",
        label="Equation (20)",
        place=PLACE,
        statement=r"The posteriors of $\mathcal E_i^\epsilon$ are $e^{-\epsilon d(x,y)}/(1+(m-1)e^{-\epsilon})^n$ for "
        r"$\epsilon \ge \tilde\epsilon_X$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.within(cases.ALL, "1", "1.3", "2.5"), _AT_THRESHOLD],
        hypotheses=cases.FEASIBLE,
        printed=lambda case: _posteriors_as_told(case, silent=True),
        corrected=lambda case: _posteriors_as_told(case, silent=False),
        counterexample=Counterexample(
            _AT_THRESHOLD, 1.0, 0.0, "at the threshold itself the first output never occurs, so its posterior is 0/0"
        ),
        correction=r"For outputs with $p_Y(y) > 0$, which are all for $\epsilon > \tilde\epsilon_X$.",
    ),
    claim(
        "text-exponential",
        "After equation (22), exponential mechanisms",
        r"$\mathcal E_d^\epsilon$, an exponential mechanism of parameter $\epsilon$, has level $\epsilon$ and not "
        r"$2\epsilon$.",
        _levels,
        lambda case: Real.log(case["ratio"]),
        lambda case: privacy_level(mechanism_d(case["categories"], case["rows"], case["ratio"])),
        place=PLACE,
    ),
    claim(
        "text-randomised-response",
        "After equation (22), randomised response",
        r"$\mathcal E_d^\epsilon$ is randomised response applied to each row.",
        _levels,
        _is_randomised_response,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
)
