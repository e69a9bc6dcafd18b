"""What an answer attains, for Coq: the mechanism, and the numbers without which the checker of theory/ would search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.claims import Attained, Setting
from epstar.claims.claim import bits_of
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.enclosure import times
from epstar.export import CHECK
from epstar.export.cells import Cells, by_the_likeliest
from epstar.export.duality import likeliest, multipliers
from epstar.export.gallina import level_of, listed, matrix, number, pairs, precision, rational, vector
from epstar.export.logarithms import Logarithms
from epstar.export.powers import beside_powers, best_output, digits_to_try, from_one
from epstar.export.question import notion_in_coq
from epstar.export.steps import Point
from epstar.mechanism import AnyMechanism, ProductMechanism
from epstar.mechanism.product import Block
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.pairs import ordered_pairs
from epstar.source import Finite, Hull, Prior, Source
from epstar.universe import Metric


def attained_in_coq(setting: Setting, claim: Attained | None) -> tuple[str, str] | None:
    """Return what is attained, and its proof.

    Raises:
        InvalidInput: if the theory cannot bound the loss of the mechanism.
    """
    if claim is None:
        return None
    rows = _mechanism(claim).dense().rows
    hints = _hints(setting, claim, rows)
    if claim.distortion.is_infinite:
        return (
            f"some_mechanism question {level_of(claim.loss)}",
            f"apply (some_mechanism_sound _ _ {hints} {matrix(rows)}); by_computation.",
        )
    allowed = claim.distortion.rational
    assert allowed is not None
    return (
        f"attained question {level_of(claim.loss)} {number(allowed)}",
        f"apply (attained_sound _ _ _ {hints}\n  {matrix(rows)}); by_computation.",
    )


def _mechanism(claim: Attained) -> AnyMechanism:
    if claim.mechanism is not None:
        return claim.mechanism
    return ProductMechanism([Block(_mechanism(part), count) for _, part, count in claim.rows])


def _hints(setting: Setting, claim: Attained, rows: Sequence[Point]) -> str:
    loss, bits = claim.loss, bits_of(claim.digits)
    factors: list[tuple[Rational, Rational]] = []
    logs, found = Logarithms(Real.of(ZERO), bits), _Bounded()
    if not loss.is_infinite:
        factors = [(rate, _below_exponential(loss, rate, bits)) for rate in _rates(setting)]
        logs, found = _measured(setting, claim, rows, dict(factors))
    divergences = _totals(rows, found.compared[0][1]) if found.compared and found.compared[0][0] else ()
    order = _order(setting.notion)
    if order is not None and order < 1:
        divergences = tuple(-total for total in divergences)
    factor = dict(factors).get(ONE, ONE)
    duals = multipliers(setting, rows, factor, found.shares, divergences)
    written = [f"({vector(law)},\n  {matrix(numbers)})" for law, numbers in found.compared]
    return (
        f"{{| exact := {precision(bits)}; factors := {pairs(factors)};\n"
        f"  in_levels := {str(logs.in_levels).lower()}; under := {number(logs.under)};\n"
        f"  duals := {listed(map(vector, duals))};"
        f" likeliest := {listed(f'({number(w)}, {k}%nat)' for w, k in found.shares)};\n"
        f"  cells := {'None' if found.cells is None else f'Some {found.cells}'}; corners := {matrix(found.corners)};\n"
        f"  compared := {listed(written)} |}}"
    )


Compared = tuple[Point, tuple[Point, ...]]
"""A law of the output, and numbers beside the logarithms (or powers) of ratios to it, a row for each input."""


@dataclass(frozen=True)
class _Bounded:
    """Why a loss is small under every distribution of a source: what theory/Attained.v asks for beside a mechanism."""

    compared: Sequence[Compared] = ()
    shares: Sequence[tuple[Rational, int]] = ()
    cells: str | None = None
    corners: Sequence[Point] = ()


def _measured(
    setting: Setting, claim: Attained, rows: Sequence[Point], factors: dict[Rational, Rational]
) -> tuple[Logarithms, _Bounded]:
    """Return why the loss is small, with logarithms in decimals, or in levels where rounding would hide it."""
    decimals = Logarithms(claim.loss, bits_of(claim.digits))
    found = _bounded(setting, claim, rows, factors, decimals)
    if _fits(setting, rows, found, decimals):
        return decimals, found
    if claim.loss.argument_of_log is not None:
        levels = Logarithms(claim.loss, decimals.bits, True)
        found = _bounded(setting, claim, rows, factors, levels)
        if _fits(setting, rows, found, levels):
            return levels, found
    raise InvalidInput(f"The loss is as large as is claimed, and rounding hides that it is no larger; {CHECK}")


def _fits(setting: Setting, rows: Sequence[Point], found: _Bounded, logs: Logarithms) -> bool:
    """Return whether logarithms, where the notion adds them up, are at most the loss."""
    name, source = notion_in_coq(setting.notion), setting.source
    totals = [_totals(rows, numbers) for law, numbers in found.compared if law]
    if name == "mutual_information":
        members: list[Source] = [Prior(point) for point in source.points] if isinstance(source, Finite) else [source]
        worst = (member.maximum(total).value for member, total in zip(members, totals, strict=True))
        return all(value <= logs.under for value in worst)
    if name in ("capacity", "pointwise_leakage"):
        return max(map(max, totals)) <= logs.under
    if _order(setting.notion) == 1:
        numbers = [row for _, row in found.compared]
        pairs = ordered_pairs(setting.universe)
        return all(dot(rows[x], numbers[x][other]) <= logs.under * distance for x, other, distance in pairs)
    return True


def _bounded(
    setting: Setting, claim: Attained, rows: Sequence[Point], factors: dict[Rational, Rational], logs: Logarithms
) -> _Bounded:
    """Return the distributions of the output that rows are compared with; over a region also its cells, if need be."""
    source, name = setting.source, notion_in_coq(setting.notion)
    if not isinstance(source, Prior | Finite):
        if name == "min_entropy_leakage":
            shares = likeliest(source)
            columns = zip(*rows, strict=True)
            most = sum((max(q * w for q, (w, _) in zip(column, shares, strict=True)) for column in columns), ZERO)
            judge = by_the_likeliest(rows, factors[ONE])
            return _Bounded(shares=shares) if most <= factors[ONE] else _Bounded(cells=Cells(source, judge).tree())
        if name.startswith("local_information_privacy") and rational(setting.notion.parameters().get("delta", 0)) > 0:
            return _Bounded(cells=Cells(source).tree())
        if name == "pointwise_leakage":
            columns = zip(*rows, strict=True)
            least = tuple(source.minimum(column).value for column in columns)
            numbers = tuple(logs.of(row, least) for row in rows)
            is_reached = all(r > 0 or not any(column) for r, column in zip(least, zip(*rows, strict=True), strict=True))
            if is_reached and max(_totals(rows, numbers)) <= logs.under:
                return _Bounded([(least, numbers)])
            cells = Cells(source)
            tree, outputs = cells.tree(), [_output(corner, rows) for corner in cells.corners]
            compared = [(law, tuple(logs.of(row, law) for row in rows)) for law in outputs]
            return _Bounded(compared, cells=tree, corners=tuple(cells.corners))
    return _Bounded(_compared(setting, claim, rows, factors, logs))


def _compared(
    setting: Setting, claim: Attained, rows: Sequence[Point], factors: dict[Rational, Rational], logs: Logarithms
) -> list[Compared]:
    """Return laws of the output, with numbers beside the ratios of rows to them, where the notion needs them."""
    source, name, order, bits = setting.source, notion_in_coq(setting.notion), _order(setting.notion), logs.bits
    if isinstance(setting.notion, RenyiDifferentialPrivacy) and order is not None:
        return _rows_compared(setting, order, rows, factors, logs)
    if order is None and name not in ("mutual_information", "capacity", "pointwise_leakage"):
        return []
    laws: list[Point] = []
    members: list[Source] = [source]
    if name != "capacity" and isinstance(source, Prior | Finite):
        points = [source.probabilities] if isinstance(source, Prior) else list(source.points)
        members = [Prior(point) for point in points]
        laws = [_output(one, rows) if order is None else best_output(one, rows, order, bits) for one in points]
    elif claim.hints.output is not None:
        laws = [claim.hints.output]
    else:
        # A hull of one distribution, or a mechanism of rows, of whose outputs the claim says nothing.
        one = source.points[0] if isinstance(source, Hull) else source.uniform
        laws = [_output(one, rows) if order is None else best_output(one, rows, order, bits)]
    if order is not None:
        rate = factors[from_one(order)]
        return [(law, _powers(member, law, order, rows, rate, bits)) for law, member in zip(laws, members, strict=True)]
    return [(law, tuple(logs.of(row, law) for row in rows)) for law in laws]


def _totals(rows: Sequence[Point], numbers: Sequence[Point]) -> Point:
    return tuple(dot(row, ones) for row, ones in zip(rows, numbers, strict=True))


def _powers(
    source: Source, law: Point, order: Rational, rows: Sequence[Point], factor: Rational, bits: int
) -> tuple[Point, ...]:
    """Return numbers beside powers of ratios to a law that prove an information small, as few digits as will do."""
    for digits in digits_to_try(order, bits):
        found = tuple(beside_powers(row, law, order, digits) for row in rows)
        totals = _totals(rows, found)
        if source.maximum(totals).value <= factor if order > 1 else source.minimum(totals).value * factor >= 1:
            return found
    raise InvalidInput(f"The theory cannot bound this information; {CHECK}")


def _rows_compared(
    setting: Setting, order: Rational, rows: Sequence[Point], factors: dict[Rational, Rational], logs: Logarithms
) -> list[Compared]:
    """Return for each row numbers beside its ratios to every other that prove its divergences small."""
    found: list[list[Point]] = [[() for _ in rows] for _ in rows]
    for x, other, distance in ordered_pairs(setting.universe):
        if order == 1:
            found[x][other] = logs.of(rows[x], rows[other])
        else:
            found[x][other] = _pair(rows[x], rows[other], order, factors[from_one(order) * distance], logs.bits)
    return [((), tuple(numbers)) for numbers in found]


def _pair(row: Point, other: Point, order: Rational, factor: Rational, bits: int) -> Point:
    for digits in digits_to_try(order, bits):
        numbers = beside_powers(row, other, order, digits)
        if dot(row, numbers) <= factor if order > 1 else dot(row, numbers) * factor >= 1:
            return numbers
    raise InvalidInput(f"The theory cannot bound this divergence; {CHECK}")


def _order(notion: Notion) -> Rational | None:
    """Return the order of a notion of powers; of Rényi's divergences also order one."""
    if isinstance(notion, RenyiDifferentialPrivacy | SibsonMutualInformation) and not isinstance(notion.order, float):
        is_entropy = isinstance(notion, SibsonMutualInformation) and notion.order == 1
        return None if is_entropy else notion.order
    return None


def _output(law: Point, rows: Sequence[Point]) -> Point:
    return tuple(sum((p * row[y] for p, row in zip(law, rows, strict=True)), ZERO) for y in range(len(rows[0])))


def _rates(setting: Setting) -> list[Rational]:
    universe, order = setting.universe, _order(setting.notion)
    distances = {ONE}
    if isinstance(universe, Metric):
        distances |= {d for row in universe.matrix for d in row if d is not None and d > 0}
    if order is None:
        return sorted(distances)
    if isinstance(setting.notion, SibsonMutualInformation):
        return [from_one(order)]
    return sorted({from_one(order) * d for d in distances})


def _below_exponential(loss: Real, rate: Rational, bits: int) -> Rational:
    return Real.exp(times(loss, rate)).below(bits)
