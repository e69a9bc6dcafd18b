"""A mechanism in a file: what epstar wrote, or rows of probabilities, with or without labels around them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from epstar.answer_file import SCHEMA as ANSWER
from epstar.cli.rows import read_rows
from epstar.errors import InvalidInput
from epstar.json_document import read_json
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.probability_vectors import listed
from epstar.problem_file import read_secret
from epstar.proof_file.document import read_bracket
from epstar.release.document import SCHEMA, column_of, read_release
from epstar.release.encoding import text_of
from epstar.secret import Secret
from epstar.universe import Alphabet, Label


def read_mechanism_file(name: str, column: str | None) -> AnyMechanism:
    """Return the mechanism in a JSON file (a matrix, or what epstar wrote), or in a CSV file of rows.

    Of a release file with several mechanisms it is the one of `column`.

    Raises:
        InvalidInput: if the file cannot be read, or holds no mechanism.
    """
    if name.endswith(".csv"):
        return read_matrix(name)
    document = read_json(name)
    if isinstance(document, dict) and document.get("schema") == SCHEMA:
        mechanism = column_of(released_entry(name, column)).mechanism
        assert mechanism is not None
        return mechanism
    if isinstance(document, dict):
        if document.get("schema") == ANSWER:
            return _of_answer(document)
        return AnyMechanism.from_json(document.get("mechanism", document))
    return Mechanism(listed(document, "The matrix of a mechanism"))


def is_release_file(name: str) -> bool:
    """Whether a file is a release file, by its schema."""
    if not name.endswith(".json"):
        return False
    document = read_json(name)
    return isinstance(document, dict) and document.get("schema") == SCHEMA


def released_entry(name: str, column: str | None) -> dict[str, Any]:
    """Return what a release file says of a column, or of the only one that it describes.

    Raises:
        InvalidInput: if it describes several, and none of them is named.
    """
    entries = read_release(name)["columns"]
    columns = [column_of(entry) for entry in entries]
    chosen = [place for place, found in enumerate(columns) if column is None or column in found.names]
    if len(chosen) != 1:
        names = ", ".join(part for found in columns for part in found.names)
        raise InvalidInput(f"{name} describes the columns {names}; name one of them with --column.")
    entry: dict[str, Any] = entries[chosen[0]]
    return entry


def _of_answer(document: dict[str, object]) -> AnyMechanism:
    """Return the mechanism that an answer claims to attain its end; whether it does, an audit measures itself."""
    attained = read_bracket(document.get("proof")).attained
    if attained is None or attained.mechanism is None:
        raise InvalidInput("The answer holds no mechanism as one matrix; audit the parts of its proof.")
    return attained.mechanism


def read_matrix(name: str) -> Mechanism:
    """Return the mechanism in a CSV file, one row for each input.

    If its first cell is empty, the rest of the first row labels the outputs and the first column the inputs. Rows of
    decimals that sum to one up to their rounding are taken as floats; all others are exact.

    Raises:
        InvalidInput: if the file cannot be read, or does not hold a mechanism.
    """
    rows = read_rows(name)
    universe = outputs = None
    if rows[0][0] == "" and len(rows) > 1:
        outputs, universe = rows[0][1:], Alphabet([row[0] for row in rows[1:]])
        rows = [row[1:] for row in rows[1:]]
    try:
        return Mechanism(rows, universe, outputs)
    except InvalidInput:
        rounded = _decimals(rows)
        if rounded is None:
            raise
    return Mechanism(rounded, universe, outputs)


def read_secret_file(name: str, labels: Sequence[Label]) -> Secret:
    """Return the secret in a file: JSON as in a problem file, or CSV with a row P(s|x) for each category x.

    A CSV file has an empty first cell, then the values of the secret, and in the first column the categories.

    Raises:
        InvalidInput: if the file cannot be read, holds no secret, or one of other categories.
    """
    if not name.endswith(".csv"):
        return read_secret(read_json(name))
    try:
        found = read_matrix(name)
    except InvalidInput:
        raise InvalidInput(
            f"{name} does not say how likely each value of the secret is beside each category; begin it with an empty "
            "cell and the values of the secret, then give each category a row of probabilities that sum to 1."
        ) from None
    own = found.universe.labels
    if own != tuple(range(len(own))) and list(map(text_of, own)) != list(map(text_of, labels)):
        raise InvalidInput(
            f"{name} has other rows than the column has categories, or the same in another order; give both the same "
            "labels."
        )
    return Secret.given(found.rows if found.is_exact else found.floats.tolist(), list(found.outputs))


def _decimals(rows: list[list[str]]) -> list[list[Decimal]] | None:
    try:
        return [[Decimal(cell) for cell in row] for row in rows]
    except InvalidOperation:
        return None
