"""The formats of tables, by the endings of their names, and how text in them is written."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from epstar.arguments import shown
from epstar.errors import InvalidInput

Kind = Literal["csv", "parquet", "arrow"]
Compression = Literal["gzip", "zstd"]

_KINDS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_NAMED = {"tab": "\t", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True)
class Style:
    """What separates the fields of a text table, None for what its name tells, and its encoding.

    Raises:
        InvalidInput: for a separator that is no single sign, or an encoding that is not known.

    >>> Style("tab", "latin-1")
    Style(separator='\\t', encoding='iso8859-1')
    """

    separator: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.separator is not None:
            given = _NAMED.get(self.separator, self.separator) if isinstance(self.separator, str) else ""
            if len(given) != 1 or not given.isascii() or given.isalnum() or given in '"\r\n.-+\0':
                raise InvalidInput(
                    f"{shown(self.separator)} cannot separate fields; give one sign, such as a semicolon, or tab."
                )
            object.__setattr__(self, "separator", given)
        try:
            found = codecs.lookup(self.encoding)
            "a".encode(found.name)
        except (LookupError, TypeError, UnicodeError):
            raise InvalidInput(f"The encoding {shown(self.encoding)} is not known; give one such as latin-1.") from None
        object.__setattr__(self, "encoding", found.name)


@dataclass(frozen=True)
class Format:
    """What kind of file a table is in, its compression if it is text, and what separates its fields."""

    kind: Kind
    compression: Compression | None
    separator: str


def format_of(path: Path, style: Style | None = None) -> Format:
    """Return the format that the ending of a name stands for.

    Raises:
        InvalidInput: for any other ending.

    >>> format_of(Path("data.tsv.gz"))
    Format(kind='csv', compression='gzip', separator='\\t')
    """
    compression = _COMPRESSIONS.get(path.suffix.lower())
    ending = (path if compression is None else path.with_suffix("")).suffix.lower()
    kind = _KINDS.get(ending)
    if kind is None or (compression is not None and kind != "csv"):
        raise InvalidInput(
            f"The format of {path.name} is unknown; end its name in .csv, .tsv, .parquet or .arrow, and text that is "
            "compressed in .gz or .zst."
        )
    plain = "\t" if ending == ".tsv" else ","
    return Format(kind, compression, plain if style is None or style.separator is None else style.separator)
