"""Proofs of whole curves as JSON (schema "epstar/curve-proof/1").

A prior given by floats is written as the numbers that they print as, and read as floats again: their rounded counts are
part of the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Real, text
from epstar.mechanism.document import write_labels
from epstar.notions import from_problem
from epstar.problem_file import read_distortion, read_source, read_universe, write_source
from epstar.proof.curve import CurvePoint, CurveProof
from epstar.reading import check_fields, whole_number
from epstar.source import Prior
from epstar.source.ranking import UNIT_BITS
from epstar.universe import Alphabet

SCHEMA = "epstar/curve-proof/1"
_FIELDS = ("schema", "notion", "universe", "source", "distortion", "asks", "rounding", "points")


def write_curve_proof(proof: CurveProof) -> dict[str, object]:
    """Return the proof as a JSON object."""
    labels, source = proof.universe.labels, proof.source
    is_numbered = all(place == label and type(label) is int for place, label in enumerate(labels))
    return {
        "schema": SCHEMA,
        "notion": {"name": proof.notion.name, **proof.notion.parameters()},
        "universe": {"size": len(labels)} if is_numbered else {"alphabet": write_labels(labels)},
        "source": write_source(source) if source.is_exact else {"prior": source.proportions.tolist()},
        "distortion": {"name": "hamming"},
        "asks": proof.asks,
        "rounding": _rounding(source),
        "points": [
            {
                "given": str(point.given),
                "lower": str(point.lower),
                "upper": str(point.upper),
                "letters": list(point.letters),
            }
            for point in proof.points
        ],
    }


def read_curve_proof(document: object) -> CurveProof:
    """Return the proof that a JSON object holds.

    Raises:
        InvalidInput: if it is not a proof of this schema.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InvalidInput(f"This is not the proof of a curve: its schema must be {SCHEMA!r}.")
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("The proof of the curve is malformed; write it again with `epstar curve`.") from None


def _read(document: Mapping[str, Any]) -> CurveProof:
    check_fields(document, _FIELDS, "The proof of the curve")
    universe, asks = read_universe(document["universe"]), document["asks"]
    source = _read_prior(check_fields(document["source"], ("prior",), "The source"), universe)
    if not isinstance(universe, Alphabet) or not isinstance(read_distortion(document["distortion"]), Hamming):
        raise InvalidInput("The proof of a curve is about an alphabet and Hamming distortion.")
    if asks not in ("loss", "distortion"):
        raise InvalidInput("A curve asks for the 'loss' or the 'distortion'.")
    if document["rounding"] != _rounding(source):
        raise InvalidInput("The proof rounds its prior otherwise; write it again with `epstar curve`.")
    if not isinstance(document["points"], list) or not document["points"]:
        raise InvalidInput("The proof of the curve has no list of points; write it again with `epstar curve`.")
    points = tuple([_read_point(entry) for entry in document["points"]])
    notion = check_fields(document["notion"], ("name", "order", "delta", "reading"), "The notion")
    return CurveProof(from_problem(notion), source, universe, asks, points)


def _rounding(source: Prior) -> dict[str, object] | None:
    """Return how the counts of a prior come about, and how far their law lies from it at most."""
    ranking = source.ranking
    return None if ranking.is_exact else {"bits": UNIT_BITS, "distance": text(ranking.distance)}


def _read_prior(entry: Mapping[str, Any], universe: Alphabet | Any) -> Prior:
    values = entry.get("prior")
    source = read_source(entry, universe) if not _are_floats(values) else Prior(np.array(values, dtype=np.float64))
    assert isinstance(source, Prior)
    return source


def _are_floats(values: Sequence[object] | None) -> bool:
    """Return whether numbers are what floats print as, so that reading them as floats changes nothing."""
    return isinstance(values, list) and all(
        type(value) is float or (isinstance(value, Decimal) and value == Decimal(repr(float(value))))
        for value in values
    )


def _read_point(document: object) -> CurvePoint:
    entry = check_fields(document, ("given", "lower", "upper", "letters"), "A point of the proof")
    below, above = (whole_number(count, "A number of letters", 1) for count in entry["letters"])
    if not all(isinstance(entry[name], str) for name in ("given", "lower", "upper")):
        raise InvalidInput("The numbers of a point are texts; write the proof again with `epstar curve`.")
    given, lower, upper = (Real.of(entry[name]) for name in ("given", "lower", "upper"))
    return CurvePoint(given, lower, upper, (below, above))
