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

from collections.abc import Callable, Container
from dataclasses import dataclass, replace

from epstar.claims.claim import Excluded, Places, Setting, Step
from epstar.claims.premises import Addends, Premises, premises
from epstar.claims.tangents import left_out, tangents_of
from epstar.deadline import in_time
from epstar.distortion import Gain
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Ball, Rational, ball, working_precision
from epstar.notions.constraints import RelativeEntropy

Entry = tuple[int, int]


@dataclass(frozen=True)
class Outcome:
    """What a step says: a contradiction, or which further entries vanish."""

    contradiction: bool
    vanishing: tuple[Container[Entry], ...] = ()


@dataclass(frozen=True)
class Face:
    """The entries that are known to vanish, as the steps before found them."""

    parts: tuple[Container[Entry], ...] = ()

    def __contains__(self, entry: object) -> bool:
        # Asked once for each of many entries: a plain loop takes a third of what `any` does.
        for part in self.parts:
            if entry in part:
                break
        else:
            return False
        return True

    def __bool__(self) -> bool:
        return bool(self.parts)


Evaluation = Callable[[Premises, Addends, Face], Outcome | None]


class Derivation:
    """The steps of a claim as the rule takes them one by one: which entries vanish, and whether a contradiction is met.

    Whoever looks for steps may ask it after each, and gets a claim from it that the rule need not read again.
    """

    def __init__(self, given: Premises, evaluations: tuple[Evaluation, ...] = ()) -> None:
        self.given = given
        self.steps: tuple[Step, ...] = ()
        self.face = Face((given.forbidden,) if given.forbidden else ())
        self.done = False
        from epstar.claims.arrays import add_up_in_arrays

        # Whole arrays first: they are the same rule for large matrices, and pass on what they cannot hold. The rule for
        # wider questions, which are of moderate size, is the exact one alone.
        self._evaluations = (add_up,) if given.readings is not None else evaluations or (add_up_in_arrays, add_up)

    def add(self, step: Step) -> None:
        """Add a step.

        Raises:
            ProofRejected: if it says nothing, or nothing is left to say.
        """
        if self.done or (self.given.claim.open == "loss" and trivial(self.given)):
            raise ProofRejected("Steps are left over after a contradiction.")
        outcome = evaluated(self.given, step, self.face, self._evaluations)
        self.steps = (*self.steps, step)
        self.done = outcome.contradiction
        self.face = Face(self.face.parts + outcome.vanishing)

    @property
    def claim(self) -> Excluded:
        """The claim that the steps prove; what was derived here is remembered, in this process and for this setting.

        Raises:
            ProofRejected: if they end without a contradiction.
        """
        if not self.done:
            raise ProofRejected("The steps end without a contradiction.")
        found = replace(self.given.claim, steps=self.steps)
        vars(found)[_DERIVED] = self.given.asked
        return found


# Where a claim remembers of which setting the rule derived it: no copy of it does, nor what is read from a document.
_DERIVED = "_derived_of"


def check_steps_of(setting: Setting, claim: Excluded) -> None:
    """Check that the steps of a claim end in a contradiction, and not before the last."""
    if vars(claim).get(_DERIVED) != setting:
        check_steps(premises(setting, claim))


def check_steps(given: Premises, evaluations: tuple[Evaluation, ...] = ()) -> None:
    """Check the steps by the first of some evaluations that applies to each."""
    derivation = Derivation(given, evaluations)
    for step in given.claim.steps:
        derivation.add(step)
    if not derivation.done and not trivial(given):
        raise ProofRejected("The steps end without a contradiction.")


def trivial(given: Premises) -> bool:
    """Return whether a claim has no need of steps: no loss is below zero, nor a cost that is no gain."""
    claim = given.claim
    if claim.open == "distortion":
        return claim.distortion.rational == 0 and not isinstance(given.setting.distortion, Gain)
    return claim.loss.rational is not None and claim.loss.rational <= 0


