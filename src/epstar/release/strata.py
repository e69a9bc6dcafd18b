"""A mechanism for each stratum: where a public column is known of every record, each of its values has one of its own.

A stratum is public, so that only records of the same stratum have to be confused with each other. The mechanisms of all
strata together are one, on the pairs of stratum and value: it keeps the stratum, and pairs of different strata are no
neighbours (a graph whose connected parts are the strata). What is sampled, written down and estimated from is that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Number, Rational
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.probability_vectors import Table
from epstar.release.categories import Categories, Label
from epstar.release.column import Column
from epstar.release.proxy import together
from epstar.secret import Secret
from epstar.source import Prior, Source
from epstar.universe import Graph
from epstar.universe import Label as Element

_LARGEST = 1 << 12


def stratified(
    stratum: str,
    strata: Categories | Sequence[Label],
    name: str,
    categories: Categories | Sequence[Label],
    sources: Mapping[Label, Source],
    *,
    loss: Number,
    distortion: Distortion | None = None,
    every_category: bool = False,
) -> Column:
    """Return a column that is released with the best mechanism of each stratum, by differential privacy.

    `stratum` is a public column with the values `strata`, which passes through; `sources` says what is known of the
    frequencies in each of them, and where it says nothing, nothing is known. With `every_category` the frequency of
    every category can be estimated in every stratum.

    Raises:
        InvalidInput: if a source is that of no stratum, or strata and categories have more than 4,096 pairs.

    >>> from epstar import Prior
    >>> from epstar.release import stratified
    >>> sources = {"north": Prior(["1/2", "1/2"]), "south": Prior(["9/10", "1/10"])}
    >>> stratified("town", ["north", "south"], "smoker", ["yes", "no"], sources, loss=1).names
    ('town', 'smoker')
    """
    public, values = _checked(strata, categories, sources)
    columns = [
        Column(
            name,
            values,
            notion=DifferentialPrivacy(),
            loss=loss,
            source=sources.get(label),
            distortion=distortion,
            every_category=every_category,
        )
        for label in public.labels
    ]
    mechanism = _joined(public, columns)
    return Column(
        (stratum, name),
        [public, values],
        notion=DifferentialPrivacy(),
        loss=loss,
        mechanism=mechanism,
        public=(stratum,),
    )


def stratified_secret(
    stratum: str,
    strata: Categories | Sequence[Label],
    name: str,
    categories: Categories | Sequence[Label],
    secret: str,
    values: Sequence[Label],
    frequencies: Mapping[Label, Table],
    *,
    loss: Number,
    distortion: Distortion | None = None,
) -> Column:
    """Return a column that is released with the best mechanism of each stratum for a secret that it hints at.

    `frequencies` has for each stratum a table as `epstar.release.proxy` takes it: how often each category (row) goes
    with each of the `values` of the secret (column). Whoever knows the stratum of a record learns about its secret at
    most the loss, by differential privacy.

    Raises:
        InvalidInput: if a stratum has no table, or a table is none of a stratum or does not fit.

    >>> from epstar.release import stratified_secret
    >>> tables = {"north": [[8, 2], [3, 7]], "south": [[6, 4], [5, 5]]}
    >>> towns = ["north", "south"]
    >>> column = stratified_secret("town", towns, "job", ["a", "b"], "income", ["low", "high"], tables, loss="1/2")
    >>> column.public, column.secret_name, column.secret.universe.labels[0]
    (('town',), 'income', ('north', 'low'))
    """
    public, parts = _checked(strata, categories, frequencies)
    known = {}
    for label in public.labels:
        if label not in frequencies:
            raise InvalidInput(
                "A stratum has no table of frequencies, so that its secrets cannot be protected; drop it."
            )
        known[label] = together(frequencies[label], values)
    columns = [
        Column(
            name,
            parts,
            notion=DifferentialPrivacy(),
            loss=loss,
            source=prior,
            distortion=distortion,
            secret=hidden,
            secret_name=secret,
        )
        for prior, hidden in known.values()
    ]
    pairs = [(label, value) for label in public.labels for value in values]
    rows = [
        [row[values.index(value)] if label == own else ZERO for label, value in pairs]
        for own, (_, hidden) in known.items()
        for row in hidden.conditional
    ]
    # What is promised is about records of one stratum, so that its share does not matter: all have the same.
    shares = [entry / len(known) for prior, _ in known.values() for entry in prior.probabilities]
    return Column(
        (stratum, name),
        [public, parts],
        notion=DifferentialPrivacy(),
        loss=loss,
        source=Prior(shares),
        mechanism=_joined(public, columns),
        public=(stratum,),
        secret=Secret.given(rows, universe=_apart(pairs, len(values))),
        secret_name=secret,
    )


def _checked(
    strata: Categories | Sequence[Label], categories: Categories | Sequence[Label], known: Mapping[Label, object]
) -> tuple[Categories, Categories]:
    public, values = (given if isinstance(given, Categories) else Categories(given) for given in (strata, categories))
    if len(public.labels) * len(values.labels) > _LARGEST:
        raise InvalidInput(f"There are more than {_LARGEST} pairs of a stratum and a category; merge some.")
    for label in known:
        if label not in public.labels:
            raise InvalidInput("Frequencies are given for a stratum that is not among the declared ones.")
    return public, values


def _joined(public: Categories, columns: Sequence[Column]) -> Mechanism:
    """The mechanisms of all strata as one, which keeps the stratum."""
    blocks = [column.prepared().plan.mechanism.dense() for column in columns]
    values = columns[0].labels
    inputs: list[tuple[Label, Element]] = [(label, value) for label in public.labels for value in values]
    outputs = [(label, output) for label, block in zip(public.labels, blocks, strict=True) for output in block.outputs]
    rows: list[list[Rational]] = []
    for number, block in enumerate(blocks):
        before = sum(other.shape[1] for other in blocks[:number])
        after = len(outputs) - before - block.shape[1]
        rows += [[*[ZERO] * before, *row, *[ZERO] * after] for row in block.rows]
    return Mechanism(rows, _apart(inputs, len(values)), outputs)


def _apart(pairs: Sequence[tuple[Label, Element]], size: int) -> Graph:
    """The graph in which pairs of one stratum are neighbours, and others are not; each stratum has so many."""
    edges = [
        (pairs[start + x], pairs[start + y])
        for start in range(0, len(pairs), size)
        for x in range(size)
        for y in range(x + 1, size)
    ]
    return Graph(pairs, edges)
