"""What is true: values that epstar proves from the definitions, never from a formula of the paper."""

from __future__ import annotations

import math
from functools import lru_cache

from epstar.distortion import Hamming, Matrix
from epstar.exact import INFINITY, ONE, ZERO, Interval, Number, Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.mechanism import AnyMechanism
from epstar.notions import DifferentialPrivacy, MutualInformation
from epstar.source import Finite, Hull, Prior, Source
from epstar_papers.kalantari2018.tables import Point, Points

NO_CLAIM = Interval(Real.of(ZERO), INFINITY)
"""What a corrected statement says of a case outside its hypotheses: nothing."""


def hull(points: Points) -> Source:
    """Return the convex hull of the points."""
    return Prior(points[0]) if len(points) == 1 else Hull(points)


@lru_cache(maxsize=4096)
def optimum(points: Points, distortion: Rational) -> Answer:
    """Return the proven least differential-privacy loss over the hull of the points, with its mechanism."""
    return Frontier(DifferentialPrivacy(), hull(points), Hamming()).loss_at(distortion)


def least_loss(points: Points, distortion: Rational) -> Interval:
    """Return the interval of `optimum`."""
    return optimum(points, distortion).interval


def optimal_mechanism(points: Points, distortion: Rational) -> AnyMechanism:
    """Return a mechanism that attains `least_loss`."""
    mechanism = optimum(points, distortion).mechanism
    assert mechanism is not None, "every answer for Hamming distortion comes with a mechanism"
    return mechanism


def diagonal(mechanism: AnyMechanism) -> Point:
    """Return the probabilities of a right answer, category by category."""
    return tuple(mechanism.entry(x, x) for x in range(mechanism.shape[0]))


def zero_loss_distortion(points: Points) -> Interval:
    """Return the proven least distortion at which nothing need be lost."""
    return Frontier(DifferentialPrivacy(), hull(points), Hamming()).distortion_at(0).interval


def least_distortion(points: Points, loss: Number) -> Interval:
    """Return the proven least distortion over the hull of the points at a bound on the loss."""
    return Frontier(DifferentialPrivacy(), hull(points), Hamming()).distortion_at(loss).interval


def _kept_columns(size: int, kept: tuple[int, ...]) -> Matrix:
    return Matrix([[ZERO if x == y else ONE for y in kept] for x in range(size)], kept)


@lru_cache(maxsize=4096)
def least_loss_on(points: Points, distortion: Rational, kept: tuple[int, ...]) -> Interval:
    """Return the proven least loss of mechanisms that never answer outside `kept`."""
    costs = _kept_columns(len(points[0]), kept)
    return Frontier(DifferentialPrivacy(), hull(points), costs).loss_at(distortion).interval


def least_distortion_on(points: Points, kept: tuple[int, ...]) -> Interval:
    """Return the proven least distortion of mechanisms that never answer outside `kept`, whatever they lose."""
    costs = _kept_columns(len(points[0]), kept)
    return Frontier(DifferentialPrivacy(), hull(points), costs).distortion_at(math.inf).interval


@lru_cache(maxsize=4096)
def information(points: Points, distortion: Rational, convex: bool = True) -> Answer:
    """Return the proven least mutual information, worst over the hull of the points or over the points alone."""
    source = hull(points) if convex else Finite(points)
    return Frontier(MutualInformation(), source, Hamming()).loss_at(distortion)


def least_information(points: Points, distortion: Rational, convex: bool = True) -> Interval:
    """Return the interval of `information`."""
    return information(points, distortion, convex).interval


@lru_cache(maxsize=4096)
def information_under(prior: Point, distribution: Point, distortion: Rational) -> Interval:
    """Return the least information about an input of this prior when the distortion is averaged over another.

    Weighing the cost of category x by distribution(x) / prior(x) turns the one average into the other.
    """
    size = len(prior)
    costs = [[ZERO if x == y else distribution[x] / prior[x] for y in range(size)] for x in range(size)]
    return Frontier(MutualInformation(), Prior(prior), Matrix(costs)).loss_at(distortion).interval


def dp_loss(mechanism: AnyMechanism) -> Real:
    """Return the differential-privacy loss of an exact mechanism, by definition."""
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None, "exact mechanisms have exact losses"
    return loss


def zero_information_distortion(points: Points, convex: bool = True) -> Interval:
    """Return the proven least distortion at which no mutual information need be lost."""
    source = hull(points) if convex or len(points) == 1 else Finite(points)
    return Frontier(MutualInformation(), source, Hamming()).distortion_at(0).interval
