"""The release file: what was done to a table, in numbers that anyone can check (schema "epstar/release/1").

Nothing in it depends on the private table but the number of rows, which the released table shows anyway, and in a
folder the names of the files. In particular there is no digest of the input: it would let anyone confirm a guess of the
whole table. Nor is there its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from epstar.answer import StatisticAnswer
from epstar.answer_file import write_answer, write_ends
from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import Rational, float_above, float_below, rational, text
from epstar.frontier import Answer
from epstar.json_document import read_json
from epstar.mechanism import (
    AnyMechanism,
    DiagonalMechanism,
    Mechanism,
    TopRandomisedResponse,
    read_mechanism,
    write_labels,
)
from epstar.mechanism.document import read_universe, write_universe
from epstar.problem_file import write_source
from epstar.proof_file.document import write_bracket
from epstar.release.categories import Categories
from epstar.release.column import Column, Prepared
from epstar.release.distance import write_distance
from epstar.release.guarantee import Guarantee, differential_privacy_total, guarantees, number
from epstar.release.partition import is_inside
from epstar.release.place import place_of
from epstar.release.sampling_plan import Plan
from epstar.release.secret_entry import per_secret, secret_of, write_secret
from epstar.release.tickets import WIDTHS, Tickets
from epstar.statistic import Statistic
from epstar.universe import Alphabet

SCHEMA = "epstar/release/1"
# Integers up to here are exact in every reader of JSON; wider tickets are written as text.
_SAFE_BITS = 53
_ALL = "all"
# Matrices of more entries are written without the proof that no other mechanism distorts less.
_LARGEST_PROOF = 1 << 12
_CITATIONS = (
    "kalantari2018",
    "zhong2022",
    "wang2016",
    "ngo2024",
    "alvim2011",
)


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """Return the document with the SHA-256 of its canonical form added as "digest"."""
    return {**document, "digest": _canonical_digest(document)}


def _canonical_digest(document: Mapping[str, object]) -> str:
    body = {key: value for key, value in document.items() if key != "digest"}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def read_release(path: str | Path) -> dict[str, Any]:
    """Return a release file after checking its schema, its digest and its shape.

    Raises:
        InvalidInput: if it cannot be read, is of another schema, was changed after it was written, or lacks a part.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, read_release, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     document = read_release(release(table, Path(folder, "out.csv"), smoker).release_file)
    >>> document["schema"]
    'epstar/release/1'
    """
    place = place_of(path, "The release file")
    if not place.is_file():
        raise InvalidInput(f"There is no release file {place.name}; name the one that was written beside the table.")
    document = read_json(place, floats=True)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InvalidInput(f'{place.name} is not a release file; it needs "schema": "{SCHEMA}".')
    check_whole(document, place.name)
    return document


def check_whole(document: Mapping[str, Any], name: str) -> None:
    """Check the digest and the shape of a release file whose decimals are floats.

    Raises:
        InvalidInput: if it was changed after it was written, or lacks a part.
    """
    if document.get("digest") != _canonical_digest(document):
        raise InvalidInput(f"{name} was changed after it was written; use the original.")
    for part, has_shape in _SHAPES.items():
        if part not in document or not has_shape(document[part]):
            raise InvalidInput(f"{name} lacks {part!r} or holds one of another shape; use the original file.")


def _is_tables(part: object) -> bool:
    # Only a keyed release that is evaluated elsewhere lists none.
    return isinstance(part, list) and all(
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and is_inside(entry["name"])
        and isinstance(entry.get("sha256"), str)
        and isinstance(entry.get("rows"), int)
        and not isinstance(entry["rows"], bool)
        and entry["rows"] >= 0
        for entry in part
    )


def _is_columns(part: object) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(entry, dict) for entry in part)


def _is_names(part: object) -> bool:
    return isinstance(part, list) and all(isinstance(name, str) for name in part)


def _is_randomness(part: object) -> bool:
    if not isinstance(part, dict):
        return False
    return part.get("kind") == "fresh" or (part.get("kind") == "keyed" and isinstance(part.get("identifier"), str))


def _is_total(part: object) -> bool:
    upper = part.get("upper") if isinstance(part, dict) else None
    if isinstance(upper, bool) or not isinstance(upper, int | float):
        return upper == "infinity"
    return 0 <= upper < float("inf")


# What everything that reads a release file relies on; what stands in a column is checked by `column_of`.
_SHAPES: dict[str, Callable[[object], bool]] = {
    "epstar": lambda part: isinstance(part, str),
    "tables": _is_tables,
    "passed_through": _is_names,
    "randomness": _is_randomness,
    "columns": _is_columns,
    "per_record": _is_total,
}


def described(prepared: Sequence[Prepared]) -> dict[str, Any]:
    """Return all of a release file that does not depend on the table: the columns and what they lose."""
    measured = [
        guarantees(item.plan.mechanism, item.source, () if item.column.notion is None else (item.column.notion,))
        for item in prepared
    ]
    total = differential_privacy_total(measured)
    columns = [_write_column(item, found) for item, found in zip(prepared, measured, strict=True)]
    secrets = per_secret(columns)
    return {
        "randomness": {"kind": "fresh"},
        "columns": columns,
        "per_record": {
            "notion": "differential_privacy",
            "why": "The columns are drawn independently, so their levels add.",
            "unit": "nats",
            "upper": "infinity" if total is None else number(total.upper),
        },
        **({"per_secret": secrets} if secrets else {}),
    }


def with_identifier(description: Mapping[str, Any], identifier: str) -> dict[str, Any]:
    """Return the same for a release whose answers are permanent, and told apart by a column."""
    return {**description, "randomness": {"kind": "keyed", "identifier": identifier}}


def write_release(
    description: Mapping[str, object], tables: Sequence[Mapping[str, object]], kept: Sequence[str]
) -> dict[str, object]:
    """Return the release file of some tables, sealed."""
    columns = description["columns"]
    assert isinstance(columns, list)
    passed = [*kept, *(name for entry in columns for name in entry.get("public", ()))]
    head = {"schema": SCHEMA, "epstar": version("epstar"), "tables": list(tables), "passed_through": passed}
    return sealed({**head, **description})


def stored(document: Mapping[str, object]) -> bytes:
    """Return a release file as it is stored."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _write_column(item: Prepared, found: Sequence[Guarantee]) -> dict[str, object]:
    column, theorem = item.column, "" if item.answer is None else item.answer.theorem
    document: dict[str, object] = {
        "names": list(column.names),
        "categories": [
            {
                "labels": list(part.labels),
                "missing": part.missing,
                "other": part.other,
                **({} if part.bins is None else {"bins": part.bins.to_json()}),
            }
            for part in column.categories
        ],
        "mechanism": _write_mechanism(item.plan, column),
        "guarantees": [guarantee.to_json() for guarantee in found],
        "distortion": _write_distortion(item),
        "source": write_source(item.source),
        "method": "given" if item.answer is None else item.answer.method,
        "theorem": theorem,
        "citations": [key for key in _CITATIONS if key in theorem],
    }
    if column.public:
        document["public"] = list(column.public)
    if column.secret is not None:
        # The budget stands there: whoever does not know of secrets must not take it for one of the values.
        document["secret"] = write_secret(item)
    elif column.notion is not None and column.loss is not None:
        document["budget"] = {
            "notion": {"name": column.notion.name, **column.notion.parameters()},
            "loss": str(column.loss),
        }
    if item.answer is not None:
        document["least_distortion"] = _write_optimum(item.answer, item.plan.mechanism.shape)
    return document


