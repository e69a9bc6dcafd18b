"""Databases with independent rows: claims about the whole that follow from claims about each kind of row.

Fix a row. Averaging over the others and ignoring their answers leaves a mechanism on that row which loses no more
(zhong2022, Lemma 16(1); for mutual information the chain rule adds the rows up, Lemma 16(2)). So if a row of each kind
excludes some loss and distortion, the database excludes the least of the losses (for informations: their sum, if rows
are alike, by convexity) at the sum of the distortions. Mechanisms applied row by row attain it.

Where the uniform law is in a source of any kind, what holds for uniform rows bounds the source from below (zhong2022,
Class I). Under a law that is no product, rows count by shares (zhong2022, Theorem 6(1), line by line): fix all rows but
one; what is left of the law is at least a multiple of the law of the row, and costs are not negative. The joint
probabilities that identifiability compares are, averaged over the other rows and all orders of the values of one,
those of a mechanism under the uniform law, whatever the law was (wang2016, Theorem 1). A mechanism that treats rows one
by one makes neighbours as identifiable as its differential privacy and the ratio of their own probabilities do.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.claims.claim import Attained, Excluded, Mixture, Point, Setting, at_most, mixed
from epstar.claims.members import check_member, check_mixture, check_products
from epstar.claims.symmetry import is_of_order_one
from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.exact.enclosure import times
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.notions.identifiability import most_unlike
from epstar.notions.measure.product import total
from epstar.notions.priors import listed_laws
from epstar.source import Everything, Finite, Prior, Rows, Source
from epstar.universe import Databases


def check_excluded_rows(setting: Setting, claim: Excluded) -> None:
    """Check that a claim about databases follows from those about their rows, which are checked by themselves."""
    _check_databases(setting, sum(count for *_, count in claim.rows))
    numbers = (claim.loss, claim.distortion, claim.open)
    if claim != Excluded(*numbers, rows=claim.rows, uniform=claim.uniform, digits=claim.digits):
        raise ProofRejected("What is excluded follows from the rows, and has no steps of its own.")
    shares = _shares(setting, [(prior, count) for prior, _, count in claim.rows], claim.uniform)
    is_sum = setting.notion.rows_share == "sum"
    if is_sum and len(claim.rows) > 1:
        raise ProofRejected("Losses that add up need rows that are alike.")
    total, exceeded = Real.of(ZERO), False
    for (_, part, count), share in zip(claim.rows, shares, strict=True):
        level = times(part.loss, Rational(count)) if is_sum and not part.loss.is_infinite else part.loss
        if not at_most(claim.loss, level):
            raise ProofRejected("A row excludes a smaller loss than is claimed.")
        if share > 0:
            total = INFINITY if total.is_infinite or part.distortion.is_infinite else total + part.distortion * share
            # Where its loss is open, a row excludes its distortion itself, not only smaller ones.
            exceeded = exceeded or part.open == "loss"
    if exceeded and claim.open == "distortion":
        raise ProofRejected("The claims about the rows must bound their distortions.")
    enough = total >= claim.distortion if exceeded or claim.open == "distortion" else total > claim.distortion
    if not enough:
        raise ProofRejected("The distortions of the rows do not add up to what is claimed.")


def check_attained_rows(setting: Setting, claim: Attained) -> None:
    """Check that a claim about databases follows from those about mechanisms of their rows, checked by themselves."""
    _check_databases(setting, sum(count for *_, count in claim.rows), False)
    if claim != Attained(claim.loss, claim.distortion, None, rows=claim.rows, digits=claim.digits):
        raise ProofRejected("What is attained follows from the rows, and the database has no mechanism of its own.")
    if any(count < 1 for *_, count in claim.rows):
        raise ProofRejected("The claim about a row must be for at least one row.")
    if not joins_rows(setting.notion):
        raise ProofRejected("The loss does not follow from the rows.")
    place, distortion, losses = 0, Real.of(ZERO), list[tuple[Real, int]]()
    for source, part, count in claim.rows:
        if any(source != known for known in _sources(setting, place, count)):
            raise ProofRejected("A row is about another source than that of the database.")
        place += count
        if part.distortion.is_infinite:
            raise ProofRejected("The distortion of a row is infinite.")
        distortion = distortion + part.distortion * count
        losses.append((part.loss, count))
    if distortion > claim.distortion:
        raise ProofRejected("The rows distort more than claimed.")
    if adds_up(setting.notion):
        losses = [(total(losses), 1)]
    if is_tied(setting):
        assert isinstance(setting.universe, Databases)
        unlike = most_unlike(listed_laws(setting.source) or (), setting.universe)
        losses = [(INFINITY if unlike is None else total([(loss, 1), (Real.log(unlike), 1)]), 1) for loss, _ in losses]
    if not all(at_most(loss, claim.loss) for loss, _ in losses):
        raise ProofRejected("The rows lose more than claimed.")


def joins_rows(notion: Notion) -> bool:
    """Return whether the loss of a mechanism that treats rows one by one follows from theirs.

    Over laws that tie rows together each row is read over all of its laws, where identifiability is infinite.
    """
    return adds_up(notion) or notion.rows_share == "level"


def adds_up(notion: Notion) -> bool:
    """Return whether the losses of rows treated one by one add up.

    What compares a row of the mechanism with the law of the output does: under independent rows that law is a product,
    and under any law it is a mean of products, each of which differs by no more than the rows do over all their laws.
    """
    is_largest = isinstance(notion, SibsonMutualInformation) and isinstance(notion.order, float)
    is_compared = isinstance(notion, MaximalInformation | LocalInformationPrivacy | MaximalLeakage)
    return is_largest or is_compared or is_of_order_one(notion)


def _sources(setting: Setting, place: int, count: int) -> Sequence[Source]:
    """Return the sources of some rows in turn, or the one that all share; without any, every distribution."""
    source, universe = setting.source, setting.universe
    if isinstance(source, Rows):
        return source.sources if len(source.sources) == 1 else source.sources[place : place + count]
    assert isinstance(universe, Databases)
    return (Everything(universe.alphabet.size),)


def row_setting(setting: Setting, source: Source, is_attained: bool = True) -> Setting:
    """Return what a claim about one row is about; slacks of what rows attain would not add up, and are left out.

    Raises:
        ProofRejected: if there are no rows.
    """
    if not isinstance(setting.universe, Databases):
        raise ProofRejected("Only databases have rows to claim something about.")
    notion = setting.notion
    if is_attained and isinstance(notion, LocalInformationPrivacy):
        notion = LocalInformationPrivacy()
    elif is_attained and is_tied(setting):
        notion = DifferentialPrivacy()
    return Setting(notion, setting.universe.alphabet, source, setting.distortion)


def is_tied(setting: Setting) -> bool:
    """Return whether joint probabilities are compared under listed laws, which may tie the rows together."""
    return isinstance(setting.notion, Identifiability) and isinstance(setting.source, Prior | Finite)


def shares_rows(notion: Notion) -> bool:
    """Return whether the notion's optimum over independent rows follows from the rows."""
    if isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "pointwise" and notion.delta > 0:
        return False
    return notion.rows_share is not None


