"""Files of answers, curves, mechanisms and proofs: written whole or not at all, and checked when they are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from epstar.answer import Answer, claimed
from epstar.answer_file import SCHEMA as ANSWER
from epstar.answer_file import problem_at, read_answer, write_answer
from epstar.arguments import shown
from epstar.completion import AnyProof, ClaimedProof
from epstar.completion.schema_one import SCHEMA as EARLIER_PROOF
from epstar.completion.schema_one import read_proof as read_earlier_proof
from epstar.curve import Curve
from epstar.curve_file import SCHEMA as CURVE
from epstar.curve_file import read_curve, write_curve
from epstar.errors import InvalidInput
from epstar.json_document import read_json
from epstar.mechanism import SCHEMA as MECHANISM
from epstar.mechanism import AnyMechanism, read_mechanism
from epstar.proof_file.document import SCHEMA as PROOF
from epstar.proof_file.document import read_bracket, write_bracket
from epstar.proof_file.limits import check_content, check_document
from epstar.release.atomic_files import StagedFile, plain_errors, refuse_existing
from epstar.release.place import output_place
from epstar.statistics.document import SCHEMA as STATISTIC

Storable = Answer | Curve | AnyMechanism | AnyProof


def _read_proof(document: Mapping[str, Any]) -> ClaimedProof:
    """Return claims with the question that they answer: that of what is excluded, or else the least loss."""
    claims = read_bracket(document)
    excluded, attained = claims.excluded, claims.attained
    if excluded is not None and excluded.open == "distortion":
        return ClaimedProof(problem_at(claims, "distortion", excluded.loss), claims)
    known = attained if excluded is None else excluded
    assert known is not None
    return ClaimedProof(problem_at(claims, "loss", known.distortion), claims)


_READERS: dict[str, Callable[[Mapping[str, Any]], Storable]] = {
    ANSWER: read_answer,
    STATISTIC: read_answer,
    CURVE: read_curve,
    MECHANISM: read_mechanism,
    PROOF: _read_proof,
    EARLIER_PROOF: read_earlier_proof,
}


def load(path: str | Path) -> Storable:
    """Return the answer, curve, mechanism or proof in a file that `save` or the command line wrote.

    The proof of an answer or a curve is checked, and the numbers are those that it establishes; one that is alone is
    checked when `check` is called.

    Raises:
        InvalidInput: if the file cannot be read, or holds something else.
        ProofRejected: if an answer or a curve claims more than its proof.

    >>> import tempfile
    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(answer.save(f"{folder}/answer.json"))
    Answer(log(12) ≈ 2.48491 nats; proven; closed form; 4 × 4 mechanism)
    """
    document = read_json(path, check_content)
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not isinstance(schema, str) or schema not in _READERS:
        raise InvalidInput(
            f"{Path(path).name} holds no answer, curve, mechanism or proof: its schema is {shown(schema)}; give a file "
            "that `save` or `epstar solve --json` wrote."
        )
    check_document(document)
    return _READERS[schema](document)


def save(value: Storable, path: str | Path, force: bool = False) -> Path:
    """Write an object to a JSON file that `load` reads, and return its path.

    Raises:
        InvalidInput: if the file exists and `force` is not given, or its folder does not.
        WriteFailed: if it cannot be written.

    >>> import tempfile
    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.5, 0.5], "hamming").loss_at("1/4")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(answer, f"{folder}/answer.json").name
    'answer.json'
    """
    target = output_place(path, "The file")
    refuse_existing(target, force)
    content = json.dumps(_document(value), ensure_ascii=False, allow_nan=False).encode() + b"\n"
    with StagedFile(target) as staged:
        with plain_errors(target):
            staged.handle.write(content)
        staged.finish()
        staged.publish(force)
    return target


def _document(value: Storable) -> dict[str, object]:
    match value:
        case Answer():
            return write_answer(value)
        case Curve():
            return write_curve(value)
        case AnyMechanism():
            return value.to_json()
        case _:
            return write_bracket(claimed(value))
