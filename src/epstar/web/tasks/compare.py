"""The mechanisms everybody knows beside the optimal one, and one guarantee in terms of every other notion."""

from __future__ import annotations

from collections.abc import Callable

from epstar.catalogue import usual_notions
from epstar.citations import by_authors
from epstar.convert import Conversion, Guarantee
from epstar.convert import convert as converted
from epstar.errors import EpstarError
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism, Mechanism, exponential, randomised_response
from epstar.notions import from_problem
from epstar.problem_file import read_source, read_universe
from epstar.query.baselines import truncated_geometric
from epstar.universe import Graph, Universe
from epstar.web.tasks.reading import across, fields_of, named, number, read_as, read_frontier
from epstar.web.worker import Context

# In nats; from hardly anything to nearly everything.
_LEVELS = ("1/10", "1/4", "1/2", "3/4", "1", "3/2", "2", "5/2", "3", "4", "5", "6")


def _geometric(frontier: Frontier, level: Real) -> AnyMechanism:
    universe = frontier.universe
    line = truncated_geometric(Graph.line(universe.size), level, steps=_widest(universe))
    return Mechanism(line.rows, universe)


def _widest(universe: Universe) -> int:
    """Return how far apart in the order two neighbours can be: noise on the order must cover that."""
    pairs = universe.pairs()
    return max(1, int((pairs.second - pairs.first).max(initial=1)))


_BASELINES: dict[str, Callable[[Frontier, Real], AnyMechanism]] = {
    "randomised response": lambda frontier, level: randomised_response(frontier.universe, level),
    "geometric": _geometric,
    "exponential": lambda frontier, level: exponential(frontier.universe, frontier.distortion, level),
}


def baselines(document: object, context: Context) -> object:
    """Return the loss and the distortion of the usual mechanisms at a range of levels of differential privacy."""
    frontier = read_frontier(document, context.limits)
    context.limits.check_table(frontier.universe.size, "The usual mechanisms are compared")
    families = []
    for done, (name, build) in enumerate(_BASELINES.items()):
        context.step(done, len(_BASELINES))
        points, reason = [], ""
        for level in _LEVELS:
            try:
                points.append({"level": level, **_measured(frontier, build(frontier, Real.of(level)))})
            except EpstarError as error:
                reason = str(error)
        families.append({"name": name, "points": points, "reason": reason})
    return {"families": families}


def _measured(frontier: Frontier, mechanism: AnyMechanism) -> dict[str, object]:
    loss = frontier.notion.loss(mechanism, frontier.source)
    spoilt = mechanism.distortion(frontier.distortion, frontier.source)
    return {"x": across(frontier, spoilt.value), "loss": number(loss.value)}


def convert(document: object, context: Context) -> object:
    """Return what a guarantee by one notion says by others: a level for each, and the implications that give it.

    {"notion": ..., "loss": level, "to": [notions, all unless given], "universe": ..., "source": ...}
    """
    fields = fields_of(document, {"notion", "loss", "to", "universe", "source"})
    context.limits.check_problem({key: fields[key] for key in ("universe", "source") if key in fields})
    with read_as("a guarantee"):
        universe = read_universe(fields["universe"]) if "universe" in fields else None
        source = read_source(fields["source"], universe) if "source" in fields else None
        if universe is not None:
            context.limits.check_table(universe.size, "Guarantees are converted")
        targets = [from_problem(entry) for entry in fields["to"]] if "to" in fields else list(usual_notions())
        notion = from_problem(fields["notion"])
        guarantee = Guarantee(notion, fields["loss"], universe, source if notion.needs_source else None)
    rows = []
    for done, target in enumerate(targets):
        context.step(done, len(targets))
        named_target = {"name": target.name, **target.parameters()}
        head: dict[str, object] = {"notion": named_target, "title": target.title, "unit": target.unit}
        try:
            rows.append({**head, **_conversion(converted(guarantee, target, source=source))})
        except EpstarError as error:
            rows.append({**head, "reason": str(error)})
    return {"given": {"title": notion.title, "loss": str(guarantee.level)}, "conversions": rows}


def _conversion(found: Conversion) -> dict[str, object]:
    level = found.guarantee.level
    return {
        "loss": number(level.upper) if not found.says_nothing else None,
        "exact": named(level),
        "says_nothing": found.says_nothing,
        "is_known": found.is_known,
        "is_tight": found.is_tight,
        "chain": [
            {"name": edge.name, "theorem": edge.theorem, "because": by_authors(edge.theorem), "tight": edge.tight}
            for edge in found.chain
        ],
    }