def excludes_rows(notion: Notion) -> bool:
    """Return whether what a row excludes, the others being averaged over, is excluded of a database."""
    return shares_rows(notion) or isinstance(notion, LocalInformationPrivacy)


def _check_databases(setting: Setting, rows: int, shared: bool = True) -> None:
    universe = setting.universe
    if setting != Setting(setting.notion, universe, setting.source, setting.distortion):
        raise ProofRejected("With a secret, limits or further guarantees nothing follows from the rows of a database.")
    if not isinstance(universe, Databases) or rows != universe.rows:
        raise ProofRejected("The claims about rows are not as many as the rows of a database.")
    if type(setting.distortion) not in (Hamming, Absolute, Squared) or (shared and not excludes_rows(setting.notion)):
        raise ProofRejected("The notion or the distortion does not add up over rows.")


def _shares(setting: Setting, rows: list[tuple[Prior, int]], mixture: Mixture | None) -> list[Rational]:
    """Return how many rows the claim about each kind of row counts for: all, if rows of these laws are in the source.

    Raises:
        ProofRejected: if nothing follows from such rows.
    """
    counts = [Rational(count) for _, count in rows]
    if any(count < 1 for count in counts):
        raise ProofRejected("The claim about a row must be for at least one row.")
    is_even = isinstance(setting.notion, Identifiability) and type(setting.distortion) is Hamming
    if is_even and all(len(set(prior.probabilities)) == 1 for prior, _ in rows):
        return counts
    if mixture is None:
        _check_product(setting, rows)
        return counts
    check_mixture(mixture, setting.source, setting.notion.needs_source)
    law = mixed(mixture)
    if law == _joint(rows):
        return counts
    if setting.notion.needs_source:
        raise ProofRejected("The distribution is no mixture of these members of the source.")
    assert isinstance(setting.universe, Databases)
    return shares_of_rows(law, setting.universe, rows)


def shares_of_rows(law: Point, databases: Databases, rows: Sequence[tuple[Prior, int]]) -> list[Rational]:
    """Return for rows of each kind the sum of the largest multiples of their law below that of databases, by lines."""
    place, found = 0, list[Rational]()
    for prior, count in rows:
        kept = [(value, p) for value, p in enumerate(prior.probabilities) if p > 0]
        lines = (line for row in range(place, place + count) for line in databases.lines(row))
        found.append(sum((min(law[line[value]] / p for value, p in kept) for line in lines), ZERO))
        place += count
    return found


def _check_product(setting: Setting, rows: list[tuple[Prior, int]]) -> None:
    """Check that rows of known laws, one after the other, follow a law of the source."""
    source, place = setting.source, 0
    if not isinstance(source, Rows | Everything):
        check_member(_joint(rows), source)
        return
    if isinstance(source, Rows) and source.iid and len(source.sources) == 1 and any(p != rows[0][0] for p, _ in rows):
        raise ProofRejected("The rows of the source share one distribution.")
    for prior, count in rows:
        for known in _sources(setting, place, count):
            check_member(prior.probabilities, known)
        place += count


def _joint(rows: list[tuple[Prior, int]]) -> Point:
    """Return the law of rows of known laws, one after the other."""
    laws = [prior for prior, count in rows for _ in range(count)]
    check_products([law.probabilities for law in laws])
    return Rows(laws).joint().probabilities
