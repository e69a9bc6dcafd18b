"""The privacy curves of given mechanisms: chords between exact values for matrices, closed forms for normal noise."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.arguments import check_kind
from epstar.convert.guarantee import has_unit_pairs
from epstar.convert.privacy_curve import FunctionCurve, PrivacyCurve, SegmentCurve
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.gaussian import Gaussian
from epstar.mechanism import Mechanism
from epstar.notions.measure.hockey_stick import excess
from epstar.notions.pairs import law_pairs
from epstar.notions.priors import output_law
from epstar.source import Prior

Law = Sequence[Rational]

# Chords between fewer points than the mechanism has ratios are a valid bound, too.
_MOST_POINTS = 512


def curve_of(mechanism: Mechanism) -> SegmentCurve:
    """Return the curve of approximate differential privacy of an exact mechanism whose pairs are at distance 1.

    It is exact at every ratio of two rows, and between two of them at most the chord.

    Raises:
        InvalidInput: for anything but an exact mechanism, and on a universe with other distances.

    >>> from epstar import Mechanism
    >>> from epstar.convert import curve_of
    >>> curve = curve_of(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> str(curve.delta("log(2)")), str(curve.delta("log(3)"))
    ('1/4', '0')
    """
    _check(mechanism)
    if not has_unit_pairs(mechanism.universe):
        raise InvalidInput("A privacy curve is about neighbours, and this universe has other distances; use a loss.")
    pairs = {(tuple(pair.left), tuple(pair.right)) for pair in law_pairs(mechanism)}
    return _curve([(left, right, False) for left, right in pairs])


def local_curve_of(mechanism: Mechanism, prior: Prior) -> SegmentCurve:
    """Return the curve of local information privacy of an exact mechanism at a prior; see `curve_of`.

    >>> from epstar import Mechanism, Prior
    >>> from epstar.convert import local_curve_of
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(local_curve_of(coin, Prior(["1/2", "1/2"])).delta(0))
    '1/4'
    """
    _check(mechanism)
    check_kind(prior, Prior, "The prior of a local curve", "one Prior")
    if prior.size != mechanism.shape[0]:
        raise InvalidInput(
            f"The prior has {prior.size} categories and the mechanism {mechanism.shape[0]} inputs; make them equal."
        )
    output = output_law(mechanism.rows, prior.probabilities)
    rows = set(mechanism.rows)
    return _curve([(output, row, False) for row in rows] + [(row, output, True) for row in rows])


def _check(mechanism: Mechanism) -> None:
    check_kind(mechanism, Mechanism, "What has a curve", "a mechanism that is written out, by .dense()")
    if not mechanism.is_exact:
        raise InvalidInput("Floats prove nothing about the curve of a mechanism; make it exact with .exact(bits).")


def _curve(pairs: list[tuple[Law, Law, bool]]) -> SegmentCurve:
    ratios = {p / q for left, right, _ in pairs for p, q in zip(left, right, strict=True) if p > q > 0}
    factors = [ONE, *sorted(ratios)]
    if len(factors) > _MOST_POINTS:
        last = factors[-1]
        factors = [*factors[:: len(factors) // _MOST_POINTS + 1], last]
    factors = sorted(set(factors))
    points = []
    for factor in factors:
        worst = ZERO
        for left, right, divided in pairs:
            found = excess(left, right, factor)
            worst = max(worst, found / factor if divided else found)
        points.append((factor, worst))
    # Beyond the last ratio only events that one law excludes are left, and they keep their excess or lose it.
    return SegmentCurve(points)


def gaussian_curve(gaussian: Gaussian) -> PrivacyCurve:
    """Return the curve of differential privacy of normal noise; its integral is half the squared distance.

    >>> from epstar import Gaussian
    >>> from epstar.convert import gaussian_curve
    >>> round(float(gaussian_curve(Gaussian(2, peak=1)).delta(1)), 6)
    0.126937
    """
    check_kind(gaussian, Gaussian, "Normal noise", "a Gaussian mechanism")
    distance = gaussian.distance
    if distance.is_infinite:
        return FunctionCurve(gaussian.delta)
    return FunctionCurve(gaussian.delta, distance * distance / 2)


def gaussian_local_curve(gaussian: Gaussian) -> PrivacyCurve:
    """Return the curve of local information privacy of normal noise on a discrete input.

    >>> from epstar import Gaussian
    >>> from epstar.convert import gaussian_local_curve
    >>> from epstar.gaussian import DiscreteInput
    >>> noise = Gaussian(1, inputs=DiscreteInput([-1, 1], ["1/2", "1/2"]))
    >>> 0 < float(gaussian_local_curve(noise).delta(1)) < 1
    True
    """
    check_kind(gaussian, Gaussian, "Normal noise", "a Gaussian mechanism")
    return FunctionCurve(gaussian.local_delta)
