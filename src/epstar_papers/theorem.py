"""A claim of a paper as something that can be run.

A `Theorem` holds the printed statement, its hypotheses and its formula as code, and says how the value that epstar
proves relates to them. Its verdict is not an opinion: `examine` recomputes it on a stated set of cases, and a claim
that fails carries the data on which it does. A claim about infinitely many instances is thereby never proven, only
not refuted, and `evidence` says in how many cases; some are proven in theory/ for all sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, SupportsFloat

from epstar.errors import EpstarError
from epstar.exact import Interval, Rational, Real
from epstar.mechanism import Mechanism
from epstar.source import Prior

# Longer fractions and lists are shortened where a case is shown.
_MOST_DIGITS = 24
_MOST_ENTRIES = 12

Case = Mapping[str, Any]
"""The data of one instance, by name: a prior, a distortion, a mechanism, a level."""


class Verdict(Enum):
    """What computing says about a claim; `evidence` says how much that is.

    >>> from epstar_papers import Verdict
    >>> [verdict.value for verdict in Verdict]
    ['holds', 'holds with erratum', 'fails', 'open']
    """

    HOLDS = "holds"
    ERRATUM = "holds with erratum"
    FAILS = "fails"
    OPEN = "open"


class Relation(Enum):
    """How the claimed value relates to the true one.

    >>> from epstar_papers import Relation
    >>> [relation.value for relation in Relation]
    ['=', '<=', '>=', '=>']
    """

    EQUAL = "="
    AT_MOST = "<="
    """The claim is an upper bound: true value <= claimed value."""
    AT_LEAST = ">="
    """The claim is a lower bound: true value >= claimed value."""
    IMPLIES = "=>"
    """The claim is a statement that is simply true or false of a case."""


@dataclass(frozen=True)
class Hypothesis:
    """A condition of a claim in words and as code; two of them are joined by &.

    >>> from epstar_papers import Hypothesis
    >>> private = Hypothesis("the level is positive", lambda case: case["level"] > 0)
    >>> private.test({"level": 1}), private.words
    (True, 'the level is positive')
    """

    words: str
    test: Callable[[Case], bool]

    def __call__(self, case: Case) -> bool:
        """Return whether a case meets the condition."""
        return bool(self.test(case))

    def __and__(self, other: Hypothesis) -> Hypothesis:
        """Return the condition that both are met."""
        words = " and ".join(filter(None, (self.words, other.words)))
        return Hypothesis(words, lambda case: self(case) and other(case))


ALWAYS = Hypothesis("", lambda case: True)
"""No condition."""


@dataclass(frozen=True)
class Counterexample:
    """Data on which the printed claim is false, with what it claims and what is true.

    >>> from epstar_papers import all_theorems
    >>> false = next(claim for claim in all_theorems() if claim.counterexample is not None)
    >>> false.counterexample.claimed != false.counterexample.true
    True
    """

    case: Case
    claimed: float
    true: float
    why: str = ""

    def __str__(self) -> str:
        data = ", ".join(f"{name} = {written(value)}" for name, value in self.case.items())
        gap = f"claimed {self.claimed:.9g}, true {self.true:.9g}, gap {abs(self.claimed - self.true):.3g}"
        return f"{data}: {gap}" + (f"; {self.why}." if self.why else ".")


def written(value: object) -> str:
    """Return a datum of a case as a reader would write it: fractions, rows of matrices, distributions.

    >>> written(Mechanism([["1/2", "1/2"], [0, 1]]))
    '((1/2, 1/2), (0, 1))'
    """
    if isinstance(value, Mechanism) and value.is_exact:
        return written(value.rows)
    if isinstance(value, Prior):
        return written(value.probabilities)
    if isinstance(value, Rational):
        return str(value) if len(str(value)) <= _MOST_DIGITS else f"{float(Real.of(value)):.8g}"
    if isinstance(value, list | tuple):
        if len(value) > _MOST_ENTRIES:
            return f"({written(value[0])}, {written(value[1])}, ..., {written(value[-1])})"
        return "(" + ", ".join(map(written, value)) + ")"
    return str(getattr(value, "__name__", value))


@dataclass(frozen=True)
class Theorem:
    """One numbered result or claim in the text of a paper.

    `printed` is the formula as it stands in the paper; `corrected` is the true one where they differ. `computed`
    returns the true value of a case as an interval that epstar proves from the definitions, never from the formula.
    For `IMPLIES` both formulas return truth values and `computed` is not used. `cases` yields the instances on which
    the verdict rests, at least one of which must meet the hypotheses, the paper's own; `tolerance` allows for data
    given in decimals. Where the cases are fewer than the statement speaks of in a way that matters (one kind of
    distribution, a part of the range), `leaves_out` says what is not tried. It is `settled` where its cases prove it:
    they are all that it speaks of, or it only says that something can happen; `proven_in` names the theorem of theory/,
    checked by Coq, that proves it for all sizes, and `proven_part` which part of it that is, where it is not the whole.
    `undefined` says where the printed formula has no value (0/0, the logarithm of 0), which counts against it;
    anywhere else a formula that raises is a fault of the theorem's code and not of the claim.

    >>> from epstar_papers import find
    >>> claim = find("kalantari2018:lemma-1")
    >>> claim.label, claim.verdict.value
    ('Lemma 1', 'fails')
    """

    key: str
    label: str
    statement: str
    verdict: Verdict
    relation: Relation
    cases: Callable[[], Iterable[Case]]
    printed: Callable[[Case], object] | None = None
    corrected: Callable[[Case], object] | None = None
    computed: Callable[[Case], Interval | Real | float] | None = None
    hypotheses: Hypothesis = ALWAYS
    undefined: Callable[[Case], bool] = field(default=lambda case: False)
    counterexample: Counterexample | None = None
    correction: str = ""
    beyond: str = ""
    leaves_out: str = ""
    settled: bool = False
    proven_in: str = ""
    proven_part: str = ""
    place: str = ""
    tolerance: float = 1e-7

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.key.partition(":")[0]

    def examined(self) -> list[Case]:
        """Return the cases that meet the hypotheses, and the counterexample."""
        cases = [case for case in self.cases() if self.hypotheses(case)]
        return cases if self.counterexample is None else [*cases, self.counterexample.case]

    @cached_property
    def number_examined(self) -> int:
        """How many cases are examined; the cases of some claims take long to make."""
        return len(self.examined())

    @property
    def evidence(self) -> str:
        """What computing found, in words that promise no more than it did."""
        if self.verdict is Verdict.OPEN:
            return "open"
        count = self.number_examined
        cases = f"{count} case{'s' * (count != 1)}"
        found = f"proven by {cases}" if self.settled else f"not refuted in {cases}"
        if self.proven_in:
            rest = f", the rest {found}" if self.proven_part else ""
            found = f"{self.proven_part} proven for all sizes{rest}".strip()
        match self.verdict:
            case Verdict.HOLDS:
                return found
            case Verdict.ERRATUM:
                return f"misprinted; as corrected {found}"
            case Verdict.FAILS:
                return f"false; as corrected {found}"


@dataclass(frozen=True)
class Examination:
    """What running a theorem found: how many cases each formula was right and wrong about.

    >>> from epstar_papers import examine, find
    >>> claim = find("kalantari2018:lemma-1")
    >>> found = examine(claim)
    >>> found.cases > 0, found.verdict_stands
    (True, True)
    """

    theorem: Theorem
    cases: int
    printed_right: int
    printed_wrong: int
    corrected_wrong: int

    @property
    def verdict_stands(self) -> bool:
        """Whether the cases bear out the verdict that the theorem states."""
        claim = self.theorem
        if self.cases == 0 and claim.verdict is not Verdict.OPEN:
            return False
        match claim.verdict:
            case Verdict.HOLDS:
                return claim.printed is not None and self.printed_wrong == 0
            case Verdict.ERRATUM:
                # What cannot be written as a formula (a wrong name, a wrong symbol) has no printed one.
                is_wrong = claim.printed is None or self.printed_wrong > 0
                return claim.corrected is not None and self.corrected_wrong == 0 and is_wrong
            case Verdict.FAILS:
                return claim.corrected is not None and self.corrected_wrong == 0 and self.printed_wrong > 0
            case Verdict.OPEN:
                return True


def examine(theorem: Theorem) -> Examination:
    """Run a theorem on its cases and on its counterexample.

    Raises:
        EpstarError: if a formula breaks down where the theorem does not say that it is undefined, or has a value
            where it does.

    >>> from epstar_papers import examine, find
    >>> claim = find("kalantari2018:lemma-1")
    >>> examine(claim).printed_wrong
    5
    """
    cases = theorem.examined()
    right = wrong = corrected_wrong = 0
    for case in cases:
        value = None if theorem.computed is None else _interval(theorem.computed(case))
        if theorem.printed is not None:
            holds = not _is_undefined(theorem, case) and _relates(theorem, theorem.printed, case, value)
            right, wrong = right + holds, wrong + (not holds)
        if theorem.corrected is not None and not _relates(theorem, theorem.corrected, case, value):
            corrected_wrong += 1
    return Examination(theorem, len(cases), right, wrong, corrected_wrong)


def _is_undefined(theorem: Theorem, case: Case) -> bool:
    """Whether the printed formula is said to have no value on a case, which is tried."""
    if theorem.printed is None or not theorem.undefined(case):
        return False
    try:
        value = theorem.printed(case)
    except (EpstarError, ArithmeticError):
        return True
    raise EpstarError(f"{theorem.key} says that its printed formula is undefined on {case}, but it is {value}.")


def _relates(
    theorem: Theorem, formula: Callable[[Case], object], case: Case, value: tuple[float, float] | None
) -> bool:
    try:
        claimed = formula(case)
    except Exception as error:
        raise EpstarError(f"A formula of {theorem.key} breaks down on {case}: {error!r}.") from error
    if theorem.relation is Relation.IMPLIES:
        return bool(claimed)
    if value is None:
        raise EpstarError(f"{theorem.key} compares numbers but does not say how the true one is computed.")
    low, high = _interval(claimed)
    # An infinite value allows no slack: only an infinite claim equals it.
    slack = theorem.tolerance * max(1.0, abs(value[0])) if math.isfinite(value[0]) else 0.0
    if theorem.relation is Relation.AT_MOST:
        return value[0] <= high + slack
    if theorem.relation is Relation.AT_LEAST:
        return value[1] >= low - slack
    return low - slack <= value[1] and value[0] <= high + slack


def _interval(value: object) -> tuple[float, float]:
    if isinstance(value, Interval):
        return value.lower.lower, value.upper.upper
    if isinstance(value, Real):
        return value.lower, value.upper
    if isinstance(value, Rational):
        return Real.of(value).lower, Real.of(value).upper
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"{value!r} is not a number")
    return float(value), float(value)
