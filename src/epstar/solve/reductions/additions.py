"""Relaxation: the question without its secret, limits and further guarantees, which often has the same answer.

What no mechanism at all does, none within limits does: what is excluded of the plain question stays excluded. Its
mechanism answers the question itself where it keeps what was added, as it always does if that binds nothing: a secret
that is the record, a level that is infinite, limits that hold anyway.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from epstar.claims import Attained, Bracket, Excluded, Setting, Step, SumUse, check_excluded
from epstar.claims.form import Form
from epstar.claims.premises import Premises, premises
from epstar.completion import ClaimedProof, Proof
from epstar.errors import NoSolution, ProofRejected
from epstar.exact import ONE, ZERO, Rational
from epstar.limits import NO_LIMITS
from epstar.notions.constraints import Name, Spread
from epstar.notions.priors import listed_laws
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Claims, Offer
from epstar.solve.method import Outcome, Reduction
from epstar.solve.portfolio import METHODS
from epstar.solve.program import FEW_ENTRIES
from epstar.solve.program.arithmetic import transported
from epstar.solve.shapes import is_mean_of_entropies
from epstar.source import Polytope
from epstar.universe import Alphabet


class Additions(Reduction):
    """A question without what was added to it."""

    name = "without what is added"
    is_plain = is_relaxation = knows_additions = True
    worth = NARROW

    def accepts(self, problem: Problem) -> bool:
        """Return whether something can be left out, may be without another answer, and is worth asking without.

        Equations can seldom be left out, and a small program takes as long with what is added as without.
        """
        if not (problem.secret is not None or problem.limits or problem.also) or problem.limits.has_equations:
            return False
        if problem.secret is not None and not _is_the_record(problem):
            return False
        is_large = math.prod(problem.distortion.shape(problem.universe)) > FEW_ENTRIES
        (plain,) = self.apply(problem)
        # A notion that only the general program knows has no closed form.
        return is_large or (not plain.is_wider and _is_told_soon(plain, problem))

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the plain question."""
        return (replace(problem, secret=None, limits=NO_LIMITS, also=()),)

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer what stays excluded, and the mechanism if it keeps what was added."""
        # Solvers are loaded where there is something to solve.
        from epstar.solve.reductions.relaxations import has_conjugate, with_tangents
        from epstar.solve.wider.attained import claim_of

        (found,) = outcomes
        if isinstance(found, NoSolution):
            return
        evidence = found.evidence
        if problem.secret is not None and isinstance(evidence, Proof) and has_conjugate(evidence):
            # The conjugate of an information is one of the inputs themselves; behind a secret tangents say the same.
            evidence = with_tangents(evidence)
        setting, claims = Setting.of(problem), evidence.completed()
        kept: Attained | None = None
        if claims.attained is not None and claims.attained.mechanism is not None:
            rows, most = claims.attained.mechanism.dense().rows, problem.given if problem.asks == "loss" else None
            kept = claim_of(setting, rows, claims.attained.loss, most)
        below = None if claims.excluded is None else _in_the_wider(setting, claims.setting, claims.excluded)
        if kept is not None or below is not None:
            yield Offer(ClaimedProof(problem, Bracket(setting, kept, below)), found.method, found.theorem)


def _is_told_soon(plain: Problem, wider: Problem) -> bool:
    """Return whether a closed form or a saddle point tells the answer, and no saddle point that of the wider one."""
    # Solvers are loaded where there is something to solve.
    from epstar.solve.wider.rate_distortion import accepts

    is_formal = any(method.accepts(plain) for method in METHODS if method.kind == "closed form")
    return is_formal or (is_mean_of_entropies(plain.notion) and not accepts(wider))


def _is_the_record(problem: Problem) -> bool:
    """Return whether the secret is the record itself, and every value of it happens under every law."""
    secret, laws = problem.secret, listed_laws(problem.source)
    assert secret is not None
    is_same = isinstance(problem.universe, Alphabet) and isinstance(secret.universe, Alphabet)
    is_same = is_same or problem.universe == secret.universe
    is_identity = all(row[x] == 1 for x, row in enumerate(secret.conditional) if x < len(row))
    is_whole = laws is not None and all(p > 0 for law in laws for p in law)
    return is_same and is_whole and is_identity and secret.size == secret.universe.size


def _in_the_wider(setting: Setting, plain: Setting, claim: Excluded) -> Excluded | None:
    """Return a claim about the plain question in the names of the wider one; None if it cannot be said in them."""
    if plain.is_wider:
        renamed = claim
    elif claim.symmetry is not None or claim.rows:
        return None
    else:
        given = premises(plain, claim)
        points = claim.points or (((ONE, _some_law(setting)),),)
        spread = given.bounds.constraints.spread if any(step.spread for step in claim.steps) else None
        if spread is not None and spread.slack > 0:
            return None
        steps = tuple(_renamed(given, step, spread) for step in claim.steps)
        renamed = replace(claim, steps=steps, points=points)
    try:
        check_excluded(setting, renamed)
    except ProofRejected:
        return None
    return renamed


def _some_law(setting: Setting) -> tuple[Rational, ...]:
    source = setting.source
    listed = listed_laws(source)
    if listed is not None:
        return tuple(listed[0])
    costs = (ZERO,) * source.size
    return source.vertices()[0] if isinstance(source, Polytope) else source.maximum(costs).point


def _renamed(given: Premises, step: Step, spread: Spread | None) -> Step:
    is_read = given.setting.notion.needs_source

    def name(plain: Name) -> Name:
        return (0, plain[0], 0, *plain[1:]) if is_read else (0, 0, *plain)

    ratios = [*step.ratios, *(_pairs(given, step, spread) if spread is not None and step.spread else ())]
    sums = tuple(SumUse(name(use.name), use.multiplier, use.tangents) for use in step.sums)
    renamed = tuple((name(bound), y, multiple) for bound, y, multiple in ratios)
    return replace(step, ratios=renamed, sums=sums, spread=False)


def _pairs(given: Premises, step: Step, spread: Spread) -> Iterator[tuple[Name, int, Rational]]:
    """Yield multiples of single ratio bounds that make all coefficients of a step's columns non-negative.

    What is below zero is moved to entries above, each of which takes a share 1/e^loss of itself (a transport).
    """
    form, growth = Form(given, step), given.bounds.growth(ONE)
    inputs = range(given.frame.inputs)
    for y in range(given.frame.outputs):
        scaled = [_exact(form, x, y) / spread.scales[x] for x in inputs]
        room = {x: value / growth for x, value in enumerate(scaled) if value > 0}
        lacking = {x: -value for x, value in enumerate(scaled) if value < 0}
        yield from (((*spread.law, x, other), y, moved) for x, other, moved in transported(lacking, room))


def _exact(form: Form, x: int, y: int) -> Rational:
    value = form.coefficient(x, y)
    assert isinstance(value, Rational), "a step without sums has rational coefficients"
    return value
