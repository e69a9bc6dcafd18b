"""What a mechanism loses, in every notion and in words; what a proof establishes when it is checked again."""

from __future__ import annotations

from epstar.distortion import Distortion, Gain, Hamming
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Real, text
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions import from_problem
from epstar.problem_file import read_distortion, read_source
from epstar.release.guarantee import Guarantee, guarantees
from epstar.source import Everything, Prior, Source
from epstar.statement import established
from epstar.web.sentences import explain
from epstar.web.tasks.reading import MOST_DRAWN, band, drawn, fields_of, named, number, read_as
from epstar.web.worker import Context


def audit(document: object, context: Context) -> object:
    """Return the losses of a mechanism by every notion, each with its witness in words, and its distortion.

    Without a source nothing is known of the inputs; "notions" are measured besides the usual ones. The distortion is
    null where none is given and the outputs are no inputs, so that Hamming's does not fit.
    """
    fields = fields_of(document, {"mechanism", "source", "distortion", "notions"})
    with read_as("a mechanism"):
        mechanism = _mechanism(fields["mechanism"], context)
        universe = mechanism.universe
        source = Everything(mechanism.shape[0]) if "source" not in fields else read_source(fields["source"], universe)
        distortion = read_distortion(fields["distortion"]) if "distortion" in fields else Hamming()
        extra = [from_problem(entry) for entry in fields.get("notions", [])]
    if max(mechanism.shape) > MOST_DRAWN:
        raise InvalidInput(
            f"A mechanism of {mechanism.shape[0]} inputs and {mechanism.shape[1]} outputs is too large to be measured "
            f"here, where {MOST_DRAWN} is the most; use `epstar audit`."
        )
    # Written out, so that witnesses name inputs and outputs.
    mechanism = mechanism.dense()
    try:
        spoilt = _spoilt(mechanism, distortion, source)
    except InvalidInput:
        if "distortion" in fields:
            raise
        spoilt = None
    law_is_known = isinstance(source, Prior)
    return {
        **(drawn(mechanism) or {}),
        "losses": [_loss(found, mechanism, law_is_known) for found in guarantees(mechanism, source, extra)],
        "distortion": spoilt,
    }


def _spoilt(mechanism: Mechanism, distortion: Distortion, source: Source) -> dict[str, object]:
    value = mechanism.distortion(distortion, source).value
    axis, shown = ("utility", -value) if isinstance(distortion, Gain) else ("distortion", value)
    return {"axis": axis, "value": float(Real.of(shown)), "exact": text(shown)}


def _mechanism(entry: object, context: Context) -> AnyMechanism:
    if isinstance(entry, list):
        context.limits.check_problem({"universe": {"alphabet": entry}})
        return Mechanism(entry)
    checked = context.limits.check_problem(entry)
    return AnyMechanism.from_json(checked)


def _loss(found: Guarantee, mechanism: AnyMechanism, law_is_known: bool) -> dict[str, object]:
    notion, loss = found.notion, found.loss
    head: dict[str, object] = {
        "notion": {"name": notion.name, **notion.parameters()},
        "title": notion.title,
        "unit": notion.unit,
    }
    if loss is None:
        return {**head, "not_measured": found.reason}
    bounds: dict[str, object] = {"lower": None, "upper": None, "exact": None}
    if loss.lower is not None and loss.upper is not None:
        bounds = {
            "lower": number(loss.lower.lower),
            "upper": number(loss.upper.upper),
            "exact": named(loss.upper) if loss.lower is loss.upper else None,
        }
    return {
        **head,
        **bounds,
        "value": number(loss.value),
        "inputs": list(loss.witness.inputs),
        "outputs": list(loss.witness.outputs),
        "words": explain(notion, loss, mechanism, law_is_known),
    }


def check(document: object, context: Context) -> object:
    """Check the proof in an answer, or a proof itself, and say what it establishes."""
    with read_as("a proof"):
        if isinstance(document, dict):
            inner = document.get("proof", document)
            context.limits.check_problem(inner.get("problem", {}) if isinstance(inner, dict) else {})
            if "shown" in document:
                # What the page was sent to draw is no part of an answer.
                document = {key: value for key, value in document.items() if key not in ("mechanism", "shown")}
        try:
            found = established(document)
        except ProofRejected as error:
            return {"holds": False, "why": str(error)}
    ends = band(found.intervals[0]) if found.intervals and found.intervals[0] is not None else {}
    return {"holds": True, **ends, "evidence": " ".join(found.sentences)}
