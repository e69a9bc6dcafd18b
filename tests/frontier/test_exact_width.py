"""Where the data and e^level are rational the interval has width zero, beyond small alphabets and unit distances."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.frontier.generated import DISTORTIONS, SOURCES, UNIVERSES, Kind, generated
from tests.proofs.cases import interval_of_the_second

from epstar.answer import Answer
from epstar.answer_file import write_answer
from epstar.distortion import Absolute
from epstar.errors import NoSolution
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    Notion,
)
from epstar.source import Box, Hull, Prior, Source
from epstar.universe import Alphabet, Graph, Metric, Universe

LINEAR = (
    "differential privacy",
    "approximate",
    "pointwise approximate",
    "maximal leakage",
    "maximal information",
    "identifiability",
    "local information",
    "min-entropy leakage",
    "min-entropy capacity",
)


def assert_one_number(answer: Answer) -> None:
    """Both checkers prove that the interval is a single fraction, or the logarithm of one."""
    interval = answer.proof.check()
    assert interval.width == 0.0
    ends = interval.lower, interval.upper
    assert all(end.rational is not None or end.argument_of_log is not None for end in ends)
    found = interval_of_the_second(json.loads(json.dumps(write_answer(answer))))
    lower, upper = ((end.rational, end.argument_of_log) for end in (found.lower, found.upper))
    assert lower == upper != (None, None)


@pytest.mark.parametrize("notion", LINEAR)
def test_random_questions(notion: str) -> None:
    numbers = random.Random(notion)
    answered = 0
    for seed in range(12):
        # Corners of a region by what is likeliest take the second checker minutes; the others are listed.
        regions = ("box", "ball", "polytope") if notion == "min-entropy leakage" else ()
        sources = [source for source in SOURCES if source not in ("rows", *regions)]
        kind = Kind(
            notion, numbers.choice(sources), numbers.choice(DISTORTIONS), numbers.choice(UNIVERSES), "distortion"
        )
        problem = generated(kind, seed)
        # Distances are multiples of a quarter, for which these have rational powers.
        level = numbers.choice(
            ["log(16)", "log(81/16)", "log(625)"] if kind.universe == "metric" else ["log(2)", "log(9/7)"]
        )
        try:
            answer = Frontier.answer(replace(problem, given=Real.of(level)))
        except NoSolution:
            continue
        answered += 1
        assert_one_number(answer)
    assert answered >= 3


def _prior(letters: int) -> Prior:
    numbers = random.Random(letters)
    weights = [numbers.randint(1, 9) for _ in range(letters)]
    return Prior([Rational(weight, sum(weights)) for weight in weights])


@pytest.mark.parametrize(
    ("notion", "level", "universe"),
    [
        (DifferentialPrivacy(), "log(7/3)", Alphabet(30)),
        (DifferentialPrivacy(), "log(7/3)", Graph.line(30)),
        (DifferentialPrivacy(), "log(2)", Metric([[abs(x - z) for z in range(15)] for x in range(15)])),
        (ApproximateDifferentialPrivacy("1/100"), "log(2)", Graph.ring(20)),
        (ApproximateDifferentialPrivacy("1/100", "pointwise"), "log(2)", Alphabet(20)),
        # In floats the basis is wrong in twenty signs, by less than can be told.
        (Identifiability(), "log(20)", Graph.line(20)),
        (LocalInformationPrivacy(), "log(2)", Alphabet(20)),
        (MaximalInformation(), "log(3)", Alphabet(20)),
        (MinEntropyLeakage(), "log(2)", Alphabet(30)),
    ],
    ids=lambda value: getattr(value, "name", None) or (type(value).__name__ if isinstance(value, Universe) else None),
)
def test_many_letters(notion: Notion, level: str, universe: Universe) -> None:
    assert_one_number(Frontier(notion, _prior(universe.size), Absolute(), universe).distortion_at(loss=level))


def test_the_fraction_is_the_least_distortion() -> None:
    letters, ratio = 12, 2.0
    prior = _prior(letters)
    answer = Frontier(DifferentialPrivacy(), prior, Absolute(), Graph.line(letters)).distortion_at(loss="log(2)")
    entry = np.arange(letters * letters).reshape(letters, letters)
    rows = []
    for x, other in pairwise(range(letters)):
        for first, second in ((x, other), (other, x)):
            for y in range(letters):
                row = np.zeros(letters * letters)
                row[entry[first, y]], row[entry[second, y]] = 1.0, -ratio
                rows.append(row)
    cost = prior.floats[:, None] * np.abs(np.subtract.outer(np.arange(letters), np.arange(letters)))
    laws = np.kron(np.eye(letters), np.ones(letters))
    found = linprog(cost.ravel(), np.array(rows), np.zeros(len(rows)), laws, np.ones(letters))
    assert float(answer.interval.upper) == pytest.approx(found.fun, abs=1e-9)
    assert answer.interval.upper.rational is not None


_BOX = Box(["1/10"] * 5, ["2/5"] * 5)
_HULL = Hull([["1/2", "1/4", "1/8", "1/16", "1/16"], ["1/9", "2/9", "1/3", "2/9", "1/9"]])


@pytest.mark.parametrize("source", [_prior(5), _BOX, _HULL], ids=["prior", "box", "hull"])
@pytest.mark.parametrize("notion", [MaximalLeakage(), MinEntropyLeakage()], ids=lambda notion: notion.name)
def test_a_least_leakage_is_the_logarithm_of_a_fraction(notion: Notion, source: Source) -> None:
    answer = Frontier(notion, source, Absolute()).loss_at(distortion="3/7")
    assert_one_number(answer)
    assert answer.interval.upper.argument_of_log is not None


@pytest.mark.parametrize(
    ("notion", "source", "universe"),
    [
        (DifferentialPrivacy(), _prior(5), Alphabet(5)),
        (DifferentialPrivacy(), _HULL, Alphabet(5)),
        (Identifiability(), _prior(5), Alphabet(5)),
    ],
    ids=["prior", "hull", "identifiability"],
)
def test_a_loss_is_recognised(notion: Notion, source: Source, universe: Universe) -> None:
    """The least distortion at log(13) is that at which log(13) is the least loss."""
    frontier = Frontier(notion, source, Absolute(), universe)
    least = frontier.distortion_at(loss="log(13)").interval.upper
    assert least.rational is not None
    answer = frontier.loss_at(distortion=least.rational)
    assert_one_number(answer)
    assert str(answer.interval.upper) == "log(13)"


# Distances of quarters, for which e^(level * distance) is no fraction, and from 1e5 to 1e50.
@pytest.mark.parametrize(
    ("kind", "seed", "level"),
    [
        (Kind("pointwise approximate", "ball", "squared", "metric", "distortion"), 3, "12"),
        (Kind("approximate", "everything", "gain", "metric", "distortion"), 10, "30"),
        (Kind("approximate", "everything", "gain", "metric", "distortion"), 10, "log(10000000000000)"),
    ],
    ids=str,
)
def test_factors_of_many_sizes_that_are_no_fractions(kind: Kind, seed: int, level: str) -> None:
    answer = Frontier.answer(replace(generated(kind, seed), given=Real.of(level)))
    assert answer.interval.width <= 1e-9
    assert interval_of_the_second(json.loads(json.dumps(write_answer(answer)))).width <= 1e-9
