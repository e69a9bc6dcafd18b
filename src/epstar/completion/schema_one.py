"""Proofs as JSON (schema "epstar/proof/1"), so that they can be checked elsewhere and later.

Numbers are strings that hold exact rationals, or "log(r)". Multipliers refer to the notion's bounds by position:
for each member of the source in the proof's order, the constrained pairs in the universe's order, each pair in both
directions (see docs/proofs.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from epstar.arguments import check_fields, shown, whole_number
from epstar.completion.converse import Converse, Mixture, Step
from epstar.completion.distances import DistanceProof
from epstar.completion.evidence import AnyProof, Proof
from epstar.completion.rows import RowsProof
from epstar.errors import EpstarError, InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.mechanism import AnyMechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    RenyiDifferentialPrivacy,
)
from epstar.problem import Problem
from epstar.problem_file import read_problem
from epstar.proof_file.limits import MOST_BOUNDS
from epstar.universe import Alphabet

SCHEMA = "epstar/proof/1"
_EVIDENCE = ("converse", "rows", "distances")
_LABELS = ("alphabet", "nodes", "edges", "labels")
_NEEDED = ("weight", "distortion_law", "points", "level", "ratios", "maxima", "sums", "slopes", "prices", "forced")
_STEP = ("weight", "distortion_law", "ratios")


def read_proof(document: object) -> AnyProof:
    """Return the proof that a JSON object holds.

    Raises:
        InvalidInput: if it is not a proof of this schema.
        ProofRejected: if its multipliers belong to nothing.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InvalidInput(f"This is not a proof: its schema must be {SCHEMA!r}.")
    evidence = [name for name in _EVIDENCE if name in document]
    if len(evidence) != 1:
        raise InvalidInput(f"A proof holds exactly one of {', '.join(_EVIDENCE)}; write it again with `epstar solve`.")
    check_fields(document, ("schema", "problem", "mechanism", *evidence), "The proof")
    try:
        if "curve" in document["problem"]["at"]:
            raise InvalidInput("A proof is about one point; give the others proofs of their own.")
        problem = read_problem(_exact(document["problem"]))
        mechanism = None if document["mechanism"] is None else AnyMechanism.from_json(document["mechanism"])
        if "rows" in document:
            return RowsProof(
                problem, mechanism, tuple((_read_row(row), _read_count(n)) for row, n in _read_list(document["rows"]))
            )
        if "distances" in document:
            distances = check_fields(document["distances"], ("price", "level"), "The proof by distances")
            price, level = distances["price"], _read_level(distances["level"])
            return DistanceProof(problem, mechanism, None if price is None else rational(price), level)
        converse = None if document["converse"] is None else _read_converse(document["converse"])
        if converse is not None:
            _check_size(problem, converse)
        return Proof(problem, mechanism, converse)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        if isinstance(error, EpstarError):
            raise
        raise InvalidInput("The proof is incomplete or malformed; write it again with `epstar solve`.") from None


def _check_size(problem: Problem, converse: Converse) -> None:
    """Refuse multipliers of bounds of which there are too many to list.

    A bound is made for each pair of inputs, unless row prices over an alphabet need none.
    """
    used = converse.ratios or converse.sums or converse.maxima or converse.slopes or converse.forced
    is_zero = problem.asks == "distortion" and problem.given.rational == 0
    if not (used or is_zero or any(step.ratios for step in converse.steps)):
        return
    notion = problem.notion
    pairwise = DifferentialPrivacy | ApproximateDifferentialPrivacy | RenyiDifferentialPrivacy | Identifiability
    spares = isinstance(problem.universe, Alphabet) and not converse.ratios and not converse.forced
    spares = spares and len(converse.points) < 2
    if isinstance(notion, RenyiDifferentialPrivacy) and not isinstance(notion.order, float):
        spares = False
    bounds = 2 * problem.universe.number_of_pairs * max(1, len(converse.points))
    if isinstance(notion, pairwise) and not spares and bounds > max(MOST_BOUNDS, len(converse.sums)):
        raise InvalidInput(f"The notion has {shown(bounds)} bounds, of which the proof lists few; give fewer inputs.")


