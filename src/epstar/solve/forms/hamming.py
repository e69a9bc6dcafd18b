r"""Hamming distortion on an alphabet: what has a closed form or a program with one variable per letter.

Under Hamming distortion only the diagonal q(x) = Q(x|x) of a mechanism counts, and both differential privacy and
maximal leakage bound the diagonal alone:

* e^level = E admits the diagonals with (E - 1) q(x) + sum q <= E for every x (kalantari2018, proof of Theorem 2);
* maximal leakage admits those with sum q <= E and q <= 1 (zhong2022, Theorem 14).

So any source, listed or not, needs a linear program with one variable per letter; one prior needs none. The
multipliers of the program weigh members of the source, and the law they make is least favourable: it proves the
lower bound by the row prices of a single prior.

A source with a flattest law (one that all others majorise: a prior, a box, a ball, everything) needs no program either.
Both bounds are symmetric in the letters, so the best diagonal for a law gives more to likelier letters and the same to
equally likely ones, and the flattest law is the least favourable; against such a diagonal the flattest law is in turn
the worst of the source. Approximate differential privacy adds delta on the diagonal of
the mechanism at (1 - delta) of the distortion (zhong2022, Theorem 9).
"""

from __future__ import annotations

from bisect import bisect_right

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, DiagonalMechanism, Mechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import BITS, Point, mixed
from epstar.solve.forms.leaders import Leaders, row_prices
from epstar.solve.forms.many_members import with_many_members
from epstar.solve.methods.small_program import SmallProgram
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.programs.members import initial_members, is_listed
from epstar.universe import Alphabet


def response_to_prior(problem: Problem, prior: Point, delta: Rational) -> Proof:
    """Solve (approximate) differential privacy for the flattest law: randomised response on its likeliest letters."""
    leaders = Leaders.of(prior)
    law: Mixture = ((ONE, prior),)
    if problem.asks == "loss":
        distortion = _rational(problem.given) / (1 - delta)
        if distortion >= 1 - max(prior):
            # A guess among the likeliest letters, and the truth with probability delta: nothing is lost beyond delta.
            first = leaders.order[: leaders.ties]
            return Proof(problem, TopRandomisedResponse(_alphabet(problem), first, ONE, delta), None)
        ratio, count = leaders.least_ratio(distortion)
        level = Real.log(ratio)
        converse = Converse(ONE, law, level=level, prices=row_prices(prior, ratio))
        mechanism_ratio = ratio
    else:
        converse = Converse(ONE, law, prices=row_prices(prior, Real.exp(problem.given).above(BITS)))
        mechanism_ratio = Real.exp(problem.given).below(BITS)
        count = leaders.best_count(mechanism_ratio) if mechanism_ratio > 1 else leaders.ties
    active = leaders.order[:count]
    return Proof(problem, TopRandomisedResponse(_alphabet(problem), active, mechanism_ratio, delta), converse)


def response_to_source(problem: Problem, delta: Rational) -> Proof:
    """Solve (approximate) differential privacy for any source by a program with one variable per letter."""
    many = with_many_members(problem) if delta == 0 else None
    if many is not None:
        return many
    if problem.asks == "loss":
        distortion = _rational(problem.given) / (1 - delta)
        constant = best_constant(problem)
        if constant.distortion <= distortion:
            return Proof(problem, _with_delta(constant_mechanism(problem, constant.law), delta), None)
        diagonal, favourite = least_ratio_diagonal(problem, distortion)
        law = _interior(favourite, distortion, problem)
        ratio = Leaders.of(mixed(law)).least_ratio(distortion)[0]
        converse = Converse(ONE, law, level=Real.log(ratio), prices=row_prices(mixed(law), ratio))
    else:
        diagonal, law = _best_diagonal(problem, Real.exp(problem.given).below(BITS))
        converse = Converse(ONE, law, prices=row_prices(mixed(law), Real.exp(problem.given).above(BITS)))
    return Proof(problem, _with_delta(DiagonalMechanism(_alphabet(problem), diagonal), delta), converse)


def _with_delta(mechanism: AnyMechanism, delta: Rational) -> AnyMechanism:
    if delta == 0:
        return mechanism
    rows = mechanism.dense().rows
    return Mechanism(
        [[(1 - delta) * q + (delta if x == y else ZERO) for y, q in enumerate(row)] for x, row in enumerate(rows)],
        mechanism.universe,
    )


def least_ratio_diagonal(problem: Problem, distortion: Rational) -> tuple[list[Rational], Mixture]:
    """Return a diagonal of least ratio E at a distortion no larger than a constant answer needs, and a worst law.

    At that distortion itself E is the limit from below. One linear program for kalantari2018, Theorems 1 to 3: with
    y = q/(1 - max q) and s = 1/(1 - max q), minimise sum y - s.
    """
    size = problem.universe.size
    members = initial_members(problem.source)
    while True:
        program = SmallProgram(size + 1)
        for member in members:
            program.at_least([*member, distortion - 1], ZERO)
        for x in range(size):
            program.at_most({x: ONE, size: -ONE}, -ONE)
        program.at_most(dict.fromkeys(range(size), -ONE) | {size: ONE}, ZERO)
        solution = program.minimise([ONE] * size + [-ONE])
        diagonal = [value / solution.values[size] for value in solution.values[:size]]
        worst = problem.source.minimum(diagonal)
        if _settled(problem, worst.point, members):
            break
    short = 1 - distortion - worst.value
    if short > 0:
        # Rounding left the worst member a little short: move towards answering every letter truthfully.
        share = short / (1 - worst.value)
        diagonal = [q + share * (1 - q) for q in diagonal]
    return diagonal, solution.mixture(members)


