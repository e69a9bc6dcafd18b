r"""The proof of Theorem 2 in Section V-E: colours, claims, and the mechanism that attains the bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact_linear import LinearSystem, Optimum
from epstar.mechanism import AnyMechanism
from epstar.papers.kalantari2018 import cases
from epstar.papers.kalantari2018.constructions import Colour, colouring, mechanism_48, mechanism_from_diagonal
from epstar.papers.kalantari2018.programs import symmetric_loss, tail, threshold
from epstar.papers.kalantari2018.tables import TABLE_I, TABLE_II, Point, Points
from epstar.papers.kalantari2018.truth import diagonal, dp_loss, hull, least_loss, optimal_mechanism
from epstar.papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _optima() -> Iterator[Case]:
    """Sets at distortions where something is lost, with the sorted diagonal of an optimum."""
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
    """The largest t such that some optimum answers every letter truthfully with probability at least t."""
    size = len(points[0])
    ratio = Real.exp(least_loss(points, distortion).upper).rational
    assert ratio is not None, "the least loss is the logarithm of a fraction"
    unit = [[ONE if x == y else ZERO for y in range(size)] for x in range(size)]
    rows = [(*[-p for p in law], ZERO) for law in points]
    rows += [(*[ONE + (ratio - 1) * u for u in unit[x]], ZERO) for x in range(size)]
    rows += [(*[-u for u in unit[x]], ONE) for x in range(size)]
    bounds = [distortion - 1] * len(points) + [ratio] * size + [ZERO] * size
    optimum = LinearSystem(size + 1, tuple(rows), tuple(bounds)).maximise([ZERO] * size + [ONE])
    assert isinstance(optimum, Optimum), "the diagonals of optimal mechanisms form a bounded set"
    return optimum.value


def _formula_32(wrong: Point) -> Real:
    return Real.log((len(wrong) - 1 - sum(wrong[1:], ZERO)) / wrong[0])


def _wrong(case: Case) -> Point:
    return tuple(1 - q for q in case["diagonal"][: case["used"]])


def _is_optimal(mechanism: AnyMechanism, case: Case) -> bool:
    valid = mechanism.distortion(Hamming(), hull(case["points"])).value <= case["distortion"]
    return valid and dp_loss(mechanism) <= least_loss(case["points"], case["distortion"]).upper


def _printed_48_is_stochastic(case: Case) -> bool:
    """Whether the rows of (48) sum to 1 when the off-diagonal case covers only letters before the last one kept."""
    wrong = _wrong(case)
    last = len(wrong) - 1
    total = sum((ONE - d for d in wrong), ZERO)
    for i, d in enumerate(wrong):
        others = total - (ONE - d)
        row = [d * (ONE - e) / others for j, e in enumerate(wrong) if j != i and max(i, j) < last]
        if ONE - d + sum(row, ZERO) != 1:
            return False
    return True


def _coefficients(wrong: Point) -> list[Rational]:
    total = sum(wrong, ZERO)
    return [(len(wrong) - 1 - (total - d)) / d for d in wrong]


def _column_ratios(case: Case) -> set[Rational]:
    wrong = _wrong(case)
    mechanism = mechanism_48(wrong, len(wrong))
    columns = [mechanism.column(y) for y in range(len(wrong))]
    return {a / b for column in columns for x, a in enumerate(column) for z, b in enumerate(column) if x != z}


def _ratios_with_quotients(case: Case) -> bool:
    own = _coefficients(_wrong(case))
    allowed = {*own, *(1 / c for c in own), *(c / d for c in own for d in own)}
    ratios = _column_ratios(case)
    return ratios <= allowed and max(ratios) == own[0]


def _vectors(count: int, seed: int) -> Iterator[Case]:
    """Sorted distortions of n letters with enough truth for a mechanism, and a decreasing law."""
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 5)
        least = [Rational(random.randint(1, 19), 20) for _ in range(size)]
        wrong = tuple(sorted(d * (size - 1) / size for d in least))
        law = cases.sorted_law(random, size, 1)
        distortion = (size - 1) * law[-1] * Rational(random.randint(1, 10), 10)
        kept = tuple(1 - d for d in wrong)
        yield {"law": law, "distortion": distortion, "diagonal": kept, "used": size, "number": number}


def _mixture_45(case: Case) -> Rational:
    wrong, distortion = _wrong(case), case["distortion"]
    rest = sum(wrong[1:], ZERO) * distortion / (len(wrong) - 1)
    return (1 - distortion) * wrong[0] + rest


def _equivalence_44(case: Case) -> bool:
    wrong, distortion = _wrong(case), case["distortion"]
    size = len(wrong)
    smaller = (size - 1 - sum(wrong[1:], ZERO)) / wrong[0] < (size - 1) * (1 - distortion) / distortion
    return smaller == (_mixture_45(case) > distortion)


def _lemma_nine(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        size = random.randint(2, 6)
        first = [Rational(random.randint(0, 6), 20) for _ in range(size)]
        moved = [ZERO, *(a * Rational(random.randint(0, 4), 4) for a in first[1:])]
        weights = sorted(Rational(random.randint(0, 20), 20) for _ in range(size))
        second = [first[0] + sum(moved, ZERO), *(a - m for a, m in zip(first[1:], moved[1:], strict=True))]
        yield {"first": first, "second": second, "weights": weights}


def _converse_constraint(case: Case, count: int) -> bool:
    """Whether "ratio at least 1" is the same as a bound n-1+(M-n-count) on the sum of the n distortions kept."""
    wrong = case["wrong"]
    kept, size = len(wrong), case["size"]
    at_least_one = (kept - 1 - sum(wrong[1:], ZERO)) / wrong[0] >= 1
    return at_least_one == (sum(wrong, ZERO) <= size - 1 - count)


def _short_vectors() -> Iterator[Case]:
    random = Random(41)
    for _ in range(40):
        kept = random.randint(2, 4)
        wrong = tuple(sorted(Rational(random.randint(1, 20), 20) for _ in range(kept)))
        yield {"wrong": wrong, "size": kept + random.randint(1, 3)}


def _valid_with_budget(case: Case, by_tail: bool) -> bool:
    """Whether the reduced condition on the letters kept says the same as validity of all the distortions."""
    laws, wrong, distortion = case["points"], case["wrong"], case["distortion"]
    count = len(laws[0]) - len(wrong)
    full = (*wrong, *[ONE] * count)
    valid = all(dot(law, full) <= distortion for law in laws)
    largest = threshold(laws, count)
    reduced = all(
        dot(law[: len(wrong)], wrong) <= distortion - (tail(law, count) if by_tail else largest) for law in laws
    )
    return valid == reduced


def _truncated() -> Iterator[Case]:
    random = Random(43)
    for case in cases.class_two(30, 43):
        kept = random.randint(2, len(case["points"][0]) - 1)
        share = Rational(random.randint(1, 20), 40)
        yield {**case, "wrong": (share,) * kept}


_TRIO = {"diagonal": (Rational(7, 10), Rational(1, 2), Rational(1, 5)), "used": 3}


def _holds(key: str, label: str, statement: str, check: Callable[[Case], bool]) -> Theorem:
    return Theorem(
        key=f"kalantari2018:{key}",
        label=label,
        place="Section V-E, converse",
        statement=statement,
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_optima,
        printed=check,
    )
