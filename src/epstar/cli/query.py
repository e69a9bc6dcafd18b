"""`epstar query`: the answer graph of a query, the best mechanism for it, and what the whole system gives away."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from epstar.cli.options import check_schema, read_json, written_numbers
from epstar.cli.progress import progress
from epstar.cli.result import Result, number
from epstar.cli.solve import shown_mechanism
from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import Real, text
from epstar.oblivious import CostOfObliviousness, Optimum, cost_of_obliviousness, optimal_oblivious
from epstar.problem_file import read_distortion, read_source
from epstar.query import Query, System, query_from_problem, utility_bound
from epstar.query.named import NAMES
from epstar.source import Prior

EXAMPLES = """\
epstar query --name count --individuals 5 --values 2 --loss "log(2)"
epstar query --name count --individuals 1000000 --values 2 --loss 1
epstar query --name max --individuals 2 --values 2 --loss "log(4)" --compare-unrestricted
epstar query problem.json --json"""
PICTURE = "the mechanism"

SCHEMA = "epstar/query/1"
_KEYS = {"schema", "universe", "source", "distortion", "at", "notion"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the query, the level and the prior."""
    parser.add_argument("problem", nargs="?", help="a problem file whose universe is a query; - for standard input")
    parser.add_argument("--name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--individuals", type=int, metavar="U", help="how many individuals a database has")
    parser.add_argument("--values", type=int, metavar="V", help="how many values each of them may have")
    parser.add_argument("--modulus", type=int, metavar="M", help="of count_mod")
    parser.add_argument("--prior", metavar="P,P,...", help="the law of the answers, uniform unless given")
    parser.add_argument("--loss", metavar="L", help="the differential privacy of the databases, in nats")
    parser.add_argument(
        "--compare-unrestricted",
        action="store_true",
        help="also solve for mechanisms that see the whole database (few individuals; uniform databases)",
    )


def run(options: argparse.Namespace) -> Result:
    """Describe a query, and at a level the best mechanism for it."""
    query, prior, gain, level = _asked(options)
    document: dict[str, object] = {"schema": SCHEMA, "query": _described(query)}
    shown: list[RenderableType] = [_graph_table(query)]
    if level is None:
        if options.plot is not None:
            raise InvalidInput("There is no mechanism to draw without a level; give --loss.")
        return Result(document, tuple(shown), "alvim2011")
    with progress("solving"):
        best = optimal_oblivious(query, level, prior, gain)
        document["optimum"] = _optimum(best)
        shown.append(_optimum_table(query, best, prior, gain))
        system = System(query, best.mechanism)
        try:
            leaks, table = _leakages(system)
            document["system"] = leaks
            shown.append(table)
        except InvalidInput as error:
            # The best mechanism is there all the same.
            document["system"] = None
            shown.append(f"What the system leaks was not computed: {error}")
        if options.compare_unrestricted:
            cost = cost_of_obliviousness(query, level, None, gain)
            document["unrestricted"] = _cost(cost)
            shown.append(_cost_sentence(cost))
    shown += shown_mechanism(best.mechanism) if max(best.mechanism.shape) <= 12 else ()

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        plot_mechanism(best.mechanism, file)

    return Result(document, tuple(shown), f"{best.theorem}; alvim2011", draw)


def _asked(options: argparse.Namespace) -> tuple[Query, Prior | None, Gain | None, object]:
    """The query, the prior on its answers, the gain and the level; None where they are left open."""
    if options.problem is not None:
        return _from_file(read_json(options.problem))
    for name in ("name", "individuals", "values"):
        if getattr(options, name) is None:
            raise InvalidInput(f"A query needs --{name}; give it, or name a problem file.")
    query = Query.named(options.name, options.individuals, options.values, options.modulus)
    prior = None if options.prior is None else Prior(written_numbers(options.prior))
    return query, prior, None, options.loss


def _from_file(document: Any) -> tuple[Query, Prior | None, Gain | None, object]:
    if not isinstance(document, Mapping) or not isinstance(document.get("universe"), Mapping):
        raise InvalidInput("A query is described by a problem file whose 'universe' is {'query': {...}}.")
    unknown = sorted(set(document) - _KEYS)
    if unknown:
        raise InvalidInput(f"A problem file has no entry {unknown[0]!r}; its entries are {', '.join(sorted(_KEYS))}.")
    check_schema(document)
    notion = document.get("notion", {"name": "differential_privacy"})
    if notion != {"name": "differential_privacy"}:
        raise InvalidInput("A query is answered under differential privacy; use `epstar solve` for another notion.")
    query = query_from_problem(document["universe"])
    prior = None if document.get("source") is None else read_source(document["source"], query.universe)
    if prior is not None and not isinstance(prior, Prior):
        raise InvalidInput("The best mechanism for a query is for one prior on its answers; give {'prior': [...]}.")
    gain = None
    if document.get("distortion") not in (None, {"name": "hamming"}):
        read = read_distortion(document["distortion"])
        if not isinstance(read, Gain):
            raise InvalidInput("The worth of a guess is a gain; give {'gain': [[...]]}, or leave the distortion out.")
        gain = read
    at = document.get("at", {})
    if not isinstance(at, Mapping) or set(at) - {"loss"}:
        raise InvalidInput("The entry 'at' must be {'loss': L}.")
    return query, prior, gain, at.get("loss")


