"""A step of an excluded claim: multiples of constraints, each premise checked, and the linear form that they add up to.

Laws belong to the source, multiples have the right sign, names are those of the notion, tangents are tangents. Whatever
judges a step, in exact numbers or in floats, works on a `Form`, so that neither can forget a condition.

Coefficients are kept by input: one for all outputs, and apart those of outputs that differ. Hamming distortion on
letters has one of these in each row, so that columns add up in as many terms as there are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from epstar.claims.bounds import Bounds, Ratio
from epstar.claims.claim import Places, Point, Shares, Step, SumUse, mixed
from epstar.claims.face import Entry, Face
from epstar.claims.members import check_member
from epstar.claims.premises import Premises
from epstar.claims.tangents import check_output, check_places, check_shares, left_out, tangents_of
from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Ball, Rational, Real, ball, working_precision
from epstar.limits import Limit
from epstar.notions.constraints import Name, RelativeEntropy, Spread, SumBound
from epstar.source import Finite, Hull

Value = Rational | Ball
Number = TypeVar("Number", Rational, Ball)


@dataclass(frozen=True)
class UsedSum:
    """A sum bound in a step, with what stands for it."""

    bound: SumBound
    use: SumUse
    bounds: Bounds
    """The table that it stands in, with its level."""
    is_own: bool = True
    """Whether it is a bound of the notion itself, whose loss may be open, and not one of a further guarantee."""


@dataclass
class Row:
    """The coefficients of an input: one for all outputs, but for those of `own`."""

    common: Rational = ZERO
    own: dict[int, Value] = field(default_factory=dict)

    def add(self, y: int, amount: Value) -> None:
        """Add to the coefficient of one output."""
        self.own[y] = self.own.get(y, self.common) + amount


class Form:
    """A step whose premises hold: its constraints with their multiples, their bounds added up, and coefficients.

    Raises:
        ProofRejected: if a premise of the rule fails.
    """

    def __init__(self, given: Premises, step: Step) -> None:
        self.given, self.step = given, step
        self.law, self.weight = self._laws()
        if step.rows and len(step.rows) != given.frame.rows:
            raise ProofRejected(f"A step has {len(step.rows)} multiples of rows; there are {given.frame.rows} rows.")
        self.spread = self._spread()
        self.sums = tuple(map(self._sum, step.sums))
        self.prices = given.frame.per_input(step.rows)
        self.ratios = self._ratios()
        self.limits = self._limits()
        self.total, self.charge = self._bounds()

    @property
    def conjugate(self) -> tuple[Mapping[int, Rational], Rational] | None:
        """The law and the multiple of the sum of a mutual information, if that is judged by its conjugate."""
        if not self.sums or self.sums[0].use.tangents != "conjugate":
            return None
        atom = self.sums[0].bound.terms[0][1]
        assert isinstance(atom, RelativeEntropy)
        return atom.right, self.sums[0].use.multiplier

    @property
    def is_strict(self) -> bool:
        """Whether a constraint of the step is strict: one on the end that is open, and smaller if that is."""
        if self.given.claim.open != "loss":
            return self.weight > 0
        ratios = (used.is_strict and max(used.multiples.values()) > 0 for used in self.ratios)
        return any(used.is_own for used in self.sums) or any(ratios)

    @property
    def rising(self) -> Face:
        """The entries that a ratio bound of the step gives less weight at every smaller loss."""
        if self.given.claim.open != "loss":
            return Face()
        return Face.of(
            (x, y)
            for used in self.ratios
            if used.rises
            for y, multiple in used.multiples.items()
            if multiple > 0
            for x, share in used.bound.right.items()
            if share > 0
        )

    def check_face(self, face: Face) -> None:
        """Check that what the step leaves out vanishes: right sides of bounds at an infinite loss, and tangents."""
        for used in self.ratios:
            if used.growth is None:
                for x, share in used.bound.right.items():
                    if any((x, y) not in face for y, m in used.multiples.items() if m > 0 and share > 0):
                        raise ProofRejected("At an infinite loss a bound says nothing of what its right side may give.")
        for total in self.sums:
            if isinstance(total.use.tangents, Places):
                for y, forms in left_out(total.bound, total.use.tangents, self.given.frame.outputs):
                    if not any(all((x, y) in face for x in form) for form in forms):
                        raise ProofRejected("A smooth term is used without a place at which to linearise it.")

    def contradicts(self, slack: Rational = ZERO) -> bool:
        """Return whether what the bounds add up to is a contradiction, and not zero.

        Raises:
            ProofRejected: if it may be more, so that nothing follows.
        """
        total = self.total + slack
        sure = total if self.charge is None else (ball(total) + self.charge).upper()
        if not sure <= 0:
            raise ProofRejected("A step leaves room, so that nothing follows.")
        return sure < 0 or self.is_strict

    # -- premises -----------------------------------------------------------------------------------------------------

    def _laws(self) -> tuple[Point | None, Rational]:
        given, laws = self.given, self.step.laws
        weight = sum((weight for weight, _ in laws), ZERO)
        if any(weight < 0 for weight, _ in laws):
            raise ProofRejected("A multiple of a distortion is negative, so that nothing follows.")
        if not laws:
            return None, ZERO
        if given.claim.distortion.is_infinite:
            raise ProofRejected("An infinite distortion bounds nothing, so that a step cannot use it.")
        if given.frame.sizes is not None:
            if any(law != () for _, law in laws):
                raise ProofRejected("Averaged over distances, the distribution is the uniform one, and none is named.")
            return given.frame.per_input([weight]), weight
        source = given.setting.source
        # Points of a set are its members, and known to it as integers, which are mixed sooner than fractions.
        listed = source.mixture(laws) if isinstance(source, Finite | Hull) else None
        if listed is not None:
            return listed, weight
        for _, law in laws:
            check_member(law, source)
        return mixed(laws), weight

    def _spread(self) -> Spread | None:
        if not self.step.spread:
            return None
        spread = self.given.bounds.constraints.spread
        if spread is None:
            raise ProofRejected("Only a notion that bounds all pairs of inputs alike judges columns by their spread.")
        if self.step.sums or self.given.claim.loss.is_infinite:
            raise ProofRejected("Columns judged by their spread need a finite loss, and no bounds on sums.")
        return spread

    def _ratios(self) -> tuple[Ratio, ...]:
        found: dict[Name, dict[int, Rational]] = {}
        for name, output, multiple in self.step.ratios:
            if multiple < 0:
                raise ProofRejected("A multiple of a bound is negative, so that nothing follows.")
            check_output(output, self.given.frame.outputs)
            by_output = found.setdefault(name, {})
            by_output[output] = by_output.get(output, ZERO) + multiple
        return tuple(replace(self._ratio(name), multiples=multiples) for name, multiples in found.items())

    def _ratio(self, name: Name) -> Ratio:
        which, bounds, rest = self.given.found(name)
        if bounds.level.is_infinite and (which > 0 or self.given.claim.open != "loss"):
            raise ProofRejected("An infinite loss that is not open allows everything.")
        found = bounds.ratio(rest)
        # The level of a further guarantee is given, and never open.
        return found if which == 0 else replace(found, rises=False, is_strict=False)

    def _limits(self) -> tuple[tuple[Limit, Rational], ...]:
        found = []
        for name, multiple in self.step.limits:
            if name not in self.given.limits:
                raise ProofRejected(f"The mechanism has no limit of the name {list(name)}.")
            limit = self.given.limits[name]
            if multiple < 0 and not limit.is_equation:
                raise ProofRejected("A multiple of an inequality is negative, so that nothing follows.")
            found.append((limit, multiple))
        return tuple(found)

    def _sum(self, use: SumUse) -> UsedSum:
        which, bounds, name = self.given.found(use.name)
        used = UsedSum(bounds.sum(name), use, bounds, which == 0)
        atoms = [atom for _, atom in used.bound.terms]
        if use.multiplier <= 0:
            raise ProofRejected("The multiple of a sum must be positive.")
        if bounds.level.is_infinite and not (used.is_own and self._is_nothing(used)):
            raise ProofRejected("An infinite loss bounds no sum, so that a step cannot use it.")
        if use.tangents == "conjugate":
            laws = [atom.right for atom in atoms if isinstance(atom, RelativeEntropy)]
            shares_one_law = len(laws) == len(atoms) == len(laws[0]) and all(law is laws[0] for law in laws)
            if len(self.step.sums) > 1 or not shares_one_law or self.given.frame.sizes is not None:
                raise ProofRejected("Only the sum of a mutual information, by itself, is judged by its conjugate.")
        elif isinstance(use.tangents, Shares):
            check_shares(atoms, use.tangents, self.given.frame.outputs)
        else:
            check_places(atoms, use.tangents, self.given.frame.outputs)
        return used

    def _is_nothing(self, used: UsedSum) -> bool:
        """Return whether a sum is claimed to vanish that must not, at any finite loss: of an order below one."""
        tangents, below_one = used.use.tangents, used.bound.scale.bound(Real.of(ZERO)) < 0
        if self.given.claim.open != "loss" or not below_one or not isinstance(tangents, Places):
            return False
        return all(place is None for row in tangents.table for place in row)

    def _bounds(self) -> tuple[Rational, Ball | None]:
        """Return what the bounds add up to, less the multiples of rows: a rational and perhaps a ball."""
        total, enclosed = -sum(self.step.rows, ZERO), None
        if self.law is not None:
            assert self.given.claim.distortion.rational is not None
            total += self.weight * self.given.claim.distortion.rational
        total += sum((ratio.paid * ratio.slack for ratio in self.ratios), ZERO)
        total += sum((multiple * limit.bound for limit, multiple in self.limits), ZERO)
        with working_precision(self.given.bits):
            for used in self.sums:
                charge = used.bounds.charge(used.bound)
                if isinstance(charge, Rational):
                    total += used.use.multiplier * charge
                else:
                    part: Ball = charge * used.use.multiplier
                    enclosed = part if enclosed is None else enclosed + part
        return total, enclosed

    # -- coefficients -------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[Row]:
        """The coefficients, by input."""
        given, rows = self.given, list[Row]()
        is_of_letters = given.frame.sizes is None and given.setting.is_hamming_on_letters
        for x, price in in_time(enumerate(self.prices)):
            p = ZERO if self.law is None else self.law[x]
            if p == 0:
                rows.append(Row(-price))
            elif is_of_letters:
                rows.append(Row(p - price, {x: -price}))
            else:
                rows.append(Row(-price, {y: p * d - price for y, d in enumerate(given.cost[x])}))
        # What right sides gain is added up before e^loss, of many digits, comes in.
        received: dict[Rational, dict[Entry, Rational]] = {}
        for ratio in in_time(self.ratios):
            gained = None if ratio.growth is None else received.setdefault(ratio.growth, {})
            for y, multiple in ratio.multiples.items():
                for x, share in ratio.bound.left.items():
                    rows[x].add(y, multiple * share)
                if gained is not None:
                    for x, share in ratio.bound.right.items():
                        gained[x, y] = gained.get((x, y), ZERO) + multiple * share
        for growth, gained in received.items():
            for (x, y), amount in gained.items():
                rows[x].add(y, -amount * growth)
        for limit, multiple in self.limits:
            for (x, y), coefficient in limit.coefficients.items():
                rows[x].add(y, multiple * coefficient)
        # Many tangents are to the law of the output: on each form slopes are added up first. A form is known by its
        # place in memory, which is its own as long as the form is kept.
        slopes: dict[tuple[int, int, bool], tuple[Mapping[int, Rational], Value]] = {}
        with working_precision(given.bits):
            for used in self.sums:
                if used.use.tangents == "conjugate":
                    continue
                multiple = used.use.multiplier * given.frame.columns
                found = tangents_of(used.bound, used.use.tangents, used.bounds, given.frame.outputs)
                for y, parts in in_time(found):
                    for form, slope in parts:
                        key, part = (id(form), y, isinstance(slope, Rational)), slope * multiple
                        slopes[key] = form, slopes[key][1] + part if key in slopes else part
            for (_, y, _), (form, slope) in in_time(slopes.items()):
                for x, share in form.items():
                    rows[x].add(y, slope * share)
        return rows

    def coefficient(self, x: int, y: int) -> Value:
        """Return the coefficient of an entry."""
        return self.rows[x].own.get(y, self.rows[x].common)

    def rational(self, x: int, y: int) -> Rational:
        """Return the coefficient of an entry in a step without tangents."""
        found = self.coefficient(x, y)
        assert isinstance(found, Rational), "steps with tangents are judged entry by entry"
        return found

    def live(self, x: int, face: Face) -> Iterator[tuple[int | None, Value]]:
        """Yield the coefficients of an input beside what vanishes: of some outputs, and of all the rest as one."""
        row, (is_rest, named) = self.rows[x], face.row(x)
        if not row.own and row.common == 0:
            return  # all are zero, however many outputs vanish
        apart = row.own.keys() | named
        for y in apart:
            if (y in named) == is_rest:
                yield y, row.own.get(y, row.common)
        if not is_rest and len(apart) < self.given.frame.outputs:
            yield None, row.common

    def positive(self, face: Face) -> Face:
        """Return where coefficients are positive, beside what vanishes."""
        found: dict[int, tuple[bool, frozenset[int]]] = {}
        for x, row in in_time(enumerate(self.rows)):
            known = {y for y, value in self.live(x, face) if value > 0}
            if None in known:
                found[x] = True, frozenset(row.own.keys() | face.row(x)[1]) - known
            elif known:
                found[x] = False, frozenset(y for y in known if y is not None)
        return Face(found)

    def column_sums(self, face: Face, term: Callable[[int, Rational], Number], zero: Number) -> list[Number]:
        """Return for each output the sum over inputs of a function of rational coefficients, beside what vanishes."""
        whole, outputs = zero, self.given.frame.outputs
        found = [zero] * outputs
        for x, row in in_time(enumerate(self.rows)):
            is_rest, named = face.row(x)
            apart = row.own.keys() | named
            rest = term(x, row.common) if not is_rest and len(apart) < outputs else zero
            whole += rest
            for y in apart:
                own = term(x, self.rational(x, y)) if (y in named) == is_rest else zero
                found[y] += own - rest
        return [part + whole for part in found]
