"""One of each object that has a face."""

from __future__ import annotations

from functools import cache

from epstar import (
    Absolute,
    Answer,
    Box,
    Curve,
    DifferentialPrivacy,
    Everything,
    Frontier,
    Gain,
    Hamming,
    MaximalLeakage,
    Mechanism,
    MutualInformation,
    Prior,
)
from epstar.mechanism import geometric
from epstar.universe import Alphabet

SURVEY = {"never": 0.4, "sometimes": 0.3, "often": 0.2, "always": 0.1}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>&amp;\u202e\x00"


@cache
def frontier() -> Frontier:
    """The survey of First steps, with names."""
    return Frontier("dp", SURVEY, "hamming")


@cache
def answer() -> Answer:
    """The least loss at distortion 1/5: log 12."""
    return frontier().loss_at("1/5")


@cache
def answers() -> dict[str, Answer]:
    """Answers of every unit, exact and enclosed."""
    return {
        "exact": answer(),
        "enclosed": Frontier(MutualInformation(), [0.5, 0.3, 0.2], Absolute()).loss_at(0.2),
        "distortion": frontier().distortion_at(1),
        "utility": Frontier("dp", ["1/2", "1/2"], Gain([[1, 0], [0, 1]])).distortion_at("log(3)"),
        "leakage": Frontier(MaximalLeakage(), Everything(3), Hamming()).loss_at("1/3"),
        "free": frontier().loss_at(1),
    }


@cache
def curves() -> dict[str, Curve]:
    """Curves with one proof, with answers, over losses, and with a point that no mechanism reaches."""
    line = Frontier(DifferentialPrivacy(), Box([0, 0, 0], ["1/2", "1/2", "1/2"]), Absolute())
    costs = Frontier("dp", ["1/2", "1/2"], Gain([[1, 0], [0, 1]]))
    return {
        "shared": frontier().curve(points=30),
        "answers": line.loss_at(["1/4", "1/2"]),
        "losses": frontier().distortion_at([0, "log(2)", 3]),
        "impossible": Frontier("dp", ["1/2", "1/2"], Gain([[1, 1], [0, 0]])).loss_at(["-1", "0"]),
        "utility": costs.distortion_at(["log(2)", "log(3)"]),
    }


@cache
def mechanisms() -> dict[str, object]:
    """Mechanisms of every kind and size."""
    found = answer().mechanism
    assert found is not None
    return {
        "structured": found,
        "exact": Mechanism([["3/4", "1/4"], ["1/4", "3/4"]], Alphabet(["yes", "no"])),
        "floats": Mechanism([[0.75, 0.25], [0.3, 0.7]]),
        "wide": Mechanism([["1/2", "1/4", "1/4"]]),
        "many": geometric(40, 2),
    }


@cache
def sources() -> dict[str, object]:
    """What may be known of the inputs."""
    return {
        "labels": frontier().source,
        "many": Prior.uniform_on(1000),
        "box": Box([0, 0, 0], ["1/2", "1/2", "1/2"]),
        "everything": Everything(5),
    }