def _interior(law: Mixture, distortion: Rational, problem: Problem) -> Mixture:
    """Move the least favourable law a hair inside when a constant answer would just do for it.

    The supremum over the source need not be attained at the jump (the loss jumps there); a law with a
    smaller largest letter is mixed in.
    """
    if max(mixed(law)) < 1 - distortion:
        return law
    share = Rational(1, 1 << 60)
    flattest = best_constant(problem).least_favourable
    return tuple((weight * (1 - share), point) for weight, point in law) + tuple(
        (weight * share, point) for weight, point in flattest
    )


def _best_diagonal(problem: Problem, ratio: Rational) -> tuple[list[Rational], Mixture]:
    """Maximise the worst member's probability of a right answer over the diagonals admitted at E = `ratio`."""
    size = problem.universe.size
    members = initial_members(problem.source)
    while True:
        program = SmallProgram(size + 1)
        for member in members:
            program.at_least([*member, -ONE], ZERO)
        for x in range(size):
            program.at_most(dict.fromkeys(range(size), ONE) | {x: ratio}, ratio)
        solution = program.minimise([ZERO] * size + [-ONE])
        diagonal = list(solution.values[:size])
        if _settled(problem, problem.source.minimum(diagonal).point, members):
            break
    total = sum(diagonal, ZERO)
    most = max((ratio - 1) * q + total for q in diagonal)
    if most > ratio:
        diagonal = [q * ratio / most for q in diagonal]
    return diagonal, solution.mixture(members)


def leakage_of_prior(problem: Problem, prior: Point) -> Proof:
    """Solve maximal leakage for the flattest law: answer its likeliest letters truthfully, the last of them in part."""
    leaders = Leaders.of(prior)
    if problem.asks == "loss":
        reach = (1 - _rational(problem.given)) * leaders.denominator
        if reach <= leaders.totals[0]:
            first = leaders.order[: leaders.ties]
            return Proof(problem, TopRandomisedResponse(_alphabet(problem), first, ONE), None)
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
    values = ((x, min(weight * p, price)) for x, p in enumerate(prior))
    maxima = tuple((0, 0, x, x, value) for x, value in values if value > 0)
    converse = Converse(weight, ((ONE, prior),), sums=(price,), maxima=maxima)
    return Proof(problem, DiagonalMechanism(_alphabet(problem), diagonal), converse)


def leakage(problem: Problem) -> Proof:
    """Solve maximal leakage for any source: fill the diagonal from the letters that matter most."""
    flattest = problem.source.flattest
    if flattest is not None and (problem.asks == "distortion" or problem.given > 0):
        return leakage_of_prior(problem, flattest.probabilities)
    size = problem.universe.size
    members = initial_members(problem.source)
    asks_loss = problem.asks == "loss"
    most = ZERO if asks_loss else Real.exp(problem.given).below(BITS)
    right = 1 - _rational(problem.given) if asks_loss else ZERO
    while True:
        program = SmallProgram(size + (0 if asks_loss else 1))
        for member in members:
            program.at_least([*member] if asks_loss else [*member, -ONE], right)
        for x in range(size):
            program.at_most({x: ONE}, ONE)
        if asks_loss:
            solution = program.minimise([ONE] * size)
        else:
            program.at_most(dict.fromkeys(range(size), ONE), most)
            solution = program.minimise([ZERO] * size + [-ONE])
        diagonal = list(solution.values[:size])
        worst = problem.source.minimum(diagonal)
        if _settled(problem, worst.point, members):
            break
    if asks_loss and worst.value < right:
        share = (right - worst.value) / (1 - worst.value)
        diagonal = [q + share * (1 - q) for q in diagonal]
    if not asks_loss and sum(diagonal, ZERO) > most:
        diagonal = [q * most / sum(diagonal, ZERO) for q in diagonal]
    law = solution.mixture(members)
    weight = solution.weight(members) if asks_loss else ONE
    price = ONE if asks_loss else solution.last_multiplier
    prices = [min(weight * p, price) for p in mixed(law)]
    converse = Converse(
        weight,
        law,
        sums=(price,),
        maxima=tuple((0, 0, x, x, value) for x, value in enumerate(prices) if value > 0),
    )
    return Proof(problem, DiagonalMechanism(_alphabet(problem), diagonal), converse)


def _settled(problem: Problem, worst: Point, members: list[Point]) -> bool:
    """Return whether the program knows the worst member; if not, add it."""
    if is_listed(problem.source) or worst in members:
        return True
    members.append(worst)
    return False


def _alphabet(problem: Problem) -> Alphabet:
    if not isinstance(problem.universe, Alphabet):
        raise TypeError("closed forms for Hamming distortion are for alphabets")
    return problem.universe


def _rational(value: Real) -> Rational:
    if value.rational is None:
        raise TypeError("a distortion is given as a rational number")
    return value.rational
