"""Claims as JSON (schema "epstar/proof/2"), so that they can be checked elsewhere and later.

Numbers are texts that hold exact rationals, or "log(r)" or "infinity" where a loss may be one; positions are integers
counted from 0. docs/proof-format.md says what each field means. Fields that are not known are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from epstar.arguments import whole_number
from epstar.claims.claim import (
    DIGITS,
    LEAST_DIGITS,
    MOST_DIGITS,
    Attained,
    Bracket,
    End,
    Excluded,
    Mixture,
    Places,
    Point,
    Setting,
    Shares,
    Step,
    SumUse,
    Tangents,
)
from epstar.claims.rows import row_setting
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational, Real, rational, text
from epstar.json_document import check_json
from epstar.limits import LimitName
from epstar.notions.constraints import Name
from epstar.problem_file import (
    read_problem,
    read_source,
    write_distortion,
    write_notion,
    write_source,
    write_universe,
    write_wider,
)
from epstar.proof_file.grammar import (
    check_numbers,
    check_source,
    fields_of,
    is_true,
    level,
    number,
    point,
    position,
    positions,
    texts,
)
from epstar.proof_file.hints import HINTS, read_hints, write_hints
from epstar.proof_file.limits import check_document
from epstar.proof_file.matrix import read_matrix, write_matrix
from epstar.proof_file.members import members_shown
from epstar.source import Finite, Hull, Polytope, Prior, Rows, Source

SCHEMA = "epstar/proof/2"
_NEEDED = {"notion", "source", "distortion"}
_PROBLEM = _NEEDED | {"universe", "secret", "mechanism", "also"}
_NUMBERS = {"loss", "distortion", "digits"}
_ROWS = {"cells", "covers"}
_EXCLUDED = {"open", "order", "points", "symmetry", "uniform", "steps", "numbers", "members"}


def write_bracket(bracket: Bracket) -> dict[str, object]:
    """Return the claims of a bracket as a JSON object."""
    return {
        "schema": SCHEMA,
        "problem": write_setting(bracket.setting),
        **write_claims(bracket),
    }


def write_setting(setting: Setting) -> dict[str, object]:
    """Return what claims are about as it stands in a problem file."""
    return {
        "notion": write_notion(setting.notion),
        "universe": write_universe(setting.universe),
        "source": write_shown(setting.source),
        "distortion": write_distortion(setting.distortion, setting.universe),
        **write_wider(setting.secret, setting.limits, setting.also),
    }


def write_shown(source: Source) -> dict[str, object]:
    """Return the source as it stands in a proof: a polytope with a distribution that it holds."""
    if isinstance(source, Polytope):
        parts, member = write_source(source)["polytope"], source.maximum([ZERO] * source.size).point
        return {"polytope": {**cast(dict[str, object], parts), "member": texts(member)}}
    if isinstance(source, Rows):
        rows = [write_shown(row) for row in source.sources]
        return {**write_source(source), "rows": rows[0] if len(rows) == 1 else rows}
    return write_source(source)


def write_claims(bracket: Bracket) -> dict[str, object]:
    """Return the claims of a bracket, without what they are about."""
    found: dict[str, object] = {}
    if bracket.attained is not None:
        found["attained"] = _write_attained(bracket.attained, bracket.setting)
    if bracket.excluded is not None:
        source = bracket.setting.source
        members = members_shown(bracket.excluded, source) if isinstance(source, Rows) else ()
        shown = {"members": [_write_mixture(mixture, {}) for mixture in members]} if members else {}
        found["excluded"] = {**_write_excluded(bracket.excluded, _positions(source)), **shown}
    return found


def read_bracket(document: object) -> Bracket:
    """Return the claims that a JSON object holds.

    Raises:
        InvalidInput: if it is not a proof of this schema.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InvalidInput(f"This is not a proof: its schema must be {SCHEMA!r}.")
    check_json(document, "The proof")
    fields = fields_of(document, {"schema", "problem", "attained", "excluded"}, "A proof", {"problem"})
    return read_claims(fields, read_setting(fields["problem"]))


