"""Normal noise with a covariance matrix: its losses, its calibration, and the information of a normal input.

Noise of covariance K tells two inputs apart by the length of their difference in its own units, the root of d K^-1 d
(Mahalanobis): every notion of pairs of inputs then is that of noise in one dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Number, Rational, RationalMatrix, Real
from epstar.gaussian.calibrate import calibrate
from epstar.gaussian.losses import GaussianLoss, gaussian_loss
from epstar.gaussian.mechanism import Gaussian
from epstar.notions import Notion
from epstar.probability_vectors import Table, table

Rows = tuple[tuple[Rational, ...], ...]


@dataclass(frozen=True, init=False)
class CovariantGaussian:
    """x -> x + N(0, K) on vectors, for neighbours that differ by one of some vectors, or less of it.

    `covariance` is K, a symmetric positive definite matrix; `differences` are the vectors.

    >>> noise = CovariantGaussian([[2, 1], [1, 2]], [[1, 0], [1, -1]])
    >>> str(noise.squared_distance)
    '2'
    """

    covariance: Rows
    differences: Rows

    def __init__(self, covariance: Table, differences: Table) -> None:
        matrix = _positive(covariance, "The covariance of the noise")
        vectors = table(differences, "The differences of neighbours")
        if len(vectors[0]) != len(matrix):
            raise InvalidInput(
                f"The noise has {len(matrix)} dimensions and a difference {len(vectors[0])}; make them agree."
            )
        object.__setattr__(self, "covariance", matrix)
        object.__setattr__(self, "differences", vectors)

    @cached_property
    def squared_distance(self) -> Rational:
        """The largest d K^-1 d: the squared distance of two neighbours, in units of the noise."""
        size = len(self.covariance)
        inverse = _matrix(self.covariance).inv()
        lengths = []
        for vector in self.differences:
            column = inverse * RationalMatrix(size, 1, list(vector))
            lengths.append(sum((vector[i] * column[i, 0] for i in range(size)), ZERO))
        return max(lengths)

    @property
    def in_one_dimension(self) -> Gaussian:
        """Noise in one dimension that tells neighbours apart exactly as well.

        Raises:
            InvalidInput: if all differences are zero, so that there is nothing to hide.
        """
        if self.squared_distance == 0:
            raise InvalidInput("All differences are zero, so that neighbours are the same; give one that is not.")
        return Gaussian(variance=1 / self.squared_distance, sensitivity=1)

    def loss(self, notion: Notion) -> GaussianLoss:
        """Return the loss between neighbours, for notions that compare pairs of inputs.

        >>> from epstar.notions import RenyiDifferentialPrivacy
        >>> noise = CovariantGaussian([[2, 1], [1, 2]], [[1, 0], [1, -1]])
        >>> str(noise.loss(RenyiDifferentialPrivacy(3)).upper)
        '3'
        """
        return gaussian_loss(self.in_one_dimension, notion)

    def calibrated(self, notion: Notion, level: Number) -> CovariantGaussian:
        """Return noise of the same shape that keeps a level, with hardly more of it than is needed.

        >>> from epstar.notions import ConcentratedDifferentialPrivacy
        >>> noise = CovariantGaussian([[2, 1], [1, 2]], [[1, 0], [1, -1]])
        >>> kept = noise.calibrated(ConcentratedDifferentialPrivacy(), 4)
        >>> round(float(kept.covariance[0][0].p) / float(kept.covariance[0][0].q), 9)
        0.5
        """
        found = calibrate(notion, level, sensitivity=1).gaussian.variance * self.squared_distance
        scaled = [[found * entry for entry in row] for row in self.covariance]
        return CovariantGaussian(scaled, self.differences)

    def information(self, inputs: Table) -> Real:
        """Return the mutual information with a normal input of some covariance, half of log det(I + K^-1 K_X).

        Source: ngo2024, equation (14), in nats.

        >>> print(CovariantGaussian([[1, 0], [0, 1]], [[1, 0]]).information([[3, 0], [0, 0]]))
        0.69314718055994530942
        """
        given = table(inputs, "The covariance of the input")
        if len(given) != len(self.covariance) or any(len(row) != len(given) for row in given):
            raise InvalidInput("The covariances of noise and input have different sizes; make them agree.")
        if any(given[i][j] != given[j][i] for i in range(len(given)) for j in range(i)):
            raise InvalidInput("The covariance of the input is not symmetric; make it so.")
        if not _is_semidefinite(given):
            raise InvalidInput("The covariance of the input has a negative direction; give one without.")
        both = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(self.covariance, given, strict=True)]
        return Real.log(_matrix(both).det() / _matrix(self.covariance).det()) / 2


def _matrix(rows: Sequence[Sequence[Rational]]) -> RationalMatrix:
    return RationalMatrix(len(rows), len(rows[0]), [entry for row in rows for entry in row])


def _positive(given: object, what: str) -> Rows:
    rows = table(given, what)
    size = len(rows)
    if any(len(row) != size for row in rows) or any(rows[i][j] != rows[j][i] for i in range(size) for j in range(i)):
        raise InvalidInput(f"{what} is not a symmetric square matrix; give one.")
    if any(_matrix([row[:k] for row in rows[:k]]).det() <= 0 for k in range(1, size + 1)):
        raise InvalidInput(f"{what} is not positive definite; raise its diagonal.")
    return rows


def _is_semidefinite(rows: Rows) -> bool:
    """Return whether no direction of a symmetric matrix is negative: by elimination, row by row.

    Where a variance is zero, so are its covariances.
    """
    rest = [list(row) for row in rows]
    while rest:
        pivot, *row = rest.pop(0)
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        shares = [entry / pivot for entry in row] if pivot != 0 else row
        rest = [
            [c - s * entry for c, entry in zip(line[1:], row, strict=True)]
            for s, line in zip(shares, rest, strict=True)
        ]
    return True
