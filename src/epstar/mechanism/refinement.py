"""Refinement, the order of Blackwell: whether one mechanism is another with its output processed further.

A mechanism A is refined by B if B = A R for a row-stochastic R. Then B is never worse for privacy: under every prior
and for every adversary, whatever a guess gains, B leaks at most as much as A. Where there is no such R, some prior and
some gain tell the two apart (Blackwell 1951; Alvim and others 2012, "Measuring information leakage using generalized
gain functions"): Farkas' lemma gives both, so that every answer comes with what proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact_linear import Infeasible, LinearSystem
from epstar.mechanism.base import AnyMechanism
from epstar.mechanism.dense import Mechanism
from epstar.source import Prior
from epstar.universe import Alphabet

# Entries of the tableau, its columns times its rows: 20 inputs and outputs, for which the exact simplex method takes
# some 15 CPU seconds where the answer is no.
_LARGEST = 200_000


@dataclass(frozen=True)
class Refinement:
    """Whether one mechanism is refined by another, with what shows it.

    `processing` is the R with B = A R. Where there is none, `prior` and `gain` are an adversary who is expected to gain
    `gains[0]` from the output of A and more, `gains[1]`, from that of B.

    >>> from epstar import Mechanism, refines
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> found = refines(Mechanism([[1, 0], [0, 1]]), coin)
    >>> found.processing == coin
    True
    """

    processing: Mechanism | None = None
    prior: Prior | None = None
    gain: Gain | None = None
    gains: tuple[Rational, Rational] = (ZERO, ZERO)

    def __bool__(self) -> bool:
        return self.processing is not None


def vulnerability(mechanism: AnyMechanism, prior: Prior, gain: Gain) -> Rational:
    """Return the posterior g-vulnerability: what the best guess after each output is expected to gain.

    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(vulnerability(coin, Prior(["1/2", "1/2"]), Gain([[1, 0], [0, 1]])))
    '3/4'
    """
    law, gains = prior.probabilities, gain.values
    joint = [[p * entry for entry in row] for p, row in zip(law, mechanism.dense().rows, strict=True)]
    guesses = [[row[k] for row in gains] for k in range(len(gains[0]))]
    return sum((max(dot(column, guess) for guess in guesses) for column in zip(*joint, strict=True)), ZERO)


def refines(mechanism: AnyMechanism, other: AnyMechanism) -> Refinement:
    """Return whether `other` is `mechanism` with its output processed further, and so never worse for privacy.

    Raises:
        InvalidInput: for mechanisms of different inputs, of floats, or too large for exact arithmetic.

    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> twice = coin.then(coin)
    >>> bool(refines(coin, twice)), bool(refines(twice, coin))
    (True, False)
    >>> refines(coin, twice).processing.rows
    ((3/4, 1/4), (1/4, 3/4))
    >>> told_apart = refines(twice, coin)
    >>> [str(gained) for gained in told_apart.gains]
    ['1/2', '3/5']
    """
    if mechanism.universe.size != other.universe.size:
        raise InvalidInput(
            f"The mechanisms have {mechanism.universe.size} and {other.universe.size} inputs; "
            "compare two that answer for the same inputs."
        )
    if not (mechanism.is_exact and other.is_exact):
        raise InvalidInput(
            "A mechanism of floats is hardly ever exactly another one processed further; give the entries as fractions."
        )
    (inputs, outputs), (_, answers) = mechanism.shape, other.shape
    if outputs * answers * (inputs * answers + outputs) > _LARGEST:
        raise InvalidInput(
            f"Comparing {outputs} with {answers} outputs for {inputs} inputs is too large for exact arithmetic; "
            "merge outputs or inputs."
        )
    told = _compared(mechanism.dense(), other.dense())
    return told if told.processing is not None else _checked(mechanism, other, told)


def _compared(mechanism: Mechanism, other: Mechanism) -> Refinement:
    """Return the processing, which the simplex method finds, or the gain that its multipliers are."""
    rows, wanted = mechanism.rows, other.rows
    (inputs, outputs), (_, answers) = mechanism.shape, other.shape
    equalities, bounds = [], []
    for x in range(inputs):
        for z in range(answers):
            equalities.append(_row(outputs, answers, {(y, z): rows[x][y] for y in range(outputs)}))
            bounds.append(wanted[x][z])
    for y in range(outputs):
        equalities.append(_row(outputs, answers, {(y, z): ONE for z in range(answers)}))
        bounds.append(ONE)
    found = LinearSystem(outputs * answers, (), (), tuple(equalities), tuple(bounds)).feasible()
    if not isinstance(found, Infeasible):
        matrix = [found[y * answers : (y + 1) * answers] for y in range(outputs)]
        return Refinement(Mechanism(matrix, Alphabet(mechanism.outputs), other.outputs))
    # The multipliers e(x, z) and f(y) have sum_x e(x, z) A(x, y) + f(y) >= 0 and sum e B + sum f < 0, so guessing z is
    # worth at most f(y) after the output y of A in units of -e, and B gains more than all f.
    worth = [[-found.equality_multipliers[x * answers + z] for z in range(answers)] for x in range(inputs)]
    # What is added to every guess at an input adds the same for both: gains start at 0, and the largest is 1.
    raised = [[value - min(row) for value in row] for row in worth]
    unit = max(value for row in raised for value in row)
    gain = Gain([[value / unit for value in row] for row in raised], other.outputs)
    return Refinement(None, Prior([Rational(1, inputs)] * inputs), gain)


def _row(outputs: int, answers: int, entries: dict[tuple[int, int], Rational]) -> tuple[Rational, ...]:
    return tuple(entries.get((y, z), ZERO) for y in range(outputs) for z in range(answers))


def _checked(mechanism: AnyMechanism, other: AnyMechanism, told: Refinement) -> Refinement:
    assert told.prior is not None
    assert told.gain is not None
    gains = (vulnerability(mechanism, told.prior, told.gain), vulnerability(other, told.prior, told.gain))
    assert gains[0] < gains[1], "the multipliers separate the two mechanisms"
    return Refinement(None, told.prior, told.gain, gains)
