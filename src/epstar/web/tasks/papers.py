"""The claims of the papers: listed, shown, and run again on the data that breaks them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from epstar.citations import by_authors
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Interval, Rational, Real
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar.web.tasks.reading import fields_of
from epstar.web.worker import Context
from epstar_papers import Case, Relation, Theorem, all_theorems, examine, find

# Larger mechanisms and distributions are told in numbers alone.
_MOST_DRAWN = 16
_MOST_LAWS = 4


def theorems() -> list[dict[str, object]]:
    """Return what a list of the claims shows of each."""
    return [
        {
            "key": claim.key,
            "paper": claim.paper,
            "authors": by_authors(claim.paper),
            "label": claim.label,
            "place": claim.place,
            "statement": claim.statement,
            "verdict": claim.verdict.value,
            "has_counterexample": claim.counterexample is not None,
        }
        for claim in all_theorems()
    ]


def theorem(document: object, _: Context) -> object:
    """Return all that is known of one claim."""
    claim = _claim(document)
    example = claim.counterexample
    return {
        "key": claim.key,
        "paper": claim.paper,
        "label": claim.label,
        "place": claim.place,
        "statement": claim.statement,
        "hypotheses": claim.hypotheses.words,
        "leaves_out": claim.leaves_out,
        "relation": claim.relation.value,
        "verdict": claim.verdict.value,
        "evidence": claim.evidence,
        "correction": claim.correction,
        "beyond": claim.beyond,
        "counterexample": None
        if example is None
        else {
            "data": _data(example.case),
            "claimed": _shown(example.claimed),
            "true": _shown(example.true),
            "numbers": _numbers(example.claimed, example.true),
            "why": example.why,
        },
    }


def rerun(document: object, _: Context) -> object:
    """Run a claim again: on its counterexample, or with {"all": true} on every case that its verdict rests on."""
    claim = _claim(document)
    every = isinstance(document, dict) and document.get("all") is True
    if not every and claim.counterexample is None:
        raise InvalidInput("This claim has no counterexample to run; run all its cases instead.")
    found = examine(claim if every else replace(claim, cases=list))
    result: dict[str, object] = {
        "cases": found.cases,
        "printed_right": found.printed_right,
        "printed_wrong": found.printed_wrong,
        "verdict_stands": found.verdict_stands if every else found.printed_wrong > 0 or claim.printed is None,
    }
    if not every and claim.counterexample is not None:
        case = claim.counterexample.case
        result |= {
            "data": _data(case),
            "claimed": _evaluated(claim.printed, case),
            "true": _evaluated(claim.computed if claim.relation is not Relation.IMPLIES else None, case),
            "corrected": _evaluated(claim.corrected, case),
        }
    return result


def _claim(document: object) -> Theorem:
    key = fields_of(document, {"key", "all"}).get("key")
    if not isinstance(key, str) or len(key) > 200:
        raise InvalidInput("Name a claim by its key, such as 'kalantari2018:lemma-1'.")
    claim = find(key)
    if not isinstance(claim, Theorem):
        raise InvalidInput(f"{key!r} is a figure, not a claim; use `epstar reproduce`.")
    return claim


def _data(case: Case) -> list[dict[str, object]]:
    return [{"name": name.replace("_", " "), "value": _shown(value), **_picture(value)} for name, value in case.items()]


def _picture(value: object) -> dict[str, object]:
    """Return a mechanism, a distribution or a few of them as numbers to draw."""
    if isinstance(value, Mechanism) and max(value.shape) <= _MOST_DRAWN:
        return {"matrix": value.floats.tolist()}
    laws = [value.probabilities] if isinstance(value, Prior) else [value] if _is_law(value) else value
    if isinstance(laws, list | tuple) and 0 < len(laws) <= _MOST_LAWS and all(map(_is_law, laws)):
        return {"shares": [[float(Real.of(share)) for share in law] for law in laws]}
    return {}


def _is_law(value: object) -> bool:
    if not isinstance(value, list | tuple) or not 1 < len(value) <= _MOST_DRAWN:
        return False
    return all(isinstance(share, Rational) and share >= 0 for share in value) and sum(value) == 1


def _numbers(claimed: object, true: object) -> dict[str, float] | None:
    """Return what was claimed and what is true, if both are numbers that can be drawn beside each other."""
    if not isinstance(claimed, float) or not isinstance(true, float):
        return None
    # Yes and no are written as 1 and 0, and are no picture.
    is_answer = {claimed, true} == {0.0, 1.0}
    is_drawn = math.isfinite(claimed + true) and min(claimed, true) >= 0 < max(claimed, true) and not is_answer
    return {"claimed": claimed, "true": true} if is_drawn else None


def _evaluated(formula: Callable[[Case], object] | None, case: Case) -> str | None:
    """Return what a formula says about a case, in words where it says nothing."""
    if formula is None:
        return None
    try:
        return _shown(formula(case))
    except (EpstarError, ArithmeticError, ValueError, TypeError):
        return "cannot be evaluated"


def _shown(value: object) -> str:
    if isinstance(value, Interval):
        if value.width == 0.0:
            return _shown(value.upper)
        return f"between {value.lower.lower:.9g} and {value.upper.upper:.9g}"
    if isinstance(value, Real):
        known = value.rational is not None or value.argument_of_log is not None or value.is_infinite
        written = str(value)
        return written if known and len(written) <= 40 else f"{float(value):.12g}"
    if isinstance(value, Rational):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9g}" if math.isfinite(value) else "infinite"
    if isinstance(value, Mechanism):
        return _shown([list(row) for row in (value.rows if value.is_exact else value.floats.tolist())])
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_shown(entry) for entry in value) + ")"
    return str(value)
