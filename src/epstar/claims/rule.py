"""What is excluded: Farkas' lemma with facial reduction (Borwein and Wolkowicz 1981), the one rule of all lower bounds.

Let z(x,y) >= 0 be the entries of a mechanism that is claimed not to exist. It satisfies linear constraints: its
distortion under a law of the source, each ratio bound, each tangent of a sum bound, each limit on the mechanism; its
rows sum to one. A step is a list of multiples of them, non-negative but for equations. If in their sum c every column
passes a test that makes sum c(x,y) z(x,y) >= 0, then 0 <= total of the bounds. A total below zero, or zero with a
strict constraint in it, is a contradiction. At a total of zero every entry with c > 0 vanishes, and so does, where the
loss is open, the right side of every ratio bound that was used, which counts for less at any smaller loss; the next
step need not care for them.

The test of a column is one of three:

* every c(x,y) >= 0, but for entries that vanish;
* where all pairs of inputs are bounded alike (a spread), sum (c/scale)+ >= e^loss sum (c/scale)-: no entry of the
  column is more than e^loss times its least one, but for a slack that is paid. At a total of zero and a smaller loss
  the least entry must vanish, and the entries with c > 0 are all as small as it is;
* where the sum of a mutual information at a law p is used s times, c(x,y) >= 0 where p(x) = 0, and the mean under p of
  exp(-c/(s p)) is at most one: by the log-sum inequality (Csiszár's form of the rate-distortion function).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from epstar.claims.bounded_floats import conjugate_holds, least_of_tangents
from epstar.claims.claim import Excluded, Point, Setting, Step, remember
from epstar.claims.face import Face
from epstar.claims.form import Form
from epstar.claims.premises import Premises, premises
from epstar.distortion import Gain
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Ball, Rational, ball, working_precision
from epstar.exact.common_denominator import Integers, Scaled, widened

# Of a step; below this many exact numbers one by one are quick enough, and floats claim a little less. Where they claim
# the same, and in integers, arrays are quicker from a sixteenth of it on.
MANY_TERMS, _SOONER = 1 << 12, 16
# A tangent takes as long as some entries.
_TANGENT = 4
# Columns are taken in blocks of this many entries, so that a large matrix is never held in Python integers.
_BLOCK = 1 << 18
# With longer denominators fractions one by one are quicker.
_MOST_BITS = 1 << 10


class Derivation:
    """The steps of a claim as the rule takes them one by one: which entries vanish, and whether a contradiction is met.

    Whoever looks for steps may ask it after each, and gets a claim from it that the rule need not read again.
    """

    def __init__(self, given: Premises, many: float = MANY_TERMS) -> None:
        self.given, self.many = given, many
        self.steps: tuple[Step, ...] = ()
        self.face = Face.of(given.forbidden)
        self.done = False

    def add(self, step: Step) -> None:
        """Add a step.

        Raises:
            ProofRejected: if it says nothing, or nothing is left to say.
        """
        if self.done or (self.given.claim.open == "loss" and trivial(self.given)):
            raise ProofRejected("Steps are left over after a contradiction.")
        vanishing = judged(Form(self.given, step), self.face, self.many)
        self.steps = (*self.steps, step)
        self.done = vanishing is None
        self.face |= vanishing or Face()

    @property
    def claim(self) -> Excluded:
        """The claim that the steps prove; what was derived here is remembered, in this process and for this setting.

        Raises:
            ProofRejected: if they end without a contradiction.
        """
        if not self.done:
            raise ProofRejected("The steps end without a contradiction.")
        found = replace(self.given.claim, steps=self.steps)
        remember(self.given.asked, found)
        return found


def check_steps(setting: Setting, claim: Excluded, many: float = MANY_TERMS) -> None:
    """Check that the steps of a claim end in a contradiction, and not before the last.

    Those of so many terms are judged in arrays, where these can hold them.
    """
    derivation = Derivation(premises(setting, claim), many)
    for step in claim.steps:
        derivation.add(step)
    if not derivation.done and not trivial(derivation.given):
        raise ProofRejected("The steps end without a contradiction.")


def trivial(given: Premises) -> bool:
    """Return whether a claim has no need of steps: no loss is below zero, nor a cost that is no gain."""
    claim = given.claim
    if claim.open == "distortion":
        return claim.distortion.rational == 0 and not isinstance(given.setting.distortion, Gain)
    return claim.loss.rational is not None and claim.loss.rational <= 0


def judged(form: Form, face: Face, many: float = MANY_TERMS) -> Face | None:
    """Return which further entries vanish after a step, if those of a face have before; None at a contradiction.

    Raises:
        ProofRejected: if it says nothing.
    """
    form.check_face(face)
    given = form.given
    with working_precision(given.bits):
        slack, joins = ZERO, True
        if form.spread is not None:
            growth, (above, below) = given.bounds.growth(ONE), spread_sums(form, face, many)
            for y, (gain, loss) in enumerate(zip(above, below, strict=True)):
                if gain < growth * loss:
                    raise _column_failure(y)
            slack, joins = form.spread.slack * sum(below, ZERO), given.claim.open == "loss"
        elif form.conjugate is not None:
            joins = False
            if not (fits(form, face, many / _SOONER) and conjugate_holds(form)):
                _check_conjugate(form, face)
        else:
            least = least_in_arrays(form, face, many)
            for x, price in enumerate(form.prices):
                is_told = least is not None and price <= least[x]
                if not is_told and any(not value >= 0 for _, value in form.live(x, face)):
                    raise _negative(x)
        if form.contradicts(slack):
            return None
        return form.rising | form.positive(face) if joins else form.rising


def fits(form: Form, face: Face, many: float = MANY_TERMS) -> bool:
    """Return whether a step is of many terms, and arrays may hold them: of laws and sums alone, before all vanishes.

    Steps of wider questions, which are of moderate size, are judged in exact numbers alone.
    """
    given, frame = form.given, form.given.frame
    is_plain = not (face or form.ratios) and frame.sizes is None and given.readings is None and form.weight > 0
    return is_plain and frame.outputs * max(frame.inputs, _TANGENT * len(form.sums)) >= many


def least_in_arrays(form: Form, face: Face, many: float = MANY_TERMS) -> Point | None:
    """Return for each row a number not above its coefficients without prices, of costs alone or tangents; None else."""
    if not fits(form, face, many):
        return None
    if form.sums:
        return least_of_tangents(form)
    assert form.law is not None
    costs = form.given.setting.distortion.cheapest(form.given.setting.universe).costs
    return tuple(p * cost for p, cost in zip(form.law, costs, strict=True))


def spread_sums(form: Form, face: Face, many: float = MANY_TERMS) -> tuple[Sequence[Rational], Sequence[Rational]]:
    """Return for each output the sums of the positive and of the negative coefficients, each over the scale of its row.

    Those of a large matrix are integers over one denominator.
    """
    assert form.spread is not None
    scales = form.spread.scales
    if fits(form, face, many / _SOONER):
        found = _spread_in_integers(form, scales)
        if found is not None:
            return found

    def above(x: int, value: Rational) -> Rational:
        return value / scales[x] if value > 0 else ZERO

    def below(x: int, value: Rational) -> Rational:
        return -value / scales[x] if value < 0 else ZERO

    return form.column_sums(face, above, ZERO), form.column_sums(face, below, ZERO)


def _spread_in_integers(form: Form, scales: Sequence[Rational]) -> tuple[list[Rational], list[Rational]] | None:
    setting, law = form.given.setting, form.law
    assert law is not None
    if setting.is_hamming_on_letters:
        columns, unit = _columns_of_letters, 1
    else:
        cost = setting.distortion.scaled(setting.universe)
        if cost is None:
            return None
        columns, unit = partial(_columns, cost.numerators), cost.denominator
    slopes = [p / (unit * scale) for p, scale in zip(law, scales, strict=True)]
    offsets = [price / scale for price, scale in zip(form.prices, scales, strict=True)]
    pairs = Scaled.of([*slopes, *offsets], _MOST_BITS)
    if pairs is None:
        return None
    values, sums = widened(pairs.numerators), (list[Rational](), list[Rational]())
    slope, offset = values[: len(law)], values[len(law) :]
    for parts in columns(slope, offset):
        for found, part in zip(sums, parts, strict=True):
            found += [Rational(total, pairs.denominator) for total in part.tolist()]
    return sums


def _columns(cost: Integers, slope: Integers, offset: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield the column sums of what slope cost - offset is above and below zero, in blocks of outputs."""
    step = max(1, _BLOCK // len(slope))
    for start in range(0, cost.shape[1], step):
        block = slope[:, None] * cost[:, start : start + step] - offset[:, None]
        yield np.maximum(block, 0).sum(axis=0), np.maximum(-block, 0).sum(axis=0)


def _columns_of_letters(slope: Integers, offset: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield the same where every wrong answer costs one."""
    wrong, right = slope - offset, -offset
    above, below = np.maximum(wrong, 0), np.maximum(-wrong, 0)
    yield above.sum() - above + np.maximum(right, 0), below.sum() - below + np.maximum(-right, 0)


def _check_conjugate(form: Form, face: Face) -> None:
    """Check that no column gains on the sum of a mutual information."""
    assert form.conjugate is not None
    law, multiple = form.conjugate

    def mean(x: int, value: Rational) -> Ball:
        return ball(-value / (multiple * law[x])).exp() * law[x] if x in law else ball(ZERO)

    for x in range(form.given.frame.inputs):
        if x not in law and any(value < 0 for _, value in form.live(x, face)):
            raise _negative(x)
    for y, total in enumerate(form.column_sums(face, mean, ball(ZERO))):
        if not total <= 1:
            raise _column_failure(y)


def _negative(x: int) -> ProofRejected:
    return ProofRejected(f"A coefficient of input {x} is negative: nothing follows.")


def _column_failure(output: int) -> ProofRejected:
    return ProofRejected(f"The column condition fails for output {output}: the multiples of the rows are too large.")
