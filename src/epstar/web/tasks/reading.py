"""Requests into objects of the library, within the limits, and numbers back into JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from epstar.distortion import Gain
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Interval, Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism, write_labels
from epstar.problem import Problem
from epstar.problem_file import read_problem
from epstar.web.limits import Limits

# Rows and columns that a picture on a screen can show.
MOST_DRAWN = 128


@contextmanager
def read_as(what: str) -> Iterator[None]:
    """Turn whatever a malformed document makes Python say into one sentence."""
    try:
        yield
    except EpstarError:
        raise
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        raise InvalidInput(f"The request does not describe {what}; compare it with the documentation.") from None


def fields_of(document: object, allowed: set[str]) -> Mapping[str, Any]:
    """Return the fields of a request after checking their names."""
    if not isinstance(document, Mapping):
        raise InvalidInput("The request must be a JSON object in braces.")
    unknown = sorted(set(map(str, document)) - allowed)
    if unknown:
        raise InvalidInput(
            f"The request has no field {unknown[0][:40]!r}; its fields are {', '.join(sorted(allowed))}."
        )
    return document


def read_frontier(document: object, limits: Limits) -> Frontier:
    """Return the trade-off that a problem is about, whatever point it asks for."""
    problem = read_one({**limits.check_problem(document), "at": {"distortion": 0}}, limits)
    return Frontier(
        problem.notion,
        problem.source,
        problem.distortion,
        problem.universe,
        secret=problem.secret,
        limits=problem.limits,
        also=problem.also,
    )


def read_one(document: object, limits: Limits) -> Problem:
    """Return the one question that a problem asks."""
    with read_as("a problem"):
        return read_problem(limits.check_problem(document))


def number(value: float) -> float | None:
    """Return a number as JSON has it; what is infinite or unknown is null."""
    return value if math.isfinite(value) else None


def exact(interval: Interval) -> str | None:
    """Return the number that an interval holds where it is known exactly, in a form that can be read again."""
    if interval.width != 0.0:
        return None
    return named(interval.upper)


def named(real: Real) -> str | None:
    """Return an exactly known number as text of reasonable length."""
    if real.is_infinite:
        return "infinity"
    if real.rational is None and real.argument_of_log is None:
        return None
    written = str(real)
    return written if len(written) <= 60 else None


def band(interval: Interval) -> dict[str, object]:
    """Return the ends of an interval as JSON."""
    return {
        "lower": number(interval.lower.lower),
        "upper": number(interval.upper.upper),
        "exact": exact(interval),
    }


def drawn(mechanism: AnyMechanism | None) -> dict[str, object] | None:
    """Return a mechanism as a matrix to draw, with its labels; None where it is too large to be looked at."""
    if mechanism is None or max(mechanism.shape) > MOST_DRAWN:
        return None
    return {
        "matrix": mechanism.dense().floats.tolist(),
        "inputs": write_labels(mechanism.universe.labels),
        "outputs": write_labels(mechanism.outputs),
    }


def across(frontier: Frontier, distortion: Rational) -> float:
    """Return where a distortion lies on the horizontal axis, which shows the utility for a gain."""
    place = float(Real.of(distortion))
    return -place if isinstance(frontier.distortion, Gain) else place
