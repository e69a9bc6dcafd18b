r"""Right and wrong answers: maximal leakage, min-entropy leakage, identifiability, and guessing on a graph.

Under Hamming distortion only the diagonal q of a mechanism counts. Maximal leakage: e^level = E admits those with
sum q <= E and q <= 1 (zhong2022, Theorem 14). One prior, or a source with a flattest law, needs no program: the
diagonal is filled from the likeliest letter on.

Min-entropy leakage at one prior: the chance of guessing the input from the output, sum over y of max over x of
P(x) Q(y|x), is at most E p_max, and at least the chance sum P(x) Q(x|x) of a right answer (alvim2011, Section 2).
Telling the truth with probability s, and naming the likeliest letter otherwise, makes both p_max + s (1 - p_max):
nothing does better.

Identifiability at one prior of full support (wang2016, Theorem 1 made exact) is the spread of each column of the joint
probabilities u(x,y) = P(x) Q(y|x). If p_min >= 1/(m-1+E), every column has one peak E times its floor. Otherwise the
least likely letter is the floor of every column, and the distortion is 1 - E p_min. Below the ratio p_max/p_min nothing
is possible.

Guessing the true node of a graph under differential privacy has the closed forms of `epstar.query`; here their
certificates become multipliers of the privacy constraints, so that the proof is like any other.
"""

from __future__ import annotations

from bisect import bisect_right

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS, Point, mixed
from epstar.distortion import Gain, Hamming
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import DiagonalMechanism, Mechanism, RankOneMechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import (
    LARGE_LEVEL,
    MANY,
    Leaders,
    against_every_law,
    allowed,
    is_between,
    letters,
)
from epstar.solve.method import Task
from epstar.solve.shapes import (
    is_hamming_on_letters,
    is_scaled_by_the_law,
    is_sum_of_maxima,
    is_sum_of_scaled_maxima,
    plain_spread,
)
from epstar.source import Prior
from epstar.universe import Graph

# The proof writes one multiplier for each node and each edge of a tree of shortest paths to it.
_MOST_NODES = 64


# -- Maximal leakage ---------------------------------------------------------------------------------------------------


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


# -- Min-entropy leakage -----------------------------------------------------------------------------------------------


def accepts_min_entropy(problem: Problem) -> bool:
    """Return whether the chance of a guess is bounded at one prior, and neither end of the trade-off is asked about."""
    prior = problem.source
    if not (is_hamming_on_letters(problem) and isinstance(prior, Prior) and is_sum_of_scaled_maxima(problem.notion)):
        return False
    return problem.given > 0 and is_between(problem, Real.log(1 / max(prior.probabilities)))


def claims_min_entropy(task: Task) -> Claims:
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


# -- Identifiability ---------------------------------------------------------------------------------------------------


def accepts_identifiability(problem: Problem) -> bool:
    """Return whether joint probabilities are compared at one prior of full support, and something is allowed."""
    prior = problem.source
    fits = is_hamming_on_letters(problem) and isinstance(prior, Prior) and is_scaled_by_the_law(problem.notion)
    return fits and isinstance(prior, Prior) and min(prior.probabilities) > 0 and problem.given > 0


def is_first_identifiability(problem: Problem) -> bool:
    """Return whether it is plain that more is allowed than what the prior alone gives away, and not everything."""
    if not accepts_identifiability(problem):
        return False
    assert isinstance(problem.source, Prior)
    prior = problem.source.probabilities
    unlike = max(prior) / min(prior)
    if problem.asks == "loss":
        distortion = problem.given.rational
        return distortion is not None and distortion > 0 and least_ratio(prior, distortion) > unlike
    return Real.log(unlike) < problem.given < LARGE_LEVEL


def claims_identifiability(task: Task) -> Claims:
    """Offer the columns of one peak, or of one floor."""
    assert isinstance(task.problem.source, Prior)
    found = identifiable(task.problem, task.problem.source.probabilities)
    yield Offer(found, "closed form", "wang2016, Theorem 1, exact beyond its range", settles=True)


def least_ratio(prior: Point, distortion: Rational) -> Rational:
    """Return the least E at a positive distortion: the maximum of the three branches."""
    size = len(prior)
    return max((size - 1) * (1 - distortion) / distortion, (1 - distortion) / min(prior), max(prior) / min(prior))


