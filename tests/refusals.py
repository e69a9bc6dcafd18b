"""Values that nobody should give, and whether a function refuses them with a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from epstar.convert import Guarantee
from epstar.distortion import Gain
from epstar.errors import EpstarError
from epstar.exact import Rational
from epstar.gaussian import Gaussian
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, MutualInformation
from epstar.query import Query
from epstar.source import Everything, Prior
from epstar.universe import Alphabet, Databases, Graph

JUNK: tuple[object, ...] = (
    None,
    "x",
    "log(-1)",
    "1/0",
    -1,
    0,
    1.5,
    float("nan"),
    float("inf"),
    1e308,
    10**400,
    True,
    b"a",
    [],
    {},
    [[1]],
    ["1/2", "1/3"],
    object(),
    len,
    Rational(1, 2),
    Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]),
    Mechanism([[0.75, 0.25], [0.25, 0.75]]),
    Query.named("count", 2, 2),
    Graph.line(3),
    Alphabet(2),
    Databases(2, 2),
    Prior(["1/2", "1/2"]),
    Everything(2),
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy,
    MutualInformation(),
    Guarantee(DifferentialPrivacy(), 1),
    Gaussian(1, sensitivity=1),
    Gain([[1, 0], [0, 1]]),
)


def crashes(call: Callable[..., object], arguments: Sequence[object], **named: object) -> Iterator[str]:
    """Yield what went wrong other than by a short sentence, each argument being replaced by junk in turn."""
    for place in range(len(arguments)):
        for value in JUNK:
            yield from _tried(call, [*arguments[:place], value, *arguments[place + 1 :]], named, value)
    for name in named:
        for value in JUNK:
            yield from _tried(call, arguments, named | {name: value}, value)


def _tried(
    call: Callable[..., object], given: Sequence[object], named: dict[str, object], value: object
) -> Iterator[str]:
    try:
        call(*given, **named)
    except EpstarError as error:
        sentence = str(error)
        if len(sentence) > 300 or not sentence.endswith("."):
            yield f"{sentence[:400]} for {type(value).__name__}"
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        yield f"{type(error).__name__}: {error} for {type(value).__name__}"
