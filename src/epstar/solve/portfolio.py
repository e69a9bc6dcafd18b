"""The portfolio of methods, cheapest first: closed forms, numerical methods, and what is known without either.

Each accepts a problem by the shape of its bounds, and says more only while the bracket is wider than it is worth.
Engines are loaded where there is something to solve, so that a closed form starts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from epstar.completion import Proof
from epstar.distortion import Hamming
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Scale
from epstar.notions.min_entropy_leakage import corners_of_parts
from epstar.problem import Problem
from epstar.solve import shapes
from epstar.solve.bracket import Bracket, Claims, Offer, Question, attempted, by_weak_duality
from epstar.solve.method import Method, Task, never
from epstar.solve.program import FEW_ENTRIES, LARGE
from epstar.source import Ball, Box

# A share of what constant answers distort beyond the least: nearer to that programs in floats prove little.
_NEAR = Rational(1, 1000)
# The share of the time left that a first guess may take.
_PURE_SHARE = 0.1


def _always(_: Problem) -> bool:
    return True


def _load(place: str) -> Callable[..., Any]:
    """Return a function by its dotted name, loaded when it is first called: solvers, and what few problems need."""
    module, _, name = place.rpartition(".")

    def call(*given: Any) -> Any:
        return getattr(import_module(f"epstar.solve.{module}"), name)(*given)

    return call


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
    return shapes.has_smooth_sums(problem.notion, LARGE) and (problem.asks == "loss" or problem.given > 0)


def _convex(task: Task) -> Claims:
    """Offer the optimum of a smooth convex program: in floats, then of small ones in many digits."""
    from epstar.solve.certify.convex import convex_proofs
    from epstar.solve.certify.multipliers import trivial_converse
    from epstar.solve.forms.randomised_response import TRACE
    from epstar.solve.program.faces import mixed_with_uniform, nearly_truthful

    known = task.bracket.proof
    if known.mechanism is None and task.problem.asks == "loss":
        known = Proof(task.problem, mixed_with_uniform(task.problem), known.converse)
    try:
        for proof in convex_proofs(task.problem, known, task.deadline):
            yield by_weak_duality(proof)
            if task.bracket.is_narrow:
                return
    except SolverFailure:
        if task.problem.asks == "distortion":
            # Where numbers leave their range the cheapest answers and a trace of others may be all that it takes.
            nearly = nearly_truthful(task.problem, TRACE)
            yield by_weak_duality(Proof(task.problem, nearly, trivial_converse(task.problem)))
        raise


def _has_many_guesses(problem: Problem) -> bool:
    """Return whether guesses are bounded over a box or a ball whose parts have too many corners to list."""
    is_region = isinstance(problem.source, Box | Ball) and shapes.is_sum_of_scaled_maxima(problem.notion)
    return is_region and corners_of_parts(problem.source) is None


def _region_guesses(task: Task) -> Claims:
    """Offer the mechanism for a law that dominates a region, and what the worst laws of the region exclude."""
    from epstar.solve.certify.guesses import region_guesses

    for proof in region_guesses(task.problem, task.deadline):
        yield by_weak_duality(proof)


def _is_linear(problem: Problem) -> bool:
    """Return whether all bounds are linear, at all laws that matter."""
    return shapes.is_linear(problem.notion) and not _has_many_guesses(problem)


def _program(task: Task) -> Claims:
    """Offer what linear programs in floats find: at a level one of them, at a distortion a search."""
    yield from _least_distortion(task) if task.problem.asks == "distortion" else _least_loss(task)


def _least_distortion(task: Task) -> Claims:
    from epstar.solve.certify.optimum import least_distortion

    yield by_weak_duality(least_distortion(task.problem, task.deadline))


def _least_loss(task: Task) -> Claims:
    """Offer the least bound of sums on one scale, or what a search for the level of other notions finds.

    Raises:
        TimeLimit: after that, if it was cut short.
    """
    from epstar.solve.certify.exact_level import ENOUGH, sharpened
    from epstar.solve.certify.optimum import least_bound, least_level
    from epstar.solve.forms.ends import prior_level
    from epstar.solve.program.faces import mixed_with_uniform

    problem, deadline = task.problem, task.deadline
    if _has_one_sum(problem):
        yield by_weak_duality(least_bound(problem, deadline))
        return
    floor = prior_level(problem)
    if _is_near_least(problem):
        # There programs in floats are slow and prove little.
        yield by_weak_duality(sharpened(Proof(problem, mixed_with_uniform(problem), floor), deadline))
        if task.bracket.width <= ENOUGH:
            return
    for proof in least_level(problem, deadline, floor, (yield from _pure_level(task))):
        yield by_weak_duality(proof)


def _has_many_events(problem: Problem) -> bool:
    """Return whether any two inputs are compared over events, with some slack, in more than a small problem."""
    spread = shapes.plain_spread(problem.notion)
    inputs, outputs = problem.distortion.shape(problem.universe)
    return spread is not None and spread.events and 0 < spread.slack < 1 and inputs * outputs >= FEW_ENTRIES


def _pure_level(task: Task) -> Generator[Question, Bracket | None, float]:
    """Return the loss of a mechanism that tells the truth as often as events are free, and is private otherwise.

    Over events that is often the least loss, or next to it, and found in a tenth of the time; 0 for other bounds.
    """
    from epstar.solve.certify.multipliers import at_cheapest

    problem, spread = task.problem, shapes.plain_spread(task.problem.notion)
    if spread is None or not _has_many_events(problem):
        return 0.0
    truth = at_cheapest(problem).value
    left = (problem.given - Real.of(spread.slack * truth)) * Real.of(1 / (1 - spread.slack))
    found = yield from attempted(replace(problem, notion=DifferentialPrivacy(), given=left), _PURE_SHARE)
    return 0.0 if found is None or found.upper.is_infinite else float(found.upper)


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
        # Of many events, at no fraction, exact programs take five times as long as those that know as much.
        if Real.exp(task.problem.given).rational is not None or not _has_many_events(task.problem):
            yield by_weak_duality(exactly(task.bracket.proof, task.deadline))
        return
    if not _has_one_sum(task.problem):
        yield by_weak_duality(sharpened(task.bracket.proof, task.deadline))
    yield by_weak_duality(exactly_least(task.bracket.proof, task.deadline))


def _scales(problem: Problem) -> set[Scale]:
    """Return the scales on which sums are bounded."""
    if not shapes.shape(problem.notion).sums:
        return set()
    point = (ONE,) + (ZERO,) * (problem.universe.size - 1)
    return {bound.scale for bound in problem.notion.constraints(problem.universe, [point]).sums}


def _is_near_least(problem: Problem) -> bool:
    """Return whether the distortion allowed is hardly more than the least there is, in a small problem."""
    from epstar.solve.certify.exact_optimum import is_small
    from epstar.solve.certify.multipliers import at_cheapest
    from epstar.solve.program.constant import best_constant

    if not is_small(problem):
        return False
    cheapest = at_cheapest(problem).value
    return problem.given - cheapest <= (best_constant(problem).distortion - cheapest) * _NEAR


def _form(name: str, module: str, which: str = "", first: str | None = None, **rest: Any) -> Method:
    """Return a closed form by the functions of its module, whose names end in `which` of its forms they are about."""
    accepts, claims = _load(f"{module}.accepts{which}"), _load(f"{module}.claims{which}")
    comes_first = never if first is None else _load(f"{module}.{first}{which}")
    return Method(name, "closed form", accepts, claims, is_quick=True, first=comes_first, **rest)


def _relaxation(name: str, accepts: str, claims: str) -> Method:
    return Method(
        name, "fallback", _load(f"reductions.relaxations.{accepts}"), _load(f"reductions.relaxations.{claims}")
    )


METHODS: tuple[Method, ...] = (
    Method("ends of the trade-off", "ends", _always, _load("forms.ends.claims"), is_quick=True),
    _form("randomised response", "forms.randomised_response", first="is_first"),
    _form("maximal leakage", "forms.leakage", first="is_first"),
    _form("mutual information", "forms.mutual_information", first="is_first"),
    _form("identifiability", "forms.leakage", "_identifiability", first="is_first"),
    _form("symmetry of databases", "forms.hamming_cube", first="accepts"),
    _form("min-entropy leakage", "forms.leakage", "_min_entropy", first="accepts"),
    _form("symmetric categories", "forms.symmetric"),
    _form("guessing on a graph", "forms.leakage", "_graph"),
    Method("first claims", "fallback", _always, _load("forms.ends.first_claims"), is_quick=True, is_bounded=True),
    _form("rows alike", "forms.databases", last=_load("forms.databases.is_slow")),
    Method("saddle point", "program", _has_saddle, _saddle, first=_has_quick_saddle),
    Method(
        "neighbouring orders",
        "program",
        _load("reductions.orders.has_neighbours"),
        _load("reductions.orders.from_neighbours"),
    ),
    Method("orders", "program", _load("reductions.orders.is_large"), _load("reductions.orders.claims")),
    Method("convex program", "program", _has_smooth_sums, _convex),
    Method("guesses over a region", "program", _has_many_guesses, _region_guesses),
    Method("linear program", "program", _is_linear, _program),
    Method("fractions", "program", _is_linear, _exact, worth=0.0),
    _relaxation("mutual information below", "has_information", "from_information"),
    _relaxation("single outputs", "has_events", "from_single_outputs"),
    _relaxation("differential privacy above", "has_divergences", "from_pure_privacy"),
    _relaxation("one distribution", "has_many_laws", "from_one_law"),
)
"""All methods, in the order in which they are asked unless they come first, or last."""

WIDER: tuple[Method, ...] = (
    Method(
        "ends of the trade-off",
        "ends",
        _load("wider.constant.may_be_told"),
        _load("wider.constant.ends"),
        is_quick=True,
    ),
    Method("saddle point", "program", _load("wider.rate_distortion.accepts"), _load("wider.rate_distortion.claims")),
    Method("general program", "program", _always, _load("wider.search.claims")),
    _form("rows alike", "forms.databases", last=_always),
    Method("constant answers", "fallback", _always, _load("wider.constant.first_claims"), is_quick=True),
)
"""Those that know of secrets, limits and further guarantees."""


def methods_for(problem: Problem) -> Iterator[Method]:
    """Yield the methods that know of all that a problem says, in the order in which they are asked."""
    methods = WIDER if problem.is_wider else METHODS
    first = list[Method]()
    for method in methods:
        if method.first(problem):
            first.append(method)
            yield method
    yield from (method for method in methods if method not in first)