def _write_optimum(answer: Answer, shape: tuple[int, int]) -> dict[str, object]:
    """The least distortion of any mechanism that keeps the budget, with its proof where that is not too long."""
    document = write_ends(answer.interval)
    if isinstance(answer, StatisticAnswer):
        attained = answer.evidence.attained
        design = None if attained is None else attained.mechanism
        if isinstance(design, Mechanism) and design.shape[0] * design.shape[1] > _LARGEST_PROOF:
            return {**document, "proof": None}
        return {**document, "proof": write_answer(answer)}
    if shape[0] * shape[1] > _LARGEST_PROOF:
        return {**document, "proof": None}
    return {**document, "proof": write_bracket(answer.claims)}


def _write_distortion(item: Prepared) -> dict[str, object]:
    mechanism = item.plan.mechanism
    document = write_distance(item.distortion, mechanism.universe)
    if isinstance(item.distortion, Statistic):
        return {**document, "not_measured": "The error of an estimate is not a distortion of single values."}
    try:
        return {**document, "worst_case": _write_rational(mechanism.distortion(item.distortion, item.source).value)}
    except InvalidInput as error:
        # Merged outputs, for instance, have no Hamming cost.
        return {**document, "not_measured": str(error)}


def _write_rational(value: Rational) -> dict[str, object]:
    return {"exact": text(value), "lower": float_below(value), "upper": float_above(value)}


