r"""Closed forms of the best utility that hold beyond the paper: binary gain, mechanisms that see only the answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, product
from random import Random

from epstar.exact import ONE, ZERO, Interval, Rational, rational
from epstar.query.closed_forms import HypothesisFails, kernel
from epstar.universe import Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.leakage import diagonal
from epstar_papers.alvim2011.mechanisms import undoubled
from epstar_papers.alvim2011.truth import best_utility, database_utility, edges_of
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem, Verdict

_OUTER = [(i, (i + 1) % 5) for i in range(5)]
_INNER = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
PETERSEN = Graph(10, [*_OUTER, *_INNER, *((i, i + 5) for i in range(5))])
BIPARTITE = Graph(6, [(i, j) for i in range(3) for j in range(3, 6)])
OCTAHEDRON = Graph(6, [(i, j) for i in range(6) for j in range(i + 1, 6) if j - i != 3])
PRISM = Graph(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)])
CUBE = Graph(8, [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit])


def sphere_sums(case: Case) -> list[Rational]:
    """Return S(y), the sum over z of E^-distance(y, z), for every answer."""
    q = ONE / case["ratio"]
    return [sum((q**d for d in row), ZERO) for row in case["graph"].distances.tolist()]


def _best(case: Case) -> Interval:
    return best_utility(case["graph"], case["ratio"], case.get("distribution"))


def _uniform_graphs(count: int, seed: int) -> Iterator[Case]:
    return ({"graph": case["graph"], "ratio": case["ratio"]} for case in cases.random_graphs(count, seed))


def _odd_ring(size: int, ratio: Rational) -> Rational:
    q = ONE / ratio
    return (1 - q) / (1 + q - 2 * q ** ((size + 1) // 2))


def _in_region(case: Case) -> bool:
    try:
        kernel(case["graph"], case["ratio"], case.get("distribution"))
    except HypothesisFails:
        return False
    return True


def _kernel_cases() -> Iterator[Case]:
    yield from _uniform_graphs(12, 91)
    yield from cases.random_graphs(12, 92)
    random = Random(93)
    for size in (3, 4, 5):
        weights = [random.randint(5, 7) for _ in range(size)]
        distribution = tuple(Rational(weight, sum(weights)) for weight in weights)
        yield {"graph": Graph.line(size), "ratio": rational(4), "distribution": distribution}


def _cliques() -> Iterator[Case]:
    random = Random(94)
    for size in (2, 3, 4, 5):
        for ratio in cases.RATIOS:
            yield {"graph": Graph.clique(size), "ratio": ratio, "distribution": cases.distribution(random, size)}


def _largest_share(case: Case) -> Rational:
    ratio: Rational = case["ratio"]
    masses = accumulate(sorted(case["distribution"], reverse=True))
    shares: list[Rational] = [ratio * mass / (ratio + k - 1) for k, mass in enumerate(masses, 1)]
    return max(shares)


def _trees() -> Iterator[Case]:
    random = Random(95)
    for _ in range(20):
        yield {"graph": cases.random_tree(random, random.randint(2, 7)), "ratio": random.choice(cases.RATIOS)}


def _largest_degree(graph: Graph) -> int:
    return max((row.count(1) for row in graph.distances.tolist()), default=0)


def _stars() -> Iterator[Case]:
    for leaves in (3, 4, 5, 6):
        for ratio in ("5/4", 2, 4):
            star = Graph(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])
            yield {"graph": star, "ratio": rational(ratio), "leaves": leaves}


def cartesian(first: Graph, second: Graph) -> Graph:
    """Return the product graph: one step in one of the two graphs."""
    place = {pair: k for k, pair in enumerate(product(range(first.size), range(second.size)))}
    edges = [(place[i, k], place[j, k]) for i, j in edges_of(first) for k in range(second.size)]
    edges += [(place[k, i], place[k, j]) for i, j in edges_of(second) for k in range(first.size)]
    return Graph(first.size * second.size, sorted(edges))


def _products() -> Iterator[Case]:
    pairs = ((Graph.line(2), Graph.line(3)), (Graph.line(3), Graph.line(3)), (Graph.ring(4), Graph.line(3)))
    return ({"first": a, "second": b, "ratio": cases.TWO, "graph": cartesian(a, b)} for a, b in pairs)


def _exactly(interval: Interval) -> Rational:
    """Return the utility of the mechanism found: a rational within the proven interval."""
    found = interval.lower.rational
    assert found is not None, "the programs have rational optima"
    return found


_UNIFORM = Hypothesis("the answers are uniform", lambda case: case.get("distribution") is None)
_TREE = Hypothesis(
    "the graph is a tree",
    lambda case: len(case["graph"].edges) == case["graph"].size - 1 and case["graph"].diameter is not None,
)

THEOREMS = (
    Theorem(
        key="alvim2011:beyond-min-sphere",
        label="Theorem 3 for every graph",
        place="beyond Section 5.1",
        statement=r"For uniform answers on a connected graph $\mathcal{U} \le 1/\min_y S(y)$, "
        r"$S(y) = \sum_z e^{-\epsilon d(y,z)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: _uniform_graphs(20, 96),
        hypotheses=_UNIFORM,
        printed=lambda case: ONE / min(sphere_sums(case)),
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-max-sphere",
        label="A lower bound for every graph",
        place="beyond Section 5.1",
        statement=r"For uniform answers on a connected graph $\mathcal{U} \ge 1/\max_y S(y)$.",
        verdict=Verdict.OPEN,
        relation=Relation.AT_LEAST,
        cases=lambda: _uniform_graphs(20, 97),
        printed=lambda case: ONE / max(sphere_sums(case)),
        computed=_best,
        beyond="No exception is known, and no proof.",
    ),
    Theorem(
        key="alvim2011:beyond-orbit-needed",
        label="Theorem 3 needs its symmetry",
        place="beyond Section 5.1",
        statement=r"Without an automorphism of a single orbit the bound of Theorem 3 can fail: on a path of three "
        r"answers "
        r"counted from the middle, $c=2$ and $n=1$, $5/9 > 1/2$ at $e^\epsilon = 2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.on_graphs([Graph.line(3)], 2),
        settled=True,
        printed=lambda case: _exactly(_best(case)) == Rational(5, 9) > ONE / sphere_sums(case)[1],
    ),
    Theorem(
        key="alvim2011:beyond-constant-spheres",
        label="Theorem 4 without orbits",
        place="beyond Section 5.2",
        statement=r"Wherever $S(y)$ is the same for all answers the largest utility is $1/S$, by $e^{-\epsilon d}/S$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.on_graphs([PETERSEN, BIPARTITE, OCTAHEDRON, PRISM, CUBE], "5/4", 2),
        hypotheses=_UNIFORM
        & Hypothesis(r"all sums over spheres are equal", lambda case: len(set(sphere_sums(case))) == 1),
        printed=lambda case: ONE / sphere_sums(case)[0],
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-rings",
        label="Rings",
        place="beyond Section 5.2",
        statement=r"The largest utility on a ring is $\frac{1-q}{(1+q)(1-q^n)}$ for $2n$ answers and "
        r"$\frac{1-q}{1+q-2q^{n+1}}$ for $2n+1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.on_graphs([Graph.ring(size) for size in range(3, 10)], "5/4", 2, 4),
        hypotheses=_UNIFORM
        & Hypothesis("the graph is a ring", lambda case: case["graph"] == Graph.ring(max(3, case["graph"].size))),
        printed=lambda case: (_odd_ring if case["graph"].size % 2 else undoubled)(case["graph"].size, case["ratio"]),
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-databases",
        label="The database itself",
        place="beyond Section 5.2",
        statement=r"The largest chance of naming a uniform database is $(e^\epsilon/(v-1+e^\epsilon))^u$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=cases.sizes,
        printed=lambda case: diagonal(case["u"], case["v"], case["ratio"]),
        computed=lambda case: database_utility(case["u"], case["v"], case["ratio"]),
    ),
    Theorem(
        key="alvim2011:beyond-kernel",
        label="The kernel region",
        place="beyond Section 5.2",
        statement=r"If $K^{-1} 1 \ge 0$ and $K^{-1} \pi \ge 0$, $K_{yz} = e^{-\epsilon d(y,z)}$, the largest utility "
        r"is "
        r"$1^T K^{-1} \pi$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_kernel_cases,
        hypotheses=Hypothesis(r"the distribution lies in the region", _in_region),
        printed=lambda case: kernel(case["graph"], case["ratio"], case.get("distribution")).value,
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-cliques",
        label="Cliques with any distribution",
        place="beyond Section 5.2",
        statement=r"On a clique the largest utility is $\max_k e^\epsilon P_k/(e^\epsilon+k-1)$, $P_k$ the sum of "
        r"the $k$ "
        r"largest chances.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_cliques,
        hypotheses=Hypothesis("the graph is a clique", lambda case: case["graph"] == Graph.clique(case["graph"].size)),
        printed=_largest_share,
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-trees",
        label="Trees",
        place="beyond Section 5.2",
        statement=r"On a tree with at most $1+e^\epsilon$ neighbours everywhere the largest utility for uniform "
        r"answers is "
        r"$1 - \frac{2(|Y|-1)}{|Y|(1+e^\epsilon)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_trees,
        hypotheses=_UNIFORM
        & _TREE
        & Hypothesis(
            r"no vertex has more than $1+e^\epsilon$ neighbours",
            lambda case: _largest_degree(case["graph"]) <= 1 + case["ratio"],
        ),
        printed=lambda case: 1 - 2 * (case["graph"].size - 1) / (case["graph"].size * (1 + case["ratio"])),
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-stars",
        label="Stars",
        place="beyond Section 5.2",
        statement=r"On a star with $m \ge 1+e^\epsilon$ leaves the largest utility is $e^\epsilon/(m+1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_stars,
        hypotheses=Hypothesis(
            r"the star has at least $1+e^\epsilon$ leaves", lambda case: case["leaves"] >= 1 + case["ratio"]
        ),
        printed=lambda case: case["ratio"] / (case["leaves"] + 1),
        computed=_best,
    ),
    Theorem(
        key="alvim2011:beyond-products",
        label="Products of graphs",
        place="beyond Section 5.2",
        statement=r"On a Cartesian product of graphs with uniform answers the largest utilities multiply.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_products,
        printed=lambda case: (
            _exactly(best_utility(case["first"], case["ratio"])) * _exactly(best_utility(case["second"], case["ratio"]))
        ),
        computed=_best,
        beyond=r"Where both factors have $K^{-1} 1 \ge 0$.",
    ),
)