def identifiable(problem: Problem, prior: Point) -> Proof:
    """Solve identifiability for one full-support prior, above the level that the prior itself gives away."""
    if problem.asks == "loss":
        ratio = least_ratio(prior, allowed(problem.given))
        above, level = ratio, Real.log(ratio)
    else:
        ratio, above, level = Real.exp(problem.given).below(BITS), Real.exp(problem.given).above(BITS), None
    law = ((ONE, prior),)
    converse = Converse(ONE, law, points=(law,), level=level, prices=joint_prices(prior, above))
    return Proof(problem, _with_peaks(problem, prior, ratio), converse)


def joint_prices(prior: Point, ratio: Rational) -> tuple[Rational, ...]:
    """Return the row prices that prove the optimum of one prior at E = `ratio`."""
    size = len(prior)
    floor = prior.index(min(prior))
    if prior[floor] * (size - 1 + ratio) >= 1:
        share = Rational(size - 1) / (size - 1 + ratio)
        return tuple(share * p for p in prior)
    return tuple(p * (1 - ratio) if x == floor else p for x, p in enumerate(prior))


def _with_peaks(problem: Problem, prior: Point, ratio: Rational) -> RankOneMechanism:
    size = len(prior)
    floor = prior.index(min(prior))
    others = [ONE] * size
    if prior[floor] * (size - 1 + ratio) >= 1:
        base = 1 / (size - 1 + ratio)
        # A ratio that is rounded to one leaves the uniform prior and a constant answer.
        heights = [(p - base) / (ratio - 1) if ratio > 1 else p / size for p in prior]
    else:
        # Columns share out the floor letter in proportion to what the others have above it.
        excess = sum((p - prior[floor] for p in prior), ZERO)
        heights = [prior[floor] * (p - prior[floor]) / excess for p in prior]
        for x, p in enumerate(prior):
            rest = prior[floor] - heights[x]
            # A letter that fills the floor alone has nothing left for other outputs.
            others[x] = ONE if x == floor or rest == 0 else (p - ratio * heights[x]) / rest
    diagonal = [ratio * height / p for height, p in zip(heights, prior, strict=True)]
    left = [other / p for other, p in zip(others, prior, strict=True)]
    return RankOneMechanism(letters(problem), diagonal, left, heights)


# -- Guessing on a graph -----------------------------------------------------------------------------------------------


def accepts_graph(problem: Problem) -> bool:
    """Return whether the ratios between neighbours in a small graph are bounded, and an answer is right or wrong."""
    graph, spread = problem.universe, plain_spread(problem.notion)
    if not isinstance(graph, Graph) or not isinstance(problem.source, Prior) or problem.asks != "distortion":
        return False
    return spread is not None and spread.slack == 0 and graph.size <= _MOST_NODES and _is_right_or_wrong(problem)


def claims_graph(task: Task) -> Claims:
    """Offer the closed form, where its hypotheses hold."""
    found = guessing(task.problem)
    if found is not None:
        yield Offer(found[0], "closed form", found[1], settles=True)


def guessing(problem: Problem) -> tuple[Proof, str] | None:
    """Return the proof of a closed form and its name where its hypotheses hold, None elsewhere."""
    from epstar.query.closed_forms import HypothesisFails, closed_form  # many files, which other forms do without

    graph, source = problem.universe, problem.source
    assert isinstance(graph, Graph)
    assert isinstance(source, Prior)
    try:
        # The mechanism needs a ratio not above e^level, the certificate one not below it.
        attained = closed_form(graph, Real.exp(problem.given).below(BITS), source)
        bounded = closed_form(graph, Real.exp(problem.given).above(BITS), source)
    except HypothesisFails:
        return None
    bounds = problem.notion.constraints(graph, []).pairwise()
    place = {(*bound.left, *bound.right): i for i, bound in enumerate(bounds)}
    flows = tuple((place[x, other], z, flow) for (x, other, z), flow in bounded.certificate.multipliers().items())
    mechanism = Mechanism(attained.mechanism.dense().rows, graph, problem.distortion.outputs(graph))
    proof = Proof(problem, mechanism, Converse(ONE, ((ONE, source.probabilities),), ratios=flows))
    return proof, attained.theorem


def _is_right_or_wrong(problem: Problem) -> bool:
    """Return whether an answer has one cost when it is right and another when it is wrong."""
    if isinstance(problem.distortion, Hamming):
        return True
    rows = problem.distortion.matrix(problem.universe)
    return isinstance(problem.distortion, Gain) and all(
        len(row) == len(rows) and all(value == (-1 if x == y else 0) for y, value in enumerate(row))
        for x, row in enumerate(rows)
    )
