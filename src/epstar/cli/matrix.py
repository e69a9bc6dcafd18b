"""A mechanism in a file: what epstar wrote, or rows of probabilities, with or without labels around them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from epstar.answer_file import SCHEMA as ANSWER
from epstar.cli.rows import read_rows
from epstar.errors import InvalidInput
from epstar.json_document import read_json
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.probability_vectors import listed
from epstar.proof_file.document import read_bracket
from epstar.release.document import SCHEMA, column_of, read_release
from epstar.universe import Alphabet


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
        columns = [column_of(entry) for entry in read_release(name)["columns"]]
        chosen = [found.mechanism for found in columns if column is None or column in found.names]
        if len(chosen) != 1 or chosen[0] is None:
            names = ", ".join(part for found in columns for part in found.names)
            raise InvalidInput(f"{name} describes the columns {names}; name one of them with --column.")
        return chosen[0]
    if isinstance(document, dict):
        if document.get("schema") == ANSWER:
            return _of_answer(document)
        return AnyMechanism.from_json(document.get("mechanism", document))
    return Mechanism(listed(document, "The matrix of a mechanism"))


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


def _decimals(rows: list[list[str]]) -> list[list[Decimal]] | None:
    try:
        return [[Decimal(cell) for cell in row] for row in rows]
    except InvalidOperation:
        return None
