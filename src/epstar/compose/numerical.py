"""Privacy-loss distributions in floats, by the package dp-accounting: a fast second opinion, not a proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from epstar.compose.noise import grouped, together
from epstar.convert import Guarantee
from epstar.convert.guarantee import has_unit_pairs
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.extras import required
from epstar.gaussian import Gaussian
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, Notion
from epstar.notions.pairs import ordered_pairs
from epstar.universe import Universe

# Losses are rounded up to multiples of this.
_INTERVAL = 1e-4


def numerical_level(
    universe: Universe | None, entries: Sequence[Guarantee | Mechanism | Gaussian], notion: Notion
) -> float:
    """Return the level of approximate differential privacy of all releases together, as dp-accounting computes it.

    It rounds losses up, so its levels are too large rather than too small, up to the rounding of floats. Cost: one
    convolution for each different release and ordered pair of neighbours.

    Raises:
        InvalidInput: for another notion than approximate differential privacy, or a guarantee of another one than pure
            or approximate differential privacy.
        MissingExtra: if dp-accounting is not installed.
    """
    if not isinstance(notion, ApproximateDifferentialPrivacy) or notion.reading != "event":
        raise InvalidInput("dp-accounting adds up approximate differential privacy; ask for that notion.")
    if not has_unit_pairs(universe):
        raise InvalidInput("dp-accounting knows neighbours, but no other distances; use a universe of neighbours.")
    if not entries:
        return 0.0
    required("dp_accounting", "Adding up in floats needs")
    from dp_accounting.pld import common, privacy_loss_distribution

    options = {"value_discretization_interval": _INTERVAL}
    noises = [entry for entry in entries if isinstance(entry, Gaussian)]
    shared: list[Any] = []
    if noises:
        deviation = float(together(noises).sigma)
        shared.append(privacy_loss_distribution.from_gaussian_mechanism(deviation, **options))
    promises = [entry for entry in entries if isinstance(entry, Guarantee)]
    for guarantee, count in grouped(promises, _level_and_delta):
        parameters = common.DifferentialPrivacyParameters(*_level_and_delta(guarantee))
        one = privacy_loss_distribution.from_privacy_parameters(parameters, **options)
        shared.append(one.self_compose(count) if count > 1 else one)
    counts = grouped([entry for entry in entries if isinstance(entry, Mechanism)], lambda mechanism: mechanism)
    # Two laws are compared there in one order only, so every pair is taken in both.
    pairs = [(i, j) for i, j, _ in ordered_pairs(universe)] if universe is not None and counts else [(0, 0)]
    worst = 0.0
    for i, j in pairs:
        parts = list(shared)
        for mechanism, count in counts:
            upper, lower = (_logarithms(mechanism.rows[k]) for k in (i, j))
            one = privacy_loss_distribution.from_two_probability_mass_functions(lower, upper, **options)
            parts.append(one.self_compose(count) if count > 1 else one)
        whole = reduce(lambda a, b: a.compose(b), parts)
        worst = max(worst, float(whole.get_epsilon_for_delta(float(Real.of(notion.delta)))))
    return worst


def _logarithms(row: Sequence[Rational]) -> dict[int, float]:
    return {y: math.log(float(Real.of(p))) for y, p in enumerate(row) if p > 0}


def _level_and_delta(guarantee: Guarantee) -> tuple[float, float]:
    notion = guarantee.notion
    if guarantee.curve is None and not guarantee.level.is_infinite:
        if isinstance(notion, DifferentialPrivacy):
            return float(guarantee.level), 0.0
        if isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "event":
            return float(guarantee.level), float(Real.of(notion.delta))
    raise InvalidInput("dp-accounting adds up pure and approximate differential privacy; convert the guarantee first.")
