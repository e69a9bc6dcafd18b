"""Mechanisms, universes and labels as JSON objects, and back: schema "epstar/mechanism/1".

Universes are written as in problem files. Rationals are strings, so that nothing is lost in either direction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from epstar.arguments import check_fields, shown
from epstar.errors import InvalidInput
from epstar.exact import Rational, rational, text
from epstar.json_document import check_json
from epstar.mechanism.base import SCHEMA, AnyMechanism
from epstar.mechanism.blocks import BlockDesign
from epstar.mechanism.dense import Mechanism
from epstar.mechanism.distance import DistanceMechanism
from epstar.mechanism.product import Block, ProductMechanism
from epstar.mechanism.response import DiagonalMechanism, RankOneMechanism, TopRandomisedResponse
from epstar.mechanism.subsets import SubsetSelection
from epstar.probability_vectors import listed
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

_DEEPEST_LABEL = 16
_KNOWN = {
    "matrix": ("universe", "outputs", "rows"),
    "top_randomised_response": ("universe", "active", "ratio", "delta"),
    "diagonal": ("universe", "diagonal"),
    "rank_one": ("universe", "diagonal", "left", "right"),
    "subset_selection": ("universe", "chosen", "ratio"),
    "block_design": ("universe", "prime", "chosen", "ratio"),
    "distance": ("universe", "weights"),
    "product": ("blocks",),
}


def write_labels(labels: Iterable[Hashable]) -> list[object]:
    """Return labels as JSON values: tuples become lists, and fractions {"rational": "3/10"}.

    >>> from epstar.exact import rational
    >>> from epstar.mechanism import write_labels
    >>> write_labels(["yes", ("no", 1), rational("3/10")])
    ['yes', ['no', 1], {'rational': '3/10'}]
    """
    return [_write_label(label) for label in labels]


def _write_label(label: object) -> object:
    if label is None or isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, tuple):
        return write_labels(label)
    if isinstance(label, Rational | Fraction):
        return {"rational": text(rational(label))}
    raise InvalidInput(
        f"A label of type {type(label).__name__} cannot be written as JSON; use text, numbers or tuples."
    )


def read_labels(labels: object, what: str = "The list of labels") -> list[Hashable]:
    """Return the labels that `write_labels` wrote.

    >>> from epstar.mechanism import read_labels, write_labels
    >>> read_labels(write_labels([("yes", 1), "no"]))
    [('yes', 1), 'no']
    """
    read = [_read_label(label, 0) for label in listed(labels, what)]
    exact = {label for label in read if isinstance(label, Rational)}
    if exact and any(isinstance(label, float) and rational(label) in exact for label in read):
        raise InvalidInput(f"{what} holds one number twice, as a decimal and as a rational; labels must differ.")
    return read


def _read_label(label: object, depth: int) -> Hashable:
    if label is None or isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, Decimal):
        # Files are read with decimals as written; a label is the number that JSON gives everybody else, so that it
        # must be one that both readings agree about.
        number = float(label)
        if Decimal(repr(number)) != label:
            raise InvalidInput(
                f"The label {shown(label)} is a number that floats do not hold; write it as text, or as "
                '{"rational": "…"}.'
            )
        return number
    if isinstance(label, list | tuple):
        if not label or depth >= _DEEPEST_LABEL:
            raise InvalidInput(f"A label is an empty list, or one of more than {_DEEPEST_LABEL} levels; write a text.")
        return tuple(_read_label(part, depth + 1) for part in label)
    if isinstance(label, Mapping) and set(label) == {"rational"}:
        return rational(label["rational"])
    raise InvalidInput(f"A label cannot be a value of type {type(label).__name__}; use text, numbers or lists.")


def write_universe(universe: Universe) -> dict[str, object]:
    """Return the universe as it stands in a problem file.

    >>> from epstar import Alphabet
    >>> from epstar.mechanism import write_universe
    >>> write_universe(Alphabet(["yes", "no"]))
    {'alphabet': ['yes', 'no']}
    """
    if isinstance(universe, Databases):
        return {"databases": {**_write_alphabet(universe.alphabet), "rows": universe.rows}}
    if isinstance(universe, Alphabet):
        return _write_alphabet(universe)
    labels = write_labels(universe.labels)
    if isinstance(universe, Graph):
        # Ends are written as labels: a number could be read as a label or as a position.
        edges = [[labels[i], labels[j]] for i, j in universe.edges]
        return {"graph": {"nodes": labels, "edges": edges}}
    if isinstance(universe, Metric):
        return {
            "metric": [[None if entry is None else text(entry) for entry in row] for row in universe.matrix],
            "labels": labels,
        }
    raise InvalidInput(f"A universe of type {type(universe).__name__} cannot be written as JSON; use a Graph.")


def _write_alphabet(alphabet: Alphabet) -> dict[str, object]:
    numbered = alphabet.labels == tuple(range(alphabet.size))
    return {"size": alphabet.size} if numbered else {"alphabet": write_labels(alphabet.labels)}


def read_universe(document: object) -> Universe:
    """Return the universe that a problem file or `write_universe` describes.

    >>> from epstar.mechanism import read_universe
    >>> read_universe({"alphabet": ["yes", "no"]}).labels
    ('yes', 'no')
    """
    if isinstance(document, Mapping) and (len(document) == 1 or set(document) == {"metric", "labels"}):
        match document:
            case {"alphabet": list(labels)}:
                return Alphabet(read_labels(labels, "An alphabet"))
            case {"alphabet": int(size)} | {"size": int(size)}:
                return Alphabet(size)
            case {"databases": {"rows": int(rows), **alphabet}}:
                letters = read_universe(alphabet)
                if isinstance(letters, Alphabet):
                    return Databases(letters, rows)
            case {"graph": {"nodes": nodes, "edges": list(edges), **others}} if not others:
                ends = [read_labels(edge, "An edge") for edge in edges]
                if all(len(pair) == 2 for pair in ends):
                    labels = read_labels(nodes, "The nodes") if isinstance(nodes, list) else nodes
                    return Graph(labels, [(pair[0], pair[1]) for pair in ends])
            case {"metric": matrix, **rest}:
                names = rest.get("labels")
                return Metric(matrix, None if names is None else read_labels(names))
    raise InvalidInput(
        "The universe is not understood; give an object with 'alphabet', 'size', 'databases', 'graph' or 'metric'."
    )


def read_mechanism(document: object) -> AnyMechanism:
    """Return the mechanism of a JSON object of schema "epstar/mechanism/1", of whichever kind.

    Raises:
        InvalidInput: if a field is missing or wrong.

    >>> from epstar.mechanism import Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> read_mechanism(coin.to_json()) == coin
    True
    """
    check_json(document, "The mechanism")
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InvalidInput(f'The document is no mechanism; it needs "schema": "{SCHEMA}".')
    reader = _READERS.get(str(document.get("kind")))
    if reader is None:
        raise InvalidInput(
            f"The kind {shown(document.get('kind'))} of mechanism is unknown; use one of {', '.join(_READERS)}."
        )
    kind = str(document["kind"])
    known = ("universe", "outputs", "floats") if kind == "matrix" and "rows" not in document else _KNOWN[kind]
    mechanism = reader(document)
    check_fields(document, ("schema", "kind", *known), "The mechanism")
    return mechanism


def _field(document: Mapping[str, Any], name: str) -> Any:
    if name not in document:
        raise InvalidInput(f"The mechanism has no field {name!r}; add it.")
    return document[name]


def _read_matrix(document: Mapping[str, Any]) -> AnyMechanism:
    universe = read_universe(_field(document, "universe"))
    outputs = read_labels(_field(document, "outputs"), "The list of outputs")
    if "floats" in document:
        rows = [listed(row, "A row of floats") for row in listed(document["floats"], "The matrix")]
        if not all(type(entry) in (int, float, Decimal) for row in rows for entry in row):
            raise InvalidInput("A matrix of floats must hold JSON numbers; write exact entries as 'rows'.")
        # A whole number in JSON was a float too.
        return Mechanism([[np.float64(str(entry)) for entry in row] for row in rows], universe, outputs)
    return Mechanism(_exact_table(_field(document, "rows")), universe, outputs)


def _exact_table(rows: object) -> list[list[Rational]]:
    # JSON numbers are read as the decimals they are written as.
    return [[rational(entry) for entry in listed(row, "A row of the mechanism")] for row in listed(rows, "The matrix")]


def _read_alphabet(document: Mapping[str, Any]) -> Alphabet:
    universe = read_universe(_field(document, "universe"))
    if not isinstance(universe, Alphabet):
        raise InvalidInput("This kind of mechanism needs an alphabet; give 'alphabet' or 'size' as its universe.")
    return universe


def _read_top(document: Mapping[str, Any]) -> AnyMechanism:
    ratio, delta = _field(document, "ratio"), document.get("delta", 0)
    return TopRandomisedResponse(_read_alphabet(document), _field(document, "active"), ratio, delta)


def _read_diagonal(document: Mapping[str, Any]) -> AnyMechanism:
    return DiagonalMechanism(_read_alphabet(document), _field(document, "diagonal"))


def _read_rank_one(document: Mapping[str, Any]) -> AnyMechanism:
    return RankOneMechanism(
        _read_alphabet(document), *(_field(document, part) for part in ("diagonal", "left", "right"))
    )


def _read_subsets(document: Mapping[str, Any]) -> AnyMechanism:
    return SubsetSelection(_read_alphabet(document), _field(document, "chosen"), _field(document, "ratio"))


def _read_blocks(document: Mapping[str, Any]) -> AnyMechanism:
    prime, chosen = _field(document, "prime"), _field(document, "chosen")
    return BlockDesign(_read_alphabet(document), prime, chosen, _field(document, "ratio"))


def _read_distance(document: Mapping[str, Any]) -> AnyMechanism:
    universe = read_universe(_field(document, "universe"))
    if not isinstance(universe, Databases):
        raise InvalidInput("A distance mechanism needs 'databases' as its universe; give their size and rows.")
    weights = listed(_field(document, "weights"), "The distribution of the distance")
    return DistanceMechanism(universe, [rational(weight) for weight in weights])


def _read_product(document: Mapping[str, Any]) -> AnyMechanism:
    blocks = []
    for entry in listed(_field(document, "blocks"), "The list of blocks"):
        block = check_fields(entry, ("factor", "rows"), "A block of a product")
        blocks.append(Block(read_mechanism(_field(block, "factor")), _field(block, "rows")))
    return ProductMechanism(blocks)


_READERS: dict[str, Callable[[Mapping[str, Any]], AnyMechanism]] = {
    "matrix": _read_matrix,
    "top_randomised_response": _read_top,
    "diagonal": _read_diagonal,
    "rank_one": _read_rank_one,
    "subset_selection": _read_subsets,
    "block_design": _read_blocks,
    "distance": _read_distance,
    "product": _read_product,
}
