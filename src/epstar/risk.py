"""A privacy loss as a risk in words: what an attacker gains by it, in numbers, rounded up."""

from __future__ import annotations

import math

from epstar.exact import ONE, Rational, Real
from epstar.mechanism.base import counted
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    GLeakage,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.rounding import Share, at_most, bits, factor, lost, percent, percent_before
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Source
from epstar.universe import Alphabet, Universe

_LARGEST_FACTOR = 1e9


def in_words(notion: Notion, level: Real, universe: Universe) -> str:
    """Return what a loss of at most `level` means to those who are guessed about."""
    if level.is_infinite:
        return "No promise by this measure: under what is assumed of the frequencies it has no upper limit."
    pair = "any two values" if isinstance(universe, Alphabet) else "any two values at distance 1"
    return _sentence(notion, level, pair, universe.size)


def depends_on(notion: Notion, source: Source) -> bool:
    """Whether a loss holds only for the frequencies that are assumed."""
    return notion.needs_source and not isinstance(notion, Capacity) and not isinstance(source, Everything)


def factor_of(level: Real) -> str:
    """Return by how much odds move at most, as a number while people can read it, and else as a power of e.

    >>> factor_of(Real.of(1)), factor_of(Real.of(800))
    ('2.72', 'e^800')
    """
    times = factor(level).upper
    return at_most(times) if times < _LARGEST_FACTOR else f"e^{at_most(level.upper, 6)}"


def guess_of_two(level: Real) -> Share:
    """Return the probability, exact or rounded up, of guessing between two equally likely values under this level."""
    ratio = factor(level)
    return ONE if ratio.is_infinite else _share(ratio / (ratio + Real.of(1)))


def guess_of_all(level: Real, size: int) -> Share:
    """Return the probability, exact or rounded up, of guessing among equally likely values under this leakage."""
    return _share(factor(level) / Real.of(size))


def _share(value: Real) -> Share:
    return min(1.0, value.upper) if value.rational is None else value.rational


# What the functions of floats below may be off by, as a share.
_ROUNDING = 1e-12


def _by_pinsker(level: Real) -> float:
    """Return how likely a guess between two values is right at most: their variation is at most sqrt(level / 2)."""
    return min(1.0, (0.5 + math.sqrt(level.upper / 8)) * (1 + _ROUNDING))


def _by_normals(level: Real) -> float:
    """Return how likely a guess between two normal distributions is right, whose means are `level` apart."""
    return min(1.0, math.erfc(-level.upper / math.sqrt(8)) / 2 * (1 + _ROUNDING))


def _sentence(notion: Notion, level: Real, pair: str, size: int) -> str:
    times = factor_of(level)
    match notion:
        case DifferentialPrivacy():
            return (
                f"Whatever an attacker knows already, a released value moves the odds between {pair} by a factor of at "
                f"most {times}. Between two that seem equally likely, the attacker guesses right with probability at "
                f"most {percent(guess_of_two(level))} instead of {percent_before(Rational(1, 2))}."
            )
        case ApproximateDifferentialPrivacy():
            delta = at_most(Real.of(notion.delta).upper)
            what = "a released value" if notion.reading == "pointwise" else "any set of released values"
            return (
                f"The probability of {what} under one of {pair} is at most {times} times that under the other, plus "
                f"{delta}."
            )
        case RenyiDifferentialPrivacy():
            mean = "mean" if notion.order == 2 else f"power mean (of order {notion.order} less 1)"
            return (
                f"A released value moves the odds between {pair} by different factors; their {mean} over the values "
                f"that may come out is at most {times}."
            )
        case ConcentratedDifferentialPrivacy():
            return (
                f"Whatever an attacker knows already: between {pair}, the divergence of every order α above 1 is at "
                f"most {at_most(level.upper, 6)} α. Between two that seem equally likely, the attacker guesses right "
                f"with probability at most {percent(_by_pinsker(level))} instead of {percent_before(Rational(1, 2))}."
            )
        case GaussianDifferentialPrivacy():
            return (
                f"Whatever an attacker knows already: a released value tells {pair} apart no better than one number "
                f"tells the normal distributions of variance 1 around 0 and {at_most(level.upper, 6)}. Between two "
                f"that seem equally likely, the attacker guesses right with probability at most "
                f"{percent(_by_normals(level))} instead of {percent_before(Rational(1, 2))}."
            )
        case GLeakage():
            return (
                f"For the frequencies that are assumed, and an attacker whose guesses gain what was given, a released "
                f"value makes the expected gain of the best guess at most {times} times as large."
            )
        case MinEntropyCapacity():
            return (
                f"Whatever the true frequencies are, a released value makes the best guess of the value at most "
                f"{times} times as likely to be right."
            )
        case MaximalLeakage():
            return (
                f"Whatever an attacker wants to know about a value, and whatever is known already: a released value "
                f"makes the best guess at most {times} times as likely to be right. If all {counted(size)} values seem "
                f"equally likely, the value itself is guessed with probability at most "
                f"{percent(guess_of_all(level, size))} instead of {percent_before(Rational(1, size))}."
            )
        case MinEntropyLeakage():
            return (
                f"For the frequencies that are assumed, a released value makes the best guess of the value at most "
                f"{times} times as likely to be right."
            )
        case MutualInformation():
            return f"On average a released value tells at most {bits(level)} bits about the true one."
        case Capacity():
            return (
                f"On average a released value tells at most {bits(level)} bits about the true one, whatever the true "
                "frequencies are."
            )
        case SibsonMutualInformation():
            return (
                f"On a scale that runs from the average (order 1, mutual information) to the worst case (order "
                f"infinity, maximal leakage), a released value tells at most {bits(level)} bits."
            )
        case MaximalInformation():
            return f"After any released value, no value is more than {times} times as likely as it was before."
        case LocalInformationPrivacy():
            tail = f", outside of events of probability {notion.delta}" if notion.delta > 0 else ""
            return (
                f"After any released value, every value is at most {times} times as likely as it was before, and "
                f"was before at most {times} times as likely as it is then{tail}."
            )
        case Identifiability():
            return f"After any released value, no value is more than {times} times as likely as another."
        case PointwiseLeakage():
            return (
                f"For every true value, what comes out differs from what comes out in general by at most {bits(level)} "
                "bits on average."
            )
        case _:
            return f"The loss by {notion.title} is at most {lost(at_most(level.upper, 6), notion.unit)}."


def source_in_words(source: Source) -> str:
    """Return what was assumed of the true frequencies."""
    match source:
        case Everything():
            return "Nothing was assumed about the frequencies of the values."
        case Prior():
            return "The frequencies of the values were taken as known."
        case Box():
            return "Each frequency was taken to lie between two known numbers."
        case Ball():
            radius = at_most(Real.of(source.radius).upper)
            return f"The frequencies were taken to differ from known ones by at most {radius} in total."
        case Finite() | Hull():
            kind = "or mixtures of them" if isinstance(source, Hull) else "and nothing between them"
            return f"The frequencies were taken to be one of {len(source.points)} known distributions, {kind}."
        case Polytope():
            return f"The frequencies were taken to keep {len(source.bounds)} linear bounds."
        case _:
            return "The frequencies were taken to be those of independent rows."
