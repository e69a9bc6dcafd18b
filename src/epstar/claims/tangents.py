"""Tangents: linear forms that lie below the convex atoms of a sum bound, exactly where that is rational, else as balls.

A convex function that scales with the column lies above its tangent at any place. Those of powers and norms are taken
in units of the bound of their sum, which may itself be out of reach of numbers with few digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epstar.claims.bounds import Bounds, mean_of
from epstar.claims.claim import Places, Shares, Tangents
from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Ball, Rational, Real, ball, working_precision
from epstar.exact.enclosure import bits_taken, times
from epstar.notions.constraints import Atom, Exponential, Form, Maximum, Norm, Power, RelativeEntropy, SumBound

Slope = Rational | Ball
Slopes = Sequence[tuple[Form, Slope]]

LARGEST_EXACT_POWER = 64


def check_output(output: int, outputs: int) -> None:
    """Check that there is such an output."""
    if not 0 <= output < outputs:
        raise ProofRejected(f"There is no output {output}; the outputs are 0 to {outputs - 1}.")


def check_shares(atoms: Sequence[Atom], tangents: Shares, outputs: int) -> None:
    """Check that shares make, for each output, a mixture of entries of the one maximum that a sum is of."""
    if len(atoms) != 1 or not isinstance(atoms[0], Maximum):
        raise ProofRejected("Shares are for the entries of a maximum.")
    total: dict[int, Rational] = {}
    for output, place, share in tangents.entries:
        check_output(output, outputs)
        if share < 0 or place not in atoms[0].weights:
            raise ProofRejected("A share of a maximum is negative, or of an entry that it does not have.")
        total[output] = total.get(output, ZERO) + share
    if any(share > 1 for share in total.values()):
        raise ProofRejected("The shares of one maximum sum to more than one.")


def check_places(atoms: Sequence[Atom], tangents: Places, outputs: int) -> None:
    """Check that smooth atoms are linearised where they have tangents, or left out."""
    if any(isinstance(atom, Maximum) for atom in atoms):
        raise ProofRejected("A maximum is replaced by shares of its entries.")
    atom, table = atoms[0], tangents.table
    rows, length = (outputs, len(atom.weights)) if isinstance(atom, Norm) else (len(atoms), outputs)
    if len(table) != rows or any(len(row) != length for row in table):
        raise ProofRejected("The places of tangents are not one for each atom and output.")
    for row in table:
        given = [place for place in row if place is not None]
        wrong = any(place <= 0 for place in given)
        if isinstance(atom, Norm) and given:
            # Of an order above one a norm has a tangent at any column but zero, and entries may vanish.
            wrong = len(given) < len(row) or min(given) < 0 or (max if atom.order > 1 else min)(given) <= 0
        if wrong:
            raise ProofRejected("A place of a tangent is not positive.")


def tangents_of(bound: SumBound, tangents: Tangents, bounds: Bounds, outputs: int) -> list[tuple[int, Slopes]]:
    """Return for each output forms with slopes that together lie below the sum's share of that output.

    The premises have been checked; a place that is left out needs every entry on its left to vanish, see `left_out`.
    """
    if isinstance(tangents, Shares):
        ((weight, atom),) = bound.terms
        assert isinstance(atom, Maximum)
        return [(y, [(atom.form(x), share * weight * atom.weights[x])]) for y, x, share in tangents.entries]
    assert isinstance(tangents, Places)
    orders = [atom.order for _, atom in bound.terms if isinstance(atom, Power | Norm)]
    bits = bounds.bits + max(map(bits_taken, orders), default=0)
    found: list[tuple[int, Slopes]] = []
    with working_precision(bits):
        for y, weight, atom, row in in_time(_placed(bound, tangents, outputs)):
            places = [place for place in row if place is not None]
            if places and isinstance(atom, Norm):
                found.append((y, _norm_slopes(atom, places, weight, bounds.level, bits)))
            elif places:
                found.append((y, _ratio_slopes(atom, places[0], weight, bound, bounds.level, bits)))
    return found


def left_out(bound: SumBound, tangents: Places, outputs: int) -> Iterator[tuple[int, tuple[Form, ...]]]:
    """Yield the outputs of atoms without a tangent, and forms of which one must vanish for zero to stand in its place.

    An entropy or a power is zero with its left side; a power of an order below one with its right side too.
    """
    for y, _, atom, row in _placed(bound, tangents, outputs):
        if None in row and isinstance(atom, Norm):
            yield y, (mean_of(atom),)
        elif None in row and isinstance(atom, RelativeEntropy | Power):
            below_one = isinstance(atom, Power) and atom.order < 1
            yield y, (atom.left, atom.right) if below_one else (atom.left,)


def _placed(
    bound: SumBound, tangents: Places, outputs: int
) -> Iterator[tuple[int, Rational, Atom, Sequence[Rational | None]]]:
    """Yield each output with each weighted atom and its places: one of a ratio, or of a norm one for each entry."""
    for y in range(outputs):
        for k, (weight, atom) in enumerate(bound.terms):
            yield y, weight, atom, tangents.table[y] if isinstance(atom, Norm) else tangents.table[k][y : y + 1]


def _ratio_slopes(atom: Atom, place: Rational, weight: Rational, bound: SumBound, level: Real, bits: int) -> Slopes:
    if isinstance(atom, RelativeEntropy):
        return [(atom.left, (ball(place).log() + 1) * weight), (atom.right, -place * weight)]
    if not isinstance(atom, Power) or not isinstance(bound.scale, Exponential):
        raise ProofRejected("A place does not fit the term that it linearises.")
    sign, rate = (1 if atom.order > 1 else -1), atom.order - 1
    power = _power(place, rate, times(level, bound.scale.rate), bits)
    return [
        (atom.left, power * (sign * atom.order * weight)),
        (atom.right, power * (sign * (1 - atom.order) * place * weight)),
    ]


def _power(base: Rational, exponent: Rational, unit: Real, bits: int) -> Slope:
    """Return base^exponent / e^unit, exactly where both are rational."""
    if exponent.q == 1 and abs(exponent.p) <= LARGEST_EXACT_POWER and unit.argument_of_log is not None:
        return base ** int(exponent.p) / unit.argument_of_log
    return (ball(base).log() * exponent - unit.enclose(bits)).exp()


def _norm_slopes(atom: Norm, column: Sequence[Rational], weight: Rational, level: Real, bits: int) -> Slopes:
    order, sign = atom.order, (1 if atom.order > 1 else -1)
    exact = order.q == 1 and abs(order.p) <= LARGEST_EXACT_POWER
    powers: list[Slope] = [entry ** int(order.p - 1) if exact else ball(entry) ** ball(order - 1) for entry in column]
    total: Slope = ZERO
    for power, entry, share in zip(powers, column, atom.weights.values(), strict=True):
        total = power * (entry * share) + total
    scale = _root(total, level, order, bits) * (sign * weight)
    return [
        (atom.form(x), scale * power * share) for power, (x, share) in zip(powers, atom.weights.items(), strict=True)
    ]


def _root(total: Slope, level: Real, order: Rational, bits: int) -> Slope:
    """Return (total * e^level)^((1 - order) / order): the factor of a norm's gradient, in units of its bound."""
    if isinstance(total, Rational) and level.argument_of_log is not None and order.q == 1:
        base, degree = total * level.argument_of_log, int(order.p)
        root = Rational(base.p.root(degree), base.q.root(degree))
        if root**degree == base:
            return root ** (1 - degree)
    logarithm = (ball(total) if isinstance(total, Rational) else total).log()
    return ((logarithm + level.enclose(bits)) * ball((1 - order) / order)).exp()
