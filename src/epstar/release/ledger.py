"""A ledger of releases: what every record has lost so far, written down before a table gets its name.

A ledger is private. It holds a key of its own, and of a table only a digest under that key, so that whoever sees an
entry cannot confirm a guess of the table. Each entry carries an authentication code over itself and the one before
(a hash chain), so that an entry that was changed or left out is noticed. An entry reaches the disk before the table is
published: a process that is killed in between has counted a loss that nobody suffered, and never the other way round.

Losses of differential privacy add up over releases (sequential composition), and so do the ledger's entries. Where a
release protects a secret behind its values, what is counted is what all releases lose about that secret: of one of them
what it loses about the secret, and of every other what it loses about the record (`epstar.release.wrong_frequencies`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Number, Rational, Real, rational, text
from epstar.exact.vectors import sum_of
from epstar.release.atomic_files import plain_errors
from epstar.release.place import digest_of, place_of
from epstar.release.wrong_frequencies import lost_about

SCHEMA = "epstar/ledger/1"
_KEY_BYTES = 32
_BEGIN = f'{{"schema": "{SCHEMA}"'.encode()
Secrets = tuple[tuple[str, Rational | None], ...]
# More than any table of releases has; it keeps a wrong file from being read whole.
_LARGEST = 1 << 26


@dataclass(frozen=True)
class Entry:
    """One release: when, of which columns, to which name, and what a record lost by it; None if that has no limit.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, Ledger, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     done = release(table, Path(folder, "out.csv"), smoker, ledger=Path(folder, "book"))
    ...     entry = Ledger.at(Path(folder, "book")).account().entries[0]
    >>> entry.columns, entry.loss <= 1
    (('smoker',), True)
    """

    when: str
    columns: tuple[str, ...]
    output: str
    loss: Rational | None
    table: str
    """The digest of the private table under the key of the ledger."""
    answers: tuple[str, ...] = ()
    """Digests of what decides the answers of each keyed column: the same again cost nothing."""
    secrets: Secrets = ()
    """What was lost about each secret that the release protects, by its name; None if that has no limit."""


@dataclass(frozen=True)
class Answers:
    """The answers of one keyed mechanism: what decides them, besides the table, and what is lost by them."""

    decides: bytes
    loss: Rational | None
    secrets: Secrets = ()


@dataclass(frozen=True)
class _Due:
    """What a release adds to the losses, and whether it holds anything that was not answered before."""

    loss: Rational | None
    is_new: bool
    secrets: Secrets


@dataclass(frozen=True)
class Account:
    """What a ledger says: its budget, if it has one, and its entries.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, Ledger, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     done = release(table, Path(folder, "out.csv"), smoker, ledger=Path(folder, "book"))
    ...     account = Ledger.at(Path(folder, "book")).account()
    >>> account.total <= 1, account.budget
    (True, None)
    """

    budget: Rational | None
    entries: tuple[Entry, ...]

    @property
    def total(self) -> Rational | None:
        """What a record that is in every table has lost, in nats; None if that has no limit."""
        losses = [entry.loss for entry in self.entries if entry.loss is not None]
        return sum_of(losses) if len(losses) == len(self.entries) else None

    @property
    def secrets(self) -> dict[str, Rational | None]:
        """What has been lost about each secret that a release protects, in nats; None if that has no limit."""
        names = dict.fromkeys(name for entry in self.entries for name, _ in entry.secrets)
        return {
            name: lost_about([(entry.loss, dict(entry.secrets).get(name)) for entry in self.entries]) for name in names
        }

    @property
    def spent(self) -> Rational | None:
        """What a budget limits: the most that was lost about a secret, or what a record lost if there is none."""
        found = list(self.secrets.values()) or [self.total]
        known = [loss for loss in found if loss is not None]
        return max(known) if len(known) == len(found) else None


@dataclass(frozen=True)
class Ledger:
    """A ledger in a file, which only its owner may read; it is made when the first release is counted.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, Ledger, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     done = release(table, Path(folder, "out.csv"), smoker, ledger=Path(folder, "book"))
    ...     account = Ledger.at(Path(folder, "book")).account()
    >>> len(account.entries)
    1
    """

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Ledger:
        """Return the ledger at a place.

        Raises:
            InvalidInput: if the place cannot hold one, holds something else, or others may read it.
        """
        place = place_of(path, "The ledger")
        if place.is_symlink():
            raise InvalidInput("The ledger is a link; name the file itself.")
        if not place.absolute().parent.is_dir() or (place.exists() and not place.is_file()):
            raise InvalidInput("The ledger must be a file in a folder that exists.")
        if place.exists():
            # Before anything is said of who may read it: a table that was named by mistake is no ledger to protect.
            _check_begin(_beginning(place))
            if stat.S_IMODE(place.stat().st_mode) & 0o077:
                raise InvalidInput("Others may read the ledger, which is private; run `chmod 600` on it first.")
        return cls(place)

    def account(self) -> Account:
        """Return what the ledger says; an empty account if there is none yet.

        Raises:
            InvalidInput: if it was changed by something else.
        """
        if not self.path.exists():
            return Account(None, ())
        with self._locked() as descriptor:
            return _read(_content(descriptor)).account

    def check(
        self,
        tables: Sequence[Path | str],
        loss: Rational | None,
        again: bool,
        budget: Number | None = None,
        answers: Sequence[Answers] = (),
        secrets: Secrets = (),
    ) -> None:
        """Raise if a release would not be counted; nothing is written.

        A table is a file, or the digest of what is none.

        Raises:
            InvalidInput: if the table was released before and `again` is not given, or the budget would be exceeded.
        """
        if not self.path.exists():
            _check_total(_budget(budget), [], _Due(loss, True, secrets))
            return
        with self._locked() as descriptor:
            known = _read(_content(descriptor))
        if known.is_new:
            _check_total(_budget(budget), [], _Due(loss, True, secrets))
            return
        digest = _digest(known.key, tables)
        _check(known, digest, _due(known, digest, loss, answers, secrets), again, budget)

    def count(
        self,
        tables: Sequence[Path | str],
        columns: Sequence[str],
        output: str,
        loss: Rational | None,
        again: bool,
        budget: Number | None = None,
        answers: Sequence[Answers] = (),
        secrets: Secrets = (),
    ) -> Account:
        """Add a release, on the disk when this returns, and return the account with it.

        With `answers`, one for each mechanism of a keyed release, those that were given before cost nothing.

        Raises:
            InvalidInput: as for `check`; nothing is written then.
            WriteFailed: if the ledger cannot be written.
        """
        with plain_errors(self.path), self._locked() as descriptor:
            content = _content(descriptor)
            known = _read(content)
            if known.is_new:
                known = _Known(os.urandom(_KEY_BYTES), Account(_budget(budget), ()), "", 0, True)
            digest = _digest(known.key, tables)
            due = _due(known, digest, loss, answers, secrets)
            _check(known, digest, due, again, budget)
            codes = tuple(_answer(known.key, each.decides) for each in answers)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            entry = Entry(when, tuple(columns), output, due.loss, digest, codes, due.secrets)
            # What a killed process left of a line that it had not finished is no entry.
            os.ftruncate(descriptor, known.length)
            os.lseek(descriptor, known.length, os.SEEK_SET)
            head = _head(known) if known.is_new else b""
            code = _code(known.key, "", head) if known.is_new else known.code
            _write(descriptor, head + _line(known.key, code, entry))
            os.fsync(descriptor)
            if known.is_new:
                _keep_name(self.path.absolute().parent)
            return Account(known.account.budget, (*known.account.entries, entry))

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The open file, which no other release reads or writes meanwhile."""
        import fcntl

        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        with plain_errors(self.path):
            descriptor = os.open(self.path, flags, 0o600)
        try:
            with plain_errors(self.path):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class _Known:
    """What stands in a ledger: its key, its account, the last code, and up to which byte lines are complete."""

    key: bytes
    account: Account
    code: str
    length: int
    is_new: bool


