"""`epstar convert`: what a guarantee in one notion says in another, and by which theorems."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rich.console import RenderableType
from rich.table import Table

from epstar.arguments import typed
from epstar.cli.options import (
    add_notion_options,
    check_schema,
    described_notion,
    described_source,
    described_universe,
    notion_names,
)
from epstar.cli.progress import progress
from epstar.cli.result import REFUTED, Result, finite, number
from epstar.convert import Conversion, Counterexample, Guarantee, Implication, SegmentCurve, convert, witness
from epstar.convert.guarantee import Kind, needs_source
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.json_document import read_json
from epstar.notions import (
    NOTIONS,
    ApproximateDifferentialPrivacy,
    LocalInformationPrivacy,
    Notion,
    from_problem,
)
from epstar.problem_file import read_source, read_universe
from epstar.source import Source
from epstar.universe import Universe

EXAMPLES = """\
epstar convert --notion dp --loss "log(3)" --size 4 --to maximal_leakage
epstar convert --notion mutual_information --loss 0.05 --prior 0.5,0.5 --to local_information_privacy --plot lip.svg
epstar convert --notion dp --loss 1 --prior 0.5,0.3,0.2
epstar convert --notion leakage --loss "log(1.01)" --size 2 --to dp --claim 50
epstar convert conversion.json --json"""
PICTURE = "the converted curve, or the converted level against the given one,"

SCHEMA = "epstar/conversion/1"
_KEYS = {"schema", "notion", "universe", "source", "outputs", "at", "to", "claim"}
_CURVES: dict[str, Kind] = {
    "approximate_differential_privacy": ApproximateDifferentialPrivacy,
    "local_information_privacy": LocalInformationPrivacy,
}
_NOTHING = "no guarantee: a mechanism may lose anything under this notion"
_UNKNOWN = "no implication is known here"
# Levels at which a curve is listed.
_LEVELS = ("0", "1/4", "1/2", "1", "3/2", "2", "3", "4", "6", "8")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the guarantee, and what is asked about it."""
    parser.add_argument("problem", nargs="?", help="a JSON file with the guarantee and 'to'; - for standard input")
    add_notion_options(parser)
    parser.add_argument("--loss", metavar="L", help="the level of the guarantee, in nats")
    parser.add_argument("--outputs", type=int, metavar="N", help="the largest number of outputs of the mechanism")
    parser.add_argument(
        "--to", metavar="NAME", help=f"the notion to convert to, {notion_names()} (default: all of them)"
    )
    parser.add_argument("--to-order", metavar="ORDER", help="the order of the notion to convert to")
    parser.add_argument(
        "--to-delta", metavar="DELTA", help="the slack δ of the notion to convert to (default: the whole curve)"
    )
    parser.add_argument(
        "--claim", metavar="L", help="a level that is claimed to follow; exit code 1 with a mechanism that breaks it"
    )


def run(options: argparse.Namespace) -> Result:
    """Convert a guarantee to one notion, or to all."""
    document = _document(options)
    guarantee, source = _guarantee(document)
    if document.get("to") is None:
        return _everything(guarantee, source)
    target = _target(document["to"])
    _check_source(target, source)
    with progress("converting"):
        found = convert(guarantee, target, source=source)
    if document.get("claim") is not None:
        return _claimed(guarantee, found, Real.of(typed(document["claim"])), source)

    def draw(file: str) -> None:
        _draw(guarantee, target, found, source, file)

    rests_on = "; ".join(edge.theorem for edge in _edges(found))
    return Result(_json(found), _shown(guarantee, found), rests_on, draw)


def _document(options: argparse.Namespace) -> Mapping[str, object]:
    """The conversion asked for, as it stands in a file."""
    if options.problem is not None:
        document = read_json(options.problem)
        if not isinstance(document, dict):
            raise InvalidInput("A conversion is described by one JSON object with 'notion', 'at' and 'to'.")
        unknown = sorted(set(document) - _KEYS)
        if unknown:
            raise InvalidInput(f"A conversion has no entry {unknown[0]!r}; its entries are {', '.join(sorted(_KEYS))}.")
        check_schema(document)
        return document
    if options.notion is None or options.loss is None:
        raise InvalidInput("No guarantee was given; name a file, or give --notion and --loss.")
    to = None if options.to is None else described_notion(options.to, options.to_order, options.to_delta)
    return {
        "notion": described_notion(options.notion, options.order, options.delta),
        "universe": described_universe(options),
        "source": described_source(options),
        "outputs": options.outputs,
        "at": {"loss": options.loss},
        "to": to,
        "claim": options.claim,
    }


