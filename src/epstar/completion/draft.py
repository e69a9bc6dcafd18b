"""An excluded claim in the making: steps are added one by one, as the rule reads them, up to a contradiction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from epstar.claims.bounds import Ratio
from epstar.claims.claim import Excluded, Setting, Step
from epstar.claims.form import Form
from epstar.claims.premises import premises
from epstar.claims.rule import Derivation, least_in_arrays, spread_sums
from epstar.completion.rounding import ball_below, multiple_digits, rounded_down
from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, working_precision
from epstar.notions.constraints import Name, Power, RatioBound, RelativeEntropy


class Draft(Derivation):
    """A derivation that knows how to go on: with the largest rows, by spreading zeros, to an input without answers."""

    def __init__(self, setting: Setting, claim: Excluded) -> None:
        super().__init__(premises(setting, claim))

    def add_with_rows(self, step: Step) -> None:
        """Add a step with the largest multiples of rows that leave no coefficient negative."""
        self.add(replace(step, rows=self.largest_rows(step)))

    def room(self, step: Step) -> Rational:
        """Return the total of a step, rounded up: above zero nothing follows."""
        form, bits = Form(self.given, step), self.given.bits
        total = form.total
        if form.spread is not None and form.spread.slack > 0:
            total += form.spread.slack * sum(spread_sums(form, self.face)[1], ZERO)
        with working_precision(bits):
            return total if form.charge is None else total - ball_below(-form.charge, bits)

    def largest_rows(self, step: Step, is_close: bool = False) -> tuple[Rational, ...]:
        """Return for each row the least of its coefficients, rounded down where they are not exact.

        Unless they must be close, those of many tangents are told by floats, by which they are checked too.
        """
        form = Form(self.given, step)
        prices = None if is_close else least_in_arrays(form, self.face)
        if prices is not None:
            return prices
        # Where the right sides of all bounds vanish, e^loss counts for nothing.
        vanish = (
            (x, y) in self.face
            for used in form.ratios
            for x in used.bound.right
            for y in used.multiples
            if used.growth is not None
        )
        is_rational = all(isinstance(value, Rational) for row in form.rows for value in row.own.values())
        is_exact = is_rational and (self.is_exact or all(vanish))
        least: list[Rational] = []
        with working_precision(self.given.bits):
            for x in range(self.given.frame.inputs):
                values = (
                    value if isinstance(value, Rational) else ball_below(value, self.given.bits)
                    for _, value in form.live(x, self.face)
                )
                least.append(min(values, default=ZERO))
        sizes = self.given.frame.sizes
        if sizes is not None:
            least = [min(value / size for value, size in zip(least, sizes, strict=True))]
        if is_exact:
            return tuple(least)
        # Beside light multiples of sums the digits of heavy rows count for more.
        unit = min([max(map(abs, least), default=ONE), *(used.use.multiplier for used in form.sums)])
        unit = ONE if unit == 0 else unit
        digits = multiple_digits(self.given.claim)
        return tuple(value if value == 0 else rounded_down(value, digits, unit) for value in least)

    @cached_property
    def is_exact(self) -> bool:
        """Whether e^loss is rational, so that ratio bounds are."""
        level = self.given.claim.loss
        return level.is_infinite or level.argument_of_log is not None

    def left(self, x: int) -> list[int]:
        """The outputs that an input may still give."""
        outputs = range(self.given.frame.outputs)
        return [y for y in outputs if (x, y) not in self.face] if self.face else list(outputs)

    def spread_zeros(self) -> bool:
        """Add a step by which entries vanish that bounds without slack compare with vanished ones; say if there are."""
        found = []
        for ratio in self._ratios:
            if ratio.slack == 0:
                for y in range(self.given.frame.outputs):
                    gone = all((x, y) in self.face for x in ratio.bound.right)
                    if gone and any((x, y) not in self.face for x in ratio.bound.left):
                        found.append((ratio.bound.name, y, ONE))
        if found:
            self.add(Step(ratios=tuple(found)))
        return bool(found)

    def finish(self) -> None:
        """Add the step that says that an input has no answer left, if bounds allow it none.

        Raises:
            ProofRejected: if there is no such input.
        """
        if self.done:
            return
        if self.given.frame.sizes is not None:
            if not all((x, 0) in self.face for x in range(self.given.frame.inputs)):
                raise ProofRejected("Entries are left.")
            self.add(Step(rows=(ONE,)))
            return
        for x in sorted(range(self.given.frame.inputs), key=self._count_left):
            found = self._without_answer(x)
            if found is not None:
                self.add(found)
                return
        raise ProofRejected("Every input has an answer left.")

    def _count_left(self, x: int) -> int:
        """How many outputs an input may still give, each of which takes a bound."""
        is_rest, named = self.face.row(x)
        return len(named) if is_rest else self.given.frame.outputs - len(named)

    def _without_answer(self, x: int) -> Step | None:
        """Return the step that adds up the bounds on what an input may still give to less than one."""
        used = self._by_bounds(x)
        if used is None:
            return None
        return Step(ratios=tuple(used), rows=tuple(ONE if z == x else ZERO for z in range(self.given.frame.inputs)))

    def _by_bounds(self, x: int) -> list[tuple[Name, int, Rational]] | None:
        """Return bounds by which what an input may give adds up to less than one."""
        used: list[tuple[Name, int, Rational]] = []
        slacks: dict[Name, Rational] = {}
        total = ZERO
        recent: int | None = None
        spread = self.given.bounds.constraints.spread
        # The bounds of a spread have one slack, and each output pays it: the first is as good as any.
        is_alike = spread is not None and not spread.events
        for y in self.left(x):
            best: tuple[Rational, RatioBound, Rational] | None = None
            for bound, slack in self._bounding(x, y, recent):
                if all((z, y) in self.face for z in bound.right):
                    multiple = ONE / bound.left[x]
                    known = slacks.get(bound.name, ZERO) if bound.events else ZERO
                    price = max(ZERO, multiple * slack - known)
                    if best is None or price < best[0]:
                        best = price, bound, multiple
                    if price == 0 or is_alike:
                        break
            if best is None:
                return None
            price, bound, multiple = best
            recent = next(iter(bound.right), None)
            slacks[bound.name] = slacks.get(bound.name, ZERO) + price
            total += price
            if total >= 1:
                return None
            used.append((bound.name, y, multiple))
        return used

    def _bounding(self, x: int, y: int, recent: int | None) -> Iterator[tuple[RatioBound, Rational]]:
        """Yield the bounds on an input that may say something of an output; the input that did lately comes first."""
        spread = self.given.bounds.constraints.spread
        if spread is None:
            yield from ((ratio.bound, ratio.slack) for ratio in self._ratios if ratio.bound.left.get(x, ZERO) > 0)
            return
        others = range(self.given.frame.inputs)
        for other in others if recent is None else chain((recent,), others):
            if other != x and (other, y) in self.face:
                yield spread.ratio(x, other), spread.slack

    @cached_property
    def _ratios(self) -> list[Ratio]:
        """All ratio bounds of the notion, those that follow from sums of divergences at last."""
        bounds = self.given.bounds
        names: list[Name] = [bound.name for bound in bounds.constraints.pairwise()]
        for total in bounds.constraints.sums:
            for k, (_, atom) in enumerate(total.terms):
                if isinstance(atom, RelativeEntropy) or (isinstance(atom, Power) and atom.order > 1):
                    names.append((*total.name, k, 0))
        found = [(name, self._read(name)) for name in names]
        return [replace(ratio, bound=replace(ratio.bound, name=name)) for name, ratio in found if ratio is not None]

    def _read(self, name: Name) -> Ratio | None:
        try:
            return self.given.bounds.ratio(name)
        except ProofRejected:  # a slack that grows says nothing at an infinite loss
            return None


@dataclass(frozen=True)
class Exclusion:
    """A lower end and the claim that says so, as the rule derived it.

    There is none where the end is that a loss is not negative, or as long as it is a guess.
    """

    end: Real
    claim: Excluded | None = None


class Hopeless(ProofRejected):
    """Multiples leave so much room that no number next to the one that is claimed would follow."""


def first_derived(setting: Setting, tries: Iterable[tuple[Real, Excluded]], fill: Callable[[Draft], None]) -> Exclusion:
    """Return the first of some ends, each with its claim, whose steps hold as they are filled in.

    Raises:
        ProofRejected: if none does.
    """
    last = ProofRejected("Nothing is excluded.")
    for end, claim in tries:
        try:
            draft = Draft(setting, claim)
            fill(draft)
            return Exclusion(end, draft.claim)
        except Hopeless:
            raise
        except (ProofRejected, Undecided) as error:
            last = error if isinstance(error, ProofRejected) else last
    raise last
