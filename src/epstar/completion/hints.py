"""What a checker that does not search needs to know beside a mechanism."""

from __future__ import annotations

from epstar.claims.claim import Hints, Setting
from epstar.exact import Real
from epstar.mechanism import AnyMechanism


def hints(setting: Setting, mechanism: AnyMechanism, loss: Real) -> Hints:
    """Return the hints for a claim about a mechanism."""
    return Hints()
