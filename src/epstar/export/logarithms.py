"""Numbers above logarithms, for Coq: decimals, or multiples of the loss where that is a logarithm itself."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.export.steps import Point, rounded

# Multiples of the loss are multiples of one over this: Coq raises ratios to this power.
_PARTS = 12


@dataclass(frozen=True)
class Logarithms:
    """How logarithms are written: rounded up, in decimals or in multiples of the loss, as which it is one itself."""

    loss: Real
    bits: int
    in_levels: bool = False

    @property
    def under(self) -> Rational:
        """How many units the loss is, or a little less."""
        if self.in_levels:
            return ONE
        return (
            self.loss.rational
            if self.loss.rational is not None
            else rounded(self.loss.below(self.bits), self.bits, False)
        )

    def of(self, row: Point, law: Point) -> Point:
        """Return numbers above the logarithms of the ratios of a row to a distribution, 0 where there is none."""
        return tuple(self._above(q / r) if q > 0 and r > 0 else ZERO for q, r in zip(row, law, strict=True))

    def _above(self, ratio: Rational) -> Rational:
        if ratio == 1:
            return ZERO
        logarithm = Real.log(ratio)
        if not self.in_levels:
            return rounded(logarithm.above(self.bits), self.bits, True)
        base = self.loss.argument_of_log
        assert base is not None
        wanted = ratio**_PARTS
        share = int(float(logarithm) / float(self.loss) * _PARTS) - 2
        while base**share < wanted:
            share += 1
        return Rational(share, _PARTS)