def evaluated(given: Premises, step: Step, face: Face, evaluations: tuple[Evaluation, ...]) -> Outcome:
    """Return what a step says after the entries of `face` have vanished."""
    addends = given.addends(step)
    for used in addends.ratios:
        if used.growth is None:
            for x, share in used.bound.right.items():
                if any((x, y) not in face for y, m in used.multiples.items() if m > 0 and share > 0):
                    raise ProofRejected("At an infinite loss a bound says nothing of what its right side may give.")
    for total in addends.sums:
        if isinstance(total.use.tangents, Places):
            for y, forms in left_out(total.bound, total.use.tangents, given.frame.outputs):
                if not any(all((x, y) in face for x in form) for form in forms):
                    raise ProofRejected("A smooth term is used without a place at which to linearise it.")
    for evaluation in evaluations:
        outcome = evaluation(given, addends, face)
        if outcome is not None:
            return outcome
    raise ProofRejected("The step cannot be evaluated.")


def rising(given: Premises, addends: Addends) -> frozenset[Entry]:
    """Return the entries that a ratio bound of the step gives less weight at every smaller loss."""
    if given.claim.open != "loss":
        return frozenset()
    return frozenset(
        (x, y)
        for used in addends.ratios
        if used.rises
        for y, multiple in used.multiples.items()
        if multiple > 0
        for x, share in used.bound.right.items()
        if share > 0
    )


def is_strict(given: Premises, addends: Addends) -> bool:
    """Return whether a constraint of the step is strict: one on the end that is open, and smaller if that is."""
    if given.claim.open != "loss":
        return addends.weight > 0
    ratios = (used.is_strict and max(used.multiples.values()) > 0 for used in addends.ratios)
    return any(used.is_own for used in addends.sums) or any(ratios)


def add_up(given: Premises, addends: Addends, face: Face) -> Outcome:
    """Return what a step says, in exact and ball arithmetic.

    Raises:
        ProofRejected: if it says nothing.
    """
    form = Form(given, addends)
    with working_precision(given.bits):
        charged: Rational = form.total
        vanishing: Container[Entry] = frozenset()
        if addends.conjugate is not None:
            form.check_conjugate(face)
        elif addends.spread is not None:
            slack, positive = form.check_spread(face)
            charged += slack
            vanishing = positive if given.claim.open == "loss" else frozenset()
        else:
            vanishing = form.check_signs(face)
        return concluded(given, addends, charged, form.charge, vanishing)


def concluded(
    given: Premises, addends: Addends, total: Rational, enclosed: Ball | None, vanishing: Container[Entry]
) -> Outcome:
    """Return what follows from a total of bounds, a rational and perhaps a ball beside it.

    Raises:
        ProofRejected: if nothing does.
    """
    sure = total if enclosed is None else (ball(total) + enclosed).upper()
    if sure < 0 or (sure <= 0 and is_strict(given, addends)):
        return Outcome(True)
    if not sure <= 0:
        raise ProofRejected("A step leaves room, so that nothing follows.")
    return Outcome(False, (vanishing, rising(given, addends)))


