"""What is known of a wider question at once: the cheapest answers, and answers that do not depend on the input."""

from __future__ import annotations

import math

import numpy as np

from epstar.claims import Bracket, Excluded, Setting, Step
from epstar.completion import ClaimedProof
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.certify.mechanism import certain_rows
from epstar.solve.method import Task
from epstar.solve.wider.attained import claim_of
from epstar.solve.wider.laws import Laws
from epstar.solve.wider.table import Table

# How many entries the constant answers that are tried may have together: about a second's work.
_CONSTANTS = 1 << 19
# The share by which floats may think a mean cost too large.
_ROUNDING = 1e-12


def may_be_told(problem: Problem) -> bool:
    """Return whether a least distortion is asked for beside a secret, with which records may have little to do."""
    return problem.secret is not None and problem.asks == "distortion"


def ends(task: Task) -> Claims:
    """Claim that the cheapest answers keep the loss that is given, if they do: nothing is cheaper."""
    problem, setting = task.problem, Setting.of(task.problem)
    table = Table(Laws.start(setting), problem.given)
    kept = claim_of(setting, _cheapest_rows(table), table.level, None)
    if kept is not None:
        proof = ClaimedProof(problem, Bracket(setting, kept, _cheapest(table)))
        yield Offer(proof, "general program", "the cheapest answers", settles=True)


def first_claims(task: Task) -> Claims:
    """Claim what is known at once: the cost of the cheapest answers, and the best constant answer that is allowed.

    Where the least loss is asked for and no constant answer is allowed, what the cheapest answers lose.
    """
    problem = task.problem
    setting = Setting.of(problem)
    asks_loss, laws = problem.asks == "loss", Laws.start(setting)
    table = Table(laws, Real.of(0) if asks_loss else problem.given, most=problem.given.rational if asks_loss else None)
    below = None if asks_loss else _cheapest(table)
    # Beyond what a matrix of costs may hold this says so at once; of many outputs the cheapest are tried.
    problem.distortion.matrix(problem.universe)
    mean = nearest_floats(laws.for_distortion[0]) @ problem.distortion.floats(problem.universe)
    tried = max(1, _CONSTANTS // math.prod(table.shape))
    inputs, outputs = table.shape
    most = float(problem.given) + _ROUNDING * abs(float(problem.given)) if asks_loss else np.inf
    chosen = [y for y in np.argsort(mean, kind="stable")[:tried].tolist() if mean[y] <= most]
    constants = (certain_rows([y] * inputs, outputs) for y in chosen)
    claims = (claim_of(setting, rows, table.level, problem.given if asks_loss else None) for rows in constants)
    kept = [claim for claim in claims if claim is not None]
    best = min(kept, key=lambda claim: claim.distortion.upper, default=None)
    if best is None and asks_loss:
        best = claim_of(setting, _cheapest_rows(table), None, problem.given)
    yield Offer(ClaimedProof(problem, Bracket(setting, best, below)), "general program", "the constant answers")


def _cheapest_rows(table: Table) -> list[list[Rational]]:
    """Return the mechanism that gives each input its cheapest answer."""
    setting, (inputs, outputs) = table.setting, table.shape
    cost, forbidden = setting.distortion.matrix(setting.universe), setting.limits.forbidden()
    allowed = ([y for y in range(outputs) if (x, y) not in forbidden] for x in range(inputs))
    return certain_rows([min(places, key=cost[x].__getitem__) for x, places in enumerate(allowed)], outputs)


def _cheapest(table: Table) -> Excluded:
    """Return the claim that no distortion is smaller than that of the cheapest answers, under a law of the source."""
    cost = table.setting.distortion.matrix(table.setting.universe)
    forbidden, outputs = table.setting.limits.forbidden(), range(table.shape[1])
    found = []
    for law in table.laws.for_distortion:
        least = [min(cost[x][y] for y in outputs if (x, y) not in forbidden) for x in range(table.shape[0])]
        found.append((law, tuple(p * c for p, c in zip(law, least, strict=True))))
    law, prices = max(found, key=lambda entry: sum(entry[1], ZERO))
    most = Real.of(sum(prices, ZERO))
    return Excluded(table.level, most, "distortion", (Step(laws=((ONE, law),), rows=prices),))
