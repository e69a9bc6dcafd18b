"""Linear and logistic regression on columns of which some were released: corrected scores.

The score of a row is a function of its private values. Its unbiased estimate is a sum over the cells of the
cross-tabulation of all columns of the model, so that solving for the coefficients at which the estimated frequencies
make the mean score zero gives the coefficients of the private table, but for errors that shrink with the rows
(Nakamura, Biometrika 77, 1990). Their covariance is the sandwich: what a row adds to the score, through the slope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, rational
from epstar.exact.vectors import nearest_floats
from epstar.release.distance import values_of
from epstar.release.format import Style
from epstar.release.functionals import Quantity
from epstar.release.histogram import Weighing
from epstar.release.released_table import Opened
from epstar.release.tabulation import Tabulation
from epstar.universe import Label

Floats = NDArray[np.float64]
Model = Literal["linear", "logistic"]
# Cells times coefficients that are held at once.
_LARGEST = 1 << 24
_STEPS = 100
_CLOSE = 1e-10


@dataclass(frozen=True)
class Regression:
    """The coefficients of a model with their intervals, the intercept first, and the number of rows.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, regress, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> found = regress(done.frame, "smoker", "town", model="logistic", success="yes", release_file=done.document)
    >>> found.model, found.response, found.rows
    ('logistic', 'smoker', 1800)
    """

    model: Model
    response: str
    coefficients: tuple[Quantity, ...]
    rows: int


def regress(
    released: str | Path | Any,
    response: str,
    on: str | Sequence[str],
    *,
    model: Model = "linear",
    success: Label | None = None,
    release_file: str | Path | Mapping[str, Any] | None = None,
    confidence: Number = 0.95,
    where: Mapping[str, Label | Sequence[Label]] | None = None,
    weight: str | None = None,
    count: str | None = None,
    any_table: bool = False,
    style: Style | None = None,
) -> Regression:
    """Return the coefficients of `response` on other columns; any of them may be released or have passed through.

    Columns of numbers enter as they are. Of words each but the first has a coefficient: by how much it differs from the
    first. A logistic regression is of whether the response is `success`, its last category unless given. Where rows
    come from is as for `estimate`. The intervals are those of many rows.

    Raises:
        InvalidInput: if a column is unknown, a linear response is no number, the outputs cannot tell the cells, or
            there are too few rows for a solution.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, regress, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> found = regress(done.frame, "smoker", "town", model="logistic", success="yes", release_file=done.document)
    >>> [coefficient.name for coefficient in found.coefficients]
    ['intercept', 'town = b']
    """
    covariates = (on,) if isinstance(on, str) else tuple(on)
    level = rational(confidence)
    if model not in get_args(Model):
        raise InvalidInput(f"{shown(model)} is not a model; take 'linear' or 'logistic'.")
    names = (response, *covariates)
    if not ZERO < level < ONE or not covariates or len(set(names)) != len(names):
        raise InvalidInput("Give a response, other columns to explain it, and a confidence strictly between 0 and 1.")
    table = Opened.of(released, release_file, any_table, style).tabulation(names, where, Weighing(weight, count))
    if not table.estimable.all():
        raise InvalidInput("The outputs cannot tell all combinations of these columns; take others.")
    cells = list(table.cells())
    terms = _Terms.of(names[1:], [labels[1:] for labels in cells])
    outcome = _outcome([labels[0] for labels in cells], response, model, success)
    coefficients, slope = _solved(table, terms.matrix, outcome, model)
    fitted = _fitted(terms.matrix @ coefficients, model)
    scores = terms.matrix * (outcome - fitted)[:, None]
    influence = np.linalg.solve(slope, scores.T)
    from scipy.special import ndtri

    number = float(nearest_floats([level])[0])
    quantile = float(ndtri((1 + number) / 2))
    found = []
    for name, value, gradient in zip(terms.names, coefficients.tolist(), influence, strict=True):
        error, _ = table.error(gradient.reshape(table.frequencies.shape))
        found.append(Quantity(name, value, value - quantile * error, value + quantile * error, error, number))
    return Regression(model, response, tuple(found), table.rows)


@dataclass(frozen=True, eq=False)
class _Terms:
    """The columns of a design matrix, with a row for each cell, and their names."""

    names: tuple[str, ...]
    matrix: Floats

    @classmethod
    def of(cls, columns: Sequence[str], cells: Sequence[tuple[Label, ...]]) -> _Terms:
        names, parts = ["intercept"], [np.ones(len(cells))]
        for place, column in enumerate(columns):
            labels = [labels[place] for labels in cells]
            distinct = list(dict.fromkeys(labels))
            numbers = values_of(distinct)
            if numbers is not None:
                known = dict(zip(distinct, nearest_floats(numbers).tolist(), strict=True))
                names.append(column)
                parts.append(np.array([known[label] for label in labels]))
                continue
            for label in distinct[1:]:
                names.append(f"{column} = {label}")
                parts.append(np.array([float(other == label) for other in labels]))
            if len(names) * len(cells) > _LARGEST:
                raise InvalidInput("The columns of the model have too many combinations of values; take fewer.")
        return cls(tuple(names), np.array(parts).T)


def _outcome(labels: Sequence[Label], response: str, model: Model, success: Label | None) -> Floats:
    distinct = list(dict.fromkeys(labels))
    if model == "logistic":
        wanted = [label for label in distinct if label == success or str(label) == success]
        if success is not None and not wanted:
            raise InvalidInput(f"{shown(success)} is not a category of {response!r}; check how it is written.")
        chosen = distinct[-1] if success is None else wanted[0]
        return np.array([float(label == chosen) for label in labels])
    if success is not None:
        raise InvalidInput("Only a logistic regression has a `success`; leave it out.")
    numbers = values_of(distinct)
    if numbers is None:
        raise InvalidInput(f"The categories of {response!r} are not all numbers; take the model 'logistic'.")
    known = dict(zip(distinct, nearest_floats(numbers).tolist(), strict=True))
    return np.array([known[label] for label in labels])


def _fitted(linear: Floats, model: Model) -> Floats:
    if model == "linear":
        return linear
    from scipy.special import expit

    fitted: Floats = expit(linear)
    return fitted


def _solved(table: Tabulation, matrix: Floats, outcome: Floats, model: Model) -> tuple[Floats, Floats]:
    """The coefficients at which the mean score is zero, and the slope of the score there: Newton's method."""
    shares = table.frequencies.reshape(-1)
    coefficients = np.zeros(matrix.shape[1])
    scale = 1.0 + float(np.abs(matrix).max() * np.abs(outcome).max())
    for _ in range(_STEPS):
        fitted = _fitted(matrix @ coefficients, model)
        spread = np.ones(len(fitted)) if model == "linear" else fitted * (1 - fitted)
        slope = (matrix * (shares * spread)[:, None]).T @ matrix
        score = matrix.T @ (shares * (outcome - fitted))
        # Estimated frequencies may be negative; what they say of the slope is then not enough.
        strengths = np.linalg.eigvalsh(slope)
        if not np.isfinite(strengths).all() or strengths[0] <= _CLOSE * max(1.0, float(strengths[-1])):
            break
        if float(np.abs(score).max()) <= _CLOSE * scale:
            return coefficients, slope
        step = np.linalg.solve(slope, score)
        # A long step of a logistic model may leap over its solution.
        longest = float(np.abs(matrix @ step).max()) / 2 if model == "logistic" else 1.0
        coefficients = coefficients + step / max(1.0, longest)
    raise InvalidInput(
        "There is no solution for these columns: too few rows for what protects them, or columns that explain each "
        "other."
    )