def _write_mechanism(plan: Plan, column: Column) -> dict[str, object]:
    mechanism, bits = plan.mechanism, plan.bits
    if isinstance(mechanism, TopRandomisedResponse | DiagonalMechanism):
        # The inputs are the categories, which stand in the file already, and often all of them are active.
        document = {key: value for key, value in mechanism.to_json().items() if key != "universe"}
        if isinstance(mechanism, TopRandomisedResponse) and len(mechanism.active) == column.size:
            document["active"] = _ALL
        return document
    if bits is None or not isinstance(mechanism, Mechanism):
        return mechanism.to_json()
    scale = Rational(1 << bits)
    counts = [[int((entry * scale).p) for entry in row] for row in mechanism.rows]
    tickets: list[list[int]] | list[list[str]] = counts
    if bits > _SAFE_BITS:
        tickets = [[str(count) for count in row] for row in counts]
    return {
        "kind": "tickets",
        "universe": write_universe(mechanism.universe),
        "outputs": write_labels(mechanism.outputs),
        "bits": bits,
        "tickets": tickets,
    }


def column_of(entry: Mapping[str, Any]) -> Column:
    """Return the column that a release file describes, with the mechanism that was sampled.

    Raises:
        InvalidInput: if the entry is malformed.
    """
    try:
        parts = [Categories(part["labels"], part["missing"], part["other"]) for part in entry["categories"]]
        plain = Column(entry["names"], parts)
        mechanism, public = _read_mechanism(entry["mechanism"], plain), entry.get("public", ())
        if not set(public) <= set(plain.names):
            raise InvalidInput("A column of the release file calls others public; use the original file.")
        secret, name = secret_of(entry) or (None, None)
        return Column(entry["names"], parts, mechanism=mechanism, public=public, secret=secret, secret_name=name)
    except InvalidInput:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        pass
    raise InvalidInput("A column of the release file is malformed; use the original file.")


def _read_mechanism(entry: Mapping[str, Any], column: Column) -> AnyMechanism:
    if "universe" not in entry:
        alphabet = Alphabet(column.labels)
        if entry["kind"] == "diagonal":
            return DiagonalMechanism(alphabet, entry["diagonal"])
        active = range(column.size) if entry["active"] == _ALL else entry["active"]
        return TopRandomisedResponse(alphabet, active, entry["ratio"], entry["delta"])
    if entry["kind"] != "tickets":
        return read_mechanism(entry)
    if entry["bits"] not in WIDTHS:
        raise InvalidInput(f"Tickets have one of {WIDTHS} bits, not {shown(entry['bits'])}; use the original file.")
    counts = tuple(tuple(_whole(count) for count in row) for row in entry["tickets"])
    outputs = [tuple(label) if isinstance(label, list) else label for label in entry["outputs"]]
    return Tickets(counts, entry["bits"], read_universe(entry["universe"]), outputs).mechanism


def _whole(count: object) -> int:
    read = rational(count)
    if read.q != 1:
        raise InvalidInput(f"A number of tickets is a whole number, not {shown(count)}; use the original file.")
    return int(read.p)
