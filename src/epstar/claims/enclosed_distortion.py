"""The worst distortion of a large mechanism, enclosed between two floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epstar.claims.claim import Setting
from epstar.distortion import Gain, Matrix, nearest_costs
from epstar.exact.elementary import growth
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.measure.information_arrays import is_many
from epstar.source import Finite, Hull, Prior

# Beyond this a product with a vanishing probability might not vanish.
_LARGEST = 1e100
_VANISHING = 1e-150


@dataclass(frozen=True)
class EnclosedDistortion:
    """Two floats between which the worst distortion over the source lies."""

    lower: float
    upper: float


def enclosed_distortion(setting: Setting, mechanism: AnyMechanism) -> EnclosedDistortion | None:
    """Return the enclosure for a large exact matrix and a large table of costs; None where exact sums are at hand.

    A table of floats stands for their decimals, whose sums would need a fraction for each of a million cells.
    """
    source, distortion = setting.source, setting.distortion
    if not isinstance(distortion, Matrix | Gain) or not isinstance(source, Prior | Finite | Hull):
        return None
    if not isinstance(mechanism, Mechanism) or not is_many(mechanism):
        return None
    if tuple(mechanism.outputs) != tuple(distortion.outputs(setting.universe)):
        return None
    costs = nearest_costs(distortion, setting.universe)
    if not (np.abs(costs) < _LARGEST).all():
        return None
    terms = mechanism.floats * costs
    laws = np.atleast_2d(source.floats)
    values = laws @ terms.sum(axis=1)
    sizes = laws @ np.abs(terms).sum(axis=1)
    inputs, outputs = terms.shape
    errors = growth(inputs + outputs + 16) * sizes + _VANISHING
    return EnclosedDistortion(float((values - errors).max()), float((values + errors).max()))
