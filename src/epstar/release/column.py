"""What is to be done with a column of a table, and the mechanism that this comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from epstar.arguments import typed
from epstar.distortion import Distortion, Hamming
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Number, Real
from epstar.frontier import Answer, Frontier
from epstar.limits import Limits
from epstar.mechanism import AnyMechanism, SubsetSelection
from epstar.notions.base import Notion
from epstar.release.categories import Categories, Label
from epstar.release.distance import distance
from epstar.release.estimable import telling_all
from epstar.release.invariant import invariant
from epstar.release.sampling_plan import Budget, Plan, plan
from epstar.secret import Secret
from epstar.source import Everything, Finite, Prior, Source
from epstar.statistic import Statistic
from epstar.universe import Alphabet, Universe
from epstar.universe import Label as Element

_LARGEST_ALPHABET = 1 << 21
# Categories up to which the best invariant mechanism is found in seconds.
_SOLVED = 32
# What people are told of a secret that was given no name.
_UNNAMED = "the secret"


@dataclass(frozen=True, init=False)
class Column:
    """One column, or several that go through one mechanism together, and what is asked of it.

    The joint alphabet of several columns holds the tuples of their categories in lexicographic order. What is
    left out is taken from `release`; without a source nothing is known of the data (`Everything`), and
    without a mechanism the optimal one for the notion, the loss and the distortion is found. A given
    mechanism may bring the categories along as the labels of its universe. An `invariant` release keeps the known
    frequencies as they are, on average: it is the best such mechanism up to 32 categories, and else as
    `epstar.release.invariant` says. With `every_category` the mechanism is one from which the frequency of every
    category can be estimated (`epstar.release.estimable`).

    With a `secret` the notion and the loss are about that, and not about the values themselves (`epstar.Secret`): it is
    the name of one of several columns, or a secret behind the joint categories that `secret_name` tells people of. What
    is promised then depends on the source, a prior or a finite list of them.

    Raises:
        InvalidInput: if the parts do not fit each other.

    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column
    >>> Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1).names
    ('smoker',)
    """

    names: tuple[str, ...]
    categories: tuple[Categories, ...]
    notion: Notion | None
    loss: Real | None
    source: Source | None
    distortion: Distortion | None
    mechanism: AnyMechanism | None
    invariant: bool = False
    every_category: bool = False
    public: tuple[str, ...] = ()
    """Of the names those that pass through the mechanism as they are, and are public."""
    secret: Secret | None = None
    secret_name: str = ""

    def __init__(
        self,
        name: str | Sequence[str],
        categories: Categories | Sequence[Label] | Sequence[Categories] | None = None,
        *,
        notion: Notion | None = None,
        loss: Number | None = None,
        source: Source | None = None,
        distortion: Distortion | None = None,
        mechanism: AnyMechanism | None = None,
        invariant: bool = False,
        every_category: bool = False,
        public: Sequence[str] = (),
        secret: Secret | str | None = None,
        secret_name: str | None = None,
    ) -> None:
        names = (name,) if isinstance(name, str) else tuple(name)
        if not names or len(set(names)) != len(names) or not all(isinstance(part, str) for part in names):
            raise InvalidInput("A column needs a name, or several different ones; give them as text.")
        if categories is None:
            if mechanism is None:
                raise InvalidInput(
                    f"The categories of column {names[0]!r} are not declared; list them, because they are "
                    "never learnt from the data."
                )
            found = _categories_of(mechanism.universe, len(names))
        else:
            found = _read_categories(categories, len(names))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "categories", found)
        object.__setattr__(self, "notion", notion)
        object.__setattr__(self, "loss", None if loss is None else Real.of(typed(loss)))
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "distortion", distortion)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "invariant", invariant)
        object.__setattr__(self, "every_category", every_category)
        object.__setattr__(self, "public", tuple(public))
        hidden = self._coordinate(secret) if isinstance(secret, str) else secret
        if not isinstance(hidden, Secret | None) or not isinstance(secret_name, str | None):
            raise InvalidInput("A secret is the name of one of the columns, or a Secret; its name is a text.")
        object.__setattr__(self, "secret", hidden)
        default = secret if isinstance(secret, str) else "" if hidden is None else _UNNAMED
        object.__setattr__(self, "secret_name", secret_name or default)
        self._check()

    def _coordinate(self, name: str) -> Secret:
        """The secret that is one of the columns."""
        if name not in self.names:
            raise InvalidInput(
                f"The secret {name!r} is none of the columns that are released together, {', '.join(self.names)}; add "
                "it to them, or give a Secret that says how it goes with them."
            )
        place = self.names.index(name)
        return Secret.of([labels[place] for labels in product(*(part.labels for part in self.categories))])

    def _check(self) -> None:
        if self.every_category and (self.invariant or self.mechanism is not None):
            raise InvalidInput(
                "Whether a given or invariant mechanism tells every category is no longer open; ask neither."
            )
        if self.secret is not None and self.every_category:
            raise InvalidInput(
                "A mechanism that protects a secret is the best for the known frequencies and no others; leave "
                "`every_category` out, and allow a larger loss to estimate more categories."
            )
        if self.secret is not None and not isinstance(self.source, Prior | Finite | None):
            raise InvalidInput(
                f"What is promised about the secret {self.secret_name!r} depends on known frequencies; give a prior or "
                "a finite list of them as the source, and no region."
            )
        if self.size > _LARGEST_ALPHABET:
            raise InvalidInput(
                f"The columns {', '.join(self.names)} have {self.size} joint categories, too many to number; "
                "release them one by one."
            )
        for part, size in (
            ("source", None if self.source is None else self.source.size),
            ("mechanism", None if self.mechanism is None else self.mechanism.shape[0]),
            ("secret", None if self.secret is None else self.secret.size),
        ):
            if size is not None and size != self.size:
                raise InvalidInput(
                    f"The {part} of column {self.names[0]!r} has {size} inputs and the column {self.size} "
                    "categories; make them agree."
                )
        if self.mechanism is not None and tuple(self.mechanism.universe.labels) != self.labels:
            raise InvalidInput(
                f"The mechanism of column {self.names[0]!r} has other inputs than the column has categories, "
                "or the same in another order; give both the same labels."
            )

    @property
    def size(self) -> int:
        """The number of joint categories."""
        return prod(len(part.labels) for part in self.categories)

    @cached_property
    def labels(self) -> tuple[Element, ...]:
        """The joint categories: labels of one column, tuples of labels of several."""
        if len(self.names) == 1:
            return self.categories[0].labels
        return tuple(product(*(part.labels for part in self.categories)))

    def filled(
        self, notion: Notion | None, loss: Number | None, source: Source | None, distortion: Distortion | None
    ) -> Column:
        """Return the column with what it leaves out taken from the arguments, or from the defaults."""
        return Column(
            self.names,
            self.categories,
            notion=self.notion or notion,
            loss=loss if self.loss is None else self.loss,
            source=self.source or source or (Everything(self.size) if self.secret is None else None),
            distortion=self.distortion or distortion or Hamming(),
            mechanism=self.mechanism,
            invariant=self.invariant,
            every_category=self.every_category,
            public=self.public,
            secret=self.secret,
            secret_name=self.secret_name or None,
        )

    def prepared(self) -> Prepared:
        """Return what will be sampled, with the reasons for it.

        Raises:
            InvalidInput: if there is neither a mechanism nor a notion with a loss, a given mechanism loses more than
                the given loss, or a cost is a difference and the categories are no numbers.
        """
        if self.secret is not None and self.source is None:
            raise InvalidInput(
                f"Nothing says how often the secret {self.secret_name!r} goes with what is released; give known "
                "frequencies as the source, a prior or a finite list of them."
            )
        source = self.source or Everything(self.size)
        distortion = distance(self.distortion or Hamming(), self.labels, ", ".join(self.names))
        budget = None
        if self.notion is not None and self.loss is not None:
            budget = Budget(self.notion, source, self.loss, self.secret)
        if self.mechanism is not None:
            found = plan(self._kept(self.mechanism, source), budget)
            return Prepared(self, source, distortion, found, None)
        if budget is None:
            raise InvalidInput(
                f"Nothing says how to protect column {self.names[0]!r}; give a notion and a loss, or a mechanism."
            )
        if self.every_category:
            told = telling_all(lambda known: self._best(budget, known, distortion)[1], source)
            return Prepared(self, source, distortion, plan(_released_form(told), budget), None)
        if self.invariant and (
            self.size > _SOLVED or isinstance(distortion, Statistic) or not isinstance(source, Prior)
        ):
            # It is no longer the best mechanism for the cost, so that nothing is said of that.
            _, best = self._best(budget, source, distortion)
            return Prepared(self, source, distortion, plan(invariant(best, source), budget), None)
        limits = Limits(invariant=True) if self.invariant else None
        answer, best = self._best(budget, source, distortion, limits)
        return Prepared(self, source, distortion, plan(_released_form(best), budget), answer)

    def _best(
        self, budget: Budget, source: Source, distortion: Distortion, limits: Limits | None = None
    ) -> tuple[Answer, AnyMechanism]:
        frontier = Frontier(budget.notion, source, distortion, Alphabet(self.labels), secret=self.secret, limits=limits)
        found = frontier.distortion_at(loss=budget.level)
        if found.mechanism is None:
            raise NoSolution(f"No mechanism keeps the loss {budget.level} for column {self.names[0]!r}.")
        return found, found.mechanism

    def _kept(self, mechanism: AnyMechanism, source: Source) -> AnyMechanism:
        return invariant(mechanism, source) if self.invariant else mechanism


@dataclass(frozen=True)
class Prepared:
    """A column, all that was assumed, the plan that is sampled, and the answer that found its mechanism, if any did."""

    column: Column
    source: Source
    distortion: Distortion
    plan: Plan
    answer: Answer | None


def _released_form(mechanism: AnyMechanism) -> AnyMechanism:
    if not isinstance(mechanism, SubsetSelection):
        return mechanism
    from epstar.release.sets import released_form

    return released_form(mechanism)


def chosen_columns(columns: Column | Sequence[Column]) -> list[Column]:
    """Return the columns that are to be released, of which there is at least one.

    Raises:
        InvalidInput: if there is none, or something else is given.
    """
    chosen = [columns] if isinstance(columns, Column) else list(columns) if isinstance(columns, Sequence) else []
    if not chosen or not all(isinstance(column, Column) for column in chosen):
        raise InvalidInput("No column is to be released; give at least one Column, and nothing else.")
    return chosen


def _read_categories(
    categories: Categories | Sequence[Label] | Sequence[Categories], count: int
) -> tuple[Categories, ...]:
    if isinstance(categories, Categories):
        categories = (categories,)
    parts = [part for part in categories if isinstance(part, Categories)]
    if not parts:
        plain = [part for part in categories if not isinstance(part, Categories)]
        parts = [Categories(plain)]
    if len(parts) != count:
        raise InvalidInput(f"{count} columns need {count} lists of categories, not {len(parts)}.")
    return tuple(parts)


def _categories_of(universe: Universe, count: int) -> tuple[Categories, ...]:
    if universe.size > _LARGEST_ALPHABET:
        raise InvalidInput("The mechanism has too many inputs to be labels of a column; declare the categories.")
    if count == 1:
        return (Categories([_label(label) for label in universe.labels]),)
    tuples = [label for label in universe.labels if isinstance(label, tuple) and len(label) == count]
    if len(tuples) != universe.size:
        raise InvalidInput(f"A mechanism for {count} columns needs inputs that are tuples of {count} labels.")
    return tuple(Categories(list(dict.fromkeys(_label(part) for part in parts))) for parts in zip(*tuples, strict=True))


def _label(label: Element) -> Label:
    if isinstance(label, str | int | float):
        return label
    raise InvalidInput("The inputs of a mechanism for a column must be texts or numbers; relabel its universe.")
