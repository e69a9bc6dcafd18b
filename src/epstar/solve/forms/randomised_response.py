r"""Randomised response: Hamming distortion under bounds on the ratio of any two inputs.

Under Hamming distortion only the diagonal q(x) = Q(x|x) of a mechanism counts, and e^level = E admits the diagonals
with (E - 1) q(x) + sum q <= E for every x (kalantari2018, proof of Theorem 2). So any source, listed or not, needs a
linear program with one variable per letter. The multipliers of the program weigh members of the source, and the law
they make is least favourable: it proves the lower bound by the row prices of a single prior.

One prior needs no program: randomised response on its likeliest letters is optimal (kalantari2018, Theorem 2 for one
law; zhong2022, Theorem 13). Everything is kept in integers over one denominator, and the best number of letters is
found by halving. Nor does a source with a flattest law (one that all others majorise: a prior, a box, a ball,
everything): the bounds are symmetric in the letters, so that the best diagonal for a law gives more to likelier letters
and the same to equally likely ones, and the flattest law is the least favourable; against such a diagonal the flattest
law is in turn the worst of the source. Approximate differential privacy adds delta on the diagonal of the mechanism at
(1 - delta) of the distortion (zhong2022, Theorem 9).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS, Point, mixed
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.common_denominator import Scaled
from epstar.mechanism import AnyMechanism, DiagonalMechanism, Mechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Task
from epstar.solve.shapes import is_hamming_on_letters, plain_spread
from epstar.source import Prior
from epstar.universe import Alphabet

if TYPE_CHECKING:
    from epstar.solve.program.exact import ExactOptimum

LARGE_LEVEL = 30
"""Nats: beyond e^30 the truth is allowed but for a share that no digit shows, and floats cannot hold it next to one."""
MANY = 128
"""Inputs up to which a program for the ends of the trade-off, or a loss that needs a whole matrix, takes a moment."""
TRACE = Rational(1, 1 << 60)
"""A probability, or a share, that costs nothing that a float would show."""
_CORRECTED = "kalantari2018, Theorems 1 and 2 as corrected"


def accepts(problem: Problem) -> bool:
    """Return whether all ratios are bounded alike, and some distortion is allowed."""
    spread = plain_spread(problem.notion) if is_hamming_on_letters(problem) else None
    # With a slack of one all is forgiven, and the forms divide by what is not.
    return spread is not None and spread.slack < 1 and (problem.asks == "distortion" or problem.given > 0)


def is_first(problem: Problem) -> bool:
    """Return whether the ends of the trade-off are told too: of many letters, or plainly between them."""
    return accepts(problem) and (problem.universe.size > MANY or is_between(problem, Real.of(LARGE_LEVEL)))


def is_between(problem: Problem, most: Real) -> bool:
    """Return whether it is plain that neither a constant answer will do nor the truth, of loss `most`, is allowed."""
    flattest = problem.source.flattest
    if flattest is None or problem.universe.size == 1:
        return False
    if problem.asks == "loss":
        return problem.given < Real.of(1 - max(flattest.probabilities))
    return not problem.given.is_infinite and 0 < problem.given < most


def claims(task: Task) -> Claims:
    """Offer randomised response at the flattest law of the source, or the best diagonal for all of its laws."""
    problem = task.problem
    spread, flattest = plain_spread(problem.notion), problem.source.flattest
    assert spread is not None
    delta = spread.slack
    if flattest is None:
        name = "kalantari2018, Theorems 1 to 3 as corrected, as one linear program"
        name = f"{name}; zhong2022, Theorem 9 as corrected, for the slack" if delta > 0 else name
        yield Offer(response_to_source(problem, delta), "small program", name, settles=True)
        return
    name = "zhong2022, Theorem 9 as corrected" if delta > 0 else "zhong2022, Theorem 13 as corrected"
    if not isinstance(problem.source, Prior):
        name = f"{name if delta > 0 else _CORRECTED}, at the flattest distribution of the source"
    yield Offer(response_to_prior(problem, flattest.probabilities, delta), "closed form", name, settles=True)


def response_to_prior(problem: Problem, prior: Point, delta: Rational) -> Proof:
    """Solve (approximate) differential privacy for the flattest law: randomised response on its likeliest letters."""
    leaders = Leaders.of(prior)
    law: Mixture = ((ONE, prior),)
    if problem.asks == "loss":
        distortion = allowed(problem.given) / (1 - delta)
        if distortion >= 1 - max(prior):
            # A guess among the likeliest letters, and the truth with probability delta: nothing is lost beyond delta.
            first = leaders.order[: leaders.ties]
            return Proof(problem, TopRandomisedResponse(letters(problem), first, ONE, delta), None)
        ratio, count = leaders.least_ratio(distortion)
        level = Real.log(ratio)
        converse = Converse(ONE, law, level=level, prices=row_prices(prior, ratio))
        mechanism_ratio = ratio
    else:
        converse = Converse(ONE, law, prices=row_prices(prior, Real.exp(problem.given).above(BITS)))
        mechanism_ratio = Real.exp(problem.given).below(BITS)
        count = leaders.best_count(mechanism_ratio) if mechanism_ratio > 1 else leaders.ties
    active = leaders.order[:count]
    return Proof(problem, TopRandomisedResponse(letters(problem), active, mechanism_ratio, delta), converse)


def response_to_source(problem: Problem, delta: Rational) -> Proof:
    """Solve (approximate) differential privacy for any source by a program with one variable per letter."""
    # Solvers are loaded where there is something to solve.
    from epstar.solve.forms.many_priors import with_many_priors
    from epstar.solve.program.constant import best_constant, constant_mechanism

    many = with_many_priors(problem) if delta == 0 else None
    if many is not None:
        return many
    if problem.asks == "loss":
        distortion = allowed(problem.given) / (1 - delta)
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
    return Proof(problem, _with_delta(DiagonalMechanism(letters(problem), diagonal), delta), converse)


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
    rows: list[_Row] = [({x: ONE, size: -ONE}, -ONE) for x in range(size)]
    rows.append((dict.fromkeys(range(size), -ONE) | {size: ONE}, ZERO))
    objective = dict.fromkeys(range(size), ONE) | {size: -ONE}
    best, _, law = against_every_law(problem, ({size: 1 - distortion}, ZERO), rows, objective)
    return [value / best.values[size] for value in best.values[:size]], law


def _interior(law: Mixture, distortion: Rational, problem: Problem) -> Mixture:
    """Move the least favourable law a hair inside when a constant answer would just do for it.

    The supremum over the source need not be attained at the jump (the loss jumps there); a law with a
    smaller largest letter is mixed in.
    """
    if max(mixed(law)) < 1 - distortion:
        return law
    from epstar.solve.program.constant import best_constant

    flattest = best_constant(problem).least_favourable
    return tuple((weight * (1 - TRACE), point) for weight, point in law) + tuple(
        (weight * TRACE, point) for weight, point in flattest
    )


def _best_diagonal(problem: Problem, ratio: Rational) -> tuple[list[Rational], Mixture]:
    """Maximise the worst member's probability of a right answer over the diagonals admitted at E = `ratio`."""
    size = problem.universe.size
    rows: list[_Row] = [(dict.fromkeys(range(size), ONE) | {x: ratio}, ratio) for x in range(size)]
    best, _, law = against_every_law(problem, ({size: ONE}, ZERO), rows, {size: -ONE})
    return best.values[:size], law


