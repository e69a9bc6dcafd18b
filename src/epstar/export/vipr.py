"""A certificate in VIPR (Cheung, Gleixner and Steffy 2017): the least distortion at a loss as an exact linear program.

The constraints are those of `linear_program`, the solution is the mechanism, and one derived constraint, a linear
combination with the multiples of the proof, says that no distortion is smaller.
"""

from __future__ import annotations

from collections.abc import Iterator

from epstar.claims import Bracket
from epstar.claims.claim import Point, mixed
from epstar.exact import ONE, ZERO, Rational, text
from epstar.export.expanded import expanded
from epstar.export.linear import LinearProgram, NotLinearError, Row, entry, label, linear_program
from epstar.export.steps import PlainStep

_SENSES = {"<=": "L", ">=": "G", "=": "E"}


def to_vipr(claims: Bracket) -> str:
    """Return what an answer says of the least distortion at a loss.

    Raises:
        NotLinearError: if it says nothing of that, or the notion is not linear at this loss.
    """
    claim = claims.excluded
    if claim is None or claim.open != "distortion":
        raise NotLinearError("A linear program has a least distortion, not a least loss: ask at a loss")
    if claim.distortion.is_infinite or claim.loss.is_infinite:
        raise NotLinearError("An infinite end is not a bound of a linear program")
    proof = expanded(claims.setting, claim)
    if len(proof.steps) != 1:
        raise NotLinearError("The proof has more than one step, which a linear program has not")
    least = claim.distortion.rational
    assert least is not None
    program = linear_program(claims.setting, claim.loss, [mixed(mixture) for mixture in proof.points])
    multiples = multipliers(program, proof.steps[0])
    solution = _solution(claims, program)
    places = {name: place for place, name in enumerate(program.variables)}
    numbers = {name: place for place, name in enumerate(program.rows)}
    lines = ["VER 1.0", f"VAR {len(program.variables)}", *program.variables, "INT 0", "OBJ min"]
    lines += [f"1 {places[program.objective]} 1", f"CON {len(program.rows)} 0"]
    lines += [f"{name} {_row(row, places)}" for name, row in program.rows.items()]
    upper = text(solution[program.objective]) if solution else "inf"
    lines.append(f"RTP range {text(least)} {upper}")
    lines.append(f"SOL {1 if solution else 0}")
    if solution:
        given = [(places[name], value) for name, value in solution.items() if value != 0]
        lines.append(f"mechanism {len(given)} " + " ".join(f"{place} {text(value)}" for place, value in given))
    used = [(numbers[name], value) for name, value in multiples.items() if value != 0]
    reasons = " ".join(f"{number} {text(value)}" for number, value in used)
    derived = _row(Row({program.objective: ONE}, ">=", least), places)
    lines += ["DER 1", f"least {derived} {{ lin {len(used)} {reasons} }} -1", ""]
    return "\n".join(lines)


def _row(row: Row, places: dict[str, int]) -> str:
    terms = [(places[name], value) for name, value in row.terms.items() if value != 0]
    return " ".join(
        [_SENSES[row.sense], text(row.bound), str(len(terms)), *(f"{place} {text(value)}" for place, value in terms)]
    )


def multipliers(program: LinearProgram, step: PlainStep) -> dict[str, Rational]:
    """Return the multiples of the constraints whose sum says t >= distortion, in units of the distortion."""
    weight = sum((w for w, _ in step.laws), ZERO)
    if weight == 0:
        raise NotLinearError("The proof does not use the distortion: no mechanism keeps this loss at all")
    found: dict[str, Rational] = dict(_stated(program, step))
    found = {name: value / weight for name, value in found.items()}
    # What is left over beside t is paid by the bounds "an entry is not negative".
    rest: dict[str, Rational] = {}
    for name, multiple in found.items():
        for variable, value in program.rows[name].terms.items():
            rest[variable] = rest.get(variable, ZERO) + multiple * value
    for variable, value in rest.items():
        if variable != program.objective and value != 0:
            found[_positive(variable)] = -value
    return found


def _positive(variable: str) -> str:
    kind, _, place = variable.partition("_")
    return {"z": "positive_", "e": "excess_positive_", "m": "most_positive_"}[kind] + place


def _stated(program: LinearProgram, step: PlainStep) -> Iterator[tuple[str, Rational]]:
    """Yield the multiples that the proof states, as those of sums that are at least something."""
    totals: dict[int, Rational] = {}
    for w, law in step.laws:
        for place, share in _mixture(program.laws, law):
            totals[place] = totals.get(place, ZERO) + w * share
    for place, w in totals.items():
        yield f"distortion_{place}", w
    for x, price in enumerate(step.rows):
        yield f"row_{x}", price
    for ratio in step.ratios:
        name = label(ratio.name)
        together = f"events_{name}" in program.rows
        for y, multiple in ratio.multiples.items():
            yield (f"excess_{name}_{y}", multiple) if together else (f"ratio_{name}_{y}", -multiple)
        if together:
            yield f"events_{name}", -max(ratio.multiples.values())
    for total in step.maxima:
        name = label(total.name)
        for y, column in enumerate(total.shares):
            for x, share in column:
                yield f"most_{name}_{x}_{y}", total.multiplier * share
        yield f"maxima_{name}", -total.multiplier


def _mixture(listed: tuple[Point, ...], law: Point) -> list[tuple[int, Rational]]:
    """Return a distribution as a mixture of those that are listed: one of them, or all that are certain of an input."""
    for place, one in enumerate(listed):
        if tuple(one) == tuple(law):
            return [(place, ONE)]
    if len(listed) == len(law) and all(one[place] == 1 for place, one in enumerate(listed)):
        return list(enumerate(law))
    raise NotLinearError("The proof uses a distribution that the source does not list")


def _solution(claims: Bracket, program: LinearProgram) -> dict[str, Rational]:
    """Return the mechanism of the answer as a solution, if it keeps the loss that the program is about."""
    attained, excluded = claims.attained, claims.excluded
    assert excluded is not None
    if (
        attained is None
        or attained.mechanism is None
        or attained.distortion.is_infinite
        or attained.loss > excluded.loss
    ):
        return {}
    rows = attained.mechanism.dense().rows
    found = {entry(x, y): value for x, row in enumerate(rows) for y, value in enumerate(row)}
    for name, row in program.rows.items():
        # Every other variable is the least that its constraints allow: each row bounds one of them by entries.
        own = [key for key in row.terms if key[0] in "emt"]
        if row.sense == ">=" and len(own) == 1 and name.startswith(("distortion", "excess", "most")):
            least = row.bound - sum((v * found[key] for key, v in row.terms.items() if key != own[0]), ZERO)
            found[own[0]] = max(found.get(own[0], least), least)
    return found
