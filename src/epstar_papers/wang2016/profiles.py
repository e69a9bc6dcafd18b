r"""Posteriors of one output by distance from it: what the steps in the proof of Lemma 1 compare.

P_l is the probability of being l rows away from the output, N_l the number of databases there, R = e^epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact_linear import LinearSystem, Optimum
from epstar.universe import Databases
from epstar_papers.theorem import Case
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.constructions import Database, Point, distance_profile, sphere_size
from epstar_papers.wang2016.truth import relaxed_distortion

SHAPES = ((2, 1), (3, 1), (5, 1), (2, 2), (3, 2), (2, 3), (3, 3), (2, 4))
RATIOS = (Rational(1), Rational(3, 2), Rational(4))


def shapes(most: int = 30) -> Iterator[Case]:
    """Yield databases of up to `most` tuples with three ratios each."""
    for (categories, rows), ratio in product(SHAPES, RATIOS):
        if categories**rows <= most:
            yield {"categories": categories, "rows": rows, "ratio": ratio}


def posterior(database: Database, output: int) -> Case:
    """A distribution read as the posterior of one output, with its profile and the ratio R that it satisfies."""
    pairs = [max(database.prior[x] for x in g) / min(database.prior[x] for x in g) for g in database.groups()]
    return {
        "categories": database.categories,
        "rows": database.rows,
        "ratio": max(pairs),
        "profile": distance_profile(database.prior, database.universe, output),
    }


def posteriors(count: int, seed: int) -> Iterator[Case]:
    """Yield random posteriors and the uniform one, each with an output."""
    random = Random(seed)
    for _ in range(count):
        database = cases.database(random)
        yield posterior(database, random.randrange(len(database.prior)))
    yield posterior(cases.UNIFORM_PAIR, 0)


def sphere_sizes(case: Case) -> tuple[int, ...]:
    """N_l for l = 0 to n."""
    return tuple(sphere_size(case["categories"], case["rows"], step) for step in range(case["rows"] + 1))


def geometric_weights(case: Case) -> Point:
    """N_l e^(-l eps) for l = 0 to n."""
    return tuple(size / case["ratio"] ** step for step, size in enumerate(sphere_sizes(case)))


def mean_distance(case: Case) -> Real:
    """The distortion sum of l P_l."""
    return Real.of(sum((step * p for step, p in enumerate(case["profile"])), ZERO))


def normaliser(case: Case) -> Rational:
    """(1 + (m-1) e^-eps)^n."""
    total: Rational = (1 + (case["categories"] - 1) / case["ratio"]) ** case["rows"]
    return total


def climbs_slowly(case: Case) -> bool:
    """(A.5): (n-l+1)(m-1) P_(l-1) <= R l P_l at every distance."""
    n, m, profile, ratio = case["rows"], case["categories"], case["profile"], case["ratio"]
    return all((n - k + 1) * (m - 1) * profile[k - 1] <= ratio * k * profile[k] for k in range(1, n + 1))


def against_last(case: Case) -> bool:
    """(A.6): P_l <= (N_l / N_n) R^(n-l) P_n at every distance."""
    n, sizes, profile, ratio = case["rows"], sphere_sizes(case), case["profile"], case["ratio"]
    return all(profile[k] <= Rational(sizes[k], sizes[n]) * ratio ** (n - k) * profile[n] for k in range(n + 1))


def last_share(case: Case) -> Rational:
    """The least possible P_n: N_n e^(-n eps) / (1 + (m-1) e^-eps)^n."""
    return geometric_weights(case)[-1] / normaliser(case)


def moved_profile(case: Case) -> Point:
    """P_l plus its part of a, the mass moved away from distance n, for l = 0 to n."""
    weights = geometric_weights(case)
    moved = case["profile"][-1] - last_share(case)
    below = sum(weights[:-1], ZERO)
    return tuple(p + moved * w / below for p, w in zip(case["profile"], weights, strict=True))


def first_bound(case: Case, upto: int) -> Rational:
    """The right side of the first bound on sum l P_l, summed up to the distance `upto`."""
    moved = moved_profile(case)
    rows: int = case["rows"]
    return sum((step * moved[step] for step in range(upto + 1)), ZERO) + rows * last_share(case)


def is_feasible_below(case: Case) -> bool:
    """Whether the moved profile at distances below n meets the constraints of the problem over Q."""
    n, sizes, moved = case["rows"], sphere_sizes(case), moved_profile(case)
    mass = sum(moved[:n], ZERO) == 1 - last_share(case)
    slopes = all(moved[k - 1] / sizes[k - 1] <= case["ratio"] * moved[k] / sizes[k] for k in range(1, n))
    return mass and slopes and min(moved[:n]) >= 0


def shorter_problem(case: Case, length: int) -> tuple[Rational, Point]:
    """Solve the problem over Q_0 ... Q_(length-1) exactly; its mass is what the longer distances leave."""
    sizes, weights = sphere_sizes(case), geometric_weights(case)
    mass = 1 - sum(weights[length:], ZERO) / normaliser(case)
    rows = tuple(
        tuple(
            Rational(1, sizes[k]) if k == step - 1 else -case["ratio"] / sizes[k] if k == step else ZERO
            for k in range(length)
        )
        for step in range(1, length)
    )
    system = LinearSystem(length, rows, (ZERO,) * len(rows), ((ONE,) * length,), (mass,))
    found = system.maximise([Rational(-step) for step in range(length)])
    assert isinstance(found, Optimum), "the geometric profile is feasible and the set is bounded"
    return -found.value, tuple(found.point)


def shorter_step_holds(case: Case) -> bool:
    """A.7, the bound on Q*_(n-1) and the step from n to n-1 distances."""
    n, sizes, weights, total = case["rows"], sphere_sizes(case), geometric_weights(case), normaliser(case)
    value, best = shorter_problem(case, n)
    ratio, top = case["ratio"], n - 1
    capped = all(best[k] <= Rational(sizes[k], sizes[top]) * ratio ** (top - k) * best[top] for k in range(n))
    last = best[n - 1] >= weights[n - 1] / total
    return bool(capped and last and value >= shorter_problem(case, n - 1)[0] + (n - 1) * weights[n - 1] / total)


def last_display(case: Case, falling: bool) -> Rational:
    """The sum over l of l N_l e^(-l eps), or of l N_l e^(-(n-l) eps) unless `falling`, over (1 + (m-1) e^-eps)^n."""
    n, sizes = case["rows"], sphere_sizes(case)
    terms = (k * size / case["ratio"] ** (k if falling else n - k) for k, size in enumerate(sizes))
    return sum(terms, ZERO) / normaliser(case)


def relaxed_value(case: Case) -> Real:
    """The value of R-PD by its exact linear program."""
    return Real.of(relaxed_distortion(case["categories"], case["rows"], case["ratio"]))


def neighbours_are_counted(case: Case) -> bool:
    """Neighbours one step further out and one step further in, and the sizes of the spheres, counted one by one."""
    n, m = case["rows"], case["categories"]
    universe = Databases(m, n)
    away = [int(universe.distance(x, 0).p) for x in range(universe.size)]
    sizes = [away.count(step) for step in range(n + 1)] == list(sphere_sizes(case))
    for x, step in enumerate(away):
        near = [away[v] for v in range(universe.size) if universe.distance(x, v) == 1]
        if (near.count(step + 1), near.count(step - 1)) != ((n - step) * (m - 1), step):
            return False
    return sizes


def neighbour_triples() -> Iterator[Case]:
    """Yield databases x and y with a neighbour of x."""
    random = Random(9)
    for categories, rows in ((2, 1), (3, 2), (2, 3)):
        for _ in range(6):
            databases = Databases(categories, rows)
            x, y = random.randrange(databases.size), random.randrange(databases.size)
            near = [v for v in range(databases.size) if databases.distance(x, v) == 1]
            yield {"databases": databases, "x": x, "y": y, "other": random.choice(near)}


def triangle_sides(case: Case) -> tuple[Rational, Rational]:
    """d(x, y), and d(x', y) - d(x', x)."""
    databases, x, y, other = case["databases"], case["x"], case["y"], case["other"]
    return databases.distance(x, y), databases.distance(other, y) - databases.distance(other, x)


def output_distributions() -> Iterator[Case]:
    """Yield output distributions for the posteriors (20)."""
    random = Random(10)
    for categories, rows in ((3, 1), (2, 2), (3, 2), (2, 3)):
        for ratio in RATIOS:
            outputs = Database(cases.distribution(random, categories**rows), categories, rows)
            yield {"categories": categories, "rows": rows, "ratio": ratio, "outputs": outputs}
