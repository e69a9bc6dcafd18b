"""The portfolio of methods, cheapest first: closed forms, numerical methods, and what is known without either.

Each accepts a problem by the shape of its bounds, and says more only while the bracket is wider than it is worth.
Engines are loaded where there is something to solve, so that a closed form starts at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from epstar.completion import Converse, Proof
from epstar.distortion import Hamming
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational
from epstar.notions.constraints import Scale
from epstar.problem import Problem
from epstar.solve import shapes
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms import (
    databases,
    guessing,
    hamming_cube,
    identifiability,
    leakage,
    mutual_information,
    randomised_response,
)
from epstar.solve.method import Method, Task
from epstar.solve.reductions import orders, relaxations

# A share of what constant answers distort beyond the least: nearer to that programs in floats prove little.
_NEAR = Rational(1, 1000)
# A probability that costs nothing that a float would show.
_TRACE = Rational(1, 1 << 60)


def _always(_: Problem) -> bool:
    return True


def _ends(task: Task) -> Claims:
    from epstar.solve.forms import ends  # loads a solver

    yield from ends.claims(task)


def _first_claims(task: Task) -> Claims:
    from epstar.solve.forms import ends  # loads a solver

    yield from ends.first_claims(task)


def _is_symmetric(problem: Problem) -> bool:
    from epstar.solve.forms import symmetric  # loads a solver

    return symmetric.accepts(problem)


def _symmetric(task: Task) -> Claims:
    from epstar.solve.forms import symmetric

    yield from symmetric.claims(task)


def _general(task: Task) -> Claims:
    from epstar.solve.wider import search  # loads a solver

    yield from search.claims(task)


def _constant_answers(task: Task) -> Claims:
    from epstar.solve.wider import constant

    yield from constant.first_claims(task)


def _has_saddle(problem: Problem) -> bool:
    """Return whether a mean of relative entropies to the law of the output is what is bounded."""
    return shapes.is_mean_of_entropies(problem.notion)


def _has_quick_saddle(problem: Problem) -> bool:
    """Return whether there is no closed form to look for first, and all laws that judge a mechanism are at hand."""
    if not _has_saddle(problem) or isinstance(problem.distortion, Hamming):
        return False
    from epstar.solve.program.laws import is_listed

    return is_listed(problem.source)


def _saddle(task: Task) -> Claims:
    """Offer the saddle point of the rate-distortion function."""
    from epstar.solve.certify.rate_distortion import rate_distortion

    found = rate_distortion(task.problem, task.deadline.left)
    if found is not None:
        yield Offer(found, "program", "Csiszár's form of the rate-distortion function", settles=True)


def _has_smooth_sums(problem: Problem) -> bool:
    """Return whether all bounds are on smooth sums, at a level that leaves room."""
    return shapes.has_smooth_sums(problem.notion) and (problem.asks == "loss" or problem.given > 0)


def _convex(task: Task) -> Claims:
    """Offer the optimum of a smooth convex program: in floats, then of small ones in many digits."""
    from epstar.solve.certify.convex import convex_proofs
    from epstar.solve.program.faces import mixed_with_uniform

    known = task.bracket.proof
    if known.mechanism is None and task.problem.asks == "loss":
        known = Proof(task.problem, mixed_with_uniform(task.problem), known.converse)
    try:
        for proof in convex_proofs(task.problem, known, task.deadline):
            yield _offer(proof)
            if task.bracket.is_narrow:
                return
    except SolverFailure:
        # Where numbers leave their range the cheapest answers and a trace of others may be all that it takes.
        yield _offer(_nearly_cheapest(task.problem))
        raise


def _nearly_cheapest(problem: Problem) -> Proof:
    from epstar.solve.certify.multipliers import trivial_converse
    from epstar.solve.program.faces import mixed_with_uniform, nearly_truthful

    if problem.asks == "loss":
        return Proof(problem, mixed_with_uniform(problem), None)
    return Proof(problem, nearly_truthful(problem, _TRACE), trivial_converse(problem))


def _is_linear(problem: Problem) -> bool:
    """Return whether all bounds are linear."""
    return shapes.is_linear(problem.notion)


def _program(task: Task) -> Claims:
    """Offer what linear programs in floats find: at a level one of them, at a distortion a search."""
    yield from _least_distortion(task) if task.problem.asks == "distortion" else _least_loss(task)


def _least_distortion(task: Task) -> Claims:
    from epstar.solve.certify.optimum import least_distortion

    yield _offer(least_distortion(task.problem, task.deadline))


def _least_loss(task: Task) -> Claims:
    """Offer the least bound of sums on one scale, or the least level of other notions."""
    from epstar.solve.certify.exact_level import ENOUGH, sharpened
    from epstar.solve.certify.optimum import least_bound
    from epstar.solve.forms.ends import prior_level
    from epstar.solve.program.faces import mixed_with_uniform

    problem, deadline = task.problem, task.deadline
    if _has_one_sum(problem):
        yield _offer(least_bound(problem, deadline))
        return
    floor = prior_level(problem)
    if _is_near_least(problem):
        # There programs in floats are slow and prove little.
        yield _offer(sharpened(Proof(problem, mixed_with_uniform(problem), floor), deadline))
        if task.bracket.width <= ENOUGH:
            return
    yield from _searched(task, floor)


def _searched(task: Task, floor: Converse | None) -> Claims:
    """Offer what a search for the level finds.

    Raises:
        TimeLimit: after that, if it was cut short.
    """
    from epstar.solve.certify.optimum import least_level
    from epstar.solve.program.faces import mixed_with_uniform

    found = least_level(task.problem, task.deadline, floor)
    yield _offer(found.proof)
    if found.timed_out:
        raise task.deadline.missed()
    if task.bracket.upper.is_infinite:
        # No program near the answer could be solved; a plain mixture at least has a finite loss.
        yield _offer(Proof(task.problem, mixed_with_uniform(task.problem), found.proof.converse))


def _has_one_sum(problem: Problem) -> bool:
    """Return whether the loss asked for is a function of sums on one scale, so that their least bound tells it."""
    # The bounds on all pairs of a large metric take seconds to list.
    if problem.asks != "loss" or not shapes.shape(problem.notion).sums:
        return False
    constraints = problem.notion.constraints(problem.universe, [])
    return not constraints.ratios and constraints.spread is None and len(_scales(problem)) == 1


def _exact(task: Task) -> Claims:
    """Offer the optimum of a linear program in fractions."""
    from epstar.solve.certify.exact_level import exactly_least, sharpened
    from epstar.solve.certify.exact_optimum import exactly

    if task.problem.asks == "distortion":
        yield _offer(exactly(task.bracket.proof, task.deadline))
        return
    if not _has_one_sum(task.problem):
        yield _offer(sharpened(task.bracket.proof, task.deadline))
    yield _offer(exactly_least(task.bracket.proof, task.deadline))


def _offer(proof: Proof) -> Offer:
    return Offer(proof, "program", "weak duality")


def _scales(problem: Problem) -> set[Scale]:
    """Return the scales on which sums are bounded."""
    if not shapes.shape(problem.notion).sums:
        return set()
    point = (ONE,) + (ZERO,) * (problem.universe.size - 1)
    return {bound.scale for bound in problem.notion.constraints(problem.universe, [point]).sums}


def _is_near_least(problem: Problem) -> bool:
    """Return whether the distortion allowed is hardly more than the least there is, in a small problem."""
    from epstar.solve.certify.exact_optimum import is_small
    from epstar.solve.program.constant import best_constant

    if not is_small(problem):
        return False
    cheapest = problem.source.maximum([min(row) for row in problem.distortion.matrix(problem.universe)]).value
    return problem.given - cheapest <= (best_constant(problem).distortion - cheapest) * _NEAR


class _Form(Protocol):
    """A module with a closed form, which may know that a question lies between the ends of the trade-off."""

    def accepts(self, problem: Problem, /) -> bool: ...

    def is_between(self, problem: Problem, /) -> bool: ...

    def claims(self, task: Task, /) -> Claims: ...


# Each with the number of inputs beyond which it tells the ends of the trade-off, too.
_FORMS: tuple[tuple[str, _Form, float], ...] = (
    ("randomised response", randomised_response, 128),
    ("maximal leakage", leakage, 128),
    ("mutual information", mutual_information, math.inf),
    ("identifiability", identifiability, math.inf),
)


def _inside(form: _Form, many: float) -> Callable[[Problem], bool]:
    """Return whether a form has the last word on a problem before its ends are looked at."""
    return lambda problem: form.accepts(problem) and (problem.universe.size > many or form.is_between(problem))


METHODS: tuple[Method, ...] = (
    *(Method(name, "closed form", _inside(form, many), form.claims, is_quick=True) for name, form, many in _FORMS),
    Method("symmetry of databases", "closed form", hamming_cube.accepts, hamming_cube.claims, is_quick=True),
    Method("saddle point", "program", _has_quick_saddle, _saddle),
    Method("min-entropy leakage", "closed form", leakage.accepts_guesses, leakage.guess_claims, is_quick=True),
    Method("ends of the trade-off", "ends", _always, _ends, is_quick=True),
    *(Method(name, "closed form", form.accepts, form.claims, is_quick=True) for name, form, _ in _FORMS),
    Method("symmetric categories", "closed form", _is_symmetric, _symmetric, is_quick=True),
    Method("guessing on a graph", "closed form", guessing.accepts, guessing.claims, is_quick=True),
    Method("rows alike", "closed form", databases.is_soon_told, databases.claims, is_quick=True),
    Method("saddle point", "program", lambda problem: _has_saddle(problem) and not _has_quick_saddle(problem), _saddle),
    Method("neighbouring orders", "program", orders.has_neighbours, orders.from_neighbours),
    Method("orders", "program", orders.is_large, orders.claims),
    Method("convex program", "program", _has_smooth_sums, _convex),
    Method("linear program", "program", _is_linear, _program),
    Method("fractions", "program", _is_linear, _exact, worth=0.0),
    Method("first claims", "fallback", _always, _first_claims, is_quick=True, is_bounded=True),
    Method("rows alike", "fallback", databases.accepts, databases.claims, is_quick=True),
    Method("mutual information below", "fallback", relaxations.has_information, relaxations.from_information),
    Method("single outputs", "fallback", relaxations.has_events, relaxations.from_single_outputs),
    Method("differential privacy above", "fallback", relaxations.has_divergences, relaxations.from_pure_privacy),
    Method("one distribution", "fallback", relaxations.has_many_laws, relaxations.from_one_law),
)
"""All methods, in the order in which they are asked."""

WIDER: tuple[Method, ...] = (
    Method("general program", "program", _always, _general),
    Method("rows alike", "fallback", databases.accepts, databases.claims, is_quick=True),
    Method("constant answers", "fallback", _always, _constant_answers, is_quick=True),
)
"""Those that know of secrets, limits and further guarantees."""


def methods_for(problem: Problem) -> tuple[Method, ...]:
    """Return the methods that know of all that a problem says, in the order in which they are asked."""
    return WIDER if problem.is_wider else METHODS
