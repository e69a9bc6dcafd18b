"""Proofs as earlier versions wrote them (schema "epstar/proof/1"): the multipliers of a solver, by position."""

from __future__ import annotations

from dataclasses import replace

from epstar.completion import AnyProof, ClaimedProof, Converse, DistanceProof, Mixture, Proof, RowsProof
from epstar.completion.schema_one import SCHEMA
from epstar.errors import InvalidInput
from epstar.exact import Real, text
from epstar.problem import Problem
from epstar.problem_file import write_problem
from epstar.source import Finite, Hull


def write_proof(proof: AnyProof) -> dict[str, object]:
    """Return the proof as a JSON object.

    Raises:
        InvalidInput: if it is made of claims, which this schema has no words for.
    """
    if isinstance(proof, ClaimedProof):
        raise InvalidInput("The first format of proofs has no secrets, limits or further guarantees; save the answer.")
    document: dict[str, object] = {
        "schema": SCHEMA,
        "problem": write_problem(proof.problem),
        "mechanism": None if proof.mechanism is None else proof.mechanism.to_json(),
    }
    if isinstance(proof, RowsProof):
        return document | {"rows": [[write_proof(row), count] for row, count in proof.parts]}
    if isinstance(proof, DistanceProof):
        price = None if proof.price is None else text(proof.price)
        return document | {"distances": {"price": price, "level": _write_level(proof.level)}}
    assert isinstance(proof, Proof)
    converse = None if proof.converse is None else _write_converse(_written_out(proof.converse, proof.problem))
    return document | {"converse": converse}


def _written_out(converse: Converse, problem: Problem) -> Converse:
    """Return the converse with its law as a mixture of members, each written out."""
    if converse.weights is None or not isinstance(problem.source, Finite | Hull):
        return converse
    pairs = zip(converse.weights, problem.source.points, strict=True)
    return replace(converse, distortion_law=tuple((w, point) for w, point in pairs if w > 0), weights=None)


def _write_converse(converse: Converse) -> dict[str, object]:
    steps = [
        {
            "weight": text(step.weight),
            "distortion_law": _write_mixture(step.distortion_law),
            "ratios": [[i, y, text(value)] for i, y, value in step.ratios],
        }
        for step in converse.steps
    ]
    written: dict[str, object] = {"steps": steps} if steps else {}
    written |= {"relative": True} if converse.relative else {}
    written |= {} if converse.order is None else {"order": text(converse.order)}
    return written | {
        "weight": text(converse.weight),
        "distortion_law": _write_mixture(converse.distortion_law),
        "points": [_write_mixture(point) for point in converse.points],
        "level": _write_level(converse.level),
        "ratios": [[i, y, text(value)] for i, y, value in converse.ratios],
        "maxima": [[i, k, y, x, text(value)] for i, k, y, x, value in converse.maxima],
        "sums": [text(value) for value in converse.sums],
        "slopes": [[i, k, y, [text(value) for value in place]] for i, k, y, place in converse.slopes],
        "prices": None if converse.prices is None else [text(value) for value in converse.prices],
        "forced": converse.forced,
    }


def _write_level(level: Real | None) -> str | None:
    return None if level is None else str(level)


def _write_mixture(mixture: Mixture) -> list[object]:
    return [[text(weight), [text(p) for p in point]] for weight, point in mixture]
