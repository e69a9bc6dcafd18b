r"""Leakages under Hamming distortion: the truth for the likeliest letters, or the truth sometimes.

Only the diagonal q of a mechanism counts. Maximal leakage: e^level = E admits those with sum q <= E and q <= 1
(zhong2022, Theorem 14). One prior, or a source with a flattest law, needs no program: the diagonal is filled from the
likeliest letter on.

Min-entropy leakage at one prior: the chance of guessing the input from the output, sum over y of max over x of
P(x) Q(y|x), is at most E p_max, and at least the chance sum P(x) Q(x|x) of a right answer (alvim2011, Section 2).
Telling the truth with probability s, and naming the likeliest letter otherwise, makes both p_max + s (1 - p_max):
nothing does better.
"""

from __future__ import annotations

from bisect import bisect_right

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS, Point, mixed
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import DiagonalMechanism, RankOneMechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import MANY, Leaders, against_every_law, allowed, is_between, letters
from epstar.solve.method import Task
from epstar.solve.shapes import is_hamming_on_letters, is_sum_of_maxima, is_sum_of_scaled_maxima
from epstar.source import Prior


def accepts(problem: Problem) -> bool:
    """Return whether the sum of the column maxima is bounded, and some distortion is allowed."""
    fits = is_hamming_on_letters(problem) and is_sum_of_maxima(problem.notion)
    return fits and (problem.asks == "distortion" or problem.given > 0)


def is_first(problem: Problem) -> bool:
    """Return whether the ends of the trade-off are told too: of many letters, or plainly between them."""
    size = problem.universe.size
    return accepts(problem) and (size > MANY or is_between(problem, Real.log(Rational(size))))


def claims(task: Task) -> Claims:
    """Offer the best diagonal."""
    yield Offer(leakage(task.problem), "small program", "zhong2022, Theorem 14", settles=True)


def leakage_of_prior(problem: Problem, prior: Point) -> Proof:
    """Solve maximal leakage for the flattest law: answer its likeliest letters truthfully, the last of them in part."""
    leaders = Leaders.of(prior)
    if problem.asks == "loss":
        reach = (1 - allowed(problem.given)) * leaders.denominator
        if reach <= leaders.totals[0]:
            first = leaders.order[: leaders.ties]
            return Proof(problem, TopRandomisedResponse(letters(problem), first, ONE), None)
        whole = bisect_right(leaders.totals, reach)
        part = (reach - leaders.totals[whole - 1]) / leaders.counts[whole] if whole < len(prior) else ZERO
    else:
        ratio = Real.exp(problem.given).below(BITS)
        whole = min(int(ratio.floor()), len(prior))
        part = ratio - whole if whole < len(prior) else ZERO
    last = Rational(leaders.counts[min(whole, len(prior) - 1)], leaders.denominator)
    if problem.asks == "loss":
        # One more unit of the sum buys the probability of the last letter.
        weight, price = (1 / last, ONE) if last > 0 else (ZERO, ONE)
    else:
        weight, price = ONE, last if whole < len(prior) else ZERO
    diagonal = [ZERO] * len(prior)
    # Letters as likely as the first that is not wholly kept share evenly what is left for them together.
    alike = leaders.alike(min(whole, len(prior) - 1))
    for x in leaders.order[: alike.start]:
        diagonal[x] = ONE
    for place in alike:
        diagonal[leaders.order[place]] = (whole + part - alike.start) / len(alike)
    law: Mixture = ((ONE, prior),)
    converse = Converse(weight, law, sums=(price,), maxima=_maxima(law, weight, price))
    return Proof(problem, DiagonalMechanism(letters(problem), diagonal), converse)


def leakage(problem: Problem) -> Proof:
    """Solve maximal leakage for any source: fill the diagonal from the letters that matter most."""
    flattest = problem.source.flattest
    if flattest is not None:
        return leakage_of_prior(problem, flattest.probabilities)
    size, asks_loss = problem.universe.size, problem.asks == "loss"
    every, rows = dict.fromkeys(range(size), ONE), [({x: ONE}, ONE) for x in range(size)]
    if asks_loss:
        best, total, law = against_every_law(problem, ({}, allowed(problem.given) - 1), rows, every)
    else:
        rows.append((every, Real.exp(problem.given).below(BITS)))
        best, total, law = against_every_law(problem, ({size: ONE}, ZERO), rows, {size: -ONE})
    weight, price = (total, ONE) if asks_loss else (ONE, best.multipliers[-1])
    converse = Converse(weight, law, sums=(price,), maxima=_maxima(law, weight, price))
    return Proof(problem, DiagonalMechanism(letters(problem), best.values[:size]), converse)


def _maxima(law: Mixture, weight: Rational, price: Rational) -> tuple[tuple[int, int, int, int, Rational], ...]:
    """Return the multipliers of the maxima: an entry of the diagonal counts what it is worth, the price at most."""
    worth = ((x, min(weight * p, price)) for x, p in enumerate(mixed(law)))
    return tuple((0, 0, x, x, value) for x, value in worth if value > 0)


def accepts_guesses(problem: Problem) -> bool:
    """Return whether the chance of a guess is bounded at one prior, and neither end of the trade-off is asked about."""
    prior = problem.source
    if not (is_hamming_on_letters(problem) and isinstance(prior, Prior) and is_sum_of_scaled_maxima(problem.notion)):
        return False
    return problem.given > 0 and is_between(problem, Real.log(1 / max(prior.probabilities)))


def guess_claims(task: Task) -> Claims:
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
    law: Mixture = ((ONE, prior),)
    # A unit of the sum is worth the chance of the likeliest letter, and every entry of the diagonal counts whole.
    maxima = tuple((0, 0, x, x, most) for x, p in enumerate(prior) if p > 0)
    return Proof(problem, mechanism, Converse(ONE, law, points=(law,), sums=(most,), maxima=maxima))
