"""Which members of the source a smooth program needs: those that multipliers used, and those that turn out worse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epstar.exact import ONE, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.concave import covering_laws
from epstar.notions.constraints import Power, RelativeEntropy, SumBound, with_free_law
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.proof.converse import Point
from epstar.solve.methods.central_path import Optimum
from epstar.solve.methods.curves import FLOATS, Curves
from epstar.solve.methods.measured import rate
from epstar.solve.programs.evidence import exact, has_saddle
from epstar.solve.programs.members import Members
from epstar.solve.programs.unread import Read, UnreadSums
from epstar.source import Prior

_FAINT = Rational(1, 10**7)
# A supremum over a source is found in floats, which know fewer digits of a loss than of a distortion.
_COARSER = 100


def used_members(proof: Proof) -> Members:
    """Return the members of the source that the multipliers found so far use; others join when they matter."""
    start = Members.start(proof.problem)
    converse = proof.converse
    if converse is None:
        return start
    for_distortion = [point for weight, point in converse.distortion_law if weight > _FAINT]
    used, read = list(range(len(converse.points))), set()
    if len(converse.sums) >= len(converse.points) > 1:
        # Every point has equally many sums, one point after the other.
        each = len(converse.sums) // len(converse.points)
        most = max(converse.sums)
        binding = [share > _FAINT * most for share in converse.sums]
        used = [i for i in range(len(converse.points)) if any(binding[i * each : (i + 1) * each])]
        read = {place * each + k for place, i in enumerate(used) for k in range(each) if binding[i * each + k]}
    for_notion = [point for i in used for weight, point in converse.points[i] if weight > _FAINT]
    return Members(for_distortion, for_notion or start.for_notion, Read(read))


def grow(
    problem: Problem,
    members: Members,
    mechanism: Mechanism,
    optimum: Optimum,
    tolerance: float,
    allowed: Sequence[Rational] = (),
) -> bool:
    """Add the members under which the mechanism does worse than the known ones say; return whether there are any.

    Worse is what exceeds the known distortions, and those `allowed` besides, by more than the tolerance, as a share of
    what it costs above the cheapest answers where that is little.
    """
    before, broken = len(members.for_distortion) + len(members.for_notion), list[int]()
    cost = problem.distortion.matrix(problem.universe)
    expected = [dot(row, costs) for row, costs in zip(mechanism.rows, cost, strict=True)]
    worst = problem.source.maximum(expected).point
    known = [*allowed, *(dot(point, expected) for point in members.for_distortion)]
    spared = min(ONE, dot(worst, expected) - dot(worst, [min(row) for row in cost]))
    if dot(worst, expected) > max(known) + exact(tolerance) * spared and worst not in members.for_distortion:
        members.for_distortion.append(worst)
    if problem.notion.needs_source:
        listed = members.for_notion
        prior = (_worst_extreme if has_saddle(problem) else _worst)(problem, listed, mechanism, optimum, tolerance)
        if prior is not None and prior not in listed:
            listed.append(prior)
        sums = problem.notion.constraints(problem.universe, listed).sums
        bound = float(problem.given) if problem.asks == "distortion" else float(optimum.value)
        broken = UnreadSums(sums, members.read.sums, len(cost)).broken(mechanism.floats, bound, _COARSER * tolerance)
    return bool(broken) or len(members.for_distortion) + len(members.for_notion) > before


def _worst(
    problem: Problem, listed: Sequence[Point], mechanism: Mechanism, _: Optimum, tolerance: float
) -> Point | None:
    """Return a prior at which the mechanism loses more than at those listed, if there is one."""
    loss = problem.notion.loss(mechanism, problem.source)
    most = max(problem.notion.loss(mechanism, Prior(point)).value for point in listed)
    return loss.witness.prior if loss.value > most + _COARSER * tolerance else None


def _worst_extreme(
    problem: Problem, listed: Sequence[Point], _: Mechanism, optimum: Optimum, tolerance: float
) -> Point | None:
    """Return an extreme prior that is worse for the law of the output, for which the loss is linear in the prior."""
    priors = problem.notion.priors(problem.source)
    (bound,) = with_free_law(problem.notion.constraints(problem.universe, [priors.uniform])).sums
    # An answer to a letter that nothing produces may be far more telling than all others.
    letters = [x for x, chances in enumerate(zip(*covering_laws(priors), strict=True)) if any(chances)]
    atoms = {x: atom for _, atom in bound.terms if isinstance(atom, RelativeEntropy | Power) for x in atom.left}
    sums = [SumBound(((ONE, atoms[x]),), bound.scale) for x in letters]
    table = FLOATS.array((*optimum.matrix, optimum.law))
    # Measured from the largest ratio, powers stay within one.
    given = table[letters][:, table[-1] > 0] / table[-1][table[-1] > 0]
    curves = Curves(sums, len(optimum.matrix), FLOATS, Real.of(exact(float(np.log(given.max())))))
    losses = np.zeros(len(optimum.matrix))
    losses[letters] = curves.values(curves.at(table))
    worst = priors.maximum([exact(loss) for loss in losses.tolist()]).point
    most = max(float(FLOATS.array(point) @ losses) for point in listed)
    more = float(FLOATS.array(worst) @ losses) - most
    # Relative to the sum itself, of which powers are the excess over one: nothing may be left of it in floats.
    size = 1 + float(Real.of(rate(bound))) * most
    return worst if more > _COARSER * tolerance * max(1.0, abs(most)) * size else None
