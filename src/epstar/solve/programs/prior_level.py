"""What the prior alone gives away: a constant answer is as identifiable as one input is likelier than another."""

from __future__ import annotations

from dataclasses import replace

from epstar.errors import NoSolution
from epstar.exact import ONE, ZERO, Real
from epstar.notions.enclosure import times
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import Point
from epstar.solve.programs.constant import best_constant, constant_mechanism

_BITS = 128


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
            "Every mechanism is infinitely identifiable: a member of the source gives probability zero to one input "
            "and not to a neighbour; give every input a positive probability.",
            witness=loss.witness if point is None else _without_finite_loss(problem, point),
        )
    if len(loss.witness.inputs) != 2:
        # A loss that is not one of two inputs is zero for a constant answer, known here to within rounding alone.
        return None
    first, second = loss.witness.inputs
    bounds = problem.notion.constraints(problem.universe, [point]).pairwise()
    (i,) = [i for i, bound in enumerate(bounds) if (*bound.left, *bound.right) == (first, second)]
    # Where the ratio of the bound is not a fraction of few digits, a level a hair below is excluded.
    ratio = Real.exp(times(loss.upper, bounds[i].distance)).rational
    level = Real.of(loss.upper.below(_BITS)) if ratio is None else loss.upper
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