def _guarantee(document: Mapping[str, object]) -> tuple[Guarantee, Source | None]:
    described = document.get("universe")
    universe: Universe | None = None if described is None else read_universe(described)
    law = document.get("source")
    source = None if law is None else read_source(law, universe)
    at, notion = document.get("at"), document.get("notion")
    if not isinstance(at, Mapping) or not isinstance(notion, Mapping):
        raise InvalidInput("A conversion needs 'notion' (an object with a name) and 'at' ({'loss': L}); add them.")
    outputs = document.get("outputs")
    if outputs is not None and not isinstance(outputs, int):
        raise InvalidInput("The number of outputs must be a whole number.")
    if universe is None and source is not None:
        universe = read_universe({"size": source.size})
    if "curve" in at:
        kind = _target({"name": notion.get("name")})
        _check_source(kind, source)
        pairs = at["curve"]
        if isinstance(kind, Notion) or not isinstance(pairs, list):
            raise InvalidInput("A curve is a list of pairs [level, delta] of a notion that has a delta.")
        curve = SegmentCurve.from_pairs(pairs, local=kind is LocalInformationPrivacy)
        kept = source if needs_source(kind) else None
        return Guarantee(kind, None, universe, kept, curve, outputs), source
    given = from_problem(notion)
    _check_source(given, source)
    kept = source if needs_source(given) else None
    if at.get("loss") is None:
        raise InvalidInput("The entry 'at' must be {'loss': L} or {'curve': [[level, delta], ...]}.")
    return Guarantee(given, at["loss"], universe, kept, outputs=outputs), source


def _check_source(kind: Kind, source: Source | None) -> None:
    if needs_source(kind) and source is None:
        raise InvalidInput(
            f"The loss under {kind.title} depends on the prior; say which priors are possible with --prior P,P,... or, "
            "for all of them, --size M (in a file: 'source')."
        )


def _target(entry: object) -> Kind:
    if not isinstance(entry, Mapping):
        raise InvalidInput("The entry 'to' must be an object with the name of a notion.")
    name = entry.get("name")
    if set(entry) == {"name"} and name in _CURVES:
        return _CURVES[str(name)]
    return from_problem(entry)


def _edges(found: Conversion) -> list[Implication]:
    return list(dict.fromkeys(edge for route in found.routes for edge in route.chain))


def _json(found: Conversion) -> dict[str, object]:
    guarantee = found.guarantee
    document: dict[str, object] = {"schema": SCHEMA, "to": _name(guarantee.notion), "unit": "nats"}
    if guarantee.curve is None:
        document["level"] = finite(guarantee.level.upper)
        if guarantee.level.argument_of_log is not None or guarantee.level.rational is not None:
            document["level_exact"] = str(guarantee.level)
        document["chain"] = [_link(edge) for edge in found.chain]
    else:
        document["curve"] = [
            {
                "level": level,
                "delta": guarantee.curve.delta(Real.of(level)).upper,
                "chain": [_link(edge) for edge in found.chain_at(level)],
            }
            for level in _LEVELS
        ]
    attained = found.strongest
    return document | {
        "says_nothing": found.says_nothing,
        "known": found.is_known,
        "tight": found.is_tight,
        "attained": None if attained is None else finite(attained.claimed.lower),
    }


def _link(edge: Implication) -> dict[str, object]:
    return {
        "name": edge.name,
        "direction": edge.direction,
        "theorem": edge.theorem,
        "tight": edge.tight or None,
        "needs": list(edge.needs),
    }


def _name(kind: Kind) -> dict[str, object]:
    return {"name": kind.name, **(kind.parameters() if isinstance(kind, Notion) else {})}


def _spoken(kind: Kind) -> str:
    return kind.full_title if isinstance(kind, Notion) else kind.title


def _bound(found: Conversion) -> str:
    if not found.says_nothing:
        return number(found.guarantee.level.upper)
    return "no guarantee" if found.may_lose_anything else "none is known"


def _shown(given: Guarantee, found: Conversion) -> tuple[RenderableType, ...]:
    guarantee = found.guarantee
    title = f"from {_spoken(given.notion)} to {_spoken(guarantee.notion)}"
    if guarantee.curve is not None:
        return _shown_curve(found, title)
    table = Table(title=title, show_header=False)
    if found.says_nothing:
        table.add_row("level", _NOTHING if found.may_lose_anything else _UNKNOWN)
        _add_attained(table, found)
        return (table,)
    table.add_row("level", f"at most {number(guarantee.level.upper)} nats")
    if guarantee.level.argument_of_log is not None:
        table.add_row("exactly", str(guarantee.level))
    for edge in found.chain:
        table.add_row("by", edge.theorem)
        if edge.tight:
            table.add_row("tight", edge.tight)
        if edge.needs:
            table.add_row("needs", ", ".join(edge.needs))
    _add_attained(table, found)
    return (table,)


def _add_attained(table: Table, found: Conversion) -> None:
    """Add what a mechanism with the guarantee was measured to lose."""
    attained = found.strongest
    if attained is None or attained.claimed.is_infinite:
        return
    loses = number(attained.claimed.lower)
    table.add_row(
        "here", "attained by a mechanism that was measured" if found.is_tight else f"some mechanism loses {loses}"
    )


