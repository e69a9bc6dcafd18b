"""Level zero: which rows are equal there, as flows between them along the bounds that say so.

At level zero a divergence vanishes, which says two ratio bounds at distance zero. If the inputs of a class answer
alike, their best common answer costs the class no less than lambda = min_y sum p(x) d(x,y). Each output then has as
much to spare, and flows along the equalities even out what one input has too much of and another too little.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from epstar.claims.bounds import compared, vanishes
from epstar.claims.claim import Point, Step, mixed
from epstar.completion.converse import Converse
from epstar.completion.draft import Draft
from epstar.exact import ZERO, Rational
from epstar.notions.constraints import Constraints, Form, Name

Node = Hashable
Edge = tuple[Node, Name, bool]
"""To which node another hangs, the name of the bounds that make them equal, and whether it is on their left."""
_Edges = Mapping[Node, list[Edge]]


def has_law_alone(converse: Converse) -> bool:
    """Return whether a converse names laws and no multiplier, so that only the level itself can prove anything."""
    multipliers = converse.ratios, converse.maxima, converse.sums, converse.slopes, converse.prices, converse.weights
    return not any(multipliers) and not converse.forced


def answering_alike(constraints: Constraints, inputs: int) -> list[list[int]]:
    """Return the classes of inputs whose rows are equal at level zero."""
    return [
        sorted(node for node in members if isinstance(node, int))
        for members, _ in _classes(_edges(constraints), inputs)
    ]


def level_zero(draft: Draft, laws: tuple[tuple[Rational, Point], ...]) -> Step:
    """Return the step that the classes of inputs with equal rows at level zero make."""
    setting, inputs = draft.given.setting, draft.given.frame.inputs
    law, cost = mixed(laws), setting.distortion.matrix(setting.universe)
    outputs = range(len(cost[0]))
    edges = _edges(draft.given.bounds.constraints)
    rows = [ZERO] * inputs
    flows: dict[tuple[Name, int], Rational] = {}
    for members, tree in _classes(edges, inputs):
        letters = [node for node in members if isinstance(node, int)]
        prices = {y: [law[x] * cost[x][y] for x in letters] for y in outputs}
        best = min(outputs, key=lambda y: sum(prices[y], ZERO))
        for x, price in zip(letters, prices[best], strict=True):
            rows[x] = price
        for y in outputs:
            surplus: dict[Node, Rational] = dict.fromkeys(members, ZERO)
            for x, price in zip(letters, prices[y], strict=True):
                surplus[x] = price - rows[x]
            _even_out(surplus, tree, members, y, flows)
    ratios = tuple((name, y, multiple) for (name, y), multiple in flows.items() if multiple != 0)
    return Step(laws=laws, ratios=ratios, rows=tuple(rows))


def _even_out(
    surplus: dict[Node, Rational],
    tree: Mapping[Node, Edge],
    members: list[Node],
    y: int,
    flows: dict[tuple[Name, int], Rational],
) -> None:
    """Move what each member of a class has too much or too little of to its root, leaves first.

    A multiple m of left - right <= 0 adds m to the left and takes it from the right.
    """
    for node in reversed(members):
        if node not in tree or surplus[node] == 0:
            continue
        parent, name, is_left = tree[node]
        amount = surplus[node]
        side = int(is_left == (amount > 0))
        flows[(*name, side), y] = flows.get(((*name, side), y), ZERO) + abs(amount)
        surplus[parent] += amount
        surplus[node] = ZERO


def _edges(constraints: Constraints) -> dict[Node, list[Edge]]:
    """Return to what each node is equal, the name of the two bounds that say so, and whether it is on their right."""
    found: dict[Node, list[Edge]] = {}
    for total in constraints.sums:
        for k, (_, left, right) in enumerate(compared(total) if vanishes(total) else ()):
            one, other = _node(left), _node(right)
            found.setdefault(other, []).append((one, (*total.name, k), True))
            found.setdefault(one, []).append((other, (*total.name, k), False))
    return found


def _node(form: Form) -> Node:
    weights = tuple((x, weight) for x, weight in sorted(form.items()) if weight > 0)
    return weights[0][0] if len(weights) == 1 and weights[0][1] == 1 else weights


def _classes(edges: _Edges, inputs: int) -> list[tuple[list[Node], dict[Node, Edge]]]:
    """Return the classes of what is equal, each in an order in which parents come first, with its tree.

    What flows to a law that is a mixture comes back to its inputs in its shares, so one of these is best at the root.
    """
    found, seen = [], set[Node]()
    for start in range(inputs):
        if start not in seen:
            members, _ = _tree(start, edges)
            root = next((node for node in members if not isinstance(node, int)), start)
            found.append(_tree(root, edges))
            seen |= set(members)
    return found


def _tree(root: Node, edges: _Edges) -> tuple[list[Node], dict[Node, Edge]]:
    order, tree = [root], dict[Node, Edge]()
    for node in order:
        for child, name, is_left in edges.get(node, ()):
            if child not in tree and child != root:
                tree[child] = node, name, is_left
                order.append(child)
    return order, tree
