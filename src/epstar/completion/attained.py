"""From a mechanism to what is attained by it: its numbers, rounded up where they are not exact."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from epstar.claims.claim import DIGITS, Attained, Setting
from epstar.claims.rows import adds_up, is_tied, joins_rows, row_setting
from epstar.claims.symmetry import is_known_by_distances
from epstar.completion.hints import hints, information_bound
from epstar.completion.rounding import above, digits_for, rounded_up
from epstar.errors import ProofRejected
from epstar.exact import ONE, Rational, Real
from epstar.exact.enclosure import times
from epstar.mechanism import AnyMechanism, DistanceMechanism, ProductMechanism
from epstar.notions import DifferentialPrivacy, Identifiability, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.family import Family
from epstar.problem import Problem
from epstar.source import Everything, Finite, Prior, Rows, Source

_LARGE_LOSS = 10_000
_HAIR = Rational(1, 10**40)
# Characters of a number.
_LONG = 200


def attained(problem: Problem, mechanism: AnyMechanism, upper: Real, is_exact: bool = False) -> Attained:
    """Return the claim about a mechanism whose loss or distortion, whichever is asked for, is at most `upper`."""
    setting = Setting.of(problem)
    number = above(upper, is_exact)
    if isinstance(setting.notion, RenyiDifferentialPrivacy | SibsonMutualInformation) and len(str(number)) > _LONG:
        # Powers of numbers this long are enclosed, and no enclosure tells a number from itself.
        number = Real.of(rounded_up(number.above(), DIGITS))
    loss, distortion = (number, problem.given) if problem.asks == "loss" else (problem.given, number)
    if problem.asks == "distortion" and not loss.is_infinite and loss > _LARGE_LOSS:
        # Its own loss is within reach of numbers that can be written down.
        loss = _own_loss(setting, mechanism)
    if isinstance(mechanism, ProductMechanism):
        is_known = not isinstance(setting.notion, Identifiability) or isinstance(setting.source, Prior | Finite | Rows)
        if joins_rows(setting.notion) and is_known:
            level = loss
            if is_tied(setting):
                # What is left for the rows when their databases are as unlike as they are.
                level = above(DifferentialPrivacy().loss(mechanism).upper or loss, True)
            return Attained(loss, distortion, None, rows=_rows(setting, mechanism, level))
        mechanism = mechanism.dense()
    if isinstance(mechanism, DistanceMechanism) and not is_known_by_distances(setting.notion):
        mechanism = mechanism.dense()
    known = hints(setting, mechanism, loss, distortion)
    if known.output is not None and not loss.is_infinite:
        # The claim must follow from the law of the output that it names.
        bound = information_bound(setting, mechanism, known.output, loss)
        if problem.asks == "distortion" and (bound.is_infinite or bound.above() * (1 + _HAIR) > loss.below()):
            # An enclosure cannot tell it from the level.
            known = replace(known, output=None)
        elif not bound.is_infinite and bound.above() > loss.below():
            # A checker that does not search is told a little more than is known.
            loss = Real.of(max(above(bound, False).above(), above(loss, False).above()))
            known = hints(setting, mechanism, loss, distortion)
    return Attained(loss, distortion, mechanism, known, digits=digits_for(loss))


def _rows(setting: Setting, mechanism: ProductMechanism, loss: Real) -> tuple[tuple[Source, Attained, int], ...]:
    """Return the claims about the rows: each has its own distortion, and the loss of all or its share of it."""
    found = []
    for factor, source, count in _blocks(setting.source, mechanism):
        level = loss
        if adds_up(setting.notion) and not loss.is_infinite:
            share = times(loss, ONE / mechanism.databases.rows)
            level = above(share, True)
            if count < mechanism.databases.rows or level > share:
                # Shares that are rounded up would add up to more than is claimed.
                level = _own_loss(row_setting(setting, source), factor)
        distortion = Real.of(factor.distortion(setting.distortion, source).value)
        known = hints(row_setting(setting, source), factor, level, distortion)
        if isinstance(setting.notion, Family) and not level.is_infinite:
            known = replace(known, orders=setting.notion.pieces(factor.dense(), level))
        found.append((source, Attained(level, distortion, factor, known), count))
    return tuple(found)


def _own_loss(setting: Setting, mechanism: AnyMechanism) -> Real:
    loss = setting.notion.loss(mechanism, setting.source).upper
    if loss is None:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    return above(loss, False)


def _blocks(source: Source, mechanism: ProductMechanism) -> list[tuple[AnyMechanism, Source, int]]:
    """Return the factors of a product with the source of their rows, and how many rows in turn have both."""
    if not isinstance(source, Rows):
        everything = Everything(mechanism.databases.alphabet.size)
        return [(block.factor, everything, block.rows) for block in mechanism.blocks]
    if len(source.sources) == 1:
        return [(block.factor, source.sources[0], block.rows) for block in mechanism.blocks]
    found: list[tuple[AnyMechanism, Source, int]] = []
    laws = iter(source.sources)
    for block in mechanism.blocks:
        for place, law in enumerate(islice(laws, block.rows)):
            if place > 0 and found[-1][1] == law:
                found[-1] = (block.factor, law, found[-1][2] + 1)
            else:
                found.append((block.factor, law, 1))
    return found