class Form:
    """The sum of the constraints of a step: coefficients by row, those that are not rational apart, and the total."""

    def __init__(self, given: Premises, addends: Addends) -> None:
        self.given, self.addends = given, addends
        self.rows: dict[int, list[Rational]] = {}
        self.slopes: dict[Entry, Ball] = {}
        self.total, self.charge = given.total(addends)
        self._add_laws()
        self._add_ratios()
        self._add_sums()
        self._add_limits()
        self._add_rows()

    def row(self, x: int) -> list[Rational]:
        """Return the rational parts of the coefficients of an input, to be added to."""
        if x not in self.rows:
            self.rows[x] = [ZERO] * self.given.frame.outputs
        return self.rows[x]

    def _add_laws(self) -> None:
        if self.addends.law is not None:
            cost = self.given.cost
            for x, p in in_time(enumerate(self.addends.law)):
                if p != 0:
                    self.rows[x] = [p * d for d in cost[x]]

    def _add_ratios(self) -> None:
        # What right sides gain is added up before e^loss, of many digits, comes in.
        received: dict[Rational, dict[Entry, Rational]] = {}
        for used in in_time(self.addends.ratios):
            for x, share in used.bound.left.items():
                row = self.row(x)
                for y, multiple in used.multiples.items():
                    row[y] += multiple * share
            if used.growth is not None:
                gained = received.setdefault(used.growth, {})
                for x, share in used.bound.right.items():
                    for y, multiple in used.multiples.items():
                        gained[x, y] = gained.get((x, y), ZERO) + multiple * share
        for growth, gained in received.items():
            for (x, y), amount in gained.items():
                self.row(x)[y] -= amount * growth

    def _add_limits(self) -> None:
        for limit, multiple in self.addends.limits:
            for (x, y), coefficient in limit.coefficients.items():
                self.row(x)[y] += multiple * coefficient

    def _add_sums(self) -> None:
        given = self.given
        for used in self.addends.sums:
            if used.use.tangents == "conjugate":
                continue
            multiple = used.use.multiplier * given.frame.columns
            found = tangents_of(used.bound, used.use.tangents, used.bounds, given.frame.outputs)
            with working_precision(given.bits):
                for y, slopes in in_time(found):
                    for form, slope in slopes:
                        for x, share in form.items():
                            self._add(x, y, slope * (multiple * share))

    def _add(self, x: int, y: int, amount: Rational | Ball) -> None:
        if isinstance(amount, Rational):
            self.row(x)[y] += amount
        else:
            self.row(x)
            known = self.slopes.get((x, y))
            self.slopes[x, y] = amount if known is None else known + amount

    def _add_rows(self) -> None:
        for x, price in enumerate(self.addends.prices):
            if price != 0:
                self.rows[x] = [entry - price for entry in self.row(x)]

    def coefficient(self, x: int, y: int) -> Rational | Ball:
        """Return the coefficient of an entry."""
        exact = self.rows[x][y] if x in self.rows else ZERO
        slope = self.slopes.get((x, y))
        return exact if slope is None else ball(exact) + slope

    def check_signs(self, face: Face) -> Container[Entry]:
        """Check that no coefficient is negative where it matters; return where they are positive."""
        positive = set()
        for x, row in in_time(self.rows.items()):
            for y in range(len(row)):
                value = row[y] if not self.slopes else self.coefficient(x, y)
                if value > 0:
                    positive.add((x, y))
                elif not value >= 0 and (x, y) not in face:
                    raise ProofRejected(f"The coefficient of input {x} and output {y} is negative: nothing follows.")
        return positive

    def check_spread(self, face: Face) -> tuple[Rational, Container[Entry]]:
        """Check every column by its spread; return what the slack costs and where coefficients are positive."""
        spread = self.addends.spread
        assert spread is not None
        growth, slack, positive = self.given.bounds.growth(Rational(1)), ZERO, set()
        for y in in_time(range(self.given.frame.outputs)):
            above, below = ZERO, ZERO
            for x, row in self.rows.items():
                value = row[y] / spread.scales[x]
                if value == 0 or (x, y) in face:
                    continue
                if value > 0:
                    positive.add((x, y))
                    above += value
                else:
                    below -= value
            if above < growth * below:
                raise column_failure(y)
            slack += below * spread.slack
        return slack, positive

    def check_conjugate(self, face: Face) -> None:
        """Check that no column gains on the sum of a mutual information."""
        conjugate = self.addends.conjugate
        assert conjugate is not None
        first = conjugate.bound.terms[0][1]
        assert isinstance(first, RelativeEntropy)
        law, share = first.right, conjugate.use.multiplier
        for y in in_time(range(self.given.frame.outputs)):
            mean = ball(ZERO)
            for x in range(self.given.frame.inputs):
                value = self.rows[x][y] if x in self.rows else ZERO
                if (x, y) in face:
                    continue
                if x in law:
                    mean += ball(-value / (share * law[x])).exp() * law[x]
                elif value < 0:
                    raise ProofRejected(f"The coefficient of input {x} and output {y} is negative: nothing follows.")
            if not mean <= 1:
                raise column_failure(y)


def column_failure(output: int) -> ProofRejected:
    """Return the error for multiples of rows that a column could beat."""
    return ProofRejected(f"The column condition fails for output {output}: the multiples of the rows are too large.")