def _shown_curve(found: Conversion, title: str) -> tuple[RenderableType, ...]:
    curve = found.guarantee.curve
    assert curve is not None
    table = Table(title=title)
    for heading in ("level (nats)", "delta", "by"):
        table.add_column(heading)
    for level in _LEVELS:
        theorems = "; ".join(edge.theorem for edge in found.chain_at(level))
        table.add_row(level, number(curve.delta(Real.of(level)).upper), theorems)
    if found.says_nothing:
        table.caption = f"{_NOTHING if found.may_lose_anything else _UNKNOWN}; this is what no mechanism exceeds"
    return (table,)


def _everything(guarantee: Guarantee, source: Source | None) -> Result:
    """What follows in every notion that has no parameters."""
    given = f"at {guarantee.level}" if guarantee.curve is None else "with this curve"
    table = Table(title=f"what follows from {_spoken(guarantee.notion)} {given}")
    for heading in ("notion", "at most (nats)", "exactly", "by"):
        table.add_column(heading)
    documents, theorems = [], []
    kinds = [kind() for kind in NOTIONS.values() if kind not in _PARAMETRIC and not kind.is_general]
    with progress("converting") as step:
        for done, kind in enumerate(kinds):
            if step is not None:
                step(done, len(kinds))
            if kind == guarantee.notion or (needs_source(kind) and source is None):
                continue
            found = convert(guarantee, kind, source=source)
            level = found.guarantee.level
            by = "; ".join(edge.theorem for edge in found.chain)
            exact = str(level) if level.argument_of_log is not None else ""
            table.add_row(_spoken(kind), _bound(found), exact, by)
            documents.append(_json(found))
            theorems.append(by)

    def draw(_: str) -> None:
        raise InvalidInput("A picture is of one conversion; say which with --to.")

    document = {"schema": "epstar/conversions/1", "conversions": documents}
    return Result(document, (table,), "; ".join(theorems), draw)


_PARAMETRIC = tuple(
    NOTIONS[name]
    for name in ("approximate_differential_privacy", "renyi_differential_privacy", "sibson_mutual_information")
)


def _claimed(given: Guarantee, found: Conversion, claim: Real, source: Source | None) -> Result:
    """Whether a claimed level follows: proven, broken by a mechanism, or open."""
    guarantee = found.guarantee
    if guarantee.curve is not None:
        raise InvalidInput("A claim is a level at one delta; give --to-delta.")
    kept = source if needs_source(guarantee.notion) else None
    document = _json(found) | {"claim": str(claim)}
    rests_on = "; ".join(edge.theorem for edge in found.chain)
    if guarantee.level.upper <= claim.lower or str(guarantee.level) == str(claim):
        sentence = f"The claim follows: the loss is at most {number(guarantee.level.upper)}."
        return Result(document | {"verdict": "follows"}, (*_shown(given, found), sentence), rests_on)
    broken = witness(given, Guarantee(guarantee.notion, claim, given.universe, kept))
    if broken is None:
        sentence = "The claim is open: it is below what is known to follow, and no mechanism was found that breaks it."
        return Result(document | {"verdict": "open"}, (*_shown(given, found), sentence), rests_on)
    document |= {"verdict": "false", "mechanism": broken.mechanism.to_json()}
    return Result(document, (*_shown(given, found), *_shown_witness(broken)), rests_on, code=REFUTED)


def _shown_witness(broken: Counterexample) -> tuple[RenderableType, ...]:
    from epstar.cli.solve import shown_mechanism

    sentence = (
        f"The claim is false: this mechanism keeps the guarantee (it loses {number(broken.given.upper)}) and loses "
        f"{number(broken.claimed.lower)} under the notion asked for."
    )
    return (sentence, *shown_mechanism(broken.mechanism))


def _draw(given: Guarantee, target: Kind, found: Conversion, source: Source | None, file: str) -> None:
    from epstar.plot import plot_lines

    curve = found.guarantee.curve
    if curve is not None:
        levels = [k / 20 for k in range(121)]
        deltas = [min(1.0, curve.delta(Real.of(repr(level))).upper) for level in levels]
        plot_lines({_spoken(target): (levels, deltas)}, file, across="level (nats)", up="delta", title=_spoken(target))
        return
    if given.curve is not None or given.level.is_infinite:
        raise InvalidInput("There is no level to draw the result against; ask for a whole curve.")
    most = max(1.0, 2 * given.level.upper)
    levels = [most * k / 40 for k in range(41)]
    reached = []
    for level in levels:
        start = Guarantee(given.notion, repr(level), given.universe, given.source, outputs=given.outputs)
        reached.append(convert(start, target, source=source).guarantee.level.upper)
    plot_lines(
        {_spoken(target): (levels, reached)},
        file,
        across=f"{_spoken(given.notion)} (nats)",
        up=f"{_spoken(target)} (nats)",
        title="",
    )
