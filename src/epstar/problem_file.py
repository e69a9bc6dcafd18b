"""Problem files: one JSON object describes one question (schemas "epstar/problem/1" and "/2", which has more fields).

Numbers may be strings that hold rationals ("3/10") or JSON numbers, which are read as the decimals they are
written as. The command line, the web page and proofs use the same format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from epstar.arguments import shown, typed
from epstar.distortion import NAMED, Distortion, Gain, Matrix
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, text
from epstar.json_document import check_json
from epstar.limits import Limits
from epstar.mechanism.document import read_labels, write_labels
from epstar.notions import from_problem
from epstar.notions.base import Notion
from epstar.problem import Asked, Further, Problem
from epstar.secret import Secret
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.statistic import Statistic
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

SCHEMA = "epstar/problem/1"
WIDER = "epstar/problem/2"
_KEYS = {"schema", "notion", "universe", "source", "distortion", "at", "secret", "mechanism", "also"}
_LIMITS = ("allowed", "lower", "upper", "invariant", "unbiased", "equations", "inequalities")


def read_problems(document: object, by_position: bool = False) -> list[Problem]:
    """Return the question in a problem file, or the questions where it asks for a curve.

    The ends of edges may be labels, but for proofs, which count nodes: there they are read `by_position`.

    Raises:
        InvalidInput: in one sentence that names the part that is wrong.

    >>> coin = {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]}}
    >>> asked = {**coin, "distortion": {"name": "hamming"}, "at": {"curve": [0, "1/4"]}}
    >>> [str(problem.given) for problem in read_problems(asked)]
    ['0', '1/4']
    """
    check_json(document, "The problem file")
    entries = _object(document, "A problem file")
    unknown = sorted(set(entries) - _KEYS)
    if unknown:
        raise InvalidInput(
            f"A problem file has no entry {shown(unknown[0])}; its entries are {', '.join(sorted(_KEYS))}."
        )
    if entries.get("schema", SCHEMA) not in (SCHEMA, WIDER):
        raise InvalidInput(
            f"The schema {shown(entries['schema'])} is not known; this version reads {SCHEMA!r} and {WIDER!r}."
        )
    for needed in ("notion", "source", "distortion", "at"):
        if needed not in entries:
            raise InvalidInput(f"The problem file has no {needed!r}; add it.")
    universe = None if entries.get("universe") is None else read_universe(entries["universe"], by_position)
    source = read_source(entries["source"], universe)
    universe = Alphabet(source.size) if universe is None else universe
    notion = from_problem(_object(entries["notion"], "The notion"))
    distortion = read_distortion(entries["distortion"])
    secret = None if entries.get("secret") is None else read_secret(entries["secret"], by_position)
    limits = Limits() if entries.get("mechanism") is None else read_limits(entries["mechanism"])
    also = () if entries.get("also") is None else read_further(entries["also"])
    wider = (secret, limits, also)
    return [Problem(notion, source, distortion, universe, asks, given, *wider) for asks, given in _asked(entries["at"])]


def read_problem(document: object, by_position: bool = False) -> Problem:
    """Return the single question in a problem file.

    >>> coin = {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]}}
    >>> problem = read_problem({**coin, "distortion": {"name": "hamming"}, "at": {"loss": "log(2)"}})
    >>> problem.asks, problem.universe.size
    ('distortion', 2)
    """
    problems = read_problems(document, by_position)
    if len(problems) != 1:
        raise InvalidInput("The problem file asks for a curve; use `epstar curve`, or ask for one point.")
    return problems[0]


def _asked(entry: object) -> list[tuple[Asked, Real]]:
    at = _object(entry, "The entry 'at'")
    if len(at) != 1:
        raise InvalidInput("The entry 'at' must hold exactly one of 'distortion', 'loss' and 'curve'.")
    ((asked, value),) = at.items()
    if asked == "distortion":
        return [("loss", _real(value))]
    if asked == "loss":
        return [("distortion", _real(value))]
    if asked == "curve" and isinstance(value, list) and value:
        return [("loss", _real(entry)) for entry in value]
    raise InvalidInput("The entry 'at' must be {'distortion': D}, {'loss': level} or {'curve': [D, ...]}.")


def _real(value: object) -> Real:
    if isinstance(value, str | int | float | Decimal) and not isinstance(value, bool):
        return Real.of(typed(value))
    raise InvalidInput(f"{shown(value)} is not a number; write 0.2, '1/5' or 'ln(2)'.")


def read_universe(entry: object, by_position: bool = False) -> Universe:
    """Return the universe that an entry describes; the ends of edges are labels or positions, or positions alone."""
    fields = _object(entry, "The universe")
    if "metric" in fields and set(fields) <= {"metric", "labels"}:
        labels = fields.get("labels")
        return Metric(fields["metric"], None if labels is None else read_labels(labels))
    if len(fields) != 1:
        raise InvalidInput("The universe must be one of 'alphabet', 'size', 'databases', 'graph', 'metric' or 'query'.")
    ((kind, value),) = fields.items()
    if kind in ("alphabet", "size"):
        return Alphabet(_labels(value))
    if kind == "databases":
        inner = _object(value, "The databases")
        if set(inner) not in ({"size", "rows"}, {"alphabet", "rows"}):
            raise InvalidInput("The databases need a 'size' (or an 'alphabet') and a number of 'rows', nothing else.")
        return Databases(Alphabet(_labels(inner.get("alphabet", inner.get("size")))), inner["rows"])
    if kind == "graph":
        inner = _object(value, "The graph")
        edges = inner.get("edges")
        if set(inner) != {"nodes", "edges"} or not isinstance(edges, list):
            raise InvalidInput("The graph needs 'nodes' and a list of 'edges', and nothing else.")
        # Ends that are lists are labels that are tuples.
        pairs: list[Any] = [tuple(read_labels(edge, "An edge")) for edge in edges]
        return Graph(_labels(inner["nodes"]), np.array(pairs, dtype=object) if by_position else pairs)
    if kind == "query":
        from epstar.query import query_from_problem  # many files, which other universes do without

        return query_from_problem(_object(value, "The query")).universe
    raise InvalidInput(f"{shown(kind)} is not a universe; use alphabet, size, databases, graph, metric or query.")


def _labels(value: Any) -> Any:
    """Return labels as JSON holds them: lists stand for tuples; a number or anything else is left as it is."""
    return read_labels(value) if isinstance(value, list) else value


def read_source(entry: object, universe: Universe | None) -> Source:
    """Return the source that an entry describes."""
    fields = _object(entry, "The source")
    if "rows" in fields:
        if not isinstance(universe, Databases):
            raise InvalidInput("A source by 'rows' needs a universe of databases; add it.")
        iid = fields.get("iid", True)
        if not set(fields) <= {"rows", "iid"} or not isinstance(iid, bool):
            raise InvalidInput("A source by 'rows' takes 'iid', true or false, beside them and nothing else.")
        if isinstance(fields["rows"], list):
            if fields.get("iid"):
                raise InvalidInput(
                    "Rows listed one by one do not share a distribution; leave 'iid' out, or give one source."
                )
            return Rows([read_source(row, universe.alphabet) for row in fields["rows"]])
        return Rows(read_source(fields["rows"], universe.alphabet), universe.rows, iid=iid)
    if len(fields) != 1:
        raise InvalidInput("The source must hold exactly one description, such as 'prior', 'hull' or 'box'.")
    ((kind, value),) = fields.items()
    listed: dict[str, Callable[[Any], Source]] = {
        "prior": Prior,
        "finite": Finite,
        "hull": Hull,
        "everything": Everything,
    }
    if kind == "prior" and isinstance(value, Mapping):
        # An object of JSON has no order.
        raise InvalidInput("The prior must be an ordered list; labels stand in the 'alphabet' of the universe.")
    if kind in listed:
        return listed[kind](value)
    parts: dict[str, tuple[Callable[[Any, Any], Source], str, str]] = {
        "box": (Box, "lower", "upper"),
        "ball": (Ball, "center", "radius"),
        "polytope": (Polytope, "matrix", "bounds"),
    }
    if kind not in parts:
        raise InvalidInput(f"{shown(kind)} is not a source; use {', '.join([*listed, *parts, 'rows'])}.")
    build, first, second = parts[kind]
    inner = dict(_object(value, f"The {kind}"))
    member = inner.pop("member", None) if kind == "polytope" else None
    if set(inner) != {first, second}:
        raise InvalidInput(f"The {kind} needs {first!r} and {second!r}, and nothing else.")
    found = build(inner[first], inner[second])
    if member is not None and not found.contains(member):
        raise InvalidInput("The member of the polytope is none of its distributions; correct it, or leave it out.")
    return found


def read_distortion(entry: object) -> Distortion:
    """Return the distortion or gain that an entry describes."""
    fields = _object(entry, "The distortion")
    if set(fields) == {"matrix"}:
        return Matrix(fields["matrix"])
    if set(fields) == {"gain"}:
        return Gain(fields["gain"])
    if set(fields) == {"statistic"}:
        return _read_statistic(_object(fields["statistic"], "The statistic"))
    name = fields.get("name")
    if len(fields) != 1 or not isinstance(name, str) or name not in NAMED:
        raise InvalidInput(
            "The distortion must be a name (hamming, absolute, squared), a 'matrix', a 'gain' or a 'statistic'."
        )
    return NAMED[name]()


def read_secret(entry: object, by_position: bool = False) -> Secret:
    """Return the secret that an entry describes."""
    fields = dict(_object(entry, "The secret"))
    universe = fields.pop("universe", None)
    if set(fields) not in ({"of"}, {"given"}, {"given", "labels"}):
        raise InvalidInput("The secret is a value 'of' each input, or a matrix 'given' each; it may have a 'universe'.")
    values = None if universe is None else read_universe(universe, by_position)
    if "of" in fields:
        return Secret.of(read_labels(fields["of"], "The secret"), values)
    return Secret.given(fields["given"], read_labels(fields["labels"]) if "labels" in fields else None, values)


def read_limits(entry: object) -> Limits:
    """Return the limits on the mechanism that an entry describes."""
    fields = dict(_object(entry, "The limits on the mechanism"))
    unknown = sorted(set(fields) - set(_LIMITS))
    if unknown:
        raise InvalidInput(f"There is no limit {shown(unknown[0])} on the mechanism; use {', '.join(_LIMITS)}.")
    if "unbiased" in fields:
        values = _object(fields["unbiased"], "The entry 'unbiased'")
        if set(values) != {"inputs", "outputs"}:
            raise InvalidInput("The entry 'unbiased' has the values of 'inputs' and of 'outputs', and nothing else.")
        fields["unbiased"] = (values["inputs"], values["outputs"])
    return Limits(**fields)


def read_further(entry: object) -> Further:
    """Return the further guarantees that an entry lists."""
    if not isinstance(entry, list):
        raise InvalidInput("The entry 'also' is a list of guarantees, each with a 'notion' and a 'loss'.")
    found = []
    for part in entry:
        fields = _object(part, "A further guarantee")
        if set(fields) != {"notion", "loss"}:
            raise InvalidInput("A further guarantee has a 'notion' and a 'loss', and nothing else.")
        found.append((from_problem(_object(fields["notion"], "The notion")), _real(fields["loss"])))
    return tuple(found)


def _read_statistic(fields: Mapping[str, Any]) -> Statistic:
    allowed = {"frequencies": {"name", "rows", "weights"}, "contrasts": {"name", "rows", "weights", "contrasts"}}
    name = fields.get("name")
    if not isinstance(name, str) or name not in allowed:
        raise InvalidInput("A statistic has a 'name': 'frequencies', or 'contrasts' for linear forms of them.")
    if not {"rows"} <= set(fields) <= allowed[name] or (name == "contrasts" and "contrasts" not in fields):
        raise InvalidInput(f"A statistic {name!r} has the entries {', '.join(sorted(allowed[name]))}, and no others.")
    return Statistic(fields["rows"], fields.get("weights"), fields.get("contrasts"))


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{what} must be a JSON object in braces.")
    return value


def write_problem(problem: Problem) -> dict[str, object]:
    """Return the problem file of a question; reading it gives the same question back.

    >>> coin = {"notion": {"name": "maximal_leakage"}, "source": {"prior": [0.5, 0.5]}}
    >>> problem = read_problem({**coin, "distortion": {"name": "hamming"}, "at": {"loss": 1}})
    >>> write_problem(problem)["source"], write_problem(problem)["at"]
    ({'prior': ['1/2', '1/2']}, {'loss': '1'})
    """
    asked = "distortion" if problem.asks == "loss" else "loss"
    return {
        "schema": WIDER if isinstance(problem.distortion, Statistic) or problem.is_wider else SCHEMA,
        "notion": write_notion(problem.notion),
        "universe": write_universe(problem.universe),
        "source": write_source(problem.source),
        "distortion": write_distortion(problem.distortion, problem.universe),
        **write_wider(problem.secret, problem.limits, problem.also),
        "at": {asked: str(problem.given)},
    }


def write_notion(notion: Notion) -> dict[str, object]:
    """Return a notion as it stands in a problem file."""
    return {"name": notion.name, **notion.parameters()}


def write_wider(secret: Secret | None, limits: Limits, also: Further) -> dict[str, object]:
    """Return a secret, limits and further guarantees as they stand in a problem file; nothing of what there is not."""
    found: dict[str, object] = {}
    if secret is not None:
        written = {"given": [_texts(row) for row in secret.conditional]}
        found["secret"] = {**written, "universe": write_universe(secret.universe)}
    if limits:
        found["mechanism"] = write_limits(limits)
    if also:
        found["also"] = [{"notion": write_notion(notion), "loss": str(level)} for notion, level in also]
    return found


def write_limits(limits: Limits) -> dict[str, object]:
    """Return limits on the mechanism as they stand in a problem file."""
    found: dict[str, object] = {}
    if limits.allowed is not None:
        found["allowed"] = [list(row) for row in limits.allowed]
    for name, entries in (("lower", limits.lower), ("upper", limits.upper)):
        if entries is not None:
            found[name] = [_texts(row) for row in entries] if isinstance(entries, tuple) else text(entries)
    if limits.invariant:
        found["invariant"] = True
    if limits.unbiased is not None:
        inputs, outputs = limits.unbiased
        found["unbiased"] = {"inputs": _texts(inputs), "outputs": _texts(outputs)}
    for name, rows in (("equations", limits.equations), ("inequalities", limits.inequalities)):
        if rows:
            found[name] = [[[_texts(row) for row in matrix], text(bound)] for matrix, bound in rows]
    return found


def write_universe(universe: Universe) -> dict[str, object]:
    """Return the universe as it stands in a problem file."""
    if isinstance(universe, Databases):
        return {"databases": {"alphabet": write_labels(universe.alphabet.labels), "rows": universe.rows}}
    if isinstance(universe, Graph):
        return {"graph": {"nodes": write_labels(universe.labels), "edges": [list(edge) for edge in universe.edges]}}
    if isinstance(universe, Metric):
        size = universe.size
        rows = [[universe.distance(i, j) for j in range(size)] for i in range(size)]
        metric: dict[str, object] = {"metric": [[None if d is None else text(d) for d in row] for row in rows]}
        numbered = universe.labels == tuple(range(size))
        return metric if numbered else {**metric, "labels": write_labels(universe.labels)}
    return {"alphabet": write_labels(universe.labels)}


def write_source(source: Source) -> dict[str, object]:
    """Return the source as it stands in a problem file."""
    match source:
        case Prior():
            return {"prior": _texts(source.probabilities)}
        case Finite() | Hull():
            return {"hull" if isinstance(source, Hull) else "finite": [_texts(point) for point in source.points]}
        case Box():
            return {"box": {"lower": _texts(source.lower), "upper": _texts(source.upper)}}
        case Ball():
            return {"ball": {"center": _texts(source.center), "radius": text(source.radius)}}
        case Polytope():
            return {
                "polytope": {
                    "matrix": [_texts(row) for row in source.matrix],
                    "bounds": _texts(source.bounds),
                }
            }
        case Everything():
            return {"everything": source.size}
        case Rows():
            if len(source.sources) == 1:
                return {"rows": write_source(source.sources[0]), "iid": source.iid}
            return {"rows": [write_source(row) for row in source.sources]}
        case _:
            raise InvalidInput(f"A source of type {type(source).__name__} has no place in a problem file.")


def write_distortion(distortion: Distortion, universe: Universe) -> dict[str, object]:
    """Return the distortion as it stands in a problem file."""
    for name, kind in NAMED.items():
        if type(distortion) is kind:
            return {"name": name}
    if isinstance(distortion, Statistic):
        name = "frequencies" if distortion.forms is None else "contrasts"
        written: dict[str, object] = {"name": name, "rows": distortion.rows}
        if distortion.weights is not None:
            written["weights"] = _texts(distortion.weights)
        if distortion.forms is not None:
            written["contrasts"] = [_texts(line) for line in distortion.forms]
        return {"statistic": written}
    rows = distortion.matrix(universe)
    if isinstance(distortion, Gain):
        return {"gain": [_texts([-entry for entry in row]) for row in rows]}
    return {"matrix": [_texts(row) for row in rows]}


def _texts(values: Any) -> list[str]:
    return [text(value) if isinstance(value, Rational) else str(value) for value in values]
