r"""Appendix, Lemma 1: the relaxed problem R-PD, each step of its proof and three misprints in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact_linear import LinearSystem, Optimum
from epstar.papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar.papers.wang2016 import cases
from epstar.papers.wang2016.claims import claim
from epstar.papers.wang2016.constructions import Database, Point, distance_profile, h, mechanism_d, sphere_size
from epstar.papers.wang2016.truth import distortion_of, relaxed_distortion
from epstar.universe import Databases

PLACE = "Appendix, Lemma 1"
SHAPES = ((2, 1), (3, 1), (5, 1), (2, 2), (3, 2), (2, 3), (3, 3), (2, 4))
RATIOS = (Rational(1), Rational(3, 2), Rational(4))


def _shapes(most: int = 30) -> Iterator[Case]:
    for (letters, rows), ratio in product(SHAPES, RATIOS):
        if letters**rows <= most:
            yield {"letters": letters, "rows": rows, "ratio": ratio}


def _posterior(database: Database, output: int) -> Case:
    """A law read as the posterior of one output, with its profile and the ratio R that it satisfies."""
    pairs = [max(database.prior[x] for x in g) / min(database.prior[x] for x in g) for g in database.groups()]
    return {
        "letters": database.letters,
        "rows": database.rows,
        "ratio": max(pairs),
        "profile": distance_profile(database.prior, database.universe, output),
    }


def _posteriors(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        database = cases.database(random)
        yield _posterior(database, random.randrange(len(database.prior)))
    yield _posterior(cases.UNIFORM_PAIR, 0)


def _spheres(case: Case) -> tuple[int, ...]:
    return tuple(sphere_size(case["letters"], case["rows"], l) for l in range(case["rows"] + 1))


def _weights(case: Case) -> Point:
    """N_l e^(-l eps) for l = 0 to n."""
    return tuple(size / case["ratio"] ** l for l, size in enumerate(_spheres(case)))


def _mean(case: Case) -> Real:
    return Real.of(sum((l * p for l, p in enumerate(case["profile"])), ZERO))


def _total(case: Case) -> Rational:
    """(1 + (m-1) e^-eps)^n."""
    total: Rational = (1 + (case["letters"] - 1) / case["ratio"]) ** case["rows"]
    return total


def _steps(case: Case) -> bool:
    n, m, profile = case["rows"], case["letters"], case["profile"]
    return all((n - l + 1) * (m - 1) * profile[l - 1] <= case["ratio"] * l * profile[l] for l in range(1, n + 1))


def _against_last(case: Case) -> bool:
    n, sizes, profile = case["rows"], _spheres(case), case["profile"]
    factor = case["ratio"]
    return all(profile[l] <= Rational(sizes[l], sizes[n]) * factor ** (n - l) * profile[n] for l in range(n + 1))


def _last_share(case: Case) -> Rational:
    return _weights(case)[-1] / _total(case)


def _moved(case: Case) -> Point:
    """P_l plus its part of a, the mass moved away from distance n, for l = 0 to n."""
    weights = _weights(case)
    moved = case["profile"][-1] - _last_share(case)
    below = sum(weights[:-1], ZERO)
    return tuple(p + moved * w / below for p, w in zip(case["profile"], weights, strict=True))


def _first_bound(case: Case, upto: int) -> Rational:
    moved = _moved(case)
    return sum((l * moved[l] for l in range(upto + 1)), ZERO) + case["rows"] * _last_share(case)


def _is_feasible_below(case: Case) -> bool:
    n, sizes, moved = case["rows"], _spheres(case), _moved(case)
    mass = sum(moved[:n], ZERO) == 1 - _last_share(case)
    slopes = all(moved[l - 1] / sizes[l - 1] <= case["ratio"] * moved[l] / sizes[l] for l in range(1, n))
    return mass and slopes and min(moved[:n]) >= 0


def _shorter(case: Case, length: int) -> tuple[Rational, Point]:
    """Solve the problem over Q_0 ... Q_(length-1) exactly; its mass is what the longer distances leave."""
    sizes, weights = _spheres(case), _weights(case)
    mass = 1 - sum(weights[length:], ZERO) / _total(case)
    rows = tuple(
        tuple(
            Rational(1, sizes[k]) if k == l - 1 else -case["ratio"] / sizes[k] if k == l else ZERO
            for k in range(length)
        )
        for l in range(1, length)
    )
    system = LinearSystem(length, rows, (ZERO,) * len(rows), ((ONE,) * length,), (mass,))
    found = system.maximise([Rational(-l) for l in range(length)])
    assert isinstance(found, Optimum), "the geometric profile is feasible and the set is bounded"
    return -found.value, tuple(found.point)


def _shorter_step(case: Case) -> bool:
    """A.7, the bound on Q*_(n-1) and the step from n to n-1 distances."""
    n, sizes, weights, total = case["rows"], _spheres(case), _weights(case), _total(case)
    value, best = _shorter(case, n)
    ratio = case["ratio"]
    capped = all(best[l] <= Rational(sizes[l], sizes[n - 1]) * ratio ** (n - 1 - l) * best[n - 1] for l in range(n))
    last = best[n - 1] >= weights[n - 1] / total
    return bool(capped and last and value >= _shorter(case, n - 1)[0] + (n - 1) * weights[n - 1] / total)


def _display(case: Case, exponents: Sequence[int]) -> Rational:
    terms = (l * size / case["ratio"] ** exponents[l] for l, size in enumerate(_spheres(case)))
    return sum(terms, ZERO) / _total(case)


def _forward(case: Case) -> range:
    return range(case["rows"] + 1)


def _true_value(case: Case) -> Real:
    return Real.of(relaxed_distortion(case["letters"], case["rows"], case["ratio"]))


def _counts(case: Case) -> bool:
    """Neighbours one step further out and one step further in, and the sizes of the spheres, counted one by one."""
    n, m = case["rows"], case["letters"]
    universe = Databases(m, n)
    away = [int(universe.distance(x, 0).p) for x in range(universe.size)]
    sizes = [away.count(l) for l in range(n + 1)] == list(_spheres(case))
    for x, l in enumerate(away):
        near = [away[v] for v in range(universe.size) if universe.distance(x, v) == 1]
        if (near.count(l + 1), near.count(l - 1)) != ((n - l) * (m - 1), l):
            return False
    return sizes


def _triples() -> Iterator[Case]:
    random = Random(9)
    for letters, rows in ((2, 1), (3, 2), (2, 3)):
        for _ in range(6):
            databases = Databases(letters, rows)
            x, y = random.randrange(databases.size), random.randrange(databases.size)
            near = [v for v in range(databases.size) if databases.distance(x, v) == 1]
            yield {"databases": databases, "x": x, "y": y, "other": random.choice(near)}


def _distances(case: Case) -> tuple[Rational, Rational]:
    databases, x, y, other = case["databases"], case["x"], case["y"], case["other"]
    return databases.distance(x, y), databases.distance(other, y) - databases.distance(other, x)


def _mixtures() -> Iterator[Case]:
    random = Random(10)
    for letters, rows in ((3, 1), (2, 2), (3, 2), (2, 3)):
        for ratio in RATIOS:
            outputs = Database(cases.law(random, letters**rows), letters, rows)
            yield {"letters": letters, "rows": rows, "ratio": ratio, "outputs": outputs}
