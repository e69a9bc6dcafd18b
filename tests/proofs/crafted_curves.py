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
    loss, distortion = (
        true["curve-differential_privacy-loss"]["proof"],
        true["curve-differential_privacy-distortion"]["proof"],
    )
    free = {"given": "1/5", "lower": "log(1)", "upper": "infinity", "letters": [1, 1]}
    rounding = {"bits": 61, "distance": "1/1000000000000000"}
    open_curve = changed(loss, (("points",), [free]), (("rounding",), rounding))
    yield (
        "a prior below zero of a curve",
        changed(loss, (("points",), [free]), (("source", "prior"), ["3/2", "-1/4", "-1/4"])),
    )
    yield (
        "a prior of a curve above one",
        changed(loss, (("points",), [free]), (("source", "prior"), ["1/2", "1/2", "1/2"])),
    )
    for name, other in (
        ("other units", {"bits": 60}),
        ("no distance", {"distance": "0"}),
        ("too small a distance", {"distance": "1/" + "1" + "0" * 40}),
        ("a distance too large", {"distance": "1/2"}),
    ):
        yield f"a rounding with {name}", changed(open_curve, (("rounding",), rounding | other))
    yield "a curve of a capacity", changed(loss, (("points",), [free]), (("notion",), {"name": "capacity"}))
    yield "a curve of everything", changed(loss, (("points",), [free]), (("source",), {"everything": 3}))
    yield (
        "a curve of a graph",
        changed(loss, (("points",), [free]), (("universe",), {"graph": {"nodes": [0, 1, 2], "edges": []}})),
    )
    yield "a curve of absolute costs", changed(loss, (("points",), [free]), (("distortion",), {"name": "absolute"}))
    yield "a curve that asks for anything", changed(distortion, (("asks",), "anything"))
    yield "a point at a decimal", changed(loss, (("points", 0, "given"), 0.2))
    yield "a curve without points", changed(loss, (("points",), []))
    yield "points that are no list", changed(loss, (("points",), {"0": free}))
    yield (
        "a negative distortion that is reached",
        changed(loss, (("points",), [free | {"given": "-1", "lower": "infinity", "upper": "1"}])),
    )
    yield "a point at a negative loss", changed(distortion, (("points",), [free | {"given": "-1", "lower": "0"}]))
    yield "a point at no fraction", changed(loss, (("points",), [free | {"given": "log(2)"}]))
    unlikely = changed(true["curve-identifiability-loss"]["proof"], (("source", "prior"), ["1/2", "1/2", "0"]))
    yield (
        "a curve of identifiability with a letter that never comes",
        changed(unlikely, (("points",), [free | {"letters": [3, 3]}])),
    )
    answers = true["curve-answers-loss"]
    yield "a curve of other answers", changed(answers, (("asks",), "distortion"), (("unit",), "distortion"))
    yield "a curve of no answers", changed(answers, (("answers",), {}))
    yield "a curve with a proof and answers", {**true["curve-differential_privacy-loss"], "answers": [None] * 3}
    yield "a curve without evidence", {**answers, "answers": None}
    yield (
        "a proof of a curve of another schema",
        changed(true["curve-differential_privacy-loss"], (("proof", "schema"), "epstar/proof/1")),
    )
    mixed = changed(answers, (("answers", 2), honest()["curve-answers-gain"]["answers"][0]))
    yield "a curve of two questions", mixed
    for notion in ("mutual_information", "identifiability", "min_entropy_leakage", "maximal_leakage"):
        for asks in ("loss", "distortion"):
            proof = true[f"curve-{notion}-{asks}"]["proof"]
            for point in range(len(proof["points"])):
                for letters in ([1, 1], [1, 3], [2, 2], [3, 1], [3, 3], [2, 1]):
                    name = f"point {point} of a curve of {notion} and {asks} by {letters}"
                    yield name, changed(proof, (("points", point, "letters"), letters))
            yield (
                f"a curve of {notion} and {asks} with a rational",
                changed(proof, (("points", 0, "lower"), "1/100"), (("points", 0, "upper"), "1/2")),
            )
            yield (
                f"a curve of {notion} and {asks} with a logarithm",
                changed(proof, (("points", 0, "lower"), "log(11/10)"), (("points", 0, "upper"), "log(9/8)")),
            )


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
