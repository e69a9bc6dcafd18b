"""What a mechanism loses in every notion, with a witness, or the reason why a notion is not measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.errors import EpstarError
from epstar.exact import ZERO, Real
from epstar.mechanism import AnyMechanism, BlockDesign
from epstar.notions import (
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Loss, Notion
from epstar.release.tickets import loss_of
from epstar.secret import Secret
from epstar.source import Source

# Cheap at any size.
_ALWAYS: tuple[Notion, ...] = (DifferentialPrivacy(), MaximalLeakage(), MinEntropyCapacity())
# Measured as well while a matrix is small; the families with an order are shown at order 2.
_SMALL: tuple[Notion, ...] = (
    RenyiDifferentialPrivacy(2),
    MutualInformation(),
    Capacity(),
    SibsonMutualInformation(2),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    PointwiseLeakage(),
    MinEntropyLeakage(),
)
_SMALL_ENTRIES = 1 << 14


@dataclass(frozen=True)
class Guarantee:
    """The loss of a mechanism by one notion, or None and the reason why it was not measured."""

    notion: Notion
    loss: Loss | None
    reason: str

    def to_json(self) -> dict[str, object]:
        """Return the loss in nats with its proven bounds, and the exact number where there is one."""
        document: dict[str, object] = {"notion": self.notion.name, **self.notion.parameters()}
        if self.loss is None or self.loss.lower is None or self.loss.upper is None:
            return {**document, "not_measured": self.reason or "the mechanism is one of floats"}
        lower, upper = self.loss.lower, self.loss.upper
        document |= {"unit": "nats", "lower": number(lower.lower), "upper": number(upper.upper)}
        # Bounds of an iteration are rational too; only where both agree is the number the loss itself.
        if lower is upper and (upper.argument_of_log is not None or upper.rational is not None):
            document["exact"] = str(upper)
        # The inputs and outputs, by their places, at which anyone can check that no less is lost.
        witness = self.loss.witness
        document["attained_at"] = {"inputs": list(witness.inputs), "outputs": list(witness.outputs)}
        return document


def number(value: float) -> float | str:
    """Return a float for JSON, which has no infinity: that is written as text."""
    return "infinity" if value == float("inf") else value


def guarantees(
    mechanism: AnyMechanism, source: Source, extra: Sequence[Notion] = (), secret: Secret | None = None
) -> tuple[Guarantee, ...]:
    """Return the loss by every notion of epstar, those in `extra` first: about the record, or about a secret behind it.

    Of a matrix beyond 16,384 entries only those in `extra` are measured, and the ones that cost one pass over it; a
    mechanism that is never expanded is measured by all of them, at any size.
    """
    inputs, outputs = mechanism.shape
    is_written_out = mechanism.is_expanded or isinstance(mechanism, BlockDesign)
    is_small = not is_written_out or inputs * outputs <= _SMALL_ENTRIES
    wanted = list(dict.fromkeys([*extra, *_ALWAYS, *_SMALL]))
    found = []
    for notion in wanted:
        if notion in _SMALL and notion not in extra and not is_small:
            found.append(Guarantee(notion, None, "the matrix is large; ask for this notion by name"))
        else:
            found.append(_measured(notion, mechanism, source, secret))
    return tuple(found)


def _measured(notion: Notion, mechanism: AnyMechanism, source: Source, secret: Secret | None) -> Guarantee:
    try:
        return Guarantee(notion, loss_of(mechanism, notion, source, secret), "")
    except EpstarError as error:
        return Guarantee(notion, None, str(error))


def differential_privacy_total(found: Sequence[Sequence[Guarantee]]) -> Real | None:
    """Return the level of differential privacy of a record whose columns go through independent mechanisms.

    Levels add. None if a column has no finite level.
    """
    total = Real.of(ZERO)
    for column in found:
        losses = [item.loss for item in column if isinstance(item.notion, DifferentialPrivacy)]
        upper = losses[0].upper if losses and losses[0] is not None else None
        if upper is None or upper.is_infinite:
            return None
        total = total + upper
    return total
