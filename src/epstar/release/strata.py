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
from epstar.release.categories import Categories, Label
from epstar.release.column import Column
from epstar.source import Source
from epstar.universe import Graph

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
    parts = [given if isinstance(given, Categories) else Categories(given) for given in (strata, categories)]
    public, values = parts
    if len(public.labels) * len(values.labels) > _LARGEST:
        raise InvalidInput(f"There are more than {_LARGEST} pairs of a stratum and a category; merge some.")
    for label in sources:
        if label not in public.labels:
            raise InvalidInput("Frequencies are given for a stratum that is not among the declared ones.")
    notion, blocks = DifferentialPrivacy(), []
    for label in public.labels:
        column = Column(
            name,
            values,
            notion=notion,
            loss=loss,
            source=sources.get(label),
            distortion=distortion,
            every_category=every_category,
        )
        blocks.append(column.prepared().plan.mechanism.dense())
    inputs = [(label, value) for label in public.labels for value in values.labels]
    outputs = [(label, output) for label, block in zip(public.labels, blocks, strict=True) for output in block.outputs]
    rows: list[list[Rational]] = []
    for number, block in enumerate(blocks):
        before = sum(other.shape[1] for other in blocks[:number])
        after = len(outputs) - before - block.shape[1]
        rows += [[*[ZERO] * before, *row, *[ZERO] * after] for row in block.rows]
    size = len(values.labels)
    edges = [
        (inputs[start + x], inputs[start + y])
        for start in range(0, len(inputs), size)
        for x in range(size)
        for y in range(x + 1, size)
    ]
    mechanism = Mechanism(rows, Graph(inputs, edges), outputs)
    return Column((stratum, name), parts, notion=notion, loss=loss, mechanism=mechanism, public=(stratum,))
