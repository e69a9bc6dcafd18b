"""Answers about the error of a statistic as JSON (schema "epstar/statistic/1"): the question, its ends, both claims."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from epstar.arguments import check_fields, whole_number
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Rational, Real, rational, text
from epstar.json_document import check_json
from epstar.mechanism import AnyMechanism, Mechanism, SubsetSelection, TopRandomisedResponse
from epstar.mechanism.document import read_labels, write_labels
from epstar.probability_vectors import listed
from epstar.problem_file import read_problem, write_problem
from epstar.proof_file.document import exactly, write_shown
from epstar.proof_file.grammar import check_members
from epstar.proof_file.hints import read_corners, write_corners
from epstar.proof_file.limits import check_document
from epstar.statistic import Vector
from epstar.statistics.certificate import ByCounts, ByRays, BySampling, Certificate
from epstar.statistics.proof import Attained, DesignProof, Excluded, check, sets_of
from epstar.universe import Alphabet, Universe

SCHEMA = "epstar/statistic/1"
_FIELDS = ("schema", "problem", "lower", "upper", "unit", "method", "theorem", "status", "attained", "excluded")


def write_design(proof: DesignProof, words: Mapping[str, object]) -> dict[str, object]:
    """Return evidence as a JSON object; `words` are what is said beside it, ends among them."""
    asked = {**write_problem(proof.problem), "source": write_shown(proof.problem.source)}
    document: dict[str, object] = {"schema": SCHEMA, "problem": asked, **words}
    if proof.attained is not None:
        document["attained"] = {
            "loss": str(proof.attained.loss),
            "error": text(proof.attained.error),
            "mechanism": _write_mechanism(proof.attained.mechanism),
        }
    if proof.excluded is not None:
        document["excluded"] = {
            "loss": str(proof.excluded.loss),
            "error": text(proof.excluded.error),
            "law": _texts(proof.excluded.law),
            "certificate": _write_certificate(proof.excluded.certificate),
        }
    return document


def _write_mechanism(mechanism: AnyMechanism) -> dict[str, object]:
    """Return a design as a claim says it: sets of so many categories, or its rows; the problem has the inputs."""
    universe = mechanism.universe
    if isinstance(mechanism, SubsetSelection | TopRandomisedResponse) and isinstance(universe, Alphabet):
        chosen = mechanism.chosen if isinstance(mechanism, SubsetSelection) else 1
        if mechanism == sets_of(universe, chosen, mechanism.ratio):
            return {"chosen": chosen, "ratio": text(mechanism.ratio)}
    dense = mechanism.dense()
    return {"rows": [_texts(row) for row in dense.rows], "outputs": write_labels(dense.outputs)}


def _read_mechanism(entry: object, universe: Universe) -> AnyMechanism:
    is_sets = isinstance(entry, Mapping) and "rows" not in entry
    fields = check_fields(entry, ("chosen", "ratio") if is_sets else ("rows", "outputs"), "The mechanism")
    if is_sets:
        _all_of(fields, ("chosen", "ratio"))
        if not isinstance(universe, Alphabet):
            raise InvalidInput("Sets of categories are for an alphabet; give the rows of the mechanism.")
        chosen = whole_number(fields["chosen"], "The number of categories in a set", 1)
        return sets_of(universe, chosen, rational(fields["ratio"]))
    rows = [_vector(row) for row in listed(fields["rows"], "The rows of the mechanism")]
    outputs = read_labels(fields["outputs"], "The list of outputs") if "outputs" in fields else None
    return Mechanism(rows, universe, outputs)


def _write_certificate(certificate: Certificate) -> dict[str, object]:
    if isinstance(certificate, ByRays):
        estimators = [_texts(vector) for vector in certificate.estimators]
        corners = {"corners": write_corners(certificate.corners)} if certificate.corners else {}
        return {"kind": "rays", "estimators": estimators, "prices": _texts(certificate.prices), **corners}
    if isinstance(certificate, ByCounts):
        found: dict[str, object] = {
            "kind": "counts",
            "share": text(certificate.share),
            "prices": _texts(certificate.prices),
        }
        return found if certificate.factors is None else {**found, "factors": _texts(certificate.factors)}
    return {"kind": "sampling"}


def read_design(document: object) -> tuple[DesignProof, tuple[Real, Real]]:
    """Return evidence that was written, and the ends that it establishes: it is checked, and so are the ends stated.

    Raises:
        InvalidInput: if the document is malformed.
        ProofRejected: if a claim does not hold, or an end that is stated does not follow.
    """
    check_json(document, "The answer")
    fields = check_fields(document, _FIELDS, "The answer")
    if fields.get("schema") != SCHEMA:
        raise InvalidInput(f'This is not an answer about a statistic; it needs "schema": "{SCHEMA}".')
    for needed in ("problem", "lower", "upper", "unit"):
        if needed not in fields:
            raise InvalidInput(f"The answer has no {needed!r}; use the original.")
    asked = fields["problem"]
    source = asked.get("source") if isinstance(asked, Mapping) else None
    check_members(source)
    check_document({"universe": asked.get("universe"), "source": source} if isinstance(asked, Mapping) else None)
    problem = read_problem(asked if source is None else {**asked, "source": exactly(source)}, by_position=True)
    if fields["unit"] != ("nats" if problem.asks == "loss" else "distortion"):
        raise ProofRejected("The unit of the answer is not that of what its proof is about.")
    attained = _read_attained(fields.get("attained"), problem.universe)
    proof = DesignProof(problem, attained, _read_excluded(fields.get("excluded")))
    lower, upper = check(proof)
    if _binary(fields["lower"]) > lower or _binary(fields["upper"]) < upper:
        raise ProofRejected("The answer says more than its claims: an end does not follow.")
    return proof, (lower, upper)


def _read_attained(entry: object, universe: Universe) -> Attained | None:
    if entry is None:
        return None
    fields = check_fields(entry, ("loss", "error", "mechanism"), "What is attained")
    _all_of(fields, ("loss", "error", "mechanism"))
    return Attained(_loss(fields["loss"]), rational(fields["error"]), _read_mechanism(fields["mechanism"], universe))


def _read_excluded(entry: object) -> Excluded | None:
    if entry is None:
        return None
    names = ("loss", "error", "law", "certificate")
    fields = check_fields(entry, names, "What is excluded")
    _all_of(fields, names)
    certificate = check_fields(
        fields["certificate"], ("kind", "estimators", "prices", "share", "factors", "corners"), "The certificate"
    )
    return Excluded(
        _loss(fields["loss"]), rational(fields["error"]), _vector(fields["law"]), _read_certificate(certificate)
    )


def _read_certificate(fields: Mapping[str, Any]) -> Certificate:
    kind = fields.get("kind")
    if kind == "rays":
        _all_of(fields, ("kind", "estimators", "prices"))
        vectors = tuple(_vector(entry) for entry in listed(fields["estimators"], "The list of estimators"))
        return ByRays(vectors, _vector(fields["prices"]), read_corners(fields.get("corners", [])))
    if kind == "counts":
        _all_of(fields, ("kind", "share", "prices"))
        first, *rest = _vector(fields["prices"])
        if len(rest) != 1:
            raise InvalidInput("A certificate by counts has two prices.")
        factors = None if fields.get("factors") is None else _vector(fields["factors"])
        return ByCounts(rational(fields["share"]), (first, rest[0]), factors)
    if kind == "sampling":
        return BySampling()
    raise InvalidInput("A certificate is of the kind 'rays', 'counts' or 'sampling'.")


def _all_of(fields: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in fields:
            raise InvalidInput(f"A claim has no {name!r}; use the original.")


def _loss(value: object) -> Real:
    loss = Real.of(value)
    if loss < 0:
        raise InvalidInput("A loss is at least 0.")
    return loss


def _binary(value: object) -> Real:
    """A stated end: a JSON number is the binary number that it is, not the decimal that prints it."""
    if value == "infinity":
        return Real.of("infinity")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidInput("An end of the answer is not a number.")
    try:
        return Real.of(Rational(*float(value).as_integer_ratio()))
    except (OverflowError, ValueError):
        raise InvalidInput("An end of the answer is not a number.") from None


def _vector(entries: object) -> Vector:
    values = listed(entries, "A list of numbers")
    if not values:
        raise InvalidInput("A list of numbers in a claim is empty.")
    return tuple(rational(entry) for entry in values)


def _texts(values: Vector) -> list[str]:
    return [text(value) for value in values]
