"""What a document with a proof in it establishes, in words: proofs, answers, curves, breakpoints, release files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from epstar.answer_file import ENDS, check_answer, check_ends
from epstar.answer_file import SCHEMA as ANSWER
from epstar.arguments import check_fields
from epstar.breakpoints_file import SCHEMA as BREAKPOINTS
from epstar.breakpoints_file import check_breakpoints
from epstar.claims import Bracket, Setting, check
from epstar.claims.claim import at_most
from epstar.completion.schema_one import SCHEMA as EARLIER_PROOF
from epstar.curve_file import SCHEMA as CURVE
from epstar.curve_file import check_curve
from epstar.distortion import Distortion
from epstar.earlier_documents import ANSWER as EARLIER_ANSWER
from epstar.earlier_documents import check_completed, is_curve, read_evidence
from epstar.earlier_documents import check_curve as check_earlier_curve
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Interval, Real
from epstar.json_document import check_json
from epstar.limits import NO_LIMITS, Limits
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.problem_file import write_source
from epstar.proof_file.document import SCHEMA as PROOF
from epstar.proof_file.document import read_bracket, read_setting
from epstar.proof_file.grammar import given_at
from epstar.rounding import nats
from epstar.statement_words import (
    attained_in_words,
    excluded_in_words,
    lower_case,
    point_in_words,
    rounded_down,
    rounded_up,
    setting_in_words,
)
from epstar.statistic import Statistic
from epstar.statistics.document import SCHEMA as STATISTIC
from epstar.statistics.document import read_design
from epstar.statistics.proof import DesignProof

RELEASE = "epstar/release/1"
_EARLIER = "It is of an earlier schema; its multipliers were completed to claims, and these were checked."
_SAMPLED = "The mechanism that was sampled, which is rounded, keeps this loss as well."


@dataclass(frozen=True)
class Statement:
    """What was proven: sentences, the intervals at the points that were asked about, a mechanism to look at."""

    sentences: tuple[str, ...]
    intervals: tuple[Interval | None, ...] = ()
    is_curve: bool = False
    mechanism: AnyMechanism | None = None
    about: str = ""
    """What the claims are about, where that is one thing."""


def established(document: object) -> Statement:
    """Return what a document proves, after checking every claim in it.

    Raises:
        ProofRejected: if a claim does not hold, or the document says more than its claims.
        InvalidInput: if it carries no proof, or is malformed.
    """
    if not isinstance(document, Mapping):
        raise InvalidInput("This document holds no proof; give what `epstar solve --json` wrote.")
    check_json(document)
    schema = document.get("schema")
    if schema == PROOF:
        return _of_claims(_checked(read_bracket(document)))
    if schema == ANSWER:
        _, claims, interval = check_answer(document)
        found = _of_claims(claims)
        return replace(found, sentences=(*found.sentences, "So the bounds of the answer hold."), intervals=(interval,))
    if schema == STATISTIC:
        return _of_design(*read_design(document))
    if schema == CURVE:
        return _of_curve(document, check_curve(document))
    if is_curve(document):
        points = check_earlier_curve(document)
        count = sum(interval is not None for interval in points)
        return Statement((f"The claims at {count} of {len(points)} points hold.", _EARLIER), points, True)
    if schema == BREAKPOINTS:
        sentences = check_breakpoints(document)
        return Statement(sentences, about=setting_in_words(read_setting(document["problem"])))
    if schema == RELEASE:
        return _of_release(document)
    if schema not in (EARLIER_ANSWER, EARLIER_PROOF):
        raise InvalidInput(
            "This document carries no proof; give an answer, a proof, a curve, breakpoints or a release "
            "file of epstar, as its entry 'schema' tells."
        )
    evidence = read_evidence(document)
    claims, interval = check_completed(document, evidence)
    found = _of_claims(claims)
    told = (*found.sentences, _EARLIER)
    return replace(found, sentences=told, intervals=(interval,), mechanism=evidence.mechanism)


def _of_design(proof: DesignProof, ends: tuple[Real, Real]) -> Statement:
    title, sentences = lower_case(proof.problem.notion.full_title), []
    if proof.excluded is not None:
        loss, error = rounded_down(proof.excluded.loss), rounded_down(Real.of(proof.excluded.error))
        sentences.append(f"No mechanism with a loss of {title} at most {nats(loss)} has an error below {error}.")
    if proof.attained is not None:
        loss, error = rounded_up(proof.attained.loss), rounded_up(Real.of(proof.attained.error))
        sentences.append(f"The mechanism has a loss of {title} at most {nats(loss)} and an error at most {error}.")
    mechanism = None if proof.attained is None else proof.attained.mechanism
    return Statement(tuple(sentences), (Interval(*ends),), False, mechanism)


def _checked(claims: Bracket) -> Bracket:
    check(claims)
    return claims


def _of_claims(claims: Bracket) -> Statement:
    sentences = []
    if claims.excluded is not None:
        sentences.append(excluded_in_words(claims.setting, claims.excluded))
    if claims.attained is not None:
        sentences.append(attained_in_words(claims.setting, claims.attained))
    mechanism = None if claims.attained is None else claims.attained.mechanism
    return Statement(tuple(sentences), mechanism=mechanism, about=setting_in_words(claims.setting))


def _of_curve(document: Mapping[str, Any], intervals: tuple[Interval | None, ...]) -> Statement:
    setting, sentences = read_setting(document["problem"]), []
    for number, (point, interval) in enumerate(zip(document["points"], intervals, strict=True), 1):
        said = "Nothing is claimed."
        if interval is not None:
            said = point_in_words(setting, document["asks"], given_at(point["at"]), interval)
        sentences.append(f"Point {number}: {said}")
    return Statement(tuple(sentences), intervals, True, about=setting_in_words(setting))


def _of_release(document: Mapping[str, Any]) -> Statement:
    """Check the proofs in a release file: that each is about its column, and that what was sampled keeps the loss.

    All other losses and distortions that the file states are measured again: nobody who reads that its proof holds
    should find a false number beside it.
    """
    from epstar.release.document import check_whole  # of no use to other documents
    from epstar.release.report.facts import Understated, column_facts, total_of

    stated = _in_floats(document)
    check_whole(stated, "The release file")
    try:
        total_of(stated, [column_facts(column) for column in stated["columns"]])
    except Understated as error:
        raise ProofRejected(str(error)) from None
    sentences: list[str] = []
    for column in document["columns"]:
        names = ", ".join(map(str, column.get("names", ())))
        told: list[str] = []
        secret = column.get("secret")
        if isinstance(secret, Mapping) and secret.get("proof") is not None:
            told += _kept(column, secret, names)
        least = column.get("least_distortion")
        if isinstance(least, Mapping) and least.get("proof") is not None:
            problem, found = _optimum(column, least, _budget(column, names).get("loss"))
            _check_budget(column, names, problem.notion, problem.given)
            sampled = _sampled(column, names, Setting.of(problem))
            if not _keeps(sampled, problem):
                raise ProofRejected(f"What was sampled for the column {names} loses more than its budget.")
            told += filter(None, (found.about, *found.sentences, _SAMPLED))
        sentences += [f"Column {names}: {sentence}" for sentence in told]
    if not sentences:
        raise InvalidInput(
            "The release file carries no proof that its mechanisms are the best: they were given, or the proof would "
            "be too long to stand in it. `epstar audit` measures what they lose."
        )
    return Statement(tuple(sentences))


def _in_floats(value: Any) -> Any:
    """Return the part of a document with floats for decimals, as release files are written."""
    if isinstance(value, Mapping):
        return {key: _in_floats(part) for key, part in value.items()}
    if isinstance(value, list):
        return list(map(_in_floats, value))
    return float(value) if isinstance(value, Decimal) else value


def _budget(column: Mapping[str, Any], names: str) -> Mapping[str, Any]:
    """The budget of a column, or of the secret that it protects."""
    secret = column.get("secret")
    found = secret.get("budget") if isinstance(secret, Mapping) else column.get("budget")
    if not isinstance(found, Mapping):
        raise InvalidInput(f"The column {names} has a proof and no budget that it is about.")
    return found


def _check_budget(column: Mapping[str, Any], names: str, notion: Notion, level: Real) -> None:
    budget = _budget(column, names)
    written = {"name": notion.name, **notion.parameters()}
    if budget.get("notion") != written or str(level) != budget.get("loss"):
        raise InvalidInput(f"The proof of the column {names} is about another notion or loss than its budget.")


def _sampled(column: Mapping[str, Any], names: str, setting: Setting) -> AnyMechanism:
    """Return the mechanism that was sampled for a column, which is what a proof is about.

    Raises:
        InvalidInput: if the proof is about other categories, frequencies, costs or mechanisms, or about another secret.
    """
    from epstar.release.distance import read_distance  # of no use to other documents
    from epstar.release.document import column_of

    stated, cost = column_of(column), column.get("distortion")
    sampled = stated.mechanism
    assert sampled is not None
    differs = {
        "secret": stated.secret != setting.secret,
        "source": column.get("source") != write_source(setting.source),
        "list of categories": sampled.universe != setting.universe,
        "set of mechanisms": bool(setting.also) or setting.limits not in (NO_LIMITS, Limits(invariant=True)),
        "cost": not isinstance(cost, Mapping) or not _is_same_cost(read_distance(cost), setting),
    }
    for what in (what for what, is_other in differs.items() if is_other):
        raise InvalidInput(f"The proof of the column {names} is about another {what} than the column.")
    return sampled


def _is_same_cost(cost: Distortion, setting: Setting) -> bool:
    """Return whether a cost, as a release file states it, is that of a proof."""
    if isinstance(cost, Statistic) or isinstance(setting.distortion, Statistic):
        return cost == setting.distortion
    return cost.matrix(setting.universe) == setting.distortion.matrix(setting.universe)


def _keeps(sampled: AnyMechanism, problem: Problem) -> bool:
    """Return whether a mechanism surely keeps the loss that a problem is asked at."""
    notion, source = problem.notion, problem.source
    found = notion.loss(sampled, source) if problem.secret is None else problem.secret.loss(notion, sampled, source)
    return found.upper is not None and at_most(found.upper, problem.given)


def _kept(column: Mapping[str, Any], secret: Mapping[str, Any], names: str) -> tuple[str, ...]:
    """Check the proof that the matrix which was sampled keeps its budget about a secret."""
    claims = _checked(read_bracket(secret["proof"]))
    attained = claims.attained
    if attained is None or attained.mechanism is None:
        raise InvalidInput(f"The proof about the secret of the column {names} is about no mechanism.")
    _check_budget(column, names, claims.setting.notion, attained.loss)
    if attained.mechanism.dense().rows != _sampled(column, names, claims.setting).dense().rows:
        raise InvalidInput(f"The proof about the secret of the column {names} is about another mechanism.")
    return ("This is proven of the very matrix that was sampled.", *_of_claims(claims).sentences)


def _optimum(column: Mapping[str, Any], least: Mapping[str, Any], loss: object) -> tuple[Problem, Statement]:
    """Check the proof of a least distortion or error, with the ends that the release file states; nothing else is one.

    Raises:
        InvalidInput: if it says of itself what is asked for, or in which unit: that is the budget of the column.
    """
    proof, cost = check_fields(least, ("proof", *ENDS), "The least distortion")["proof"], column.get("distortion")
    asked = {"unit": "utility" if isinstance(cost, Mapping) and "gain" in cost else "distortion"}
    if isinstance(proof, Mapping) and proof.get("schema") == STATISTIC:
        design, ends = read_design({**proof, **asked, "lower": least.get("lower"), "upper": least.get("upper")})
        check_ends(least, Interval(*ends), "The release file")
        return design.problem, _of_design(design, ends)
    problem, claims, _ = check_answer({"schema": ANSWER, "at": {"loss": loss}, **asked, **least})
    return problem, _of_claims(claims)
