"""What an answer excludes, for Coq: multiples of inequalities, and the distributions that they are read at."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.claims import Excluded, Setting
from epstar.claims.claim import bits_of, mixed
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import times
from epstar.export import CHECK
from epstar.export.expanded import expanded
from epstar.export.gallina import (
    SPARE_BITS,
    denominator_of,
    level_of,
    listed,
    name_of,
    number,
    pairs,
    precision,
    rational,
    vector,
)
from epstar.export.powers import contradicts
from epstar.export.question import notion_in_coq
from epstar.export.steps import PlainStep, Point, PowerPlace, rounded
from epstar.source import Finite, Hull, Prior, Source


def excluded_in_coq(setting: Setting, claim: Excluded | None) -> tuple[str, str] | None:
    """Return what is excluded, and its proof; None where nothing is that needs one.

    Raises:
        InvalidInput: if the proof has no form that the theory knows.
    """
    if claim is None or not (claim.steps or claim.rows):
        return None
    proof, bits, loss = expanded(setting, claim), bits_of(claim.digits), claim.loss
    steps = proof.steps
    rates = {ratio.rate for step in steps for ratio in step.ratios} | {
        one.rate for step in steps for one in step.powers
    }
    if any(step.maxima for step in steps) or notion_in_coq(setting.notion).startswith("local_information_privacy"):
        rates.add(ONE)
    growths = [] if loss.is_infinite else [(rate, _above_exponential(loss, rate, bits)) for rate in sorted(rates)]
    # What comes before a last step, and an infinite loss, concern zeros alone.
    is_weighed = len(steps) == 1 and steps[0].powers and not steps[0].ratios and not loss.is_infinite
    if is_weighed and not contradicts(setting, claim, proof, dict(growths)):
        raise InvalidInput(f"The proof is exact by roots of numbers, which Coq's fractions only approach; {CHECK}")
    above = ZERO
    if not loss.is_infinite:
        above = loss.rational if loss.rational is not None else rounded(loss.above(bits), bits, True)
    points = [_named_point(setting, mixture) for mixture in proof.points]
    written = ";\n    ".join(_step(step, setting.source) for step in steps)
    written_bits = bits + (SPARE_BITS if any(step.powers for step in steps) else 0)
    certificate = (
        f"{{| enclosed := {precision(written_bits)}; growths := {pairs(growths)}; above := {number(above)};\n"
        f"  points := [{'; '.join(points)}];\n  steps := [\n    {written}] |}}"
    )
    level = level_of(loss)
    if claim.open == "loss":
        kind, said = "below", f"no_loss_below question {level}"
        if not claim.distortion.is_infinite:
            kind, said = "loss", f"no_smaller_loss question {level} {number(rational(claim.distortion))}"
    elif claim.loss.is_infinite:
        kind, said = "cost", f"no_smaller_distortion question Infinite {number(rational(claim.distortion))}"
    elif claim.distortion.is_infinite:
        kind, said = "mechanism", f"no_mechanism question {level}"
    else:
        kind, said = "distortion", f"no_smaller_distortion question {level} {number(rational(claim.distortion))}"
    places = "_ _" if kind in ("mechanism", "cost", "below") else "_ _ _"
    return said, f"apply (excluded_{kind}_sound {places}\n  {certificate}); by_computation."


def _step(step: PlainStep, source: Source) -> str:
    laws = listed(f"({number(w)}, {_named(((ONE, law),), source)})" for w, law in step.laws)
    scale = denominator_of(m for ratio in step.ratios for m in ratio.multiples.values())
    ratios = listed(
        f"({name_of(ratio.name)}, {listed(f'({y}%nat, {number(m, scale)})' for y, m in ratio.multiples.items())})"
        for ratio in step.ratios
    )
    maxima = listed(
        f"({name_of(one.name)}, {number(one.multiplier)}, "
        + listed(listed(f"({x}%nat, {number(share)})" for x, share in column) for column in one.shares)
        + ")"
        for one in step.maxima
    )
    entropies = listed(
        f"({name_of(one.name)}, {number(one.multiplier)}, "
        + listed(
            listed("None" if place is None else f"Some ({number(place[0])}, {number(place[1])})" for place in column)
            for column in one.places
        )
        + ")"
        for one in step.entropies
    )
    multiple = denominator_of(one.multiplier for one in step.powers)
    powers = listed(
        f"({name_of(one.name)}, {number(one.multiplier, multiple)},\n      {_tangents(one.places)})"
        for one in step.powers
    )
    return (
        f"{{| laws := {laws};\n      ratios := {ratios};\n      maxima := {maxima};\n"
        f"      entropy_sums := {entropies};\n      power_sums := {powers};\n      prices := {vector(step.rows)} |}}"
    )


def _tangents(places: Sequence[Sequence[PowerPlace]]) -> str:
    """Return places of tangents, their numbers over one denominator."""
    given = [place for column in places for place in column if place is not None]
    scale = denominator_of(value for place in given for value in place[1:])

    def written(place: PowerPlace) -> str:
        if place is None:
            return "None"
        return f"Some ({level_of(place[0])}, {number(place[1], scale)}, {number(place[2], scale)})"

    return listed(listed(map(written, column)) for column in places)


def _named_point(setting: Setting, mixture: Sequence[tuple[Rational, Point]]) -> str:
    if setting.notion.name == "capacity":
        return f"Explicit {vector(mixed(mixture))}"
    return _named(mixture, setting.source)


def _named(mixture: Sequence[tuple[Rational, Point]], source: Source) -> str:
    """Return how a proof in Coq names a mixture of members of a source."""
    match source:
        case Prior():
            return "Listed 0"
        case Finite():
            return f"Listed {_position(mixture[0][1], source.points)}"
        case Hull():
            weights = [ZERO] * source.count
            for weight, member in mixture:
                weights[_position(member, source.points)] += weight
            return f"Mixed {vector(weights)}"
    return f"Explicit {vector(mixed(mixture))}"


def _position(member: Point, listed: Sequence[Point]) -> int:
    for position, point in enumerate(listed):
        if tuple(point) == tuple(member):
            return position
    raise InvalidInput(
        f"The proof uses a distribution that the source does not list, which no exported file can say; {CHECK}"
    )


def _above_exponential(loss: Real, rate: Rational, bits: int) -> Rational:
    return Real.exp(times(loss, rate)).above(bits)
