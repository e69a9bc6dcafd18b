"""A question: which notion, on which universe, for which source and distortion, at which point of the trade-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.notions.base import Notion
from epstar.reading import shown
from epstar.source import Source
from epstar.universe import Universe

Asked = Literal["loss", "distortion"]


@dataclass(frozen=True)
class Problem:
    """Ask for the least loss at a given distortion, or the least distortion at a given loss."""

    notion: Notion
    source: Source
    distortion: Distortion
    universe: Universe
    asks: Asked
    given: Real

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