_Row = tuple[dict[int, Rational], Rational]
"""A form of variables, and what it is at most."""


def against_every_law(
    problem: Problem, right: _Row, rows: Sequence[_Row], objective: dict[int, Rational]
) -> tuple[ExactOptimum, Rational, Mixture]:
    """Return the optimum of a program over diagonals, and what the laws of the source weigh in it: in all, and each.

    The first variables are the diagonal. Under each law the chance of a right answer is at least the form of `right`
    less its number. Laws under which the diagonal is right least often join until none does worse (cutting planes;
    Kelley 1960).
    """
    # Solvers are loaded where there is something to solve.
    from epstar.solve.program.exact import ExactProgram
    from epstar.solve.program.laws import initial_members, is_listed, weighed

    laws, size = initial_members(problem.source), problem.universe.size
    while True:
        program = ExactProgram()
        program.variables(size + len(right[0]))
        for law in laws:
            program.at_most({x: -p for x, p in enumerate(law)} | right[0], right[1])
        for row in rows:
            program.at_most(*row)
        program.objective = objective
        found = program.minimised()
        worst = problem.source.minimum(found.values[:size]).point
        if is_listed(problem.source) or worst in laws:
            return found, *weighed(found.multipliers, laws)
        laws.append(worst)


def wrong_with(chance: Rational, alphabet: Alphabet) -> TopRandomisedResponse:
    """Return randomised response over all letters that is wrong with some probability, whatever the input."""
    size = alphabet.size
    if chance == 0 or size == 1:
        return TopRandomisedResponse(alphabet, range(size), ONE, delta=ONE)
    return TopRandomisedResponse(alphabet, range(size), (size - 1) * (1 - chance) / chance)