def read_setting(entry: object) -> Setting:
    """Return what claims are about from the problem of a proof."""
    fields = fields_of(entry, _PROBLEM, "The problem of a proof", _NEEDED)
    for name in sorted(_PROBLEM - _NEEDED):
        if fields.get(name, fields) is None:
            raise InvalidInput(f"The {name} of a proof is null; describe it, or leave it out.")
    check_document(fields)
    check_numbers(fields)
    # Decimals are what they show: in a problem file they may have been rounded. It also asks about a point.
    exact: dict[str, object] = {"source": exactly(fields["source"]), "at": {"loss": 0}}
    secret = fields.get("secret")
    if isinstance(secret, Mapping):
        exact["secret"] = {**secret, **({"given": exactly(secret["given"])} if "given" in secret else {})}
    setting = Setting.of(read_problem({**fields, **exact}, by_position=True))
    source = setting.source
    if isinstance(source, Finite | Hull) and any(len(given) != source.count for given in fields["source"].values()):
        # Positions in the list would stand for other distributions than in the source.
        raise InvalidInput("The source of a proof lists a distribution twice; list each once.")
    return setting


def read_claims(fields: Mapping[str, Any], setting: Setting) -> Bracket:
    """Return the claims about a setting that an object holds.

    Raises:
        InvalidInput: if there is none, or one is malformed.
    """
    if "attained" not in fields and "excluded" not in fields:
        raise InvalidInput("The proof claims nothing; it needs 'attained', 'excluded' or both.")
    try:
        return Bracket(
            setting,
            _read_attained(fields["attained"], setting) if "attained" in fields else None,
            _read_excluded(fields["excluded"], setting) if "excluded" in fields else None,
        )
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("The proof is incomplete or malformed; write it again with `epstar solve`.") from None


def _write_attained(claim: Attained, setting: Setting) -> dict[str, object]:
    numbers = _write_numbers(claim.loss, claim.distortion, claim.digits)
    if claim.rows:
        rows = [
            [{"source": write_shown(source), "attained": _write_attained(part, row_setting(setting, source))}, count]
            for source, part, count in claim.rows
        ]
        return {**numbers, "rows": rows}
    assert claim.mechanism is not None
    further = {"further": [write_hints(hints) for hints in claim.further]} if claim.further else {}
    return {**numbers, "mechanism": write_matrix(claim.mechanism, setting), **write_hints(claim.hints), **further}


def _read_attained(entry: object, setting: Setting) -> Attained:
    known = _NUMBERS | HINTS | _ROWS | {"mechanism", "rows", "further"}
    fields = fields_of(entry, known, "What is attained", {"loss", "distortion"})
    loss, distortion, digits = _read_numbers(fields)
    if "rows" in fields:
        fields_of(entry, _NUMBERS | {"rows"}, "What is attained by rows", set())
        rows = []
        for part, count in fields["rows"]:
            fields_of(part, {"source", "attained"}, "The claim about a row", {"source", "attained"})
            inner = row_setting(setting, _read_row_source(part["source"]))
            rows.append((inner.source, _read_attained(part["attained"], inner), _count(count)))
        return Attained(loss, distortion, None, rows=tuple(rows), digits=digits)
    parts = fields.get("further", ())
    further = tuple(read_hints(fields_of(part, HINTS, "The hints of a guarantee", set())) for part in parts)
    mechanism = read_matrix(fields["mechanism"], setting)
    return Attained(loss, distortion, mechanism, read_hints(fields), digits=digits, further=further)


def _write_excluded(claim: Excluded, listed: Mapping[Point, int]) -> dict[str, object]:
    found = {**_write_numbers(claim.loss, claim.distortion, claim.digits), "open": claim.open}
    if claim.rows:
        found["rows"] = [
            [{"source": write_source(prior), "excluded": _write_excluded(part, _positions(prior))}, count]
            for prior, part, count in claim.rows
        ]
        return found if claim.uniform is None else {**found, "uniform": _write_mixture(claim.uniform, listed)}
    if claim.order is not None:
        found["order"] = text(claim.order)
    if claim.points:
        found["points"] = [_write_mixture(mixture, listed) for mixture in claim.points]
    if claim.numbers:
        found["numbers"] = texts(claim.numbers)
    if claim.symmetry is not None:
        found["symmetry"] = claim.symmetry
    if claim.uniform is not None:
        found["uniform"] = _write_mixture(claim.uniform, listed)
    return {**found, "steps": [_write_step(step, claim.symmetry is not None, listed) for step in claim.steps]}


