"""The ends of the trade-off: constant answers, the cheapest ones, and what the prior alone gives away.

A constant answer loses nothing, or what the prior gives away (wang2016, Section II). The cheapest answers distort
least; at the least distortion they may be the only ones. Between the ends a mixture of the two is always allowed, so
that wherever a mechanism exists one is known from the start. On alphabets too large for a matrix randomised response
over all letters is such a mixture, never written out: with a share of chance of r and m letters its ratio is 1 + m (1 -
r)/r (kalantari2018, Theorem 1, is its optimality for Hamming distortion and a set that holds the uniform law).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS, Point
from epstar.distortion import EXACT_LIMIT
from epstar.errors import NoSolution, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.enclosure import times
from epstar.mechanism import TopRandomisedResponse
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.base import Witness
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer, by_weak_duality
from epstar.solve.certify.mechanism import is_private
from epstar.solve.certify.multipliers import trivial_converse
from epstar.solve.forms.randomised_response import LARGE_LEVEL
from epstar.solve.method import Task
from epstar.solve.program.coefficients import LARGEST_EXPONENT
from epstar.solve.program.constant import best_constant, constant_mechanism, good_constant
from epstar.solve.program.faces import cheapest_mechanism, forced_answer, mixed_with_uniform, nearly_truthful
from epstar.solve.shapes import is_scaled_by_the_law
from epstar.source import Prior
from epstar.universe import Alphabet, Databases

_UNKNOWN = (
    "Every mechanism is infinitely identifiable: a member of the source gives probability zero to one input and not to "
    "a neighbour; give every input a positive probability."
)
_GIVEN_AWAY = "the prior alone gives away more; allow a larger loss"
# The seconds in which a good constant answer is looked for when time is over.
_MOMENT = 0.5
# Letters that are tried as constant answers, evenly spread: each takes one pass over the alphabet.
_TRIED = 32


def claims(task: Task) -> Claims:
    """Offer the answer where a constant will do, where one mechanism is left, or where privacy hardly binds.

    Raises:
        NoSolution: if no mechanism does what is asked.
    """
    problem = task.problem
    _check_bounded(problem)
    _check_possible(problem)
    yield from _at_distortion(problem) if problem.asks == "loss" else _at_level(problem)


def first_claims(task: Task) -> Claims:
    """Offer what is known without solving anything: a mixture of the cheapest answers with chance, a constant."""
    problem = task.problem
    inputs, outputs = problem.distortion.shape(problem.universe)
    if isinstance(problem.universe, Alphabet) and inputs * outputs > DENSE_LIMIT:
        yield from _without_a_matrix(problem)
        return
    if problem.asks == "loss":
        yield by_weak_duality(Proof(problem, mixed_with_uniform(problem) or cheapest_mechanism(problem), None))
        return
    yield by_weak_duality(Proof(problem, None, trivial_converse(problem)))
    yield by_weak_duality(Proof(problem, constant_mechanism(problem, good_constant(problem, _MOMENT).law), None))


def _without_a_matrix(problem: Problem) -> Claims:
    """Offer randomised response at the distortion or at the level, and the best of some constant answers."""
    if problem.asks == "distortion":
        yield by_weak_duality(Proof(problem, None, trivial_converse(problem)))
    for mechanism in _responses(problem):
        yield by_weak_duality(Proof(problem, mechanism, None))


def _responses(problem: Problem) -> Iterator[TopRandomisedResponse]:
    letters = problem.universe
    assert isinstance(letters, Alphabet)
    yield _some_constant(problem, letters)
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


def _some_constant(problem: Problem, letters: Alphabet) -> TopRandomisedResponse:
    """Return the best of some constant answers under one law of the source."""
    step = max(1, letters.size // _TRIED)
    law = problem.source.maximum([ONE] * letters.size).point

    def cost(letter: int) -> Rational:
        return dot(law, TopRandomisedResponse(letters, [letter], ONE).costs(problem.distortion))

    return TopRandomisedResponse(letters, [min(range(0, letters.size, step), key=cost)], ONE)


def _check_bounded(problem: Problem) -> None:
    """Refuse a source that gives away more than is allowed, or all, where no mechanism can be written out.

    Two neighbours that are too unlike are enough; elsewhere `prior_level` finds the worst and proves it.
    """
    inputs, outputs = problem.distortion.shape(problem.universe)
    if inputs * outputs <= EXACT_LIMIT or not is_scaled_by_the_law(problem.notion):
        return
    first, second = _most_unlike(problem)
    ratio = problem.source.maximum_ratio(first, second) if first != second else ONE
    if ratio is None:
        raise NoSolution(_UNKNOWN, witness=Witness((first, second)))
    if problem.asks == "distortion" and Real.log(max(ratio, ONE)) > problem.given:
        raise NoSolution(
            f"No mechanism has a loss of at most {problem.given}: {_GIVEN_AWAY}.", witness=Witness((first, second))
        )


def _most_unlike(problem: Problem) -> tuple[int, int]:
    """Return two neighbours of which the first is likeliest beside the second, under a prior; some, elsewhere."""
    universe, source = problem.universe, problem.source
    if not isinstance(source, Prior) or not isinstance(universe, Alphabet | Databases):
        return 0, next((x for x in range(1, universe.size) if universe.distance(0, x) == 1), 0)
    law, lines = source.probabilities, [range(universe.size)]
    if isinstance(universe, Databases):
        lines = [line for row in range(universe.rows) for line in universe.lines(row)]
    ends = [(max(line, key=law.__getitem__), min(line, key=law.__getitem__)) for line in lines]
    impossible = [(first, second) for first, second in ends if law[first] > 0 and law[second] == 0]
    possible = [(first, second) for first, second in ends if law[second] > 0]
    return impossible[0] if impossible else max(possible, key=lambda pair: law[pair[0]] / law[pair[1]])


def _check_possible(problem: Problem) -> None:
    """Refuse a distortion below that of the best mechanism without privacy, or a level below that of the prior."""
    if problem.asks == "loss":
        converse: Converse | None = trivial_converse(problem)
        reason = "even without privacy there is none; allow more distortion"
        what = f"No mechanism has a distortion of at most {problem.given}"
    elif problem.given.is_infinite:
        return
    else:
        converse = prior_level(problem)
        reason = _GIVEN_AWAY
        what = f"No mechanism has a loss of at most {problem.given}"
    if converse is None or (converse.level is not None and converse.level <= problem.given):
        return
    proof = Proof(problem, None, replace(converse, level=None))
    try:
        impossible = proof.check().lower.is_infinite
    except ProofRejected:
        return
    if impossible:
        raise NoSolution(f"{what}: {reason}.", witness=proof)


def _at_distortion(problem: Problem) -> Claims:
    """Offer a constant that is good enough, or the one mechanism that is left."""
    constant = best_constant(problem)
    if Real.of(constant.distortion) <= problem.given:
        mechanism = constant_mechanism(problem, constant.law)
        loss = problem.notion.loss(mechanism, problem.source)
        if loss.upper is not None and loss.upper.rational == 0:
            proof, theorem = Proof(problem, mechanism, None), "a constant answer loses nothing"
        else:
            proof, theorem = Proof(problem, mechanism, prior_level(problem)), "wang2016, Section II"
        yield Offer(proof, "constant mechanism", theorem, settles=True)
        return
    forced = forced_answer(problem)
    if forced is not None:
        yield Offer(forced, "least distortion", "only the cheapest answers are allowed", settles=True)


def _at_level(problem: Problem) -> Claims:
    """Offer the cheapest answers where privacy does not bind, or barely, and a constant where no other costs less."""
    cheapest = cheapest_mechanism(problem)
    trivial = trivial_converse(problem)
    if is_private(cheapest, problem, problem.given):
        proof = Proof(problem, cheapest, trivial)
        yield Offer(proof, "truthful mechanism", "the level does not bind", settles=True)
        return
    if problem.given < LARGE_LEVEL:
        return
    constant = best_constant(problem)
    unaware = constant_mechanism(problem, constant.law)
    least = cheapest.distortion(problem.distortion, problem.source).value
    if constant.distortion == least and is_private(unaware.dense(), problem, problem.given):
        proof = Proof(problem, unaware, trivial)
        yield Offer(proof, "constant mechanism", "no other answer costs less", settles=True)
        return
    # Beyond that a smaller level shows nothing more, and the digits of its exponential would fill the memory.
    capped = Real.of(LARGEST_EXPONENT) if problem.given > LARGEST_EXPONENT else problem.given
    mechanism = nearly_truthful(replace(problem, given=capped), Real.exp(capped * -1).above(BITS))
    if mechanism is not None:
        proof = Proof(problem, mechanism, trivial)
        yield Offer(proof, "truthful mechanism", "the level barely binds", settles=True)


def prior_level(problem: Problem) -> Converse | None:
    """Return why no mechanism is less identifiable than the prior itself: two inputs and their ratio.

    Raises:
        NoSolution: if the prior alone makes every mechanism infinitely identifiable.
    """
    if not problem.notion.needs_source:
        # What ignores the prior loses nothing to a constant answer.
        return None
    outputs = len(problem.distortion.outputs(problem.universe))
    loss = problem.notion.loss(constant_mechanism(problem, best_constant(problem).law), problem.source)
    point = loss.witness.prior
    if loss.upper is None or loss.upper.rational == 0:
        return None
    if point is None or loss.upper.is_infinite:
        raise NoSolution(
            _UNKNOWN,
            witness=loss.witness if point is None else _without_finite_loss(problem, point),
        )
    if len(loss.witness.inputs) != 2:
        # A loss that is not one of two inputs is zero for a constant answer, known here to within rounding alone.
        return None
    first, second = loss.witness.inputs
    constraints = problem.notion.constraints(problem.universe, [point])
    if constraints.spread is not None and not constraints.ratios:
        i = constraints.spread.place_of(first, second)
    else:
        bounds = enumerate(constraints.pairwise())
        (i,) = [i for i, bound in bounds if (*bound.left, *bound.right) == (first, second)]
    # Where the ratio of the bound is not a fraction of few digits, a level a hair below is excluded.
    ratio = Real.exp(times(loss.upper, constraints.ratio(i).distance)).rational
    level = Real.of(loss.upper.below(BITS)) if ratio is None else loss.upper
    return Converse(
        weight=ZERO,
        distortion_law=((ONE, point),),
        points=(((ONE, point),),),
        level=level,
        ratios=tuple((i, y, ONE) for y in range(outputs)),
    )


def _without_finite_loss(problem: Problem, point: Point) -> Proof:
    """Return the proof that an input that is possible next to one that is not has no answer at any finite loss."""
    converse = Converse(ZERO, ((ONE, point),), (((ONE, point),),))
    if problem.asks == "loss":
        return Proof(problem, None, replace(converse, forced=True))
    outputs = range(len(problem.distortion.outputs(problem.universe)))
    bounds = problem.notion.constraints(problem.universe, [point]).pairwise()
    ratios = ((i, y, ONE) for i, bound in enumerate(bounds) if not bound.right for y in outputs)
    return Proof(problem, None, replace(converse, ratios=tuple(ratios)))
