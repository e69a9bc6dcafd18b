"""What an answer attains, for Coq: the mechanism, and the numbers without which the checker of theory/ would search."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.claims import Attained, Setting
from epstar.claims.claim import bits_of
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.export import CHECK
from epstar.export.duality import likeliest, multipliers
from epstar.export.gallina import level_of, listed, matrix, number, pairs, precision, rational, vector
from epstar.export.question import notion_in_coq
from epstar.export.steps import Point
from epstar.mechanism import AnyMechanism, ProductMechanism
from epstar.mechanism.product import Block
from epstar.notions.base import Notion
from epstar.source import Finite, Hull, Prior
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
    under = ZERO
    if not loss.is_infinite:
        factors = [(rate, _below_exponential(loss, rate, bits)) for rate in _rates(setting)]
        under = loss.rational if loss.rational is not None else loss.below(bits)
    compared = [] if loss.is_infinite else _compared(setting, claim, rows, bits)
    is_listed = isinstance(setting.source, Prior | Finite)
    shares = () if is_listed or setting.notion.name != "min_entropy_leakage" else likeliest(setting.source)
    factor = dict(factors).get(ONE, ONE)
    divergences = tuple(dot(row, logs) for row, logs in zip(rows, compared[0][1], strict=True)) if compared else ()
    if not loss.is_infinite:
        _check_region(setting, rows, shares, factor, max(divergences, default=ZERO) > under)
    duals = multipliers(setting, rows, factor, shares, divergences)
    written = [f"({vector(law)},\n  {matrix(logs)})" for law, logs in compared]
    return (
        f"{{| exact := {precision(bits, loss)}; factors := {pairs(factors)}; under := {number(under)};\n"
        f"  duals := {listed(map(vector, duals))};"
        f" likeliest := {listed(f'({number(w)}, {k}%nat)' for w, k in shares)};\n"
        f"  compared := {listed(written)} |}}"
    )


def _check_region(
    setting: Setting, rows: Sequence[Point], shares: Sequence[tuple[Rational, int]], factor: Rational, diverges: bool
) -> None:
    """Raise where the loss over a region of distributions is worst at corners, which the theory does not list.

    `diverges` says that some row lies further from the least probabilities of the outputs than the loss allows.
    """
    is_listed = isinstance(setting.source, Prior | Finite | Hull)
    has_slack = notion_in_coq(setting.notion).startswith("local_information_privacy") and _delta(setting.notion) > 0
    guessed = ZERO
    for column in zip(*rows, strict=True) if shares else ():
        guessed += max(q * weight for q, (weight, _) in zip(column, shares, strict=True))
    is_worse = (
        setting.notion.name == "pointwise_leakage" and diverges and not isinstance(setting.source, Prior | Finite)
    )
    if (has_slack and not is_listed) or guessed > factor or is_worse:
        raise InvalidInput(f"The theory cannot bound this loss over a region of distributions; {CHECK}")


def _delta(notion: Notion) -> Rational:
    return rational(notion.parameters().get("delta", 0))


def _compared(
    setting: Setting, claim: Attained, rows: Sequence[Point], bits: int
) -> list[tuple[Point, tuple[Point, ...]]]:
    """Return laws of the output, with numbers above the logarithms of ratios to them, where the notion needs them."""
    source, name = setting.source, notion_in_coq(setting.notion)
    if name not in ("mutual_information", "capacity", "pointwise_leakage"):
        return []
    laws: list[Point] = []
    if name != "capacity" and isinstance(source, Prior | Finite):
        members = [source.probabilities] if isinstance(source, Prior) else list(source.points)
        laws = [_output(member, rows) for member in members]
    elif name == "pointwise_leakage":
        columns = list(zip(*rows, strict=True))
        laws = [tuple(source.minimum(column).value for column in columns)]
    elif claim.hints.output is not None:
        laws = [claim.hints.output]
    elif isinstance(source, Hull):  # of one distribution
        laws = [_output(source.points[0], rows)]
    else:
        raise InvalidInput(f"The proof names no distribution of the outputs; {CHECK}")
    return [
        (
            law,
            tuple(
                tuple(_log_above(q / r, bits) if q > 0 and r > 0 else ZERO for q, r in zip(row, law, strict=True))
                for row in rows
            ),
        )
        for law in laws
    ]


def _output(law: Point, rows: Sequence[Point]) -> Point:
    return tuple(sum((p * row[y] for p, row in zip(law, rows, strict=True)), ZERO) for y in range(len(rows[0])))


def _log_above(ratio: Rational, bits: int) -> Rational:
    return ZERO if ratio == 1 else Real.log(ratio).above(bits)


def _rates(setting: Setting) -> list[Rational]:
    universe = setting.universe
    rates = {ONE}
    if isinstance(universe, Metric):
        rates |= {d for row in universe.matrix for d in row if d is not None and d > 0}
    return sorted(rates)


def _below_exponential(loss: Real, rate: Rational, bits: int) -> Rational:
    return Real.exp(loss * rate if rate != 1 else loss).below(bits)
