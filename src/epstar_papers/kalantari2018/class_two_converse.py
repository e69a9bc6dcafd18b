r"""The converse of Theorem 2 in Section V-E: colours, claims, Lemma 8 and the constraints drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact_linear import LinearSystem, Optimum
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import Colour, colouring, mechanism_from_diagonal
from epstar_papers.kalantari2018.programs import tail, threshold
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Point, Points
from epstar_papers.kalantari2018.truth import diagonal, least_loss, optimal_mechanism
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def optima() -> Iterator[Case]:
    """Yield sets at distortions where something is lost, with the sorted diagonal of an optimum."""
    sets = [*cases.class_two(15, 31), *cases.on_grid(TABLE_I, "0.06", "0.12", "0.2", "0.29")]
    for case in [*sets, *cases.on_grid(TABLE_II, "0.1", "0.3", "0.45", "0.6")]:
        kept = sorted(diagonal(optimal_mechanism(case["points"], case["distortion"])), reverse=True)
        yield {**case, "diagonal": tuple(kept), "used": sum(q > 0 for q in kept)}


def _colours(case: Case) -> tuple[tuple[Colour, ...], ...]:
    used = case["used"]
    return tuple(row[:used] for row in colouring(mechanism_from_diagonal(case["diagonal"])))


def _off_diagonal(row: tuple[Colour, ...], x: int) -> set[Colour]:
    return {colour for y, colour in enumerate(row) if y != x}


def _nonblack(case: Case) -> list[int]:
    return [x for x, row in enumerate(_colours(case)[: case["used"]]) if row[x] is not Colour.BLACK]


def _claim_one(case: Case) -> bool:
    return all(set(row) not in ({Colour.BLACK}, {Colour.RED}) for row in _colours(case))


def _claim_two(case: Case) -> bool:
    return all(len(_off_diagonal(row, x)) == 1 for x, row in enumerate(_colours(case)))


def _claim_three(case: Case) -> bool:
    colours = _colours(case)
    return all(_off_diagonal(colours[x], x) == {Colour.RED} for x in _nonblack(case))


def _claim_four(case: Case) -> bool:
    return len(_nonblack(case)) <= 1


def _claim_five(case: Case) -> bool:
    return all(case["diagonal"][x] == max(case["diagonal"]) for x in _nonblack(case))


def _figure_eight(case: Case) -> bool:
    rows = enumerate(_colours(case))
    off = all(_off_diagonal(row, x) <= {Colour.RED, Colour.WHITE} for x, row in rows)
    return off and _claim_four(case)


def _remark_nine(case: Case) -> bool:
    return all(set(row) == {Colour.WHITE} for row in _colours(case)[case["used"] :])


def _has_critical_pair(case: Case) -> bool:
    return {Colour.BLACK, Colour.RED} <= {colour for row in _colours(case) for colour in row}


def _worst(columns: list[list[Rational]]) -> Rational:
    return max(max(column) / min(column) for column in columns if max(column) > 0)


def _remark_eight(case: Case) -> bool:
    """Whether lowering a black entry (or raising a red one) lowers the loss or takes its colour away."""
    mechanism = mechanism_from_diagonal(case["diagonal"]).dense()
    colours = colouring(mechanism)
    columns = [list(mechanism.column(y)) for y in range(case["used"])]
    worst = _worst(columns)
    for x, row in enumerate(colours):
        for y, colour in enumerate(row[: case["used"]]):
            if colour in (Colour.BLACK, Colour.RED):
                changed = [list(column) for column in columns]
                changed[y][x] *= Rational(9, 10) if colour is Colour.BLACK else Rational(10, 9)
                after = _worst(changed)
                largest, smallest = after * min(changed[y]), max(changed[y]) / after
                still = changed[y][x] == (largest if colour is Colour.BLACK else smallest)
                if after >= worst and still:
                    return False
    return True


def _greatest_floor(points: Points, distortion: Rational) -> Rational:
    """The largest t such that some optimum answers every category truthfully with probability at least t."""
    size = len(points[0])
    ratio = Real.exp(least_loss(points, distortion).upper).rational
    assert ratio is not None, "the least loss is the logarithm of a fraction"
    unit = [[ONE if x == y else ZERO for y in range(size)] for x in range(size)]
    rows = [(*[-p for p in distribution], ZERO) for distribution in points]
    rows += [(*[ONE + (ratio - 1) * u for u in unit[x]], ZERO) for x in range(size)]
    rows += [(*[-u for u in unit[x]], ONE) for x in range(size)]
    bounds = [distortion - 1] * len(points) + [ratio] * size + [ZERO] * size
    optimum = LinearSystem(size + 1, tuple(rows), tuple(bounds)).maximise([ZERO] * size + [ONE])
    assert isinstance(optimum, Optimum), "the diagonals of optimal mechanisms form a bounded set"
    return optimum.value


def _converse_constraint(case: Case, count: int) -> bool:
    """Whether "ratio at least 1" is the same as a bound n-1+(M-n-count) on the sum of the n distortions kept."""
    wrong = case["wrong"]
    kept, size = len(wrong), case["size"]
    at_least_one = (kept - 1 - sum(wrong[1:], ZERO)) / wrong[0] >= 1
    return bool(at_least_one == (sum(wrong, ZERO) <= size - 1 - count))


def _short_vectors() -> Iterator[Case]:
    random = Random(41)
    for _ in range(40):
        kept = random.randint(2, 4)
        wrong = tuple(sorted(Rational(random.randint(1, 20), 20) for _ in range(kept)))
        yield {"wrong": wrong, "size": kept + random.randint(1, 3)}


def _valid_with_budget(case: Case, by_tail: bool) -> bool:
    """Whether the reduced condition on the categories kept says the same as validity of all the distortions."""
    distributions, wrong, distortion = case["points"], case["wrong"], case["distortion"]
    count = len(distributions[0]) - len(wrong)
    full = (*wrong, *[ONE] * count)
    valid = all(dot(distribution, full) <= distortion for distribution in distributions)
    largest = threshold(distributions, count)
    reduced = all(
        dot(distribution[: len(wrong)], wrong) <= distortion - (tail(distribution, count) if by_tail else largest)
        for distribution in distributions
    )
    return valid == reduced


def _truncated() -> Iterator[Case]:
    random = Random(43)
    for case in cases.class_two(30, 43):
        kept = random.randint(2, len(case["points"][0]) - 1)
        share = Rational(random.randint(1, 20), 40)
        yield {**case, "wrong": (share,) * kept}


def formula_32(wrong: Point) -> Real:
    """Return log((n-1 - sum of the other distortions) / D_1)."""
    return Real.log((len(wrong) - 1 - sum(wrong[1:], ZERO)) / wrong[0])


def wrong_answers(case: Case) -> Point:
    """Return the distortions of the categories in use."""
    return tuple(1 - q for q in case["diagonal"][: case["used"]])


def _holds(key: str, label: str, statement: str, check: Callable[[Case], bool]) -> Theorem:
    return Theorem(
        key=f"kalantari2018:{key}",
        label=label,
        place="Section V-E, converse",
        statement=statement,
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=optima,
        printed=check,
    )


THEOREMS = (
    _holds(
        "def-7",
        "After Definition 7",
        r"A mechanism that loses something has a critical pair, so that some entry is black and some is red.",
        _has_critical_pair,
    ),
    _holds(
        "remark-8",
        "Remark 8",
        r"Lowering a black entry, or raising a red one, lowers the loss or takes away the colour.",
        _remark_eight,
    ),
    _holds("claim-1", "Claim 1", r"No row is all black or all red on the columns in use.", _claim_one),
    _holds("claim-2", "Claim 2", r"Off the diagonal a row has one colour on the columns in use.", _claim_two),
    _holds(
        "remark-9",
        "Remark 9",
        r"The rows of categories that are never answered are white on the columns in use.",
        _remark_nine,
    ),
    _holds("claim-3", "Claim 3", r"A diagonal entry that is not black has only red beside it.", _claim_three),
    _holds("claim-4", "Claim 4", r"At most one diagonal entry is not black.", _claim_four),
    _holds(
        "claim-5",
        "Claim 5",
        r"The diagonal entry that is not black, if any, belongs to a smallest distortion (equations (35) to (40)).",
        _claim_five,
    ),
    _holds(
        "fig-8",
        "Figure 8",
        r"Off the diagonal every entry in use is red or white; on it all but one are black.",
        _figure_eight,
    ),
    Theorem(
        key="kalantari2018:lemma-8",
        label="Lemma 8",
        place="Section V-E",
        statement=r"For every $k \le M-1$ the least leakage with exactly $k$ columns of zeros is attained.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.on_grid(TABLE_I, "0.05", "0.08", "0.2", "0.25"),
        printed=lambda case: _greatest_floor(case["points"], case["distortion"]) > 0,
        corrected=lambda case: _greatest_floor(case["points"], case["distortion"]) >= 0,
        counterexample=Counterexample(
            cases.at(cases.SKEWED, "0.3"),
            1.0,
            0.0,
            "k = 0: E tends to 7/2 as q_3 tends to 0, where the column vanishes",
        ),
        correction=r"True with at least $k$ columns of zeros and $k \le M-2$; for $k = M-1$ (32) reads 0/0.",
    ),
    Theorem(
        key="kalantari2018:eq-32",
        label="Equation (32)",
        place="Section V-E",
        statement=r"An optimum with $n$ categories in use leaks $\log\frac{n-1-\sum_{i\ge2} D_i}{D_1}$, where $D_1$ is "
        r"the smallest distortion.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=optima,
        printed=lambda case: formula_32(wrong_answers(case)),
        computed=lambda case: least_loss(case["points"], case["distortion"]),
    ),
    Theorem(
        key="kalantari2018:text-converse-sum",
        label="The second constraint of (10)",
        place="Section V-E, after Claim 5",
        statement=r"That the ratio in (32) is at least 1 means $\sum_{i \le M-k} D_i \le M-1$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_short_vectors,
        printed=lambda case: _converse_constraint(case, 0),
        corrected=lambda case: _converse_constraint(case, case["size"] - len(case["wrong"])),
        counterexample=Counterexample({"wrong": (ONE, ONE), "size": 3}, 1.0, 0.0, "the sum is 2 and the ratio 0"),
        correction=r"The bound is $M-1-k$, as (10) has it.",
    ),
    Theorem(
        key="kalantari2018:text-valid-iff",
        label="The first constraint of (10)",
        place="Section V-E, after Claim 5",
        statement=r"With $k$ columns of zeros, $\{D_i\}$ is $(\mathcal P, D)$-valid exactly if its first $M-k$ entries "
        r"are $(\mathcal P, D - D^{(k)})$-valid.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_truncated,
        printed=lambda case: _valid_with_budget(case, by_tail=False),
        corrected=lambda case: _valid_with_budget(case, by_tail=True),
        counterexample=Counterexample(
            cases.at(cases.TWO_STEPS, "0.4", wrong=(Rational(1, 4), Rational(1, 4))),
            1.0,
            0.0,
            "0.4 and 0.25 are within D, but 0.25 is more than D - D^(1) = 0.2",
        ),
        correction=r"Exactly if $\sum_{i\le M-k} P_i D_i \le D$ less the tail of that same $P$.",
    ),
)
