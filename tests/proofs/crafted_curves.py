"""Curves and texts made by hand, each with one fault."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.proofs.corpus import honest
from tests.proofs.parts import Json, changed
from tests.proofs.test_attacks import PRIVACY, lower


def curves() -> Iterator[tuple[str, Json]]:
    """Yield curves that prove something else than they say."""
    true = honest()
    answers = true["curve-answers-loss"]
    yield "a curve of other answers", changed(answers, (("asks",), "distortion"), (("unit",), "distortion"))
    yield "a curve of no answers", changed(answers, (("answers",), {}))
    yield "a curve without evidence", {**answers, "answers": None}
    whole = {"schema": "epstar/curve-proof/1", "points": [{"given": "1/5", "lower": "log(9)", "upper": "log(9)"}]}
    yield "a proof of all points", whole
    yield "a curve with a proof of all points", {**answers, "proof": whole, "answers": None}
    yield "a curve without points", {**answers, "points": [], "answers": []}
    mixed = changed(answers, (("answers", 2), honest()["curve-answers-gain"]["answers"][0]))
    yield "a curve of two questions", mixed


def texts() -> Iterator[tuple[str, bytes]]:
    """Yield documents that are faulty as texts."""
    true = json.dumps(honest()["0-differential_privacy-size-prior-loss"])
    yield "cut short", true[:-1].encode()
    yield "in another encoding", true.encode("utf-16")
    yield "a field twice", ('{"unit": "distortion", ' + true[1:]).encode()
    yield "a number that is none", ('{"lower": NaN, ' + true[1:].replace('"lower":', '"beside":', 1)).encode()
    yield (
        "an end that no float prints as",
        true.replace('"lower": 0.46', '"lower": 0.4600000000000000000000001', 1).encode(),
    )
    yield "an end of a million digits", true.replace('"lower": 0.46', f'"lower": 0.{"4" * 1_000_000}', 1).encode()
    yield "a number of a million digits", true.replace('"lower": 0.46', f'"lower": {"4" * 1_000_000}', 1).encode()
    yield "a long number", json.dumps(lower(PRIVACY, weight="1" + "0" * 5000)).encode()
    yield "a division by zero", json.dumps(lower(PRIVACY, weight="1/0")).encode()
    yield "a large exponent", json.dumps(lower(PRIVACY, weight="1e6000")).encode()
    for depth in (23, 24, 25, 100, 1000, 100_000):
        yield f"{depth} lists", b"[" * depth + b"]" * depth
    yield "something else", b'{"schema": "something else"}'
    yield "a number", b"1"
