"""Alphabets too large for a matrix: a constant answer, and randomised response over all letters, never written out.

Randomised response mixes the truth with the uniform law, so that it costs what chance costs, in proportion; with a
share of chance of r and m letters its ratio is 1 + m (1 - r)/r (kalantari2018, Theorem 1, is its optimality for Hamming
distortion and a set that holds the uniform law).
"""

from __future__ import annotations

from collections.abc import Iterator

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS
from epstar.exact import ONE, Rational, Real, dot
from epstar.mechanism import TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Task
from epstar.universe import Alphabet

# Letters that are tried as constant answers, evenly spread: each takes one pass over the alphabet.
_TRIED = 32


def claims(task: Task) -> Claims:
    """Offer randomised response at the distortion or at the level, and the best of some constant answers."""
    problem = task.problem
    if problem.asks == "distortion":
        truth = problem.source.maximum(problem.distortion.cheapest(problem.universe).costs).point
        yield _offer(Proof(problem, None, Converse(ONE, ((ONE, truth),))))
    for mechanism in _mechanisms(problem):
        yield _offer(Proof(problem, mechanism, None))


def _mechanisms(problem: Problem) -> Iterator[TopRandomisedResponse]:
    letters = problem.universe
    assert isinstance(letters, Alphabet)
    yield _constant(problem, letters)
    size, every = letters.size, range(letters.size)
    if problem.asks == "loss":
        chance = TopRandomisedResponse(letters, every, ONE)
        most = chance.distortion(problem.distortion, problem.source).value
        allowed = problem.given.rational
        if allowed is not None and 0 < allowed < most:
            # The share of chance is allowed / most, and every letter has 1/size of it.
            yield TopRandomisedResponse(letters, every, 1 + size * (most - allowed) / allowed)
    elif not problem.given.is_infinite:
        yield TopRandomisedResponse(letters, every, max(ONE, Real.exp(problem.given).below(BITS)))


def _constant(problem: Problem, letters: Alphabet) -> TopRandomisedResponse:
    """Return the best of some constant answers under one law of the source."""
    step = max(1, letters.size // _TRIED)
    law = problem.source.maximum([ONE] * letters.size).point

    def cost(letter: int) -> Rational:
        return dot(law, TopRandomisedResponse(letters, [letter], ONE).costs(problem.distortion))

    return TopRandomisedResponse(letters, [min(range(0, letters.size, step), key=cost)], ONE)


def _offer(proof: Proof) -> Offer:
    return Offer(proof, "program", "weak duality")
