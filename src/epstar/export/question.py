"""The question that a Coq file is about, in the words of theory/Mechanisms.v."""

from __future__ import annotations

from epstar.claims import Setting
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.export import CHECK
from epstar.export.gallina import matrix, number, rational, vector
from epstar.notions.base import Notion
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

_HEADER = """\
(* {title}

   The question and what is proven of it stand first, in the words of theory/Mechanisms.v. What follows the word
   "Proof" is a mechanism and multiples of inequalities: Coq computes with them, and nobody need read them. *)

From Epstar Require Import Epstar.
Open Scope Q_scope.

Definition question : problem := {{|
  notion := {notion};
  inputs := {inputs};
  outputs := {outputs};
  distance := {distance};
  source := {source};
  cost := {cost}
|}}.

"""


def question_in_coq(setting: Setting) -> str:
    """Return the question as the head of a file.

    Raises:
        InvalidInput: if the theory has not the notion, the universe or the source.
    """
    inputs, outputs = setting.distortion.shape(setting.universe)
    return _HEADER.format(
        title=f"An answer of epstar: {setting.notion.title}, {inputs} inputs, {outputs} outputs.",
        notion=notion_in_coq(setting.notion),
        inputs=inputs,
        outputs=outputs,
        distance=_distance(setting.universe),
        source=_source(setting.source),
        cost=_cost(setting),
    )


def notion_in_coq(notion: Notion) -> str:
    """Return the name that theory/Mechanisms.v gives a notion.

    Raises:
        InvalidInput: if it has none.
    """
    parameters = notion.parameters()
    unknown = sorted(set(parameters) - {"order", "delta", "reading"})
    if unknown:
        raise InvalidInput(f"The theory has no {notion.title} with {', '.join(unknown)}; {CHECK}")
    order = str(parameters.get("order", ""))
    if notion.name in ("renyi_differential_privacy", "sibson_mutual_information"):
        same = {
            ("renyi_differential_privacy", "infinity"): "differential_privacy",
            ("sibson_mutual_information", "infinity"): "maximal_leakage",
            ("sibson_mutual_information", "1"): "mutual_information",
        }.get((notion.name, order))
        return f"{notion.name} {number(rational(order))}" if same is None else same
    if notion.name not in _KNOWN:
        raise InvalidInput(f"The theory has no {notion.title}; {CHECK}")
    if "delta" not in parameters:
        return notion.name if notion.name != "local_information_privacy" else f"{notion.name} 0"
    prefix = "pointwise_" if parameters.get("reading") == "pointwise" else ""
    return f"{prefix}{notion.name} {number(rational(parameters['delta']))}"


_KNOWN = {
    "differential_privacy",
    "approximate_differential_privacy",
    "identifiability",
    "maximal_information",
    "local_information_privacy",
    "maximal_leakage",
    "min_entropy_leakage",
    "min_entropy_capacity",
    "mutual_information",
    "capacity",
    "pointwise_leakage",
}


def _distance(universe: Universe) -> str:
    if type(universe) is Alphabet:
        return "alphabet"
    if type(universe) is Databases:
        return f"databases {universe.alphabet.size} {universe.rows}"
    if type(universe) is Graph:
        return "graph [" + "; ".join(f"({a}, {b})" for a, b in universe.edges) + "]%nat"
    if type(universe) is Metric:
        rows = ("; ".join("None" if d is None else f"Some {number(d)}" for d in row) for row in universe.matrix)
        return "metric [" + ";\n    ".join(f"[{row}]" for row in rows) + "]"
    raise InvalidInput(f"The theory has no such universe; {CHECK}")


def listed_products(source: Source) -> Source:
    """Return a source of independent rows as the list of its products, another source as it is.

    Raises:
        InvalidInput: if there is no such list.
    """
    if not isinstance(source, Rows):
        return source
    if source.is_one_law:
        return source.joint()
    if source.is_curved:
        raise InvalidInput(f"Products of distributions are not convex, so that no corners decide; {CHECK}")
    return Finite(source.vertices())


def _source(source: Source) -> str:
    match source:
        case Prior():
            return f"Prior {vector(source.probabilities)}"
        case Finite():
            return f"Finite {matrix(source.points)}"
        case Hull():
            return f"Hull {matrix(source.points)}"
        case Box():
            return f"Box {vector(source.lower)} {vector(source.upper)}"
        case Ball():
            return f"Ball {vector(source.center)} {number(source.radius)}"
        case Polytope():
            return f"Polytope {matrix(source.matrix)} {vector(source.bounds)}"
        case Everything():
            return "Everything"
    raise InvalidInput(f"The theory has no such source; {CHECK}")


def _cost(setting: Setting) -> str:
    universe = setting.universe
    if isinstance(setting.distortion, Hamming) and isinstance(universe, Databases):
        return f"rows_changed {universe.alphabet.size} {universe.rows}"
    if isinstance(setting.distortion, Hamming):
        return "hamming"
    return f"matrix {matrix(setting.distortion.matrix(universe))}"
