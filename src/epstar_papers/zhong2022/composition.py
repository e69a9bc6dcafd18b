r"""Section IV-D, Lemma 16: rows that are independent and treated alike."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.exact import ZERO, Interval, Real, rational
from epstar.mechanism import Mechanism, ProductMechanism
from epstar.notions import Notion
from epstar.source import Prior, Rows
from epstar.universe import Databases
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.distributions import Point, Setting, points, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    EVENTS,
    INFORMATION_RATIO,
    LEAKAGE,
    RENYI,
    SHANNON,
    SIBSON,
    at_most,
    distortion,
    independent_rows,
    least_loss,
    loss,
    optimal_mechanism,
    same,
)


def rows_at(distribution: Point, wrong: object, rows: int = 2, **more: object) -> Case:
    """Return the question about databases of independent rows with one distribution, D being for the whole database."""
    return {"distribution": distribution, "setting": Setting(len(distribution), rows, rational(wrong)), **more}


def all_mechanisms(notion: Notion, case: Case) -> Interval:
    """Return the least loss over all mechanisms on databases, found without using that rows are independent."""
    setting: Setting = case["setting"]
    return least_loss(
        notion, independent_rows((case["distribution"],), setting.rows), setting.distortion, setting.rows, "program"
    )


def one_row(notion: Notion, case: Case) -> Interval:
    """Return the least loss of one row at its share D/n of the distortion."""
    setting: Setting = case["setting"]
    return least_loss(notion, Prior(case["distribution"]), setting.distortion / setting.rows)


def times(interval: Interval, factor: int) -> Interval:
    """Return a multiple of an enclosed number."""
    return Interval(interval.lower * factor, interval.upper * factor)


def _rows_times_one(notion: Notion, case: Case) -> Interval:
    setting: Setting = case["setting"]
    return times(one_row(notion, case), setting.rows)


def _some() -> Iterator[Case]:
    yield rows_at(uniform(2), "1/2")
    yield rows_at(points("0.7 0.3")[0], "3/10")
    yield rows_at(points("0.6 0.4")[0], "0.62")


def _products() -> Iterator[Case]:
    """Random mechanisms on one row with a distribution, to be applied to two or three rows."""
    random = Random(121)
    for number in range(10):
        size = random.randint(2, 3)
        rows = 3 if size == 2 and number % 2 else 2
        yield {
            "mechanism": cases.mechanism(random, size),
            "distribution": cases.distribution(random, size),
            "rows": rows,
        }


def _dense_product(case: Case) -> Mechanism:
    return ProductMechanism(case["mechanism"], case["rows"]).dense()


def _loss_of_product(notion: Notion, case: Case) -> Interval:
    """The loss of the same mechanism on every row, from the whole matrix."""
    return loss(notion, _dense_product(case), Rows(Prior(case["distribution"]), case["rows"]).joint())


def _loss_of_factor(notion: Notion, case: Case) -> Interval:
    return loss(notion, case["mechanism"], Prior(case["distribution"]))


def _expected_distance(case: Case) -> Real:
    databases = Databases(case["mechanism"].shape[0], case["rows"])
    mechanism, joint = _dense_product(case), Rows(Prior(case["distribution"]), case["rows"]).joint().probabilities
    total = sum(
        (p * mechanism.entry(x, y) * databases.distance(x, y) for x, p in enumerate(joint) for y in range(len(joint))),
        ZERO,
    )
    return Real.of(total)


def _unequal_rows(case: Case) -> bool:
    """Whether two rows treated differently, the first truthfully, leak less than n times one row at D/n."""
    setting: Setting = case["setting"]
    distribution = case["distribution"]
    second = least_loss(LEAKAGE, Prior(distribution), setting.distortion)
    truth = loss(
        LEAKAGE, Mechanism([[int(x == y) for y in range(len(distribution))] for x in range(len(distribution))])
    )
    return second.upper + truth.upper >= _rows_times_one(LEAKAGE, case).lower


def _rows_alike_add_up(case: Case) -> bool:
    """Whether the best mechanism of one row, applied to all rows, leaks n times as much."""
    setting: Setting = case["setting"]
    best = optimal_mechanism(LEAKAGE, Prior(case["distribution"]), setting.distortion / setting.rows)
    whole = loss(LEAKAGE, ProductMechanism(best, setting.rows).dense())
    return same(whole, _rows_times_one(LEAKAGE, case))


def _additive(key: str, notion: Notion, name: str) -> Theorem:
    return Theorem(
        key=f"zhong2022:lemma-16-2-{key}-products",
        label=f"Lemma 16(2), {name}, products",
        place="Section IV-D",
        statement=rf"Applying one mechanism to each of $n$ independent rows multiplies the {name} by $n$, so that over "
        r"such mechanisms $\hat\epsilon^*(P, D) = n\epsilon^*(P, D/n)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_products,
        printed=lambda case: times(_loss_of_factor(notion, case), case["rows"]),
        computed=lambda case: _loss_of_product(notion, case),
    )


def _not_for_all(key: str, notion: Notion, name: str, counterexample: Counterexample, beyond: str = "") -> Theorem:
    return Theorem(
        key=f"zhong2022:lemma-16-2-{key}",
        label=f"Lemma 16(2), {name}, all mechanisms",
        place="Section IV-D",
        statement=rf"Over all mechanisms on databases the least {name} is $n\epsilon^*(P, D/n)$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_some,
        printed=lambda case: _rows_times_one(notion, case),
        corrected=lambda case: at_most(_rows_times_one(notion, case).upper),
        computed=lambda case: all_mechanisms(notion, case),
        counterexample=counterexample,
        correction=r"True over mechanisms that treat every row alike and by itself; in general only an upper bound.",
        beyond=beyond,
    )


THEOREMS = (
    Theorem(
        key="zhong2022:text-product-distortion",
        label="Before Lemma 16",
        place="Section IV-D",
        statement=r"One mechanism applied to $n$ independent rows has $n$ times the distortion of one row.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_products,
        printed=lambda case: Real.of(case["rows"] * distortion(case["mechanism"], Prior(case["distribution"]))),
        computed=_expected_distance,
    ),
    Theorem(
        key="zhong2022:lemma-16-1-dp",
        label="Lemma 16(1), differential privacy",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{DP}(P, D) = \epsilon^*_{DP}(P, D/n)$ for independent rows.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [*_some(), rows_at(points("0.7 0.3")[0], "0.45", 3)],
        hypotheses=cases.DISTRIBUTION_OF_A_ROW,
        printed=lambda case: one_row(DIFFERENTIAL, case),
        computed=lambda case: all_mechanisms(DIFFERENTIAL, case),
        beyond="Over all mechanisms, not only products; also for event-wise approximate differential privacy.",
    ),
    Theorem(
        key="zhong2022:lemma-16-1-renyi",
        label="Lemma 16(1), Rényi differential privacy",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, DP}(P, D) = \epsilon^*_{\alpha, DP}(P, D/n)$ for independent rows.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_some,
        hypotheses=cases.DISTRIBUTION_OF_A_ROW,
        printed=lambda case: one_row(RENYI, case),
        computed=lambda case: all_mechanisms(RENYI, case),
        beyond="Over all mechanisms, not only products.",
    ),
    Theorem(
        key="zhong2022:lemma-16-1-proof",
        label="Lemma 16, proof for Rényi and differential privacy",
        place="Section IV-D",
        statement=r"One mechanism applied to each row loses on databases what it loses on one row.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({**case, "notion": notion} for case in _products() for notion in (DIFFERENTIAL, RENYI, EVENTS)),
        printed=lambda case: _loss_of_factor(case["notion"], case),
        computed=lambda case: _loss_of_product(case["notion"], case),
        beyond="Event-wise approximate differential privacy behaves in the same way.",
    ),
    _additive("information", SHANNON, "mutual information"),
    Theorem(
        key="zhong2022:lemma-16-2-information",
        label="Lemma 16(2), mutual information",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_M(P, D) = n\epsilon^*_M(P, D/n)$ for independent rows.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_some,
        hypotheses=cases.DISTRIBUTION_OF_A_ROW,
        printed=lambda case: _rows_times_one(SHANNON, case),
        computed=lambda case: all_mechanisms(SHANNON, case),
        beyond="Over all mechanisms, not only products.",
    ),
    _additive("maximal-information", INFORMATION_RATIO, "maximal information"),
    _not_for_all(
        "maximal-information",
        INFORMATION_RATIO,
        "maximal information",
        Counterexample(rows_at(points("0.7 0.3")[0], "3/10"), 1.59701539, 1.02165125, "n = 2"),
    ),
    _additive("leakage", LEAKAGE, "maximal leakage"),
    _not_for_all(
        "leakage",
        LEAKAGE,
        "maximal leakage",
        Counterexample(rows_at(uniform(2), "1/2"), 0.81093022, 0.69314718, "n = 2: log 9/4 is claimed, log 2 is true"),
        r"False even for rows treated differently: one row truthfully and the other evenly leaks $\log 2$.",
    ),
    _additive("sibson", SIBSON, "Sibson mutual information"),
    _not_for_all(
        "sibson",
        SIBSON,
        "Sibson mutual information",
        Counterexample(rows_at(points("0.7 0.3")[0], "3/10"), 0.57363721, 0.54694528, "n = 2 and order 2"),
    ),
    Theorem(
        key="zhong2022:lemma-16-2-unequal",
        label="Lemma 16(2), maximal leakage, rows treated differently",
        place="Section IV-D",
        statement=r"Among mechanisms that treat rows independently no split of the distortion leaks less than "
        r"$n\epsilon^*_{ML}(P, D/n)$.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_some,
        printed=_unequal_rows,
        corrected=_rows_alike_add_up,
        counterexample=Counterexample(
            rows_at(uniform(2), "1/2"), 1.0, 0.0, "distortions 0 and 1/2 leak log 2, 1/4 and 1/4 leak log 9/4"
        ),
        correction=r"All rows must be treated alike.",
    ),
)
