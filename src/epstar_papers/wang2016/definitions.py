r"""Section II: what the three notions promise, and Examples 1 and 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.mechanism.standard import constant, identity
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import Database
from epstar_papers.wang2016.truth import (
    best_guess,
    distortion_of,
    identifiability_level,
    information_of,
    least_identifiability,
    privacy_level,
)

COIN = Mechanism([["0.6", "0.4"], ["0.4", "0.6"]], cases.EXAMPLE.universe)


def coin(database: Database) -> Callable[[], tuple[Case, ...]]:
    """Return the one case of Examples 1 and 2: the coin of the paper under a prior."""
    return lambda: ({"database": database, "mechanism": COIN},)


def level(case: Case) -> Real:
    return identifiability_level(case["mechanism"], case["database"])


def ratio_of(case: Case) -> Rational:
    ratio = Real.exp(level(case)).rational
    assert ratio is not None, "a mechanism without zeros has a finite level"
    return ratio


def _guess_bound(case: Case) -> Rational:
    categories: int = case["database"].categories
    return 1 / (1 + (categories - 1) / ratio_of(case))


def _informed_level(case: Case) -> Real:
    """The worst log ratio of Pr(X_i = a | X_-i, Y) to Pr(X_i = b | X_-i, Y)."""
    database, mechanism = case["database"], case["mechanism"]
    worst = ONE
    for group in database.groups():
        for y in range(mechanism.shape[1]):
            joint = [database.prior[x] * mechanism.entry(x, y) for x in group]
            chances = [p / sum(joint, ZERO) for p in joint]
            worst = max(worst, max(chances) / min(chances))
    return Real.log(worst)


def _prior_guess(case: Case) -> Rational:
    database: Database = case["database"]
    return max(database.prior[x] / sum((database.prior[k] for k in g), ZERO) for g in database.groups() for x in g)


def _factor(case: Case) -> Real:
    """The greatest log factor by which an output raises an informed adversary's chance of a value."""
    database, mechanism = case["database"], case["mechanism"]
    worst = ONE
    for group in database.groups():
        mass = sum((database.prior[x] for x in group), ZERO)
        for y in range(mechanism.shape[1]):
            seen = sum((database.prior[x] * mechanism.entry(x, y) for x in group), ZERO)
            worst = max(worst, *(mechanism.entry(x, y) * mass / seen for x in group))
    return Real.log(worst)


def _entropy(database: Database) -> Real:
    truthful = identity(database.universe)
    return information_of(truthful, database)


def _constants() -> Iterator[Case]:
    for database in cases.ALL:
        universe = database.universe
        distribution = cases.CORRELATED.prior if len(database.prior) == 4 else database.prior
        yield {"database": database, "mechanism": constant(universe, universe.labels, distribution)}


def _posterior_distortion(case: Case) -> Rational:
    """The objective of PD-I: distances averaged over p_Y and the posterior."""
    database, mechanism = case["database"], case["mechanism"]
    output = mechanism.output_law(database.source)
    posterior = mechanism.posterior(database.source)
    size = len(database.prior)
    terms = [
        output[y] * posterior.entry(y, x) * database.universe.distance(x, y) for x in range(size) for y in range(size)
    ]
    return sum(terms, ZERO)


def _information_privacy(case: Case) -> Real:
    """The greatest |log| of the factor by which an output changes the probability of a whole database."""
    mechanism, output = case["mechanism"], case["mechanism"].output_law(case["database"].source)
    factors = [q / p for row in mechanism.rows for q, p in zip(row, output, strict=True)]
    return Real.log(max(max(f, 1 / f) for f in factors))


def _skewed_mechanisms() -> Iterator[Case]:
    random = Random(4)
    for _ in range(20):
        rows = [cases.distribution(random, 2) for _ in range(2)]
        yield {"database": cases.SKEWED, "mechanism": Mechanism(rows, cases.SKEWED.universe)}