def _content(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > _LARGEST:
        raise InvalidInput("The ledger is larger than any ledger is; name another file.")
    return os.pread(descriptor, size, 0)


def _beginning(place: Path) -> bytes:
    try:
        with place.open("rb") as handle:
            return handle.read(len(_BEGIN))
    except OSError:
        raise InvalidInput("The ledger cannot be read; check that it is yours to read.") from None


def _check_begin(content: bytes) -> None:
    """Raise unless this is how a ledger begins, as far as it was written."""
    if not content.startswith(_BEGIN) and not _BEGIN.startswith(content):
        raise InvalidInput(
            "The file that is named as ledger is no ledger, and is left as it is; name one that "
            "`epstar release --ledger` wrote, or a file that does not exist yet."
        )


def _read(content: bytes) -> _Known:
    _check_begin(content)
    complete, *_ = content.rpartition(b"\n")
    lines = complete.split(b"\n") if complete else []
    if not lines:
        # A first line that was never finished is a ledger that was never begun.
        return _Known(b"", Account(None, ()), "", 0, True)
    try:
        head = json.loads(lines[0])
        key = bytes.fromhex(head["key"])
        budget = None if head["budget"] is None else rational(head["budget"])
        code, entries = _code(key, "", lines[0] + b"\n"), []
        for line in lines[1:]:
            fields = json.loads(line)
            said = fields.pop("code")
            code = _code(key, code, _canonical(fields))
            if not hmac.compare_digest(said, code):
                raise InvalidInput("The ledger was changed by something else than a release; restore it.")
            loss = _read_loss(fields["loss"])
            answers = tuple(fields.get("answers", ()))
            columns = tuple(fields["columns"])
            secrets = tuple((name, _read_loss(lost)) for name, lost in fields.get("secrets", {}).items())
            entries.append(Entry(fields["when"], columns, fields["output"], loss, fields["table"], answers, secrets))
    except InvalidInput:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput("The ledger was changed by something else than a release; restore it.") from None
    return _Known(key, Account(budget, tuple(entries)), code, len(complete) + 1, False)


def _read_loss(written: str | None) -> Rational | None:
    return None if written is None else rational(written)


def _write_loss(loss: Rational | None) -> str | None:
    return None if loss is None else text(loss)


def _head(known: _Known) -> bytes:
    budget = _write_loss(known.account.budget)
    return json.dumps({"schema": SCHEMA, "key": known.key.hex(), "budget": budget}).encode() + b"\n"


def _line(key: bytes, before: str, entry: Entry) -> bytes:
    fields: dict[str, Any] = {
        "when": entry.when,
        "columns": list(entry.columns),
        "output": entry.output,
        "loss": _write_loss(entry.loss),
        "table": entry.table,
        **({"answers": list(entry.answers)} if entry.answers else {}),
        **({"secrets": {name: _write_loss(lost) for name, lost in entry.secrets}} if entry.secrets else {}),
    }
    return json.dumps({**fields, "code": _code(key, before, _canonical(fields))}).encode() + b"\n"


def _canonical(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def _code(key: bytes, before: str, content: bytes) -> str:
    return hmac.new(key, before.encode() + b"\n" + content, hashlib.sha256).hexdigest()


def _digest(key: bytes, tables: Sequence[Path | str]) -> str:
    # In the order of their content, so that a folder whose files were renamed is known again.
    found = "".join(sorted(table if isinstance(table, str) else digest_of(table) for table in tables))
    return hmac.new(key, found.encode(), hashlib.sha256).hexdigest()


def _answer(key: bytes, decides: bytes) -> str:
    return hmac.new(key, b"answers\n" + decides, hashlib.sha256).hexdigest()


def _due(known: _Known, digest: str, loss: Rational | None, answers: Sequence[Answers], secrets: Secrets) -> _Due:
    """What a release of the table adds: all of it, or of a keyed one what was not answered in the same way before."""
    given = {code for entry in known.account.entries if entry.table == digest for code in entry.answers}
    new = [each for each in answers if _answer(known.key, each.decides) not in given]
    if not answers or len(new) == len(answers):
        return _Due(loss, True, secrets)
    losses = [each.loss for each in new if each.loss is not None]
    names = dict.fromkeys(name for each in new for name, _ in each.secrets)
    about = {name: lost_about([(each.loss, dict(each.secrets).get(name)) for each in new]) for name in names}
    return _Due(sum_of(losses) if len(losses) == len(new) else None, bool(new), tuple(about.items()))


def _budget(given: Number | None) -> Rational | None:
    if given is None:
        return None
    budget = Real.of(given)
    if budget.is_infinite or budget < ZERO:
        raise InvalidInput("The budget of a ledger is a number of nats of at least 0.")
    # Rounded down where it is a logarithm: the safe side.
    return budget.below()


def _check(known: _Known, digest: str, due: _Due, again: bool, budget: Number | None) -> None:
    account = known.account
    if budget is not None and _budget(budget) != account.budget:
        raise InvalidInput("The ledger was begun with another budget, or none; leave `budget` out, or begin another.")
    if not again and due.is_new and any(hmac.compare_digest(entry.table, digest) for entry in account.entries):
        raise InvalidInput(
            "The ledger knows a release of this table, and a second one adds its loss to that of the first; hand on "
            "the first one again, or count a second with `again`."
        )
    if due.is_new:
        _check_total(account.budget, account.entries, due)


def _check_total(budget: Rational | None, entries: Sequence[Entry], due: _Due) -> None:
    if budget is None:
        return
    after = Account(budget, (*entries, Entry("", (), "", due.loss, "", (), due.secrets)))
    if after.spent is None or after.spent > budget:
        reached = "without limit" if after.spent is None else f"{float(after.spent):.6g} nats"
        what = f"is lost about {', '.join(after.secrets)}" if after.secrets else "a record loses"
        raise InvalidInput(
            f"The release would bring what {what} to {reached}, and the budget of the ledger is "
            f"{float(budget):.6g}; nothing was released."
        )


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _keep_name(folder: Path) -> None:
    """Bring the name of a new file to the disk; where a folder cannot be synchronised, its file system does it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
