"""What can be taken away: a picture, a release file, a program."""

from __future__ import annotations

import base64
from pathlib import Path
from tempfile import TemporaryDirectory

from epstar.curve import Curve
from epstar.distortion import Absolute, Distortion, Squared
from epstar.errors import InvalidInput, NoSolution
from epstar.frontier import Frontier
from epstar.plot import plot_curves
from epstar.release import Column, by_position
from epstar.release.document import described, stored, write_release
from epstar.universe import Universe
from epstar.web.code import program
from epstar.web.tasks.reading import fields_of, read_frontier, read_one
from epstar.web.worker import Context

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
_MOST_CURVES = 8


def figure(document: object, context: Context) -> object:
    """Draw the trade-offs of some problems, as `epstar curve --plot` does, as SVG, PNG or PDF in base 64."""
    fields = fields_of(document, {"problems", "points", "format"})
    ending, problems = fields.get("format", "svg"), fields.get("problems")
    if ending not in _TYPES:
        raise InvalidInput(f"The figure can be {', '.join(_TYPES)}; ask for one of them.")
    if not isinstance(problems, list) or not 1 <= len(problems) <= _MOST_CURVES:
        raise InvalidInput(f"A figure shows 1 to {_MOST_CURVES} trade-offs; list their problems.")
    points = context.limits.check_points(fields.get("points", 41))
    frontiers = [read_frontier(problem, context.limits) for problem in problems]
    curves = {frontier.notion.full_title: _curve(frontier, points, context) for frontier in frontiers}
    with TemporaryDirectory() as folder:
        target = Path(folder) / f"figure.{ending}"
        plot_curves(curves, target)
        content = target.read_bytes()
    return {"type": _TYPES[ending], "content": base64.b64encode(content).decode()}


def _curve(frontier: Frontier, points: int, context: Context) -> Curve:
    return frontier.curve(points=points, workers=1, progress=context.step)


def release(document: object, context: Context) -> object:
    """Return the release file of a column that goes through the optimal mechanism: what `epstar release` would write.

    {"problem": ..., "column": "name of the column"}. No table has been released yet, so that it names none. The file is
    a text, because it is sealed by a digest: whoever reads its numbers and writes them again may break the seal.
    """
    fields = fields_of(document, {"problem", "column"})
    problem = read_one(fields.get("problem"), context.limits)
    name = fields.get("column", "value")
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise InvalidInput("The column needs a name of at most 200 characters; give it as text.")
    answer = Frontier.answer(problem, time_limit=context.seconds_left)
    if answer.mechanism is None:
        raise NoSolution("No mechanism was found, so that there is nothing to release.")
    column = Column(
        name,
        notion=problem.notion,
        loss=problem.given if problem.asks == "distortion" else None,
        source=problem.source,
        distortion=_distance(problem.distortion, answer.mechanism.universe),
        mechanism=answer.mechanism,
        secret=problem.secret,
    )
    return {"file": stored(write_release(described([column.prepared()]), [], [])).decode()}


def _distance(distortion: Distortion, universe: Universe) -> Distortion:
    """The cost of a problem, whose labels have values only if they are numbers, and are positions otherwise."""
    if not isinstance(distortion, Absolute | Squared):
        return distortion
    is_numeric = all(isinstance(label, int | float) and not isinstance(label, bool) for label in universe.labels)
    return distortion if is_numeric else by_position(distortion)


def code(document: object, context: Context) -> object:
    """Return a Python program that gives the same answer."""
    return {"program": program(read_one(document, context.limits))}
