"""The Python program that asks the same question: what a view shows, anybody can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from epstar.distortion import Distortion, Gain, Matrix
from epstar.errors import InvalidInput
from epstar.exact import Rational, text
from epstar.limits import Limits
from epstar.notions import Notion
from epstar.problem import Problem
from epstar.problem_file import write_limits
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.statistic import Statistic
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe


def program(problem: Problem) -> str:
    """Return a program that prints the answer to a question, checks its proof and shows the mechanism."""
    parts = [_notion(problem.notion), _source(problem.source), _distortion(problem.distortion, problem.universe)]
    if problem.universe != Alphabet(problem.universe.size):
        parts.append(f"universe={_universe(problem.universe)}")
    if problem.secret is not None:
        secret, values = problem.secret, _universe(problem.secret.universe)
        parts.append(f"secret=epstar.Secret.given({_table(secret.conditional)}, universe={values})")
    if problem.limits:
        parts.append(f"limits=epstar.Limits({_limits(problem.limits)})")
    if problem.also:
        further = ", ".join(f"({_notion(notion)}, {str(level)!r})" for notion, level in problem.also)
        parts.append(f"also=[{further}]")
    asked = "loss_at(distortion" if problem.asks == "loss" else "distortion_at(loss"
    lines = [
        "import epstar",
        "",
        "frontier = epstar.Frontier(",
        *(f"    {part}," for part in parts),
        ")",
        f"answer = frontier.{asked}={str(problem.given)!r})",
        "print(answer.lower, answer.upper, answer.status)",
        "print(answer.proof.check())",
        "if answer.mechanism is not None:",
        "    print(answer.mechanism.dense().floats)",
    ]
    return "\n".join(lines) + "\n"


def _notion(notion: Notion) -> str:
    parameters = ", ".join(f"{name}={value!r}" for name, value in notion.parameters().items())
    return f"epstar.{type(notion).__name__}({parameters})"


def _source(source: Source) -> str:
    match source:
        case Prior():
            return f"epstar.Prior({_texts(source.probabilities)})"
        case Finite() | Hull():
            return f"epstar.{type(source).__name__}({_table(source.points)})"
        case Box():
            return f"epstar.Box({_texts(source.lower)}, {_texts(source.upper)})"
        case Ball():
            return f"epstar.Ball({_texts(source.center)}, {text(source.radius)!r})"
        case Polytope():
            return f"epstar.Polytope({_table(source.matrix)}, {_texts(source.bounds)})"
        case Everything():
            return f"epstar.Everything({source.size})"
        case Rows() if len(source.sources) == 1:
            return f"epstar.Rows({_source(source.sources[0])}, {source.rows}, iid={source.iid})"
        case Rows():
            return f"epstar.Rows([{', '.join(_source(row) for row in source.sources)}])"
        case _:
            raise InvalidInput(f"A source of type {type(source).__name__} has no short way to be written.")


def _distortion(distortion: Distortion, universe: Universe) -> str:
    if isinstance(distortion, Statistic):
        weights = None if distortion.weights is None else _texts(distortion.weights)
        forms = None if distortion.forms is None else _table(distortion.forms)
        return f"epstar.Statistic({distortion.rows}, {weights}, {forms})"
    if isinstance(distortion, Gain):
        return f"epstar.Gain({_table([-cost for cost in row] for row in distortion.matrix(universe))})"
    if isinstance(distortion, Matrix):
        return f"epstar.Matrix({_table(distortion.matrix(universe))})"
    return f"epstar.{type(distortion).__name__}()"


def _limits(limits: Limits) -> str:
    written: dict[str, object] = write_limits(limits)
    unbiased = written.get("unbiased")
    if isinstance(unbiased, dict):
        written["unbiased"] = (unbiased["inputs"], unbiased["outputs"])
    return ", ".join(f"{name}={value!r}" for name, value in written.items())


def _universe(universe: Universe) -> str:
    match universe:
        case Databases():
            return f"epstar.Databases({_universe(universe.alphabet)}, {universe.rows})"
        case Graph():
            return f"epstar.Graph({_labels(universe.labels)}, {[tuple(edge) for edge in universe.edges]})"
        case Metric():
            places = range(universe.size)
            rows = [[universe.distance(i, j) for j in places] for i in places]
            written = [["inf" if entry is None else text(entry) for entry in row] for row in rows]
            return f"epstar.Metric({written}, {_labels(universe.labels)})"
        case _:
            return f"epstar.Alphabet({_labels(universe.labels)})"


def _labels(labels: Sequence[object]) -> str:
    written = ", ".join(f"epstar.rational({text(x)!r})" if isinstance(x, Rational) else repr(x) for x in labels)
    return f"[{written}]"


def _texts(values: Iterable[Rational]) -> str:
    return str([text(value) for value in values])


def _table(rows: Iterable[Iterable[Rational]]) -> str:
    return str([[text(value) for value in row] for row in rows])
