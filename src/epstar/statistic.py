"""The error of a statistic as distortion: what is wanted is not each answer but what many of them tell.

With the columns c_y of a mechanism, an input distribution p and the information matrix

    J = sum over y of c_y c_y^T / (p . c_y),

the efficient unbiased estimate of p from n independent rows has the covariance (J^-1 - p p^T) / n. A statistic is a
weighted sum of squared errors of linear forms of p, so that its expected error is (tr W J^-1 - p^T W p) / n with
W = sum over k of w_k l_k l_k^T (Pukelsheim, Optimal Design of Experiments, chapter 6: the A-criterion).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import whole_number
from epstar.distortion import Distortion, ExactMatrix
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact.common_denominator import Scaled
from epstar.exact.vectors import sum_of
from epstar.probability_vectors import Numbers, Table, table, vector
from epstar.universe import Universe

Vector = tuple[Rational, ...]


@dataclass(frozen=True, init=False)
class Statistic(Distortion):
    """The expected squared error of estimated frequencies, or of linear forms of them, from `rows` rows.

    Build one with `Statistic.frequencies`, `Statistic.mean`, `Statistic.difference` or `Statistic.contrasts`.

    >>> from epstar import Everything, Frontier
    >>> answer = Frontier("dp", Everything(4), Statistic.frequencies(rows=1000)).distortion_at(1)
    >>> round(float(answer.interval.upper), 6)
    0.008306
    """

    rows: int
    weights: Vector | None
    forms: tuple[Vector, ...] | None

    def __init__(self, rows: int, weights: Numbers | None = None, forms: Table | None = None) -> None:
        read = None if weights is None else vector(weights, "The weights")
        lines = None if forms is None else table(forms, "The table of contrasts")
        if read is not None and min(read) < ZERO:
            raise InvalidInput("A weight of a squared error is negative; weights are at least 0.")
        if read is not None and lines is not None and len(read) != len(lines):
            raise InvalidInput(f"There are {len(lines)} contrasts and {len(read)} weights; give one weight for each.")
        if read is not None and max(read) == ZERO:
            raise InvalidInput("All weights are 0, so that no error counts; give one that is positive.")
        if lines is not None and all(len(set(line)) == 1 for line in lines):
            raise InvalidInput("A contrast that weighs all categories alike is known beforehand; give another.")
        object.__setattr__(self, "rows", whole_number(rows, "The number of rows", 1))
        object.__setattr__(self, "weights", read)
        object.__setattr__(self, "forms", lines)

    @classmethod
    def frequencies(cls, rows: int, weights: Numbers | None = None) -> Statistic:
        """Return the squared errors of the frequencies of all categories, added up with weights (all 1 unless given).

        >>> Statistic.frequencies(rows=1000).rows
        1000
        """
        return cls(rows, weights)

    @classmethod
    def mean(cls, values: Numbers, rows: int) -> Statistic:
        """Return the squared error of the mean of a column whose categories have these values."""
        return cls(rows, None, [vector(values, "The values of the categories")])

    @classmethod
    def difference(cls, first: Sequence[int], second: Sequence[int], size: int, rows: int) -> Statistic:
        """Return the squared error of the difference between the shares of two groups of categories, by position.

        >>> Statistic.difference([0, 1], [3], 4, rows=100).forms
        ((1, 1, 0, -1),)
        """
        whole_number(size, "The number of categories", 2)
        line = [ZERO] * size
        for group, sign in ((first, ONE), (second, -ONE)):
            for place in group:
                if not 0 <= whole_number(place, "A position of a category", 0) < size:
                    raise InvalidInput(f"Category {place} does not exist; positions run from 0 to {size - 1}.")
                line[place] += sign
        return cls(rows, None, [line])

    @classmethod
    def contrasts(cls, forms: Table, rows: int, weights: Numbers | None = None) -> Statistic:
        """Return the squared errors of several linear forms of the frequencies, one a row of `forms`, added up."""
        return cls(rows, weights, forms)

    @property
    def is_plain(self) -> bool:
        """Whether the errors of all categories count alike."""
        return self.forms is None and (self.weights is None or len(set(self.weights)) == 1)

    def check_size(self, size: int) -> None:
        """Raise unless the statistic is about so many categories.

        Raises:
            InvalidInput: if it is about another number.
        """
        given = size if self.weights is None else len(self.weights)
        if self.forms is not None:
            given = len(self.forms[0])
        if given != size:
            raise InvalidInput(f"The statistic is about {given} categories and there are {size}; make them agree.")

    def lines(self, size: int) -> tuple[Vector, ...]:
        """Return the linear forms, one for each squared error."""
        self.check_size(size)
        if self.forms is not None:
            return self.forms
        return tuple(tuple(ONE if x == k else ZERO for x in range(size)) for k in range(size))

    def weighed(self, size: int) -> Vector:
        """Return the weight of each squared error."""
        self.check_size(size)
        if self.weights is not None:
            return self.weights
        return (ONE,) * (size if self.forms is None else len(self.forms))

    def square(self, law: Sequence[Rational]) -> Rational:
        """Return p^T W p: the part of the error that is known beforehand."""
        return sum_of(
            [weight * mean * mean for weight, mean in zip(self.weighed(len(law)), self._means(law), strict=True)]
        )

    def _means(self, law: Sequence[Rational]) -> Sequence[Rational]:
        return law if self.forms is None else [dot(line, law) for line in self.forms]

    def sampling_error(self, law: Sequence[Rational]) -> Rational:
        """Return the error that remains without any protection: that of `rows` independent rows of this distribution.

        >>> str(Statistic.frequencies(rows=10).sampling_error((Rational(1, 2), Rational(1, 2))))
        '1/20'
        """
        weights = self.weighed(len(law))
        if self.forms is None:
            seen = dot(weights, law)
        else:
            squares = [
                sum_of([share * entry**2 for share, entry in zip(law, line, strict=True)]) for line in self.forms
            ]
            seen = dot(weights, squares)
        return (seen - self.square(law)) / self.rows

    def matrix(self, universe: Universe) -> ExactMatrix:
        self._refuse(universe)

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        self._refuse(universe)

    def scaled(self, universe: Universe) -> Scaled | None:
        self._refuse(universe)

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        self._refuse(universe)

    def shape(self, universe: Universe) -> tuple[int, int]:
        self._refuse(universe)

    def _refuse(self, universe: Universe) -> NoReturn:
        self.check_size(universe.size)
        raise InvalidInput(
            "The error of a statistic is not a cost of single answers, so this cannot be done with it; ask for the "
            "least "
            "loss or the least error at one point, or take Hamming cost."
        )