def _described(query: Query) -> dict[str, object]:
    shape = query.shape
    return {
        "name": query.name,
        "individuals": query.databases.rows,
        "values": query.databases.alphabet.size,
        "answers": query.size,
        "edges": shape.edge_count,
        "components": shape.component_count,
        "diameter": query.diameter,
        "vertex_transitive": shape.is_vertex_transitive,
        "clique": shape.is_clique,
        "tree": shape.is_tree,
    }


def _graph_table(query: Query) -> Table:
    facts = _described(query)
    table = Table(title=f"{query.name}: the graph of its answers", show_header=False)
    first = ", ".join(str(answer) for answer in query.answers[:8])
    table.add_row("answers", f"{query.size}: {first}{', …' if query.size > 8 else ''}")
    table.add_row("edges", str(facts["edges"]))
    table.add_row("components", str(facts["components"]))
    table.add_row("diameter", "infinite" if query.diameter is None else str(query.diameter))
    words = {True: "yes", False: "no", None: "not decided"}
    table.add_row("all answers alike", words[query.shape.is_vertex_transitive])
    return table


def _optimum(best: Optimum) -> dict[str, object]:
    return {
        "lower": best.lower,
        "upper": best.upper,
        "unit": "utility",
        "method": best.form,
        "theorem": best.theorem,
        "mechanism": best.mechanism.to_json() if max(best.mechanism.shape) <= 256 else None,
    }


def _optimum_table(query: Query, best: Optimum, prior: Prior | None, gain: Gain | None) -> Table:
    table = Table(title=f"the best mechanism that sees the answer, at loss {best.level}", show_header=False)
    what = "chance of the right answer" if gain is None else "expected gain"
    table.add_row(what, f"{number(best.lower)} to {number(best.upper)}")
    if best.interval.lower.rational is not None and best.interval.width == 0 and query.size <= 1000:
        table.add_row("exactly", text(best.interval.lower.rational))
    if gain is None and query.shape.component_count == 1 and query.size <= 1000:
        bound = float(Real.of(utility_bound(query, best.level, prior)))
        table.add_row("never more than", f"{number(bound)} (alvim2011, Theorem 3 as corrected)")
    table.add_row("method", best.form)
    table.add_row("rests on", best.theorem)
    return table


def _leakages(system: System) -> tuple[dict[str, object], Table]:
    """What the system gives away beside what its level allows; a size too large to compare is said to be one."""
    level = system.level()
    found = system.compare()
    rows = [
        ("the database", found.database, found.database_limit, "Theorem 1"),
        ("the database, with so many outputs", found.database, found.range_limit, "Proposition 2 as corrected"),
        ("one individual, at worst", found.individual, found.individual_limit, "Theorem 2 made tight"),
        ("one individual, at worst", found.individual, found.printed_individual_limit, "Theorem 2 as printed"),
    ]
    table = Table(title=f"end to end: differential privacy {number(found.level.upper)} nats")
    for heading in ("leakage about (nats)", "true", "bound", "alvim2011"):
        table.add_column(heading)
    for what, true, bound, source in rows:
        table.add_row(what, number(true.upper), number(bound.upper), source)
    if level.databases is not None:
        table.caption = f"the level is attained by {level.databases[0]} and {level.databases[1]}"
    document: dict[str, object] = {
        "level": found.level.upper,
        "attained_by": None if level.databases is None else [list(map(str, side)) for side in level.databases],
        "database": {
            "leakage": found.database.upper,
            "bound": found.database_limit.upper,
            "range_bound": found.range_limit.upper,
        },
        "individual": {
            "leakage": found.individual.upper,
            "bound": found.individual_limit.upper,
            "printed_bound": found.printed_individual_limit.upper,
        },
    }
    return document, table


def _cost(cost: CostOfObliviousness) -> dict[str, object]:
    return {
        "oblivious": {"lower": cost.oblivious.lower, "upper": cost.oblivious.upper},
        "unrestricted": {"lower": cost.unrestricted.lower, "upper": cost.unrestricted.upper},
        "cost": {"lower": cost.cost.lower.lower, "upper": cost.cost.upper.upper},
    }


def _cost_sentence(cost: CostOfObliviousness) -> str:
    return (
        "for uniform databases, looking only at the answer costs "
        f"{number(max(0.0, cost.cost.upper.upper))}: {number(cost.oblivious.upper)} instead of "
        f"{number(cost.unrestricted.upper)}"
    )
