"""Level zero of the smooth notions: inputs that must answer alike do, by the best common answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from epstar.distortion import Gain
from epstar.exact import ONE
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Maximum
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import mixed
from epstar.proof.level_zero import answering_alike
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.smooth.level_zero import carriers
from epstar.universe import Graph


def at_level_zero(problem: Problem, solve: Callable[[Problem], Proof]) -> Proof | None:
    """Return the proof at level zero of a notion made of smooth sums; None for other notions.

    Where not all inputs must answer alike, `solve` is asked what is best for those that must: differential privacy on a
    graph of them says nothing else at level zero.
    """
    points = carriers(problem) if problem.notion.needs_source else ()
    members = [mixed(point) for point in points]
    constraints = problem.notion.constraints(problem.universe, members)
    if not constraints.sums or any(isinstance(atom, Maximum) for bound in constraints.sums for _, atom in bound.terms):
        return None
    classes = answering_alike(constraints, problem.universe.size)
    possible = [x for x in range(problem.universe.size) if not members or any(member[x] > 0 for member in members)]
    if any(set(possible) <= set(alike) for alike in classes):
        constant = best_constant(problem)
        mechanism, law = constant_mechanism(problem, constant.law), constant.least_favourable
    else:
        found = solve(_of_classes(problem, classes))
        if found.mechanism is None or found.converse is None:
            return None
        rows, law = found.mechanism.dense().rows, found.converse.distortion_law
        mechanism = Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
    return Proof(problem, mechanism, Converse(ONE, law, points))


def _of_classes(problem: Problem, classes: list[list[int]]) -> Problem:
    edges = [(alike[0], other) for alike in classes for other in alike[1:]]
    gains = [[-cost for cost in row] for row in problem.distortion.matrix(problem.universe)]
    graph = Graph(range(problem.universe.size), edges)
    return replace(problem, notion=DifferentialPrivacy(), universe=graph, distortion=Gain(gains))
