r"""Min-entropy leakage under Hamming distortion for one prior: the truth sometimes, else the likeliest letter.

Let E = e^level. The chance of guessing the input from the output, sum over y of max over x of P(x) Q(y|x), is at most
E p_max, and at least the chance sum P(x) Q(x|x) of a right answer (alvim2011, Section 2). Telling the truth with
probability s, and naming the likeliest letter otherwise, makes both p_max + s (1 - p_max): nothing does better.
"""

from __future__ import annotations

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS, Point
from epstar.exact import ONE, ZERO, Real
from epstar.mechanism import RankOneMechanism
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import allowed, letters
from epstar.solve.method import Task
from epstar.solve.shapes import is_hamming_on_letters, is_sum_of_scaled_maxima
from epstar.source import Prior


def accepts(problem: Problem) -> bool:
    """Return whether the chance of a guess is bounded at one prior, and neither end of the trade-off is asked about."""
    prior = problem.source
    if not (is_hamming_on_letters(problem) and isinstance(prior, Prior) and is_sum_of_scaled_maxima(problem.notion)):
        return False
    most = max(prior.probabilities)
    if problem.asks == "loss":
        return 0 < problem.given < Real.of(1 - most)
    return 0 < problem.given < Real.log(1 / most)


def claims(task: Task) -> Claims:
    """Offer the truth with a probability, else the likeliest letter."""
    assert isinstance(task.problem.source, Prior)
    yield Offer(guessed(task.problem, task.problem.source.probabilities), "closed form", "alvim2011, Section 2", True)


def guessed(problem: Problem, prior: Point) -> Proof:
    """Solve min-entropy leakage for one prior, between the ends of its trade-off."""
    most = max(prior)
    first = prior.index(most)
    right = 1 - allowed(problem.given) if problem.asks == "loss" else Real.exp(problem.given).below(BITS) * most
    truth = (right - most) / (1 - most)
    size = len(prior)
    diagonal, left = [truth] * size, [1 - truth] * size
    diagonal[first], left[first] = ONE, ZERO
    right_factor = [ONE if y == first else ZERO for y in range(size)]
    mechanism = RankOneMechanism(letters(problem), diagonal, left, right_factor)
    law = ((ONE, prior),)
    # A unit of the sum is worth the chance of the likeliest letter, and every entry of the diagonal counts whole.
    maxima = tuple((0, 0, x, x, most) for x, p in enumerate(prior) if p > 0)
    return Proof(problem, mechanism, Converse(ONE, law, points=(law,), sums=(most,), maxima=maxima))
