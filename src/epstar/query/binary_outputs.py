"""Mechanisms with two outputs: how much a single bit can tell about an answer.

With outputs 1 and 2 a mechanism is f(y) = M[y][1], and privacy with ratio E says of neighbours that f and 1 - f
change by a factor of at most E. The largest sum of column maxima, which is the capacity of the bit and the number
of equally likely answers times the utility, depends on the diameter n alone: 2 - q^(n/2) for n even and
2 (1 - q^((n+1)/2)/(1+q)) for n odd, with q = 1/E. Source: alvim2011, Proposition 2 made exact for two outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import HALF, ONE, ZERO, Rational
from epstar.mechanism import Mechanism
from epstar.query.answer_graph import Shape
from epstar.query.closed_forms import Answers, answers_of, read_ratio

_MOST_ANSWERS = 1 << 12


@dataclass(frozen=True)
class StepCertificate:
    """Why one bit cannot tell more, over at most `steps` steps with ratio E.

    Along an edge f grows at most to h(f) = min(E f, 1 - q (1 - f)), and a minimum is below each of its two parts.
    Using the first part g times and then the second bounds f after all steps by E^(2g - steps) f + 1 - q^(steps - g).
    `mixture` weighs several g so that the coefficient of f is at most 1; what is left bounds the gain in f.

    >>> from epstar import Graph, Rational
    >>> from epstar.query.binary_outputs import two_outputs
    >>> found = two_outputs(Graph.line(3), Rational(2))
    >>> found.certificate.steps
    2
    """

    ratio: Rational
    steps: int
    mixture: tuple[tuple[Rational, int], ...]

    def check(self) -> Rational:
        """Return the proven bound on the sum of the two column maxima.

        Raises:
            ProofRejected: if the weights are not a distribution, a count is out of range, or the coefficient exceeds 1.
        """
        weights = [weight for weight, _ in self.mixture]
        if self.ratio < ONE or not weights or min(weights) < 0 or sum(weights, ZERO) != ONE:
            raise ProofRejected(
                "The weights of the mixture must be non-negative and sum to 1, and the ratio must be at least 1."
            )
        if any(not 0 <= growing <= self.steps for _, growing in self.mixture):
            raise ProofRejected("A growing step lies outside the path.")
        q = ONE / self.ratio
        slope = sum((w * self.ratio**g * q ** (self.steps - g) for w, g in self.mixture), ZERO)
        if slope > ONE:
            raise ProofRejected("The mixture lets f grow without bound, so that it proves nothing.")
        return ONE + sum((w * (ONE - q ** (self.steps - g)) for w, g in self.mixture), ZERO)


@dataclass(frozen=True, eq=False)
class TwoOutputs:
    """The largest sum of column maxima of two outputs, a mechanism that attains it, and why it is the largest.

    A graph of several components has no certificate: the value is 2, which no two columns exceed.

    >>> from epstar import Graph, Rational
    >>> from epstar.query.binary_outputs import two_outputs
    >>> found = two_outputs(Graph.line(3), Rational(2))
    >>> str(found.value), found.mechanism.shape
    ('3/2', (3, 2))
    """

    value: Rational
    mechanism: Mechanism
    certificate: StepCertificate | None


def two_outputs(answers: Answers, ratio: Rational) -> TwoOutputs:
    """Return the most telling bit on a graph, at ratio E.

    Raises:
        InvalidInput: for a ratio below 1 or more than 4,096 answers.

    >>> from epstar.universe import Graph
    >>> two_outputs(Graph.line(3), Rational(2)).value, two_outputs(Graph.clique(4), Rational(3)).value
    (3/2, 3/2)
    """
    shape, ratio = answers_of(answers), read_ratio(ratio)
    if shape.size > _MOST_ANSWERS:
        raise InvalidInput(f"The bit on {shape.size} answers is not written out; ask about at most 4,096.")
    longest = shape.longest
    if longest is None:
        inside = set(shape.graph().components[0])
        return TwoOutputs(Rational(2), _bit(shape, [ONE if y in inside else ZERO for y in range(shape.size)]), None)
    q = ONE / ratio
    half, is_odd = divmod(longest, 2)
    if is_odd:
        weight = ONE / (ONE + ratio)
        certificate = StepCertificate(ratio, longest, ((weight, half + 1), (ONE - weight, half)))
        middle = q / (ONE + q)
    else:
        certificate = StepCertificate(ratio, longest, ((ONE, half),))
        middle = HALF
    # From the far end the complement halves its way up to the middle; beyond it the law is mirrored.
    rising = [ONE - middle * q ** (half - k) for k in range(half + 1)]
    law = rising + [ONE - value for value in reversed(rising[: longest - half])]
    mechanism = _bit(shape, [law[shape.steps_from_end(y)] for y in range(shape.size)])
    return TwoOutputs(law[0] + ONE - law[-1], mechanism, certificate)


def _bit(shape: Shape, law: list[Rational]) -> Mechanism:
    return Mechanism([[chance, ONE - chance] for chance in law], shape.graph(), (1, 2))
