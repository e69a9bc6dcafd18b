r"""Hamming distortion on an alphabet when the uniform law is in the hull of the source (Class I).

Symmetry makes one mechanism optimal for every notion here: the truth with probability a = 1 - D, each other letter
with probability b = D/(m-1) (zhong2022, Theorem 7 and Proposition 8, whose upper bounds are exact; kalantari2018,
Theorem 1 and Lemma 3). The proof is the tangent of the loss at that mechanism under the uniform law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from epstar.claims import Places
from epstar.claims.bounds import Bounds
from epstar.claims.tangents import tangents_of
from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS
from epstar.completion.evidence import is_kept
from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.constraints import Atom, Maximum, Norm, Power, RelativeEntropy
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import wrong_with
from epstar.solve.method import Task
from epstar.solve.program import HUGE, LARGE
from epstar.solve.program.level import NARROW
from epstar.solve.shapes import is_mean_of_entropies, order_of_norms, order_of_pairs
from epstar.source import Finite, Hull, Source
from epstar.source.base import Mixture as UniformMixture
from epstar.universe import Alphabet, Databases

# Nats: so far below the loss found a level is excluded, whatever is rounded on the way.
_HAIR = Rational(1, 1 << 120)
# Probabilities so near to none, or to those of a constant answer, are left to what is known of the ends.
_NEXT_TO_AN_END = 1e-12
# The tangent of a pairwise notion has one slope per pair and output, that of others one per input and output.
_MOST_LETTERS_OF_PAIRS, _MOST_LETTERS = 100, 300


def accepts(problem: Problem) -> bool:
    """Return whether divergences between inputs, norms of columns or a mean of relative entropies are bounded."""
    pairwise = _is_pairwise(problem)
    # Only pairwise notions ask which inputs are neighbours; on databases Hamming distortion is another.
    fits = isinstance(problem.universe, Alphabet) or not (pairwise or isinstance(problem.universe, Databases))
    if not fits or not isinstance(problem.distortion, Hamming):
        return False
    return pairwise or order_of_norms(problem.notion) is not None or is_mean_of_entropies(problem.notion)


def claims(task: Task) -> Claims:
    """Offer the symmetric mechanism where the uniform law is in the hull of the source."""
    proof = symmetric(task.problem)
    if proof is not None:
        yield Offer(proof, "closed form", "zhong2022, Theorem 7 and Proposition 8 as corrected", settles=True)


def _is_pairwise(problem: Problem) -> bool:
    return order_of_pairs(problem.notion) is not None


def symmetric(problem: Problem) -> Proof | None:
    """Return the symmetric mechanism with its proof where it is optimal, None where that is not known."""
    pairwise = _is_pairwise(problem)
    size = problem.universe.size
    uniform = (Rational(1, size),) * size
    atoms = [atom for bound in problem.notion.constraints(problem.universe, [uniform]).sums for _, atom in bound.terms]
    # Floats cannot tell the mechanism to the digits that a huge order asks for.
    is_huge = any(isinstance(atom, Power) and atom.order > HUGE for atom in atoms)
    if not atoms or is_huge or any(isinstance(atom, Maximum) for atom in atoms):
        # Of order infinity the notion is differential privacy or maximal leakage under another name.
        return None
    most = _MOST_LETTERS_OF_PAIRS if pairwise else _MOST_LETTERS
    law = uniform_mixture(problem.source) if 1 < size <= most else None
    if law is None:
        return None
    constant = Rational(size - 1, size)
    asks_loss, response = problem.asks == "loss", partial(_response, problem)
    wrong = problem.given.rational if asks_loss else least_wrong(problem, response, constant)
    if wrong is None or not 0 < wrong < constant:
        return None
    priors = problem.notion.priors(problem.source)
    if not pairwise and not (priors.is_convex or priors.contains(uniform)):
        return None
    points: tuple[Mixture, ...] = () if pairwise else ((((ONE, uniform),),) if priors.contains(uniform) else (law,))
    mechanism, level = response(wrong), None
    if any(isinstance(atom, Power) and atom.order > LARGE for atom in atoms):
        # Multipliers need units that keep them within reach: those of the bounds at the level that is found.
        loss = problem.notion.loss(mechanism, problem.source).lower
        level = problem.given if problem.asks == "distortion" or loss is None else Real.of(loss.below(BITS) - _HAIR)
    return Proof(problem, mechanism, _tangent(problem, law, points, 1 - wrong, wrong / (size - 1), level))


def _response(problem: Problem, wrong: Rational) -> AnyMechanism:
    """Return the mechanism that tells the truth except with probability `wrong`, shared by the other letters."""
    size = problem.universe.size
    if isinstance(problem.universe, Alphabet):
        return wrong_with(wrong, problem.universe)
    rows = [[1 - wrong if x == y else wrong / (size - 1) for y in range(size)] for x in range(size)]
    return Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))


def least_wrong(problem: Problem, response: Callable[[Rational], AnyMechanism], most: Rational) -> Rational | None:
    """Return hardly more than the least probability of a wrong answer, below one, at which a level is kept.

    None where that is next to either end, or floats do not tell it.
    """
    from scipy.optimize import brentq

    def excess(wrong: float) -> float:
        return problem.notion.loss(response(Rational(*wrong.as_integer_ratio())), problem.source).value - float(
            problem.given
        )

    least, largest = _NEXT_TO_AN_END, float(Real.of(most)) * (1 - _NEXT_TO_AN_END)
    if excess(least) <= 0 or excess(largest) >= 0:
        return None
    root, step = float(brentq(excess, least, largest, xtol=1e-15, rtol=1e-14)), 1e-16
    while step < NARROW:
        wrong = Rational(*(root + step).as_integer_ratio())
        if is_kept(problem, response(wrong), problem.given):
            return wrong
        step *= 4
    return None


def uniform_mixture(source: Source) -> Mixture | None:
    """Return members of the source and weights that make the uniform law, None where there are none."""
    uniform = (Rational(1, source.size),) * source.size
    if source.contains(uniform):
        return ((ONE, uniform),)
    if isinstance(source, Finite | Hull):
        witness = source.kalantari_class().witness
        if isinstance(witness, UniformMixture) and witness.weights is not None:
            weighted = zip(witness.weights, source.points, strict=True)
            return tuple((weight, point) for weight, point in weighted if weight > 0)
    return None


def _tangent(
    problem: Problem,
    law: Mixture,
    points: tuple[Mixture, ...],
    right: Rational,
    wrong: Rational,
    level: Real | None,
) -> Converse:
    size = problem.universe.size
    uniform = (Rational(1, size),) * size
    constraints = problem.notion.constraints(problem.universe, [uniform])
    share = Rational(1, len(constraints.sums))
    places = [[list(_places(atom, right, wrong, size)) for _, atom in bound.terms] for bound in constraints.sums]
    slopes = tuple(
        (i, k, y, place) for i, rows in enumerate(places) for k, row in enumerate(rows) for y, place in enumerate(row)
    )

    def weight(bits: int) -> Ball:
        """What a wrong answer must cost for the first letter to be indifferent between right and wrong."""
        prices = [ball(ZERO), ball(ZERO)]
        bounds = Bounds(lambda: constraints, Real.of(ZERO) if level is None else level, bits)
        for bound, rows in zip(constraints.sums, places, strict=True):
            # A norm has a column of places for each output, other atoms have a row each.
            is_norm = isinstance(bound.terms[0][1], Norm)
            table = tuple(rows[0]) if is_norm else tuple(tuple(place for (place,) in row) for row in rows)
            for y, tangent in tangents_of(bound, Places(table), bounds, len(prices)):
                for form, slope in tangent:
                    prices[y] += slope * (form.get(0, ZERO) * share)
        return (prices[0] - prices[1]) * size

    bits = BITS
    if all(isinstance(atom, Power) and atom.order > 1 for bound in constraints.sums for _, atom in bound.terms):
        # The rarer wrong answers are, the dearer: a rounding of the weight costs as much more.
        bits += int((right / wrong).ceil()).bit_length()
    return Converse(
        weight=max(Rational(0), Real.from_ball(weight).below(bits)),
        distortion_law=law,
        points=points,
        level=level if problem.asks == "loss" else None,
        sums=(share,) * len(constraints.sums),
        slopes=slopes,
        relative=level is not None,
    )


def _places(atom: Atom, right: Rational, wrong: Rational, size: int) -> Iterator[tuple[Rational, ...]]:
    """Yield, output by output, where the atom is linearised at the symmetric mechanism."""
    for y in range(size):
        if isinstance(atom, Norm):
            yield tuple(right if x == y else wrong for x in atom.weights)
        elif isinstance(atom, RelativeEntropy | Power):
            (x,) = atom.left
            left = right if x == y else wrong
            # The other side is one input, or the law of the output, which is uniform.
            other = next(iter(atom.right)) if len(atom.right) == 1 else None
            yield (left / (Rational(1, size) if other is None else right if other == y else wrong),)
