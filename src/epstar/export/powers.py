"""Numbers beside powers, for Coq: places of tangents, and bounds on terms of divergences of an order other than one.

For an order p/q with small p and q Coq compares powers of integers: b <= r^(p/q) where b^q <= r^p. For other orders it
encloses exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from epstar.claims.bounds import Bounds
from epstar.claims.claim import Excluded, Places, Setting, mixed
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.exact.enclosure import of_order, power
from epstar.export.gallina import SPARE_BITS, rational
from epstar.export.steps import PlainPowers, Point, PowerPlace, Proof, rounded
from epstar.notions.constraints import Exponential, Norm, Power, SumBound

# Integers are raised to such powers by the kernel; with larger ones exponentials cost less.
_LARGEST_POWER = 8


def from_one(order: Rational) -> Rational:
    """Return how far an order lies from one."""
    return abs(order - 1)


def rate_of(bound: SumBound) -> Rational:
    """Return the rate at which the bound of a sum of powers grows, or falls, with the loss."""
    assert isinstance(bound.scale, Exponential)
    return abs(bound.scale.rate)


class Tangents:
    """The tangents of a sum of powers, or of norms, at places of a claim.

    Where the claim is exact (whole orders, the loss a logarithm) they are; else numbers are rounded to a common power
    of two, so that Coq adds them up without a product of denominators.
    """

    def __init__(self, bound: SumBound, bounds: Bounds) -> None:
        ((_, atom),) = bound.terms
        assert isinstance(atom, Power | Norm)
        self.bound, self.bounds, self.atom, self.order = bound, bounds, atom, atom.order
        self.bits = bounds.bits + SPARE_BITS
        self.is_small = max(atom.order.p, atom.order.q) <= _LARGEST_POWER
        self.is_exact = self.is_small and atom.order.q == 1 and bounds.level.argument_of_log is not None

    def multiplier(self, given: Rational) -> Rational:
        """Return the multiple of the sum whose multiple in units of its bound is given."""
        if self.bounds.level.is_infinite:
            return given
        growth = self.bounds.growth(rate_of(self.bound))
        found = given / growth if self.order > 1 else given * growth
        return found if self.is_exact else rounded(found, self.bits, False)

    def places(self, used: Places, inputs: int, outputs: int) -> tuple[tuple[PowerPlace, ...], ...]:
        """Return for each output its places: one for powers of two rows, one for each input for norms."""
        if isinstance(self.atom, Power):
            return tuple((self._place(used.table[0][y]),) for y in range(outputs))
        return tuple(self._of_norm(self.atom, used.table[y], inputs) for y in range(outputs))

    def _place(self, ratio: Rational | None) -> PowerPlace:
        if ratio is None:
            return None
        if self.is_small:
            return self._powers(ratio, self.is_exact)
        return self._enclosed(rounded(Real.log(ratio).below(self.bits), self.bits, False) if ratio != 1 else ZERO)

    def _powers(self, ratio: Rational, exactly: bool) -> PowerPlace:
        """Return a place by itself, with its powers."""
        order = self.order
        if exactly:
            return Real.log(ratio), ratio ** int(order.p - 1), ratio ** int(order.p)
        first, second = (of_order(order, partial(power, ratio, to)) for to in (order - 1, order))
        return Real.log(ratio), self._near(first, order < 1), self._near(second, True)

    def _enclosed(self, logarithm: Rational) -> PowerPlace:
        """Return a place by its logarithm, with its powers."""
        first, second = (Real.exp(logarithm * to) for to in (self.order - 1, self.order))
        return Real.of(logarithm), self._near(first, self.order < 1), self._near(second, True)

    def _near(self, value: Real, is_above: bool) -> Rational:
        return rounded(value.above(self.bits) if is_above else value.below(self.bits), self.bits, is_above)

    def _of_norm(self, atom: Norm, column: Sequence[Rational | None], inputs: int) -> tuple[PowerPlace, ...]:
        """Return the places c / C of a column c: the sum of their powers of the order, weighted, is at most one."""
        found: list[PowerPlace] = [None] * inputs
        if None in column:
            return tuple(found)
        weights = list(atom.weights.items())
        entries = [entry for entry in column if entry is not None]
        norm = _exact_norm(atom, entries) if self.is_exact else None
        # Lowered by so much, the numbers above their powers still sum to at most one.
        room = Rational(1, 1 << (self.bits - 16))
        for (x, _), entry in zip(weights, entries, strict=True):
            if entry == 0:
                continue
            if norm is not None:
                found[x] = self._powers(entry / norm, True)
                continue
            logarithm = of_order(self.order, partial(_log_of_share, entry, entries, weights, self.order))
            if self.is_small:
                share = Real.computed(lambda value: value.exp(), logarithm).below(self.bits) * (1 - room)
                near = rounded(share, self.bits, False)
                # What is too small to write is left out: nothing is a tangent too.
                found[x] = self._powers(near, False) if near > 0 else None
            else:
                found[x] = self._enclosed(rounded(logarithm.below(self.bits) - room, self.bits, False))
        return tuple(found)


def _exact_norm(atom: Norm, entries: Sequence[Rational]) -> Rational | None:
    """Return the norm of a column where it is a fraction."""
    order = atom.order
    if order.q != 1 or order > _LARGEST_POWER:
        return None
    degree = int(order.p)
    total = sum((w * c**degree for w, c in zip(atom.weights.values(), entries, strict=True)), ZERO)
    root = Rational(total.p.root(degree), total.q.root(degree))
    return root if root**degree == total else None


def _log_of_share(
    entry: Rational, entries: Sequence[Rational], weights: Sequence[tuple[int, Rational]], order: Rational
) -> Ball:
    total = Ball(0)
    for other, (_, weight) in zip(entries, weights, strict=True):
        if other != 0:
            total += power(other / entry, order) * weight
    return -total.log() / order


def beside_powers(row: Point, law: Point, order: Rational, bits: int) -> Point:
    """Return numbers beside (q / r)^(order - 1): above them for orders above one, below them for others."""
    return tuple(
        ZERO if q == 0 or r == 0 else _beside(q / r, order - 1, bits, order > 1) for q, r in zip(row, law, strict=True)
    )


def _beside(ratio: Rational, exponent: Rational, bits: int, is_above: bool) -> Rational:
    if bits == 0:  # exactly
        return ratio ** int(exponent.p)
    value = Real.from_ball(lambda _: power(ratio, exponent))
    return value.above(bits) if is_above else value.below(bits)


def digits_to_try(order: Rational, bits: int) -> tuple[int, ...]:
    """Return with how many bits terms of divergences are rounded, fewest first; 0 stands for no rounding."""
    return (64, 128, bits + SPARE_BITS, *((0,) if order.q == 1 and order <= _LARGEST_POWER else ()))


def best_output(law: Point, rows: Sequence[Point], order: Rational, bits: int) -> Point:
    """Return the law of the output from which the rows are nearest: powers of norms of columns, in proportion."""
    columns = list(zip(*rows, strict=True))
    possible = {row for p, row in zip(law, rows, strict=True) if p > 0}
    alike = possible.pop() if len(possible) == 1 else _exact_output(law, columns, order)
    if alike is not None:
        return alike
    sizes = [_norm_near(law, column, order, bits) for column in columns]
    scale = 1 << bits
    total = sum(sizes, ZERO)
    tickets = [int((size / total * scale).floor()) for size in sizes]
    tickets[max(range(len(sizes)), key=lambda y: tickets[y])] += scale - sum(tickets)
    return tuple(Rational(ticket, scale) for ticket in tickets)


def _exact_output(law: Point, columns: Sequence[Point], order: Rational) -> Point | None:
    if order.q != 1 or order > _LARGEST_POWER:
        return None
    norms = [_exact_norm(Norm(dict(enumerate(law)), order), column) for column in columns]
    powers = [sum((p * q ** int(order.p) for p, q in zip(law, column, strict=True)), ZERO) for column in columns]
    if None in norms:
        if len({one for one in powers if one != 0}) != 1:
            return None
        norms = [ONE if one != 0 else ZERO for one in powers]
    known = [norm for norm in norms if norm is not None]
    total = sum(known, ZERO)
    return tuple(norm / total for norm in known)


def _norm_near(law: Point, column: Point, order: Rational, bits: int) -> Rational:
    used = [(p, q) for p, q in zip(law, column, strict=True) if p != 0 and q != 0]
    if not used:
        return ZERO

    def enclose() -> Ball:
        total = Ball(0)
        for p, q in used:
            total += power(q, order) * p
        return (total.log() / order).exp()

    return of_order(order, enclose).below(bits)


def contradicts(setting: Setting, claim: Excluded, proof: Proof, growths: dict[Rational, Rational]) -> bool:
    """Return whether one step of distortions, powers and rows is a contradiction in the numbers that Coq gets.

    A proof that is exact may need roots, which fractions approach and do not reach.
    """
    (step,) = proof.steps
    inputs, outputs = setting.distortion.shape(setting.universe)
    cost = setting.distortion.matrix(setting.universe)
    order = rational(setting.notion.parameters()["order"])
    sign = ONE if order > 1 else -ONE
    prices = step.rows or (ZERO,) * inputs
    found = [[-prices[x]] * outputs for x in range(inputs)]
    total = -sum(prices, ZERO)
    for weight, law in step.laws:
        total += weight * rational(claim.distortion)
        for x, p in enumerate(law):
            found[x] = [value + weight * p * d for value, d in zip(found[x], cost[x], strict=True)]
    for one in step.powers:
        growth = growths[one.rate]
        total += sign * one.multiplier * (growth if order > 1 else 1 / growth)
        for x, p in _coefficients(proof, one, order).items():
            for y, column in enumerate(one.places):
                place = column[x if proof.points else 0]
                if place is not None:
                    number = place[2] if not proof.points and x == one.name[1] else place[1]
                    found[x][y] += sign * one.multiplier * p * number
    is_strict = any(weight > 0 for weight, _ in step.laws) if claim.open == "distortion" else bool(step.powers)
    return min(map(min, found)) >= 0 and (total < 0 or (total == 0 and is_strict))


def _coefficients(proof: Proof, one: PlainPowers, order: Rational) -> dict[int, Rational]:
    """Return by what the numbers at the places of a sum are multiplied: of norms, or of powers of two rows."""
    if proof.points:
        return dict(enumerate(mixed(proof.points[one.name[0]])))
    x, other = one.name
    return {x: order, other: 1 - order}