def _success_of_zero(case: Case) -> Real:
    """The chance that an adversary who always names the likelier value is right: its prior, whatever is published."""
    joint = [[p * q for q in row] for p, row in zip(case["database"].prior, case["mechanism"].rows, strict=True)]
    return Real.of(sum(joint[0], ZERO))


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "def-2-informed",
        "After Definition 2, informed adversaries",
        r"The level of identifiability is the worst log ratio of $\Pr\{X_i=a\mid X_{-i},Y\}$ over two values $a$.",
        lambda: cases.mechanisms(12, 1),
        _informed_level,
        level,
    ),
    claim(
        "text-guess",
        "After Definition 2, the chance of a right guess",
        r"Under $\epsilon$-identifiability an informed adversary names the missing row with probability at most "
        r"$1/(1+(m-1)e^{-\epsilon})$.",
        lambda: cases.mechanisms(25, 2),
        _guess_bound,
        lambda case: Real.of(best_guess(case["mechanism"], case["database"])),
        Relation.AT_MOST,
        beyond=r"$\mathcal E_i^\epsilon$ attains the bound.",
    ),
    claim(
        "text-prior-guess",
        "Before Example 1",
        r"Whatever is published, an informed adversary guesses at least as well as from the prior alone.",
        lambda: cases.mechanisms(20, 3),
        _prior_guess,
        lambda case: Real.of(best_guess(case["mechanism"], case["database"])),
        Relation.AT_LEAST,
    ),
    claim(
        "example-1-level",
        "Example 1, the level",
        r"With prior $(0.55, 0.45)$ the binary mechanism that tells the truth with probability 0.6 has level 0.6.",
        coin(cases.EXAMPLE),
        lambda case: 0.6,
        level,
        place="Section II-A",
        settled=True,
        tolerance=0.0065,
    ),
    claim(
        "example-1-guess",
        "Example 1, the guess",
        r"There the entry is named rightly with probability at most about 0.65.",
        coin(cases.EXAMPLE),
        lambda case: 0.65,
        lambda case: Real.of(best_guess(case["mechanism"], case["database"])),
        place="Section II-A",
        settled=True,
        tolerance=0.005,
    ),
    claim(
        "example-1-floor",
        "Example 1, the least level",
        r"No mechanism has a level below $\ln(0.55/0.45)\approx 0.2$ for this prior, and that level is reached.",
        lambda: (cases.at(cases.EXAMPLE, 1),),
        lambda case: Real.log(Rational(55, 45)),
        lambda case: least_identifiability(case["database"], case["distortion"]),
        place="Section II-A",
        settled=True,
    ),
    claim(
        "example-1-skewed-level",
        "Example 1, the second prior",
        r"With prior $(0.9, 0.1)$ the same mechanism has level about 2.6.",
        coin(cases.SKEWED),
        lambda case: 2.6,
        level,
        place="Section II-A",
        settled=True,
        tolerance=0.002,
    ),
    claim(
        "example-1-skewed-floor",
        "Example 1, the least level of the second prior",
        r"No mechanism has a level below $\ln 9\approx 2.2$ for the second prior.",
        lambda: (cases.at(cases.SKEWED, 1), cases.at(cases.SKEWED, "0.5")),
        lambda case: Real.log(Rational(9)),
        lambda case: least_identifiability(case["database"], case["distortion"]),
        place="Section II-A",
        settled=True,
    ),
    claim(
        "example-1-skewed-guess",
        "Example 1, guessing from the prior",
        r"Naming the value 0 is right with probability at least 0.9, whatever the mechanism.",
        _skewed_mechanisms,
        lambda case: 0.9,
        _success_of_zero,
        Relation.AT_LEAST,
        place="Section II-A",
        hypotheses=Hypothesis("the prior is $(0.9, 0.1)$", lambda case: case["database"] == cases.SKEWED),
    ),
    claim(
        "def-3-relative",
        "After Definition 3, the relative guarantee",
        r"Under $\epsilon$-differential privacy no output raises the chance of a value of the missing row by more than "
        r"a factor $e^\epsilon$.",
        lambda: cases.mechanisms(20, 5),
        lambda case: privacy_level(case["mechanism"]),
        _factor,
        Relation.AT_MOST,
    ),
    claim(
        "example-2-level",
        "Example 2, the level",
        r"The mechanism of Example 1 is $\epsilon$-differentially private for $\epsilon=\ln(0.6/0.4)\approx 0.4$.",
        coin(cases.SKEWED),
        lambda case: Real.log(Rational(3, 2)),
        lambda case: privacy_level(case["mechanism"]),
        place="Section II-A",
        settled=True,
    ),
    claim(
        "example-2-posterior",
        "Example 2, the posterior",
        r"With prior $(0.9, 0.1)$, $\Pr(X=0\mid Y=0)\approx 0.93$.",
        coin(cases.SKEWED),
        lambda case: 0.93,
        lambda case: Real.of(case["mechanism"].posterior(case["database"].source).entry(0, 0)),
        place="Section II-A",
        settled=True,
        tolerance=0.002,
    ),
    claim(
        "example-2-factor",
        "Example 2, the factor",
        r"The posterior exceeds the prior by a factor of about $e^{0.03}$.",
        coin(cases.SKEWED),
        lambda case: 0.03,
        lambda case: Real.log(case["mechanism"].posterior(case["database"].source).entry(0, 0) / Rational(9, 10)),
        place="Section II-A",
        settled=True,
        tolerance=0.005,
    ),
    claim(
        "def-4-independent",
        "After Definition 4, the least value",
        r"Mutual information is 0 when the output does not depend on the input.",
        _constants,
        lambda case: 0.0,
        lambda case: information_of(case["mechanism"], case["database"]),
        hypotheses=Hypothesis(
            "all rows of the mechanism are equal", lambda case: len(set(case["mechanism"].rows)) == 1
        ),
    ),
    claim(
        "def-4-entropy",
        "After Definition 4, the greatest value",
        r"Mutual information is at most $H(X)$, its value when $Y=X$.",
        lambda: cases.mechanisms(15, 6),
        lambda case: _entropy(case["database"]),
        lambda case: information_of(case["mechanism"], case["database"]),
        Relation.AT_MOST,
    ),
    claim(
        "eq-6",
        "Problem PD-I",
        r"Distances averaged over $p_Y$ and the posteriors give the distortion of the mechanism behind them.",
        lambda: cases.mechanisms(15, 7),
        _posterior_distortion,
        lambda case: Real.of(distortion_of(case["mechanism"], case["database"])),
        place="Section III, constraints (3) to (7)",
    ),
    claim(
        "text-information-privacy",
        "Related work, information privacy and differential privacy",
        r"If no output changes the probability of a database by more than a factor $e^{\pm\epsilon}$, the mechanism is "
        r"$2\epsilon$-differentially private.",
        lambda: cases.mechanisms(20, 8),
        lambda case: _information_privacy(case) * 2,
        lambda case: privacy_level(case["mechanism"]),
        Relation.AT_MOST,
        place="Section I-A",
    ),
    claim(
        "text-information-privacy-bits",
        "Related work, information privacy and mutual information",
        r"Then the mutual information is at most $\epsilon$ nats, that is $\epsilon/\ln 2$ bits.",
        lambda: cases.mechanisms(20, 8),
        _information_privacy,
        lambda case: information_of(case["mechanism"], case["database"]),
        Relation.AT_MOST,
        place="Section I-A",
    ),
)
