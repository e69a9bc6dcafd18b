"""A query on databases: the graph of its answers, and the best mechanism that sees only the answer."""

from __future__ import annotations

from epstar.answer import claimed
from epstar.citations import by_authors
from epstar.errors import EpstarError
from epstar.mechanism.document import write_labels
from epstar.proof_file.document import write_bracket
from epstar.query import System, query_from_problem
from epstar.query.optimum import optimal_oblivious
from epstar.web.tasks.reading import band, fields_of, named, number, read_as
from epstar.web.worker import Context

_MOST_DATABASES = 1 << 12


def query(document: object, context: Context) -> object:
    """Describe a query; with a "loss", find the best mechanism on its answers for guessing them, and what it leaks.

    {"query": {"name": "count", "individuals": 5, "values": 2}, "loss": "log(2)", "prior": [distribution of the
    answers]}
    """
    fields = fields_of(document, {"query", "loss", "prior"})
    with read_as("a query"):
        context.limits.check_query(fields["query"])
        asked = query_from_problem(fields["query"])
        graph = asked.graph
    described: dict[str, object] = {
        "answers": write_labels(asked.answers),
        "edges": [[int(i), int(j)] for i, j in graph.edges],
        "diameter": asked.diameter,
    }
    if "loss" not in fields:
        return described
    with read_as("a level and a prior"):
        best = optimal_oblivious(asked, fields["loss"], prior=fields.get("prior"), time_limit=context.seconds_left)
    return {
        **described,
        "utility": band(best.interval),
        "form": best.form,
        "theorem": by_authors(best.theorem),
        "mechanism": best.mechanism.dense().to_json(),
        "proof": write_bracket(claimed(best.proof)),
        "leakage": _leakage(System(asked, best.mechanism)),
    }


def _leakage(system: System) -> dict[str, object]:
    """Return what is leaked about a database and about one individual, beside what the level would allow."""
    if system.query.databases.size > _MOST_DATABASES:
        return {"not_measured": f"There are more than {_MOST_DATABASES} databases to look through."}
    try:
        found = system.compare()
    except EpstarError as error:
        return {"not_measured": str(error)}
    return {
        name: {"value": number(real.upper), "exact": named(real)}
        for name, real in (
            ("level", found.level),
            ("database", found.database),
            ("database_limit", found.database_limit),
            ("individual", found.individual),
            ("individual_limit", found.individual_limit),
        )
    }
