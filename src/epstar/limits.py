"""Limits on the mechanism: linear equations and inequalities that its entries keep, beside the loss.

Allowed transitions are strata and impossible combinations; a mechanism with p Q = p is invariant (post randomisation
that keeps frequencies: Gouweleeuw, Kooiman, Willenborg and de Wolf 1998); an unbiased one has the right mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational, rational
from epstar.probability_vectors import Numbers, Table, table, vector
from epstar.source import Prior, Source

Entry = tuple[int, int]
LimitName = tuple[str | int, ...]
ExactTable = tuple[tuple[Rational, ...], ...]
Row = tuple[ExactTable, Rational]
# Where limits remember their rows: checkers and solvers ask for them again and again.
_ROWS = "_known_rows"


@dataclass(frozen=True)
class Limit:
    """sum of coefficients times entries <= bound, or = bound; its name is what proofs call it."""

    name: LimitName
    coefficients: dict[Entry, Rational]
    bound: Rational
    is_equation: bool = False


@dataclass(frozen=True, init=False)
class Limits:
    """Linear limits on the entries Q(y|x): inputs are rows, outputs are columns.

    `allowed` says which transitions may happen; `lower` and `upper` bound the entries, all alike or one by one;
    `invariant` keeps the prior, p Q = p; `unbiased` gives values of inputs and outputs so that the mean output is the
    input. `equations` and `inequalities` are pairs of a matrix A and a number b: sum A(x,y) Q(y|x) = b, or <= b.

    >>> Limits(allowed=[[True, False], [True, True]]).shape
    (2, 2)
    """

    allowed: tuple[tuple[bool, ...], ...] | None
    lower: Rational | ExactTable | None
    upper: Rational | ExactTable | None
    invariant: bool
    unbiased: tuple[tuple[Rational, ...], tuple[Rational, ...]] | None
    equations: tuple[Row, ...]
    inequalities: tuple[Row, ...]

    def __init__(
        self,
        allowed: Sequence[Sequence[bool]] | None = None,
        lower: Number | Table | None = None,
        upper: Number | Table | None = None,
        invariant: bool = False,
        unbiased: tuple[Numbers, Numbers] | None = None,
        equations: Sequence[tuple[Table, Number]] = (),
        inequalities: Sequence[tuple[Table, Number]] = (),
    ) -> None:
        if not isinstance(invariant, bool):
            raise InvalidInput(f"'invariant' is true or false, not {shown(invariant)}.")
        values: dict[str, Any] = {
            "allowed": _read_allowed(allowed),
            "lower": _read_entries(lower, "The lower bounds of entries"),
            "upper": _read_entries(upper, "The upper bounds of entries"),
            "invariant": invariant,
            "unbiased": _read_unbiased(unbiased),
            "equations": _read_rows(equations, "An equation"),
            "inequalities": _read_rows(inequalities, "An inequality"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __bool__(self) -> bool:
        return self != NO_LIMITS

    @property
    def shape(self) -> tuple[int, int] | None:
        """The numbers of inputs and outputs that the limits name; None if they fit any."""
        tables = [
            self.allowed,
            self.lower,
            self.upper,
            *(matrix for matrix, _ in (*self.equations, *self.inequalities)),
        ]
        shapes = {(len(part), len(part[0])) for part in tables if isinstance(part, tuple)}
        if self.unbiased is not None:
            shapes.add((len(self.unbiased[0]), len(self.unbiased[1])))
        if len(shapes) > 1:
            raise InvalidInput("The limits on the mechanism have different shapes; give inputs as rows of all of them.")
        return next(iter(shapes), None)

    @property
    def has_equations(self) -> bool:
        """Whether there is an equation that not every mechanism keeps, as one that sums whole rows may be."""
        kept = all(_sums_rows(matrix) == bound for matrix, bound in self.equations)
        return self.invariant or self.unbiased is not None or not kept

    def check(self, shape: tuple[int, int], source: Source) -> None:
        """Refuse limits that do not fit a mechanism of a shape, or need a prior that is not known.

        Raises:
            InvalidInput: saying which.
        """
        named = self.shape
        if named is not None and named != shape:
            raise InvalidInput(
                f"The limits are for {named[0]} inputs and {named[1]} outputs, and the mechanism has {shape[0]} and "
                f"{shape[1]}; make them agree."
            )
        if self.invariant and not isinstance(source, Prior):
            raise InvalidInput("A mechanism is invariant for one prior; give a prior, or drop 'invariant'.")
        if self.invariant and shape[0] != shape[1]:
            raise InvalidInput("An invariant mechanism has its inputs as outputs; give a square matrix of costs.")
        for x, row in enumerate(self.allowed or ()):
            if not any(row):
                raise InvalidInput(f"Input {x} is allowed no output; allow at least one.")

    def forbidden(self) -> frozenset[Entry]:
        """Return the entries that must vanish."""
        rows = self.allowed or ()
        return frozenset((x, y) for x, row in enumerate(rows) for y, is_allowed in enumerate(row) if not is_allowed)

    def rows(self, shape: tuple[int, int], source: Source) -> tuple[Limit, ...]:
        """Return the limits but for forbidden entries, each with its name; those of the last shape are remembered."""
        known = vars(self).get(_ROWS)
        if known is None or known[0] != shape or known[1] is not source:
            known = shape, source, self._rows(shape, source)
            vars(self)[_ROWS] = known
        found: tuple[Limit, ...] = known[2]
        return found

    def _rows(self, shape: tuple[int, int], source: Source) -> tuple[Limit, ...]:
        found: list[Limit] = []
        entries = [(x, y) for x in range(shape[0]) for y in range(shape[1])]
        for x, y in entries:
            least, most = _entry(self.lower, x, y, ZERO), _entry(self.upper, x, y, ONE)
            if least > 0:
                found.append(Limit(("lower", x, y), {(x, y): -ONE}, -least))
            if most < 1:
                found.append(Limit(("upper", x, y), {(x, y): ONE}, most))
        if self.invariant:
            assert isinstance(source, Prior)
            prior = source.probabilities
            for y, kept in enumerate(prior):
                column = {(x, y): p for x, p in enumerate(prior) if p != 0}
                found.append(Limit(("invariant", y), column, kept, True))
        if self.unbiased is not None:
            inputs, outputs = self.unbiased
            for x, value in enumerate(inputs):
                mean = {(x, y): output for y, output in enumerate(outputs) if output != 0}
                found.append(Limit(("unbiased", x), mean, value, True))
        for kind, given in (("equation", self.equations), ("inequality", self.inequalities)):
            for i, (matrix, bound) in enumerate(given):
                terms = {(x, y): matrix[x][y] for x, y in entries if matrix[x][y] != 0}
                found.append(Limit((kind, i), terms, bound, kind == "equation"))
        return tuple(found)


def _sums_rows(matrix: ExactTable) -> Rational | None:
    """What every mechanism has where each row of a matrix is one number: their sum. None if some row is not."""
    if any(entry != row[0] for row in matrix for entry in row):
        return None
    return sum((row[0] for row in matrix), ZERO)


def limit_in_words(name: LimitName) -> str:
    """Return a limit as people call it."""
    kind, *places = name
    if kind in ("lower", "upper"):
        return f"the {kind} bound of input {places[0]} and output {places[1]}"
    if kind == "invariant":
        return f"the frequency that output {places[0]} keeps"
    if kind == "unbiased":
        return f"the mean that input {places[0]} keeps"
    return f"the {kind} number {places[0]}"


def _entry(given: Rational | ExactTable | None, x: int, y: int, missing: Rational) -> Rational:
    if given is None:
        return missing
    return given[x][y] if isinstance(given, tuple) else given


def _read_allowed(given: object) -> tuple[tuple[bool, ...], ...] | None:
    if given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InvalidInput("'allowed' is a list of rows of true and false, one for each input.")
    rows = [tuple(row) if isinstance(row, Sequence) and not isinstance(row, str) else () for row in given]
    if len({len(row) for row in rows}) != 1 or not rows[0] or any(not isinstance(e, bool) for row in rows for e in row):
        raise InvalidInput(
            "'allowed' has a true or false for each input (rows) and output (columns), and nothing else."
        )
    return tuple(rows)


def _read_entries(given: object, what: str) -> Rational | ExactTable | None:
    if given is None:
        return None
    read: Rational | ExactTable
    read = rational(given) if not isinstance(given, Sequence) or isinstance(given, str) else table(given, what)
    values = [read] if not isinstance(read, tuple) else [entry for row in read for entry in row]
    if any(not 0 <= value <= 1 for value in values):
        raise InvalidInput(f"{what} are probabilities; give numbers from 0 to 1.")
    return read


def _read_unbiased(given: object) -> tuple[tuple[Rational, ...], tuple[Rational, ...]] | None:
    if given is None:
        return None
    if not isinstance(given, Sequence) or len(given) != 2:
        raise InvalidInput("'unbiased' takes the values of the inputs and those of the outputs.")
    return vector(given[0], "The values of the inputs"), vector(given[1], "The values of the outputs")


def _read_rows(given: object, what: str) -> tuple[Row, ...]:
    rows: list[Row] = []
    for entry in given if isinstance(given, Sequence) else (given,):
        if not isinstance(entry, Sequence) or isinstance(entry, str) or len(entry) != 2:
            raise InvalidInput(f"{what} is a pair of a matrix (inputs as rows) and a number.")
        rows.append((table(entry[0], f"The matrix of {what.lower()}"), rational(entry[1])))
    return tuple(rows)


NO_LIMITS = Limits()
"""What a mechanism keeps that nothing is asked of."""
