"""Rows with unknown laws: cells that cover the set of products, found by bisection.

While the laws of the rows stay in simplices, the law of the database stays in the hull of the mean products of their
corners (`epstar.source.cells`). A simplex may be cut along any edge, whether or not its corners are in general
position, so that the corners of a row's source are one to begin with. A cell is cut until its hull keeps the claim.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from epstar.claims.attained import check_mechanism, whole_cells
from epstar.claims.claim import Attained, Cut, Hints, Setting
from epstar.claims.cover import Cover
from epstar.errors import ProofRejected, Undecided
from epstar.exact import Real
from epstar.mechanism import Mechanism
from epstar.source import Hull, Rows
from epstar.source.cells import HALF, Cell

# Beyond that the tree would be longer than what it proves is worth.
_MOST_CELLS = 4000


def cell_trees(
    setting: Setting,
    mechanism: Mechanism,
    loss: Real,
    distortion: Real,
    hints: Callable[[Setting], Hints],
    covers: tuple[Cover | None, ...],
) -> tuple[Hints | Cut, ...] | None:
    """Return a tree of cuts for each choice of listed row laws, None where one is too large.

    `hints` says what a leaf, read as the hull of some laws of databases, needs beside the mechanism.
    """
    source = setting.source
    assert isinstance(source, Rows)
    budget = [_MOST_CELLS]

    def tree(cell: Cell) -> Hints | Cut | None:
        budget[0] -= 1
        hull = Hull(cell.hull)
        leaf = replace(setting, source=hull)
        with suppress(Undecided, ProofRejected):
            if Real.of(mechanism.distortion(setting.distortion, hull).value) <= distortion:
                known = hints(leaf)
                check_mechanism(leaf, Attained(loss, distortion, mechanism, known))
                return known
        if budget[0] <= 0 or all(len(laws) == 1 for laws in cell.simplices):
            return None
        edge = cell.longest_edge
        first, second = map(tree, cell.cut(*edge, HALF))
        return None if first is None or second is None else Cut(*edge, HALF, (first, second))

    found = [tree(cell) for cell in whole_cells(source, covers)]
    whole = tuple(part for part in found if part is not None)
    return whole if len(whole) == len(found) else None
