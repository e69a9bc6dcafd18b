"""Level zero of notions made of smooth sums: inputs that must answer alike do, by the best common answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import mixed
from epstar.completion.level_zero import answering_alike
from epstar.distortion import Gain
from epstar.errors import NoSolution
from epstar.exact import ONE
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Maximum
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.reductions.reduction import Outcome, Reduction
from epstar.solve.shapes import shape
from epstar.universe import Graph

_THEOREM = "level zero leaves constant mechanisms"


class LevelZero(Reduction):
    """At level zero a divergence that vanishes is two ratio bounds: the inputs that it compares answer alike."""

    name = "level zero"
    is_plain = True

    def accepts(self, problem: Problem) -> bool:
        """Return whether nothing may be lost, under a notion made of smooth sums alone."""
        if problem.asks != "distortion" or problem.given.rational != 0:
            return False
        sums = shape(problem.notion).sums
        return bool(sums) and not any(isinstance(atom, Maximum) for bound in sums for _, atom in bound.terms)

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return differential privacy on a graph of the inputs that must answer alike; none where all of them must.

        At level zero that says nothing else.
        """
        classes, possible = _classes(problem)
        return () if _are_one(classes, possible) else (_of_classes(problem, classes),)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the best common answers, and the law under which no others cost less."""
        # A solver is loaded where there is something to solve.
        from epstar.solve.program.constant import best_constant, constant_mechanism

        if not outcomes:
            constant = best_constant(problem)
            mechanism, law = constant_mechanism(problem, constant.law), constant.least_favourable
        else:
            (found,) = outcomes
            if isinstance(found, NoSolution):
                raise found
            if found.mechanism is None or found.converse is None:
                return
            rows, law = found.mechanism.dense().rows, found.converse.distortion_law
            mechanism = Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
        proof = Proof(problem, mechanism, Converse(ONE, law, _points(problem)))
        yield Offer(proof, "constant mechanism", _THEOREM, settles=True)


def _points(problem: Problem) -> tuple[Mixture, ...]:
    from epstar.solve.certify.level_zero import carriers

    return carriers(problem) if problem.notion.needs_source else ()


def _classes(problem: Problem) -> tuple[list[list[int]], set[int]]:
    """Return the inputs that must answer alike, class by class, and the inputs that are possible at all."""
    members = [mixed(point) for point in _points(problem)]
    constraints = problem.notion.constraints(problem.universe, members)
    every = range(problem.universe.size)
    possible = {x for x in every if not members or any(member[x] > 0 for member in members)}
    return answering_alike(constraints, problem.universe.size), possible


def _are_one(classes: list[list[int]], possible: set[int]) -> bool:
    return any(possible <= set(alike) for alike in classes)


def _of_classes(problem: Problem, classes: list[list[int]]) -> Problem:
    edges = [(alike[0], other) for alike in classes for other in alike[1:]]
    gains = [[-cost for cost in row] for row in problem.distortion.matrix(problem.universe)]
    graph = Graph(range(problem.universe.size), edges)
    return replace(problem, notion=DifferentialPrivacy(), universe=graph, distortion=Gain(gains))
