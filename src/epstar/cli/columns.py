"""What the options of `epstar release` declare of each column: its categories, and what is known of its frequencies."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epstar.cli.column_options import ColumnOptions
from epstar.cli.matrix import read_mechanism_file, read_secret_file
from epstar.cli.options import whole_number_of, words, written_numbers
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational, Real
from epstar.json_document import parse_json, read_json
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.problem_file import read_secret, read_source
from epstar.release import Categories, Column, PublicCounts, public_counts
from epstar.release.bins import Bins, Rounding
from epstar.release.categories import Label
from epstar.release.encoding import text_of
from epstar.release.format import Style
from epstar.release.place import place_of
from epstar.release.proxy import together
from epstar.release.public_files import refuse_private
from epstar.release.strata import stratified, stratified_secret
from epstar.release.table import type_of
from epstar.secret import Secret
from epstar.source import Prior, Source
from epstar.universe import Alphabet
from epstar.universe import Label as Element

# The names of differential privacy, which is also what is meant where none is given.
_PURE = (None, "dp", "differential_privacy")


def declared_columns(options: argparse.Namespace) -> list[Column]:
    """Return the columns that the options declare.

    Raises:
        InvalidInput: if there is none, or nothing says what values one may hold.
    """
    joint = [options.joint] if isinstance(options.joint, str) else options.joint or []
    groups = [(name,) for name in words(options.column or [])] + [tuple(words(part)) for part in joint]
    if not groups:
        raise InvalidInput("A release needs --column; give it, for instance --column disease.")
    known = {name for group in groups for name in (*group, ",".join(group))} | _secrets(options)
    if options.stratum is not None:
        return [_stratified(options, groups, known)]
    columns = [_Declared(ColumnOptions(options, known), group).column() for group in groups]
    if options.total_loss is not None:
        return _shared_out(columns, options.total_loss)
    for column in columns:
        if column.loss is None and column.mechanism is None:
            raise InvalidInput(
                f"A release needs --loss for {','.join(column.names)}; give it, for instance --loss 1.0."
            )
    return columns


def _secrets(options: argparse.Namespace) -> set[str]:
    """What the secrets that are named may be: columns, whose categories are declared too."""
    given = options.secret or []
    texts = [given] if isinstance(given, str) else list(given.values()) if isinstance(given, dict) else given
    return {text.rpartition("=")[2] for text in texts if isinstance(text, str) and "@" not in text and "{" not in text}


def _stratified(options: argparse.Namespace, groups: Sequence[tuple[str, ...]], known: set[str]) -> Column:
    """The column with a mechanism for each stratum, from the frequencies of a public table."""
    if len(groups) != 1 or len(groups[0]) != 1 or options.stratum in known:
        raise InvalidInput("Strata are for one released column; give one --column, and another column as --stratum.")
    for option in ("mechanism", "sets", "prior", "counts", "total_loss", "confidence"):
        if getattr(options, option) is not None:
            raise InvalidInput(f"Strata take frequencies from --public; leave --{option.replace('_', '-')} out.")
    if options.invariant or options.notion not in _PURE:
        raise InvalidInput("Strata are released by differential privacy, without --invariant.")
    if options.cost is not None or options.by_position:
        raise InvalidInput("Strata are released with Hamming cost; leave --cost and --by-position out.")
    (name,) = groups[0]
    declared = _Declared(ColumnOptions(options, {*known, options.stratum}), (options.stratum, name))
    return declared.stratified()


def _shared_out(columns: Sequence[Column], total: str) -> list[Column]:
    """The columns with the losses that add up to a total and make the sum of squared errors of frequencies least."""
    from epstar.statistics.planning import Wanted, best_split

    if any(column.loss is not None or column.mechanism is not None for column in columns):
        raise InvalidInput(
            "--total-loss is split over all columns; leave out --loss, --sets and --mechanism, or give all of them."
        )
    whole = Real.of(total)
    if whole.is_infinite or not whole > ZERO:
        raise InvalidInput("--total-loss is a number of nats above 0; give one, such as 3.")
    limit = whole.below()
    laws = [column.source if isinstance(column.source, Prior) else None for column in columns]
    wanted = [Wanted(column.size, law) for column, law in zip(columns, laws, strict=True)]
    found = best_split(wanted, [1] * len(columns), float(whole), 1).columns
    # Rounded down to a millionth of the total, so that the parts add up to no more.
    losses = [Rational(int(one.loss / float(whole) * 10**6), 10**6) * limit for one in found]
    return [
        Column(
            column.names,
            column.categories,
            source=column.source,
            loss=loss,
            invariant=column.invariant,
            every_category=column.every_category,
        )
        for column, loss in zip(columns, losses, strict=True)
    ]


@dataclass(frozen=True)
class _Hidden:
    """A secret by its name, and the frequencies that were counted together with it, if they were."""

    name: str | None
    secret: Secret | str
    source: Prior | None


@dataclass(frozen=True)
class _Declared:
    """What the options say of one column, or of some that go together."""

    given: ColumnOptions
    names: tuple[str, ...]

    @property
    def options(self) -> argparse.Namespace:
        return self.given.options

    def column(self) -> Column:
        key = ",".join(self.names)
        counts, file, sets = (self.given.one(option, key) for option in ("counts", "mechanism", "sets"))
        given: AnyMechanism | None = None
        if sets is not None and file is not None:
            raise InvalidInput(f"Two mechanisms are given for {key!r}; give --mechanism or --sets, not both.")
        if counts is not None:
            if len(self.names) > 1:
                raise InvalidInput(f"Counts are of one column; give --public or --prior for {key!r}.")
            public = PublicCounts.read(counts, private=self.options.table)
            categories = [self._categories(self.names[0], list(public.labels))]
        elif file is not None:
            refuse_private(file, self.options.table)
            given = read_mechanism_file(file, self.names[0])
            categories = self._of_mechanism(given)
        else:
            categories = [self._categories(name, None) for name in self.names]
        hidden = self._secret(categories)
        source: Source | None = None if hidden is None else hidden.source
        if source is None:
            source = self._law(public) if counts is not None else self._source(categories)
        loss, labels = self.given.one("loss", key), Column(self.names, categories).labels
        return Column(
            self.names,
            categories,
            source=source,
            loss=loss,
            secret=None if hidden is None else hidden.secret,
            secret_name=None if hidden is None else hidden.name,
            mechanism=self._in_sets(labels, sets, loss) if given is None else _relabelled(given, labels),
            invariant=self.options.invariant,
            every_category=self.options.every_category,
        )

    def _secret(self, categories: list[Categories]) -> _Hidden | None:
        """The secret that the mechanism of the columns protects, if one is named."""
        key = ",".join(self.names)
        given = self.given.one("secret", key)
        if given is None:
            return None
        for option in ("sets", "confidence", "total_loss"):
            if getattr(self.options, option) is not None:
                raise InvalidInput(
                    f"A secret is protected under known frequencies, by the best mechanism for its own loss; leave "
                    f"--{option.replace('_', '-')} out."
                )
        if given in self.names:
            return _Hidden(given, given, None)
        if given.startswith("@"):
            refuse_private(given[1:], self.options.table)
            return _Hidden(None, read_secret_file(given[1:], Column(self.names, categories).labels), None)
        if given.lstrip().startswith("{"):
            return _Hidden(None, read_secret(parse_json(given, "--secret")), None)
        counts = self._beside(self.names, given, categories)
        prior, secret = together(counts, self._categories(given, None).labels)
        return _Hidden(given, secret, prior)

    def _beside(self, names: Sequence[str], secret: str, categories: list[Categories]) -> list[list[int]]:
        """How often each category goes with each value of a secret in the public table."""
        public = self.given.one("public", ",".join(self.names))
        if public is None:
            raise InvalidInput(
                f"The secret {secret!r} is none of the released columns; give --public with a table that has both, "
                "name it in --joint, or give a file with --secret @FILE."
            )
        values = self._categories(secret, None)
        found = public_counts(public, [*names, secret], [*categories, values], private=self.options.table).counts
        size = len(values.labels)
        return [list(found[place : place + size]) for place in range(0, len(found), size)]

    def _in_sets(self, labels: Sequence[Element], sets: str | None, loss: str | None) -> AnyMechanism | None:
        """The mechanism that answers with sets of so many categories, if that is asked for."""
        if sets is None:
            return None
        from epstar.release.sets import answers_in_sets

        size = whole_number_of(sets, "sets")
        if loss is None or self.options.cost is not None or self.options.notion not in _PURE:
            raise InvalidInput(
                "Answers in sets are released by differential privacy at a loss; give --loss, and leave --cost and "
                "other notions out."
            )
        return answers_in_sets(labels, size, loss)

    def stratified(self) -> Column:
        """The column whose first name is the stratum, and whose second is released."""
        stratum, name = self.names
        categories = [self._categories(part, None) for part in self.names]
        public, loss = self.given.one("public", name), self.given.one("loss", name)
        if public is None or loss is None:
            raise InvalidInput("Strata need --loss, and --public with a table that has both columns; give them.")
        secret = self.given.one("secret", name)
        if secret is not None:
            return self._stratified_secret(secret, loss, categories)
        counts = public_counts(public, self.names, categories, private=self.options.table).counts
        size = len(categories[1].labels)
        sources: dict[Label, Source] = {}
        for place, label in enumerate(categories[0].labels):
            own = counts[place * size : (place + 1) * size]
            if any(own):
                sources[label] = Prior([Rational(count, sum(own)) for count in own])
        every = self.options.every_category
        return stratified(stratum, categories[0], name, categories[1], sources, loss=loss, every_category=every)

    def _stratified_secret(self, secret: str, loss: str, categories: list[Categories]) -> Column:
        """The same for a secret in the public table, as it goes with the column in each stratum."""
        stratum, name = self.names
        if secret in self.names or secret.startswith("@") or self.options.every_category:
            raise InvalidInput(
                "With strata the secret is another column of the table of --public, and --every-category cannot be "
                "asked for; name that column, and leave the rest out."
            )
        counts, size = self._beside(self.names, secret, categories), len(categories[1].labels)
        values = self._categories(secret, None).labels
        strata = {label: counts[place * size : (place + 1) * size] for place, label in enumerate(categories[0].labels)}
        return stratified_secret(stratum, categories[0], name, categories[1], secret, values, strata, loss=loss)

    def _of_mechanism(self, given: AnyMechanism) -> list[Categories]:
        """The categories that were declared, or the labels of the mechanism."""
        declared = any(
            self.given.values(option, name) for option in ("categories", "bins", "points") for name in self.names
        )
        if declared or len(self.names) > 1:
            return [self._categories(name, None) for name in self.names]
        labels = given.universe.labels
        if _is_bare(given):
            raise InvalidInput(
                f"The mechanism of column {self.names[0]!r} names no inputs; give --categories A,B,... for them."
            )
        return [self._categories(self.names[0], [str(label) for label in labels])]

    def _categories(self, name: str, labels: Sequence[Any] | None) -> Categories:
        bins = [Bins(words(part), rounding) for part, rounding in self._numeric(name)]
        if labels is None and bins:
            if len(bins) > 1 or self.given.values("categories", name):
                raise InvalidInput(f"Give only one of --categories, --bins and --points for column {name!r}.")
            return Categories.of_numbers(bins[0], self.given.one("missing", name), self.given.one("other", name))
        if labels is None:
            given = self.given.values("categories", name)
            if not given:
                raise InvalidInput(
                    f"The categories of column {name!r} are not declared; give --categories A,B,... or --counts FILE: "
                    "they are never learnt from the private table."
                )
            labels = [label for part in given for label in self._labels(part)]
        style = Style(self.options.separator, self.options.encoding or "utf-8")
        kind = type_of(place_of(self.options.table, "The table"), name, style)
        public = self.given.one("public", ",".join(self.names))
        if kind is None and public is not None:
            # A secret need not stand in the table that is released.
            kind = type_of(place_of(public, "The public table"), name)
        missing, other = self.given.one("missing", name), self.given.one("other", name)
        return Categories(
            [_typed(str(label), kind) for label in labels],
            None if missing is None else _typed(missing, kind),
            None if other is None else _typed(other, kind),
        )

    def _numeric(self, name: str) -> list[tuple[str | list[str], Rounding]]:
        ways: tuple[tuple[str, Rounding], ...] = (("bins", "middle"), ("points", "random"))
        own = [(part, rounding) for option, rounding in ways for part in self.given.values(option, name)]
        # What is said for all columns gives way to the categories of one.
        named = [part for part in self.given.naming("categories", name) if part is not None]
        return [] if named and not any(self.given.naming(option, name) for option, _ in ways) else own

    def _labels(self, given: str | list[str]) -> Sequence[Label]:
        """The labels in a list, in a text, or in a file that the text names."""
        if isinstance(given, str) and given.startswith("@"):
            return Categories.read(given[1:], private=self.options.table).labels
        return words(given)

    def _source(self, categories: list[Categories]) -> Source | None:
        key = ",".join(self.names)
        prior, public = self.given.one("prior", key), self.given.one("public", key)
        if prior is not None and public is not None:
            raise InvalidInput(f"Two distributions are given for {key!r}; give --prior or --public, not both.")
        if public is not None:
            return self._law(public_counts(public, self.names, categories, private=self.options.table))
        if prior is None:
            return None
        if not prior.startswith("@"):
            return Prior(written_numbers(prior))
        refuse_private(prior[1:], self.options.table)
        return read_source(read_json(prior[1:]), Alphabet(Column(self.names, categories).labels))

    def _law(self, counts: PublicCounts) -> Source:
        return counts.prior() if self.options.confidence is None else counts.region(self.options.confidence)


def _is_bare(given: AnyMechanism) -> bool:
    """Whether the inputs of a mechanism are mere numbers from 0 on: it was written without labels."""
    return tuple(given.universe.labels) == tuple(range(given.shape[0]))


def _relabelled(given: AnyMechanism, labels: Sequence[Element]) -> AnyMechanism:
    """The mechanism on the categories of a column; labels of its own must be those, as they are written."""
    own = given.universe.labels
    if len(own) != len(labels):
        raise InvalidInput(
            f"The mechanism has {len(own)} inputs and the column {len(labels)} categories; make them agree."
        )
    if not _is_bare(given) and list(map(text_of, own)) != list(map(text_of, labels)):
        raise InvalidInput(
            "The mechanism has other inputs than the column has categories, or the same in another order; give both "
            "the same labels."
        )
    outputs = labels if tuple(given.outputs) == tuple(own) else given.outputs
    return Mechanism(given.dense().rows, Alphabet(labels), outputs)


def _typed(text: str, kind: Any) -> Label:
    """The label as the column holds it; what is no such number stays text, and is refused where types are checked."""
    import pyarrow as pa

    try:
        if kind is not None and pa.types.is_integer(kind):
            return int(text)
        if kind is not None and pa.types.is_floating(kind):
            return float(text)
    except ValueError:
        return text
    if kind is not None and pa.types.is_boolean(kind) and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text