def _read_excluded(entry: object, setting: Setting) -> Excluded:
    fields = fields_of(entry, _NUMBERS | _EXCLUDED | {"rows"}, "What is excluded", {"loss", "distortion", "open"})
    loss, distortion, digits = _read_numbers(fields)
    if fields["open"] not in ("loss", "distortion"):
        raise InvalidInput("The open end of what is excluded is 'loss' or 'distortion'.")
    end = cast(End, fields["open"])
    # What is shown of members is seen here without.
    for mixture in fields.get("members", ()):
        _read_mixture(mixture, setting)
    if "rows" in fields:
        fields_of(entry, _NUMBERS | {"open", "rows", "uniform", "members"}, "What is excluded by rows", set())
        rows = []
        for part, count in fields["rows"]:
            fields_of(part, {"source", "excluded"}, "The claim about a row", {"source", "excluded"})
            inner = row_setting(setting, _read_row_source(part["source"]), is_attained=False)
            if not isinstance(inner.source, Prior):
                raise InvalidInput("A row must exclude something at a known prior; give its 'prior'.")
            rows.append((inner.source, _read_excluded(part["excluded"], inner), _count(count)))
        uniform = _read_mixture(fields["uniform"], setting) if "uniform" in fields else None
        return Excluded(loss, distortion, end, rows=tuple(rows), uniform=uniform, digits=digits)
    symmetry = fields.get("symmetry")
    if symmetry not in (None, "distances"):
        raise InvalidInput("The only symmetry that is known is 'distances'.")
    return Excluded(
        loss,
        distortion,
        end,
        steps=tuple(_read_step(step, symmetry is not None, setting) for step in fields.get("steps", ())),
        points=tuple(_read_mixture(mixture, setting) for mixture in fields.get("points", ())),
        order=number(fields["order"]) if "order" in fields else None,
        symmetry=symmetry,
        uniform=_read_mixture(fields["uniform"], setting) if "uniform" in fields else None,
        digits=digits,
        numbers=point(fields.get("numbers", [])),
    )


def _write_step(step: Step, averaged: bool, listed: Mapping[Point, int]) -> dict[str, object]:
    found: dict[str, object] = {}
    if step.laws:
        found["laws"] = [[text(w)] if averaged else [text(w), _write_law(law, listed)] for w, law in step.laws]
    if step.ratios:
        found["ratios"] = [[*name, output, text(multiple)] for name, output, multiple in step.ratios]
    if step.sums:
        found["sums"] = [[list(use.name), text(use.multiplier), _write_tangents(use.tangents)] for use in step.sums]
    if step.limits:
        found["limits"] = [[*name, text(multiple)] for name, multiple in step.limits]
    if any(price != 0 for price in step.rows):
        found["rows"] = texts(step.rows)
    if step.spread:
        found["spread"] = True
    return found


def _read_step(entry: object, averaged: bool, setting: Setting) -> Step:
    fields = fields_of(entry, {"laws", "ratios", "sums", "rows", "spread", "limits"}, "A step", set())
    laws = fields.get("laws", ())
    if any(len(law) != (1 if averaged else 2) for law in laws):
        raise InvalidInput("An entry of `laws` is a multiple and a distribution; averaged over distances, a multiple.")
    return Step(
        laws=tuple((number(law[0]), () if averaged else _read_law(law[1], setting)) for law in laws),
        ratios=tuple(_read_ratio(ratio) for ratio in fields.get("ratios", ())),
        sums=tuple(SumUse(positions(name), number(s), _read_tangents(t)) for name, s, t in fields.get("sums", ())),
        rows=point(fields.get("rows", [])),
        spread=is_true(fields, "spread"),
        limits=tuple(_read_limit(limit) for limit in fields.get("limits", ())),
    )


