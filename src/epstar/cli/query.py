"""`epstar query`: the answer graph of a query, the best mechanism for it, and what the whole system gives away."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from epstar.arguments import shown, typed
from epstar.cli.options import check_schema, described, described_cost, described_source, words, written_numbers
from epstar.cli.progress import progress
from epstar.cli.result import Result, number
from epstar.cli.solve import shown_mechanism
from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import Real, text
from epstar.json_document import read_json
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.problem_file import read_distortion, read_source
from epstar.query import (
    Query,
    System,
    SystemLevel,
    individual_bound,
    printed_individual_bound,
    query_from_problem,
    utility_bound,
)
from epstar.query.named_queries import NAMES
from epstar.query.optimum import CostOfObliviousness, Optimum, cost_of_obliviousness, optimal_oblivious
from epstar.rounding import nats
from epstar.source import Prior
from epstar.universe import Alphabet

EXAMPLES = """\
epstar query --name count --individuals 5 --values 2 --loss "log(2)"
epstar query --name count --individuals 1000000 --values 2 --loss 1
epstar query --name max --individuals 2 --values 2 --loss "log(4)" --compare-unrestricted
epstar query --name sum --individuals 3 --values 3 --loss "log(2)" --others 0,2 --individual 1
epstar query problem.json --json"""
PICTURE = "the mechanism"

SCHEMA = "epstar/query/1"
# Databases of more individuals, and logarithms of more digits, are not read by anybody.
_MOST_WRITTEN = 1000
_MOST_DIGITS = 40
_KEYS = {"schema", "universe", "source", "distortion", "at", "notion"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the query, the level and the prior."""
    parser.add_argument("problem", nargs="?", help="a problem file whose universe is a query; - for standard input")
    parser.add_argument("--name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--individuals", type=int, metavar="U", help="the number of individuals in a database")
    parser.add_argument("--values", type=int, metavar="V", help="the number of values that each of them may have")
    parser.add_argument("--modulus", type=int, metavar="M", help="the modulus of count_mod")
    parser.add_argument(
        "--universe", metavar="JSON|FILE", help='the query as in a problem file: {"query": {"name": "count", ...}}'
    )
    parser.add_argument("--labels", metavar="A,B,...", help="the names of the answers, in their order, to show them by")
    parser.add_argument("--prior", metavar="P,P,...", help="the probability of each answer (default: uniform)")
    parser.add_argument("--source", metavar="JSON|FILE", help='the same as in a problem file: {"prior": [...]}')
    parser.add_argument(
        "--cost",
        metavar="JSON|FILE",
        help='the worth of each guess: {"gain": [[...], ...]}; by default a right guess is worth 1',
    )
    parser.add_argument(
        "--loss", metavar="L", help="the loss of differential privacy that a database may have, in nats"
    )
    parser.add_argument(
        "--others",
        metavar="VALUE,VALUE,...",
        help="the values of all individuals but one, in order: also say what the output reveals about that one",
    )
    parser.add_argument(
        "--individual", type=int, metavar="NUMBER", help="the place of that one, counted from 0 (default: 0)"
    )
    parser.add_argument(
        "--value-prior", metavar="P,P,...", help="the probability of each value of that one (default: uniform)"
    )
    parser.add_argument(
        "--compare-unrestricted",
        action="store_true",
        help="also solve for mechanisms that see the whole database (few individuals; uniform databases)",
    )


def run(options: argparse.Namespace) -> Result:
    """Describe a query, and at a level the best mechanism for it."""
    query, prior, gain, level = _asked(options)
    document: dict[str, object] = {"schema": SCHEMA, "query": _described(query)}
    tables: list[RenderableType] = [_graph_table(query)]
    if options.others is None and (options.individual is not None or options.value_prior is not None):
        raise InvalidInput("An individual is asked about when all others are known; give their values with --others.")
    if level is None:
        if options.plot is not None or options.others is not None:
            raise InvalidInput("There is no mechanism without a level, to draw or to ask about; give --loss.")
        return Result(document, tuple(tables), "alvim2011")
    with progress("solving"):
        best = optimal_oblivious(query, level, prior, gain)
        mechanism = _shown_by(best.mechanism, options.labels)
        document["optimum"] = _optimum(best, mechanism)
        tables.append(_optimum_table(query, best, prior, gain))
        system = System(query, best.mechanism)
        try:
            leaks, table = _leakages(system)
            document["system"] = leaks
            tables.append(table)
        except InvalidInput as error:
            # The best mechanism is there all the same.
            document["system"] = None
            tables.append(f"What the system leaks was not computed: {error}")
        if options.others is not None:
            told, table = _about_one(system, options)
            document["individual_given_others"] = told
            tables.append(table)
        if options.compare_unrestricted:
            cost = cost_of_obliviousness(query, level, None, gain)
            document["unrestricted"] = _cost(cost)
            tables.append(_cost_sentence(cost))
    tables += shown_mechanism(mechanism) if max(mechanism.shape) <= 12 else ()

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        plot_mechanism(mechanism, file)

    return Result(document, tuple(tables), f"{best.theorem}; alvim2011", draw)