def _exact(document: object, is_label: bool = False) -> object:
    """Return a document in which numbers are the texts of what is written, but for labels.

    Decimals of a question that somebody asks may have been rounded; those of a question that is answered are what they
    are, so that probabilities must add up to one exactly.
    """
    if isinstance(document, Decimal | float) and not is_label:
        return str(document)
    if isinstance(document, Mapping):
        return {name: _exact(entry, is_label or name in _LABELS) for name, entry in document.items()}
    return [_exact(entry, is_label) for entry in document] if isinstance(document, list) else document


def _read_row(document: object) -> Proof:
    row = read_proof(document)
    if not isinstance(row, Proof):
        raise InvalidInput("The proof of a row must be made of multipliers, not of rows or distances.")
    return row


def _read_converse(document: object) -> Converse:
    entry = check_fields(document, (*_NEEDED, "steps", "relative", "order"), "The converse")
    return Converse(
        weight=_read_multiple(entry["weight"]),
        distortion_law=_read_mixture(entry["distortion_law"]),
        points=tuple(_read_mixture(point) for point in _read_list(entry["points"])),
        level=_read_level(entry["level"]),
        ratios=_read_ratios(entry["ratios"]),
        maxima=tuple(
            (_read_place(i), _read_place(k), _read_place(y), _read_place(x), _read_multiple(value))
            for i, k, y, x, value in _read_list(entry["maxima"])
        ),
        sums=tuple(_read_multiple(value) for value in _read_list(entry["sums"])),
        slopes=tuple(
            (_read_place(i), _read_place(k), _read_place(y), _read_numbers(place))
            for i, k, y, place in _read_list(entry["slopes"])
        ),
        prices=None if entry["prices"] is None else _read_numbers(entry["prices"]),
        forced=_read_truth(entry["forced"]),
        steps=tuple(_read_step(step) for step in _read_list(entry.get("steps", []))),
        relative=_read_truth(entry.get("relative", False)),
        order=rational(entry["order"]) if "order" in entry else None,
    )


def _read_step(document: object) -> Step:
    entry = check_fields(document, _STEP, "A step of the converse")
    return Step(_read_multiple(entry["weight"]), _read_mixture(entry["distortion_law"]), _read_ratios(entry["ratios"]))


def _read_ratios(entries: object) -> tuple[tuple[int, int, Rational], ...]:
    return tuple((_read_place(i), _read_place(y), _read_multiple(value)) for i, y, value in _read_list(entries))


def _read_level(entry: object) -> Real | None:
    return None if entry is None else Real.of(entry)


def _read_mixture(entry: object) -> Mixture:
    mixture = tuple((rational(weight), _read_numbers(point)) for weight, point in _read_list(entry))
    if not mixture or len({len(point) for _, point in mixture}) != 1:
        raise InvalidInput("A mixture in the proof is empty or mixes distributions of different sizes.")
    if any(weight < 0 for weight, _ in mixture) or sum((weight for weight, _ in mixture), ZERO) != ONE:
        raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
    return mixture


def _read_multiple(entry: object) -> Rational:
    value = rational(entry)
    if value < 0:
        raise ProofRejected("A multiplier is negative, so weak duality does not apply.")
    return value


def _read_numbers(entry: object) -> tuple[Rational, ...]:
    return tuple(rational(value) for value in _read_list(entry))


def _read_list(entry: object) -> list[Any]:
    if not isinstance(entry, list):
        raise InvalidInput("The proof holds something else where a list should stand; write it again.")
    return entry


def _read_truth(entry: object) -> bool:
    if not isinstance(entry, bool):
        raise InvalidInput(f"The proof holds {shown(entry)} where true or false should stand; write it again.")
    return entry


def _read_place(entry: object) -> int:
    return whole_number(entry, "A position in the proof", 0)


def _read_count(entry: object) -> int:
    return whole_number(entry, "The number of rows that a proof is for", 1)
