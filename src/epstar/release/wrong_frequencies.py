"""What a secret loses if the frequencies that its protection rests on are wrong.

What a mechanism tells about a secret depends on how the released values are distributed beside each value of it,
p(x|s). Let each of these distributions be off by a share t in total variation. Then Q(y|s) = sum p(x|s) Q(y|x) is
largest if t of the weight moves to the values that give y most often, and least if it moves to those that give it least
often: an exact supremum for differential privacy, since the distributions beside two values of a secret are free of
each other, and an upper bound for maximal leakage. Weight moves only between values that can be confused at all: a
public stratum, for instance, is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.exact.vectors import sum_of
from epstar.mechanism import Mechanism
from epstar.notions.pairs import ordered_pairs
from epstar.notions.priors import listed_laws
from epstar.secret import Behind, Secret
from epstar.source import Source
from epstar.universe import Alphabet, Universe

SHARES = (Rational(1, 100), Rational(1, 20), Rational(1, 10))


@dataclass(frozen=True)
class Misjudged:
    """The most that is lost about a secret if frequencies are off by at most `share`, in total variation.

    >>> from epstar import Mechanism, Prior, Rational, Secret
    >>> from epstar.release import misjudged
    >>> truth, hint = Mechanism([[1, 0], [0, 1]]), Secret.given([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(misjudged(truth, hint, Prior(["1/2", "1/2"]), Rational(1, 20)).differential_privacy)
    'log(4)'
    """

    share: Rational
    differential_privacy: Real
    maximal_leakage: Real


def misjudged(mechanism: Mechanism, secret: Secret, source: Source, share: Rational) -> Misjudged:
    """Return what is lost where the values beside each value of a secret are distributed almost as assumed.

    >>> from epstar.mechanism import randomised_response
    >>> from epstar.source import Prior
    >>> from epstar.universe import Alphabet
    >>> told = randomised_response(Alphabet(2), "log(3)").dense()
    >>> found = misjudged(told, Secret.of(["low", "high"]), Prior(["1/2", "1/2"]), Rational(1, 10))
    >>> str(found.differential_privacy), str(found.maximal_leakage)
    ('log(3)', 'log(3/2)')
    >>> hint = Secret.given([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(misjudged(told, hint, Prior(["1/2", "1/2"]), Rational(1, 10)).differential_privacy)
    'log(27/13)'
    """
    laws = listed_laws(source)
    assert laws is not None
    found = [_at(mechanism, secret.behind(law), share) for law in laws]
    ratio, leakage = (max(ends, key=lambda loss: loss.upper) for ends in zip(*found, strict=True))
    return Misjudged(share, ratio, leakage)


def _at(mechanism: Mechanism, behind: Behind, share: Rational) -> tuple[Real, Real]:
    columns, universe = list(zip(*mechanism.rows, strict=True)), mechanism.universe
    reached = [_reached(universe, next(iter(mixture))) for mixture in behind.mixtures]

    @cache
    def extreme(s: int, y: int, is_high: bool) -> Rational:
        order = sorted(reached[s], key=columns[y].__getitem__, reverse=not is_high)
        return _moved(behind.mixtures[s], columns[y], order, share)

    ratio = Real.of(ZERO)
    for s, t, distance in ordered_pairs(behind.universe):
        for y in range(len(columns)):
            high, low = extreme(s, y, True), extreme(t, y, False)
            if high <= low:
                continue
            loss = Real.log(high / low) if low > ZERO else INFINITY
            loss = loss if distance == 1 else loss / distance
            ratio = max(ratio, loss, key=lambda one: one.upper)
    values = range(len(behind.mixtures))
    most = sum_of([max(extreme(s, y, True) for s in values) for y in range(len(columns))])
    return ratio, Real.log(min(most, Rational(len(values))))


def _reached(universe: Universe, start: int) -> list[int]:
    """The inputs at a finite distance from one."""
    if isinstance(universe, Alphabet):
        return list(range(universe.size))
    return [x for x in range(universe.size) if universe.distance(start, x) is not None]


def _moved(
    mixture: Mapping[int, Rational], column: Sequence[Rational], order: Sequence[int], share: Rational
) -> Rational:
    """The mean of a column after a share of the weight has moved from the first places of an order to its last."""
    left, last = share, column[order[-1]]
    total = ZERO
    for x in order:
        weight = mixture.get(x, ZERO)
        away = min(weight, left)
        left -= away
        total += (weight - away) * column[x] + away * last
    return total


def off_by(share: Rational) -> str:
    """Return a share as it is said in a sentence.

    >>> off_by(Rational(1, 20)).split()
    ['5', '%']
    """
    return f"{float(Real.of(share * 100)):g}\N{NO-BREAK SPACE}%"


def lost_about(parts: Sequence[tuple[Rational | None, Rational | None]]) -> Rational | None:
    """Return what several answers lose about a secret, by differential privacy; None if that has no limit.

    Each part is what an answer loses about the record, and what it loses about the secret where it was made for that.
    Of the answers of a record that are drawn independently, one counts by what it loses about the secret, and all
    others by what they lose about the record: once an answer is known, the record is distributed otherwise beside the
    secret, and nothing but the loss of the record bounds what the next one tells.

    >>> lost_about([(None, Rational(1)), (Rational(2), None)]), lost_about([(None, Rational(1)), (None, Rational(1))])
    (3, None)
    """
    sums = []
    for own, (_, about) in enumerate(parts):
        others = [record for place, (record, _) in enumerate(parts) if place != own]
        first = parts[own][0] if about is None else about
        known = [loss for loss in (first, *others) if loss is not None]
        if len(known) == len(parts):
            sums.append(sum_of(known))
    return min(sums, default=None)