def _asked(options: argparse.Namespace) -> tuple[Query, Prior | None, Gain | None, object]:
    """The query, the prior on its answers, the gain and the level; None where they are left open."""
    if options.problem is not None:
        return _from_file(read_json(options.problem))
    query = _stated(options)
    source, cost = described_source(options), None if options.cost is None else described_cost(options)
    return query, _prior(source, query), _gain(cost), typed(options.loss)


def _stated(options: argparse.Namespace) -> Query:
    """The query that the options describe: in parts, or as a problem file does."""
    given = [name for name in ("name", "individuals", "values", "modulus") if getattr(options, name) is not None]
    if options.universe is not None:
        if given:
            raise InvalidInput(f"The query is given twice; give --universe or --{given[0]}, not both.")
        return query_from_problem(described(options.universe, "universe"))
    for name in ("name", "individuals", "values"):
        if name not in given:
            raise InvalidInput(f"A query needs --{name}; give it, or name a problem file.")
    return Query.named(options.name, options.individuals, options.values, options.modulus)


def _shown_by(mechanism: AnyMechanism, labels: str | None) -> AnyMechanism:
    """The mechanism on answers by other names; its own where none are given."""
    if labels is None:
        return mechanism
    names = words(labels)
    if len(names) != mechanism.shape[0]:
        raise InvalidInput(f"--labels names {len(names)} answers and there are {mechanism.shape[0]}; name each one.")
    same = mechanism.outputs == mechanism.universe.labels
    return Mechanism(mechanism.dense().rows, Alphabet(names), names if same else mechanism.outputs)


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
    at = document.get("at", {})
    if not isinstance(at, Mapping) or set(at) - {"loss"}:
        raise InvalidInput("The entry 'at' must be {'loss': L}.")
    return query, _prior(document.get("source"), query), _gain(document.get("distortion")), typed(at.get("loss"))


def _prior(source: object, query: Query) -> Prior | None:
    read = None if source is None else read_source(source, query.universe)
    if read is None or isinstance(read, Prior):
        return read
    raise InvalidInput("The best mechanism for a query is for one prior on its answers; give {'prior': [...]}.")


def _gain(distortion: object) -> Gain | None:
    if distortion in (None, {"name": "hamming"}):
        return None
    read = read_distortion(distortion)
    if isinstance(read, Gain):
        return read
    raise InvalidInput("The worth of a guess is a gain; give {'gain': [[...]]}, or leave the cost out.")


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


def _optimum(best: Optimum, mechanism: AnyMechanism) -> dict[str, object]:
    return {
        "lower": best.lower,
        "upper": best.upper,
        "unit": "utility",
        "method": best.form,
        "theorem": best.theorem,
        "mechanism": mechanism.to_json() if max(mechanism.shape) <= 256 else None,
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
    table.add_row("follows from", best.theorem)
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
    table = Table(title=f"end to end: differential privacy {nats(number(found.level.upper))}")
    for heading in ("leakage about (nats)", "true", "bound", "alvim2011"):
        table.add_column(heading)
    for what, true, bound, source in rows:
        table.add_row(what, number(true.upper), number(bound.upper), source)
    if level.answers is not None and level.databases is not None:
        left, right = map(shown, level.databases)
        answers = " and ".join(map(str, level.answers))
        table.caption = f"the level is attained by {left} and {right}: answers {answers}, output {level.output}"
    document: dict[str, object] = {
        "level": found.level.upper,
        "attained_by": _written(level),
        "attained_at": None
        if level.answers is None
        else {"answers": list(map(str, level.answers)), "output": str(level.output)},
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


def _written(level: SystemLevel) -> list[list[str]] | None:
    """The databases that attain the level; those of very many individuals are not written out."""
    if level.databases is None or len(level.databases[0]) > _MOST_WRITTEN:
        return None
    return [list(map(str, side)) for side in level.databases]


def _about_one(system: System, options: argparse.Namespace) -> tuple[dict[str, object], Table]:
    """What the output tells about one individual when the values of all others are known."""
    individual = 0 if options.individual is None else options.individual
    others = [_value(word) for word in words(options.others)] if options.others.strip() else []
    prior = None if options.value_prior is None else Prior(written_numbers(options.value_prior))
    leakage = system.individual_leakage(others, individual, prior)
    loss = system.level().loss
    level = loss.upper if loss.upper is not None else Real.of(loss.value)
    bounds: dict[str, float | None] = {"bound": None, "printed_bound": None}
    if not level.is_infinite:
        values = system.query.databases.alphabet.size
        bounds["bound"] = individual_bound(values, level).upper
        bounds["printed_bound"] = printed_individual_bound(level).upper
    exactly = str(leakage.nats)
    told = {"individual": individual, "others": others, "leakage": leakage.nats.upper, "exactly": exactly}
    table = Table(title=f"about individual {individual}, the others being {shown(tuple(others))}", show_header=False)
    table.add_row("leakage (nats)", number(leakage.nats.upper))
    if len(exactly) <= _MOST_DIGITS:
        table.add_row("exactly", exactly)
    for name, source in (("bound", "Theorem 2 made tight"), ("printed_bound", "Theorem 2 as printed")):
        bound = bounds[name]
        table.add_row("bound", "none" if bound is None else f"{number(bound)} (alvim2011, {source})")
    return told | bounds, table


def _value(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise InvalidInput(f"{word!r} in --others is not a value; values are whole numbers from 0.") from None


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
