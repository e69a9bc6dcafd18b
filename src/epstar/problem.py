"""A question: which notion, on which universe, for which source and distortion, at which point of the trade-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epstar.arguments import shown
from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.limits import NO_LIMITS, Limits
from epstar.notions.base import Notion, PerInput
from epstar.notions.g_leakage import GLeakage
from epstar.secret import Secret, check_secret
from epstar.source import Finite, Prior, Rows, Source
from epstar.universe import Universe

Asked = Literal["loss", "distortion"]
Further = tuple[tuple[Notion, Real], ...]
"""Notions and the levels at which a mechanism keeps them."""


@dataclass(frozen=True)
class Problem:
    """Ask for the least loss at a given distortion, or the least distortion at a given loss.

    The notion may protect a `secret` behind the data, the mechanism keep `limits`, and other guarantees `also`.
    """

    notion: Notion
    source: Source
    distortion: Distortion
    universe: Universe
    asks: Asked
    given: Real
    secret: Secret | None = None
    limits: Limits = NO_LIMITS
    also: Further = ()

    def __post_init__(self) -> None:
        if self.source.size != self.universe.size:
            raise InvalidInput(
                f"The source speaks about {shown(self.source.size)} inputs and the universe has "
                f"{shown(self.universe.size)}; make them agree."
            )
        if self.asks == "distortion" and self.given < 0:
            raise InvalidInput(f"The loss {self.given} is negative; privacy losses are at least 0.")
        if self.asks == "loss" and self.given.rational is None:
            raise InvalidInput(f"The distortion {self.given} is not a rational number; write it as one, such as '1/5'.")
        check_wider(self.notion, self.source, self.distortion, self.universe, self.secret, self.limits, self.also)

    @property
    def is_wider(self) -> bool:
        """Whether the question has a secret, limits or further guarantees, or its notion came with them."""
        return is_wider(self.notion, self.secret, self.limits, self.also)

    @property
    def protected(self) -> Universe:
        """The values between which the notion measures a loss: those of the secret, or the inputs."""
        return self.universe if self.secret is None else self.secret.universe


def is_wider(notion: Notion, secret: Secret | None, limits: Limits, also: Further) -> bool:
    """Return whether a question is answered by the general program: whoever asks nothing of that is not."""
    return notion.is_general or secret is not None or bool(limits) or bool(also)


def check_wider(
    notion: Notion,
    source: Source,
    distortion: Distortion,
    universe: Universe,
    secret: Secret | None,
    limits: Limits,
    also: Further,
) -> None:
    """Refuse a secret, limits or further guarantees that do not fit the rest of a question.

    Raises:
        InvalidInput: saying what to do instead.
    """
    if not is_wider(notion, secret, limits, also):
        return
    if isinstance(source, Rows):
        raise InvalidInput(
            "Limits on the mechanism and further guarantees are about one prior of whole databases, not about rows; "
            "give it as 'prior', or leave them out."
        )
    is_listed = isinstance(source, Prior | Finite)
    if secret is not None:
        check_secret(secret, (notion, *(other for other, _ in also)), source, universe.size)
    for kept in (notion, *(other for other, _ in also)):
        if isinstance(kept, GLeakage) and not is_listed:
            raise InvalidInput(
                f"{kept.title.capitalize()} is measured at a prior, or at a finite list of them; list distributions of "
                "the region as 'finite', or choose min-entropy leakage."
            )
    for other, level in also:
        if level < 0:
            raise InvalidInput(f"The loss {level} of {other.title} is negative; privacy losses are at least 0.")
    protected = universe.size if secret is None else secret.universe.size
    for kept in (notion, *(other for other, _ in also)):
        if isinstance(kept, PerInput):
            kept.check_size(protected)
    if limits:
        limits.check(distortion.shape(universe), source)