def letters(problem: Problem) -> Alphabet:
    """Return the alphabet of a problem for which these forms hold."""
    if not isinstance(problem.universe, Alphabet):
        raise TypeError("closed forms for Hamming distortion are for alphabets")
    return problem.universe


def allowed(value: Real) -> Rational:
    """Return a distortion, which is given as a fraction."""
    if value.rational is None:
        raise TypeError("a distortion is given as a rational number")
    return value.rational


@dataclass(frozen=True)
class Leaders:
    """A prior sorted from the likeliest letter: its counts over one denominator, and the sums of the first of them."""

    order: tuple[int, ...]
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, prior: Point) -> Leaders:
        """Sort `prior`; ties keep the order of the letters."""
        scaled = Scaled.of(prior, most_bits=1 << 30)
        assert scaled is not None
        numerators = scaled.numerators.tolist()
        order = tuple(sorted(range(len(prior)), key=lambda x: -numerators[x]))
        counts = tuple([numerators[x] for x in order])
        return cls(order, counts, tuple(accumulate(counts)), scaled.denominator)

    @cached_property
    def sums(self) -> tuple[Rational, ...]:
        """The probabilities of the first letters together."""
        return tuple([Rational(total, self.denominator) for total in self.totals])

    @property
    def ties(self) -> int:
        """How many letters are as likely as the likeliest."""
        return len(self.alike(0))

    def alike(self, place: int) -> range:
        """Return the places of the letters that are as likely as the one at `place`."""
        count = self.counts[place]
        start = bisect_left(self.counts, -count, key=lambda other: -other)
        return range(start, bisect_right(self.counts, -count, key=lambda other: -other))

    def best_count(self, ratio: Rational) -> int:
        """Return how many letters randomised response should keep at E = `ratio`: the fewest that are best.

        A further letter helps while S(r) < p(r+1) (E - 1 + r), and never again after the first that does not.
        """
        numerator, denominator = int(ratio.p), int(ratio.q)

        def is_enough(r: int) -> bool:
            return self.totals[r - 1] * denominator >= self.counts[r] * (numerator + (r - 1) * denominator)

        return 1 + bisect_left(range(1, len(self.counts)), True, key=is_enough)

    def kept(self, ratio: Rational, count: int) -> Rational:
        """Return the probability of a right answer when the first `count` letters are kept."""
        return ratio * Rational(self.totals[count - 1], self.denominator) / (ratio - 1 + count)

    def least_ratio(self, distortion: Rational) -> tuple[Rational, int]:
        """Return the least E for a positive distortion below that of any constant answer, and how many letters.

        kalantari2018, Theorem 2 for one law: the minimum over n >= 2 with tail below D of (n-1)(1-D)/(D-tail). The
        (n+1)st letter helps while S(n) - (n-1) p(n+1) < 1 - D.
        """
        reach = (1 - distortion) * self.denominator

        def is_enough(n: int) -> bool:
            return self.totals[n - 1] - (n - 1) * self.counts[n] >= reach

        count = 2 + bisect_left(range(2, len(self.counts)), True, key=is_enough)
        return (count - 1) * reach / (self.totals[count - 1] - reach), count


def row_prices(prior: Point, ratio: Rational) -> tuple[Rational, ...]:
    """Return the row prices that prove the optimum of one prior at E = `ratio`.

    With T the probability of a right answer, letter x is worth p - max(0, (E p - T)/(E - 1)).
    """
    leaders = Leaders.of(prior)
    if ratio == 1:
        first = leaders.order[0]
        return tuple(Rational(0) if x == first else p for x, p in enumerate(prior))
    right = leaders.kept(ratio, leaders.best_count(ratio))
    # Over the denominator (a - b) q d, with E = a/b, T = t/q and p = n/d.
    a, b, t, q = int(ratio.p), int(ratio.q), int(right.p), int(right.q)
    least, unit = t * b * leaders.denominator, (a - b) * q
    common = unit * leaders.denominator
    prices: list[Rational] = [Rational(0)] * len(prior)
    for x, n in zip(leaders.order, leaders.counts, strict=True):
        prices[x] = Rational(n * unit - max(0, a * n * q - least), common)
    return tuple(prices)
