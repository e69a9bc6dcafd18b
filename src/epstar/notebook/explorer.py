"""An explorer for notebooks: sliders for the frequencies, a notion and a distortion; the curve and the best mechanism.

It is an anywidget, which Jupyter, JupyterLab, marimo and others show. Everything is computed in Python, where the
answer and its proof stay: `explorer.answer` is what is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from epstar.answer import Answer
from epstar.arguments import shown
from epstar.breakpoints import known_breakpoints
from epstar.catalogue import catalogue, needs_table
from epstar.distortion import Gain
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Rational, Real, rational, text
from epstar.extras import required
from epstar.frontier import Frontier
from epstar.notebook.answers import asked, unit_of
from epstar.notebook.card import measured
from epstar.notions import from_problem
from epstar.risk import in_words
from epstar.source import Prior

required("anywidget", "The explorer of a notebook needs")
_anywidget: Any = import_module("anywidget")
_traitlets: Any = import_module("traitlets")

_STATIC = Path(__file__).parent / "static"
_POINTS = 25
# Seconds: a notebook waits while its kernel computes.
_PATIENCE = 5.0
# Sliders that can be told apart, and cells of a mechanism that can be read.
_MOST_SLIDERS = 16


class Explorer(_anywidget.AnyWidget):
    """The trade-off of a frontier, to be moved by hand; `answer` and `frontier` are what is shown at the moment.

    Whoever drags a slider, chooses another notion or another distortion sees the answer to that question, and no other.
    The frequencies can be moved where they are known exactly, for up to 16 categories.

    >>> explorer = Explorer(Frontier("dp", {"yes": 0.5, "no": 0.5}, "hamming"))
    >>> explorer.question = {**explorer.question, "distortion": "1/4"}
    >>> str(explorer.answer.interval.upper), explorer.shown["headline"]
    ('log(3)', 'Least loss of differential privacy at distortion 1/4')
    """

    _esm = (_STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = (_STATIC / "explorer.css").read_text(encoding="utf-8")
    labels = _traitlets.List(_traitlets.Unicode()).tag(sync=True)
    notions = _traitlets.List().tag(sync=True)
    question = _traitlets.Dict().tag(sync=True)
    shown = _traitlets.Dict().tag(sync=True)
    curve = _traitlets.Dict().tag(sync=True)

    def __init__(self, frontier: Frontier, distortion: object = None) -> None:
        self.frontier = frontier
        self.answer: Answer | None = None
        self._start = frontier
        super().__init__()
        self.labels = [str(label) for label in frontier.universe.labels] if self._has_sliders else []
        self.notions = [
            {"name": entry.name, "title": entry.title, "parameters": dict(entry.parameters)}
            for entry in catalogue()
            if not needs_table(entry.name) or entry.name == frontier.notion.name
        ]
        at = frontier.grid(3)[1] if distortion is None else _number(distortion)
        shares = [text(share) for share in _prior(frontier).probabilities] if self._has_sliders else []
        self.observe(self._follow, "question")
        self.question = {"notion": frontier.notion.name, "distortion": text(at), "shares": shares}

    @property
    def _has_sliders(self) -> bool:
        return isinstance(self._start.source, Prior) and self._start.universe.size <= _MOST_SLIDERS

    def _follow(self, _: object) -> None:
        """Answer what is asked now; a question that cannot be answered has a sentence instead."""
        question = dict(self.question)
        self.answer = None
        try:
            self.frontier = self._asked(question)
            self.answer = self.frontier.loss_at(_number(question.get("distortion")), time_limit=_PATIENCE)
        except EpstarError as error:
            self.shown = {"question": question, "problem": str(error)}
            return
        # What is proven comes first; the curve follows, unless it is the one that is drawn already.
        self.shown = {"question": question, **_described(self.answer)}
        about = _without_point(question)
        if self.curve.get("question") == about:
            return
        try:
            self.curve = {"question": about, **self._curve()}
        except EpstarError as error:
            self.curve = {"question": about, "points": [], "problem": str(error)}

    def _asked(self, question: Mapping[str, Any]) -> Frontier:
        start, name = self._start, question.get("notion")
        notion = start.notion
        if name != notion.name:
            known = {entry["name"]: entry["parameters"] for entry in self.notions}
            notion = from_problem({"name": name, **known.get(name, {})})
        source = start.source
        if self._has_sliders:
            source = Prior(question.get("shares", []), normalise=True)
        return Frontier(
            notion,
            source,
            start.distortion,
            start.universe,
            secret=start.secret,
            limits=start.limits,
            also=start.also,
        )

    def _curve(self) -> dict[str, Any]:
        """Return the points of the curve; they are joined where all jumps are known, and so is each side of a jump."""
        found = self.frontier.curve(points=_POINTS, workers=1, time_limit=_PATIENCE)
        sign = -1 if isinstance(self.frontier.distortion, Gain) else 1
        points = [
            [sign * float(problem.given), _finite(upper)]
            for problem, upper in zip(found.problems, found.upper, strict=True)
        ]
        jumps = [
            [sign * float(Real.of(point.distortion)), _finite(point.left.upper.upper), _finite(point.right.upper.upper)]
            for point in known_breakpoints(found.problems[0])
            if point.kind == "jump"
        ]
        axis = "utility" if sign < 0 else "distortion"
        # A closed form knows its jumps; elsewhere there may be more. Its ends are mechanisms that are known anyhow.
        inner = found.answers[1:-1]
        is_joined = len(inner) > 0 and all(isinstance(one, Answer) and one.method == "closed form" for one in inner)
        return {
            "points": points,
            "jumps": jumps,
            "is_joined": is_joined,
            "axis": axis,
            "unit": self.frontier.notion.unit,
        }


def _described(found: Answer) -> dict[str, Any]:
    problem, mechanism = found.proof.problem, found.mechanism
    across = -float(problem.given) if isinstance(problem.distortion, Gain) else float(problem.given)
    matrix: dict[str, Any] = {"matrix": [], "inputs": [], "outputs": []}
    if mechanism is not None and max(mechanism.shape) <= _MOST_SLIDERS:
        matrix = {
            "matrix": mechanism.dense().floats.tolist(),
            "inputs": [str(label) for label in problem.universe.labels],
            "outputs": [str(label) for label in mechanism.outputs],
        }
    return {
        "headline": asked(problem, found.unit),
        "value": measured(found.interval, unit_of(found)).html,
        "risk": in_words(problem.notion, found.interval.upper, problem.protected),
        "status": found.status,
        "place": [across, _finite(found.upper)],
        **matrix,
    }


def _without_point(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a curve depends on."""
    return {key: value for key, value in question.items() if key != "distortion"}


def _prior(frontier: Frontier) -> Prior:
    assert isinstance(frontier.source, Prior)
    return frontier.source


def _number(given: object) -> Rational:
    if isinstance(given, str | int | float):
        return rational(given)
    raise InvalidInput(f"{shown(given)} is not a distortion; write a number such as 0.2 or '1/5'.")


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value
