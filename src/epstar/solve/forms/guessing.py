"""Guessing the true node of a graph under differential privacy: the closed forms of answer graphs.

The forms and their certificates are those of `epstar.query`; here a certificate becomes multipliers of the privacy
constraints, so that the proof is like any other.
"""

from __future__ import annotations

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS
from epstar.distortion import Gain, Hamming
from epstar.exact import ONE, Real
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Task
from epstar.solve.shapes import plain_spread
from epstar.source import Prior
from epstar.universe import Graph

# The proof writes one multiplier for each node and each edge of a tree of shortest paths to it.
_MOST_NODES = 64


def accepts(problem: Problem) -> bool:
    """Return whether the ratios between neighbours in a small graph are bounded, and an answer is right or wrong."""
    graph, spread = problem.universe, plain_spread(problem.notion)
    if not isinstance(graph, Graph) or not isinstance(problem.source, Prior) or problem.asks != "distortion":
        return False
    return spread is not None and spread.slack == 0 and graph.size <= _MOST_NODES and _is_right_or_wrong(problem)


def claims(task: Task) -> Claims:
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
