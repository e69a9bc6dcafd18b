"""An answer as a theorem about mechanisms that Coq proves by computation (theory/ has the definitions and the rule).

The file states the question and the theorem first; the mechanism and the multiples, which nobody reads, come after.
Where e^loss is no fraction it is enclosed by fractions, and Coq proves that they enclose it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from epstar.claims import Attained, Bracket, Excluded, Setting, check
from epstar.claims.claim import mixed
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.export.duality import likeliest, multipliers
from epstar.export.expanded import PlainStep, Point, expanded
from epstar.notions.base import Notion
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

# The kernel of Coq writes out every entry; more of them take longer than anybody waits.
MOST_ENTRIES = 10_000

_HEADER = """\
(* {title}

   The question and what is proven of it stand first, in the words of theory/Mechanisms.v. What follows the word
   "Proof" is a mechanism and multiples of inequalities: Coq computes with them, and nobody need read them. *)

From Epstar Require Import Epstar.
Open Scope Q_scope.

Definition question : problem := {{|
  notion := {notion};
  inputs := {inputs};
  outputs := {outputs};
  distance := {distance};
  source := {source};
  cost := {cost}
|}}.

"""


def to_coq(claims: Bracket) -> str:
    """Return a Coq file that states the claims of an answer as a theorem, and proves it.

    Raises:
        InvalidInput: if the theory does not have the notion, the source or the kind of proof.
    """
    setting = claims.setting
    inputs, outputs = setting.distortion.shape(setting.universe)
    if inputs * outputs > MOST_ENTRIES:
        raise InvalidInput(
            f"The question has {inputs} inputs and {outputs} outputs, too many for Coq; `epstar check` checks it."
        )
    check(claims)
    parts = [_attained(setting, claims.attained), _excluded(setting, claims.excluded)]
    told = [part for part in parts if part is not None]
    if not told:
        raise InvalidInput("The answer claims nothing that needs a proof; no loss is below zero.")
    statement = " /\\\n  ".join(sentence for sentence, _ in told)
    proofs = "\n".join(f"- {proof}" for _, proof in told) if len(told) > 1 else told[0][1]
    split = "split.\n" if len(told) > 1 else ""
    return (
        _header(setting, inputs, outputs)
        + f"Theorem answer :\n  {statement}.\nProof.\n{split}{proofs}\nQed.\n\nPrint Assumptions answer.\n"
    )


def _header(setting: Setting, inputs: int, outputs: int) -> str:
    return _HEADER.format(
        title=f"An answer of epstar: {setting.notion.title}, {inputs} inputs, {outputs} outputs.",
        notion=_notion(setting.notion),
        inputs=inputs,
        outputs=outputs,
        distance=_distance(setting.universe),
        source=_source(setting.source),
        cost=_cost(setting),
    )


def _notion(notion: Notion) -> str:
    parameters = notion.parameters()
    order = str(parameters.get("order", ""))
    if notion.name in ("renyi_differential_privacy", "sibson_mutual_information"):
        same = {
            ("renyi_differential_privacy", "infinity"): "differential_privacy",
            ("sibson_mutual_information", "infinity"): "maximal_leakage",
            ("sibson_mutual_information", "1"): "mutual_information",
        }.get((notion.name, order))
        if same is None:
            raise InvalidInput(f"The theory has no {notion.title} of order {order}; `epstar check` checks the answer.")
        return same
    if notion.name not in _KNOWN:
        raise InvalidInput(f"The theory has no {notion.title}; `epstar check` checks the answer.")
    if "delta" not in parameters:
        return notion.name if notion.name != "local_information_privacy" else f"{notion.name} 0"
    prefix = "pointwise_" if parameters.get("reading") == "pointwise" else ""
    return f"{prefix}{notion.name} {_number(_rational(parameters['delta']))}"


_KNOWN = {
    "differential_privacy",
    "approximate_differential_privacy",
    "identifiability",
    "maximal_information",
    "local_information_privacy",
    "maximal_leakage",
    "min_entropy_leakage",
    "min_entropy_capacity",
    "mutual_information",
    "capacity",
    "pointwise_leakage",
}


def _rational(value: object) -> Rational:
    found = Real.of(value).rational
    assert found is not None
    return found


def _distance(universe: Universe) -> str:
    if isinstance(universe, Alphabet):
        return "alphabet"
    if isinstance(universe, Databases):
        return f"databases {universe.alphabet.size} {universe.rows}"
    if isinstance(universe, Graph):
        return "graph [" + "; ".join(f"({a}, {b})" for a, b in universe.edges) + "]%nat"
    if isinstance(universe, Metric):
        rows = ("; ".join("None" if d is None else f"Some {_number(d)}" for d in row) for row in universe.matrix)
        return "metric [" + ";\n    ".join(f"[{row}]" for row in rows) + "]"
    raise InvalidInput("The theory has no such universe; `epstar check` checks the answer.")


def _source(source: Source) -> str:
    match source:
        case Prior():
            return f"Prior {_vector(source.probabilities)}"
        case Finite():
            return f"Finite {_matrix(source.points)}"
        case Hull():
            return f"Hull {_matrix(source.points)}"
        case Box():
            return f"Box {_vector(source.lower)} {_vector(source.upper)}"
        case Ball():
            return f"Ball {_vector(source.center)} {_number(source.radius)}"
        case Polytope():
            return f"Polytope {_matrix(source.matrix)} {_vector(source.bounds)}"
        case Everything():
            return "Everything"
    raise InvalidInput("The theory has no sources of independent rows; `epstar check` checks the answer.")


def _cost(setting: Setting) -> str:
    universe = setting.universe
    if isinstance(setting.distortion, Hamming) and isinstance(universe, Databases):
        return f"rows_changed {universe.alphabet.size} {universe.rows}"
    if isinstance(setting.distortion, Hamming):
        return "hamming"
    return f"matrix {_matrix(setting.distortion.matrix(universe))}"


def _level(loss: Real) -> str:
    if loss.is_infinite:
        return "Infinite"
    if loss.rational is not None:
        return f"(Number {_number(loss.rational)})"
    if loss.argument_of_log is not None:
        return f"(Log {_number(loss.argument_of_log)})"
    raise InvalidInput("The claimed loss is neither a fraction nor the logarithm of one; ask for a rounded answer.")


def _attained(setting: Setting, claim: Attained | None) -> tuple[str, str] | None:
    if claim is None:
        return None
    if claim.mechanism is None:
        raise InvalidInput("The mechanism is a product over rows, which no exported file can say.")
    rows = claim.mechanism.dense().rows
    hints = _hints(setting, claim, rows)
    if claim.distortion.is_infinite:
        return (
            f"some_mechanism question {_level(claim.loss)}",
            f"apply (some_mechanism_sound _ _ {hints} {_matrix(rows)}); by_computation.",
        )
    allowed = claim.distortion.rational
    assert allowed is not None
    return (
        f"attained question {_level(claim.loss)} {_number(allowed)}",
        f"apply (attained_sound _ _ _ {hints}\n  {_matrix(rows)}); by_computation.",
    )


def _hints(setting: Setting, claim: Attained, rows: Sequence[Point]) -> str:
    loss, bits = claim.loss, _bits(claim.digits)
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
    written = [f"({_vector(law)},\n  {_matrix(logs)})" for law, logs in compared]
    return (
        f"{{| exact := {_precision(bits, loss)}; factors := {_pairs(factors)}; under := {_number(under)};\n"
        f"  duals := {_written(map(_vector, duals))};"
        f" likeliest := {_written(f'({_number(w)}, {k}%nat)' for w, k in shares)};\n"
        f"  compared := {_written(written)} |}}"
    )


def _check_region(
    setting: Setting, rows: Sequence[Point], shares: Sequence[tuple[Rational, int]], factor: Rational, diverges: bool
) -> None:
    """Raise where the loss over a region of distributions is worst at corners, which the theory does not list.

    `diverges` says that some row lies further from the least probabilities of the outputs than the loss allows.
    """
    is_listed = isinstance(setting.source, Prior | Finite | Hull)
    has_slack = _notion(setting.notion).startswith("local_information_privacy") and _delta(setting.notion) > 0
    guessed = ZERO
    for column in zip(*rows, strict=True) if shares else ():
        guessed += max(q * weight for q, (weight, _) in zip(column, shares, strict=True))
    is_worse = (
        setting.notion.name == "pointwise_leakage" and diverges and not isinstance(setting.source, Prior | Finite)
    )
    if (has_slack and not is_listed) or guessed > factor or is_worse:
        raise InvalidInput(
            "The theory cannot bound this loss over a region of distributions; `epstar check` checks the answer."
        )


def _delta(notion: Notion) -> Rational:
    return _rational(notion.parameters().get("delta", 0))


def _compared(
    setting: Setting, claim: Attained, rows: Sequence[Point], bits: int
) -> list[tuple[Point, tuple[Point, ...]]]:
    """Return laws of the output, with numbers above the logarithms of ratios to them, where the notion needs them."""
    source, name = setting.source, _notion(setting.notion)
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
        raise InvalidInput("The proof names no distribution of the outputs; `epstar check` checks the answer.")
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


def _excluded(setting: Setting, claim: Excluded | None) -> tuple[str, str] | None:
    if claim is None or not claim.steps:
        return None
    steps, bits, loss = expanded(setting, claim), _bits(claim.digits), claim.loss
    rates = {ratio.rate for step in steps for ratio in step.ratios}
    if any(step.maxima for step in steps) or _notion(setting.notion).startswith("local_information_privacy"):
        rates.add(ONE)
    growths = [] if loss.is_infinite else [(rate, _above_exponential(loss, rate, bits)) for rate in sorted(rates)]
    above = ZERO
    if not loss.is_infinite:
        above = loss.rational if loss.rational is not None else loss.above(bits)
    points = [_named_point(setting, mixture) for mixture in claim.points]
    written = ";\n    ".join(_step(step, setting.source) for step in steps)
    certificate = (
        f"{{| enclosed := {_precision(bits, loss)}; growths := {_pairs(growths)}; above := {_number(above)};\n"
        f"  points := [{'; '.join(points)}];\n  steps := [\n    {written}] |}}"
    )
    level = _level(loss)
    if claim.open == "loss":
        if claim.distortion.is_infinite:
            raise InvalidInput("A loss that is excluded whatever the distortion has no exported form.")
        kind, said = "loss", f"no_smaller_loss question {level} {_number(_rational(claim.distortion))}"
    elif claim.distortion.is_infinite:
        kind, said = "mechanism", f"no_mechanism question {level}"
    else:
        kind, said = "distortion", f"no_smaller_distortion question {level} {_number(_rational(claim.distortion))}"
    places = "_ _" if kind == "mechanism" else "_ _ _"
    return said, f"apply (excluded_{kind}_sound {places}\n  {certificate}); by_computation."


def _step(step: PlainStep, source: Source) -> str:
    laws = _written(f"({_number(w)}, {_named(((ONE, law),), source)})" for w, law in step.laws)
    scale = _denominator(m for ratio in step.ratios for m in ratio.multiples.values())
    ratios = _written(
        f"({_name(ratio.name)}, {_written(f'({y}%nat, {_number(m, scale)})' for y, m in ratio.multiples.items())})"
        for ratio in step.ratios
    )
    maxima = _written(
        f"({_name(one.name)}, {_number(one.multiplier)}, "
        + _written(_written(f"({x}%nat, {_number(share)})" for x, share in column) for column in one.shares)
        + ")"
        for one in step.maxima
    )
    entropies = _written(
        f"({_name(one.name)}, {_number(one.multiplier)}, "
        + _written(
            _written(
                "None" if place is None else f"Some ({_number(place[0])}, {_number(place[1])})" for place in column
            )
            for column in one.places
        )
        + ")"
        for one in step.entropies
    )
    return (
        f"{{| laws := {laws};\n      ratios := {ratios};\n      maxima := {maxima};\n"
        f"      entropy_sums := {entropies};\n      prices := {_vector(step.rows)} |}}"
    )


def _named_point(setting: Setting, mixture: Sequence[tuple[Rational, Point]]) -> str:
    if setting.notion.name == "capacity":
        return f"Explicit {_vector(mixed(mixture))}"
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
            return f"Mixed {_vector(weights)}"
    return f"Explicit {_vector(mixed(mixture))}"


def _position(member: Point, listed: Sequence[Point]) -> int:
    for position, point in enumerate(listed):
        if tuple(point) == tuple(member):
            return position
    raise InvalidInput("The proof uses a distribution that the source does not list, which no exported file can say.")


def _rates(setting: Setting) -> list[Rational]:
    universe = setting.universe
    rates = {ONE}
    if isinstance(universe, Metric):
        rates |= {d for row in universe.matrix for d in row if d is not None and d > 0}
    return sorted(rates)


def _bits(digits: int) -> int:
    return digits * 10 // 3 + 17


def _above_exponential(loss: Real, rate: Rational, bits: int) -> Rational:
    return Real.exp(loss * rate if rate != 1 else loss).above(bits)


def _below_exponential(loss: Real, rate: Rational, bits: int) -> Rational:
    return Real.exp(loss * rate if rate != 1 else loss).below(bits)


def _precision(bits: int, loss: Real) -> str:
    """Return how precisely Coq encloses exponentials: more bits than the file has, so that rounding is not in doubt."""
    size = 0 if loss.is_infinite else max(0, int(loss.upper)).bit_length()
    halvings = 8 + size
    return f"{{| bits := {bits + 64 + 2 * halvings}; halvings := {halvings}; terms := {bits // 10 + 12} |}}"


def _number(value: Rational, denominator: int | None = None) -> str:
    scale = int(value.q) if denominator is None else denominator
    numerator = int(value.p) * (scale // int(value.q))
    written = str(numerator) if scale == 1 else f"{numerator}#{scale}"
    return f"({written})" if numerator < 0 or scale != 1 else written


def _denominator(values: Iterable[Rational]) -> int:
    return lcm(*(int(value.q) for value in values))


def _vector(values: Sequence[Rational]) -> str:
    """Return a list over one denominator: such fractions are added without a product of denominators."""
    scale = _denominator(values)
    return "[" + "; ".join(_bare(value, scale) for value in values) + "]"


def _bare(value: Rational, scale: int) -> str:
    written = _number(value, scale)
    return written[1:-1] if written.startswith("(") and not written.startswith("(-") else written


def _matrix(rows: Sequence[Sequence[Rational]]) -> str:
    return "[" + ";\n    ".join(_vector(row) for row in rows) + "]"


def _pairs(values: Sequence[tuple[Rational, Rational]]) -> str:
    return "[" + "; ".join(f"({_number(a)}, {_number(b)})" for a, b in values) + "]"


def _written(items: Iterable[str]) -> str:
    return "[" + "; ".join(items) + "]"


def _name(name: Sequence[int]) -> str:
    return "[" + "; ".join(map(str, name)) + "]%nat"