def _read_limit(entry: Any) -> tuple[LimitName, Rational]:
    kind, *places, multiple = entry
    return (str(kind), *map(position, places)), number(multiple)


def _read_ratio(entry: Any) -> tuple[Name, int, Rational]:
    *name, output, multiple = entry
    return positions(name), position(output), number(multiple)


def _write_tangents(tangents: Tangents) -> object:
    if isinstance(tangents, Shares):
        return [[output, x, text(share)] for output, x, share in tangents.entries]
    if isinstance(tangents, Places):
        return [[None if r is None else text(r) for r in row] for row in tangents.table]
    return tangents


def _read_tangents(entry: Any) -> Tangents:
    if entry == "conjugate":
        return "conjugate"
    if not isinstance(entry, list):
        raise InvalidInput("The tangents of a sum are a list, or 'conjugate'.")
    if all(isinstance(part, list) and len(part) == 3 and type(part[0]) is int for part in entry):
        return Shares(tuple((position(output), position(x), number(share)) for output, x, share in entry))
    return Places(tuple(tuple(None if r is None else number(r) for r in row) for row in entry))


def _write_numbers(loss: Real, distortion: Real, digits: int) -> dict[str, object]:
    numbers: dict[str, object] = {"loss": str(loss), "distortion": str(distortion)}
    return numbers if digits == DIGITS else {**numbers, "digits": digits}


def _read_numbers(fields: Mapping[str, Any]) -> tuple[Real, Real, int]:
    loss, distortion = (level(fields[name]) for name in ("loss", "distortion"))
    if not distortion.is_infinite and distortion.rational is None:
        raise InvalidInput("A distortion is a fraction, or infinity.")
    if not loss.is_infinite and loss < ZERO:
        raise InvalidInput("A loss of a proof is negative; no mechanism has such a loss.")
    digits = whole_number(fields.get("digits", DIGITS), "The number of digits", LEAST_DIGITS)
    if digits > MOST_DIGITS:
        raise InvalidInput(f"Numbers are enclosed with at most {MOST_DIGITS} digits.")
    return loss, distortion, digits


def _write_mixture(mixture: Mixture, listed: Mapping[Point, int]) -> list[object]:
    return [[text(weight), _write_law(point, listed)] for weight, point in mixture]


def _write_law(law: Point, listed: Mapping[Point, int]) -> object:
    return listed.get(law) if law in listed else texts(law)


def _positions(source: Source) -> dict[Point, int]:
    """Return the laws that a source lists, with their positions, which stand for them in a document."""
    return {law: place for place, law in enumerate(_listed(source))}


def _listed(source: Source) -> Sequence[Point]:
    if isinstance(source, Prior):
        return (source.probabilities,)
    return source.points if isinstance(source, Finite | Hull) else ()


def _read_law(entry: object, setting: Setting) -> Point:
    if not isinstance(entry, int):
        return point(entry)
    listed = _listed(setting.source)
    place = position(entry)
    if place >= len(listed):
        raise InvalidInput(f"The source lists no distribution at position {place}.")
    return listed[place]


def _read_mixture(entry: Sequence[Any], setting: Setting) -> Mixture:
    mixture = tuple((number(weight), _read_law(point, setting)) for weight, point in entry)
    if len({len(point) for _, point in mixture}) != 1:
        raise InvalidInput("A mixture in the proof is empty or mixes distributions of different sizes.")
    return mixture


def exactly(entry: Any) -> Any:
    """Return distributions whose decimals are what they show."""
    if isinstance(entry, Mapping):
        return {name: exactly(value) for name, value in entry.items()}
    if isinstance(entry, list):
        return [exactly(value) for value in entry]
    return rational(entry) if isinstance(entry, float | Decimal) else entry


def _read_row_source(entry: object) -> Source:
    """Return the source of one row in a claim by rows."""
    check_source(entry)
    return read_source(exactly(entry), None)


def _count(entry: object) -> int:
    return whole_number(entry, "The number of rows that a claim is for", 1)
