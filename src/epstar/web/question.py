"""A question as it was asked, and who asked it."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from dataclasses import dataclass
from decimal import Decimal

from epstar.json_document import parse_json

PLACE = "The request"
"""How sentences about a document that came over the network begin."""


@dataclass(frozen=True)
class Question:
    """A task and the JSON text of its document; whoever asks the same has the same digest.

    The text is what a worker is given: sending nested objects to another process can exhaust the stack, a text cannot.
    """

    task: str
    text: str
    digest: str

    @classmethod
    def read(cls, task: str, content: bytes | str) -> Question:
        """Return the question that a text asks.

        Raises:
            InvalidInput: in one sentence, if the text is not a JSON document that can be read in one way.
        """
        parse_json(content, PLACE)
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        # Objects as sorted tuples: their repr is the same for the same document, and for no other.
        canonical = json.loads(text, parse_float=Decimal, object_pairs_hook=lambda entries: tuple(sorted(entries)))
        return cls(task, text, hashlib.sha256(f"{task} {canonical!r}".encode()).hexdigest())


@dataclass(frozen=True)
class Asker:
    """Whose results they are, and where the request came from.

    `is_known` says that the request carried the cookie of this user. Whoever sends none is a new user each time, so
    that all of them from one address share one turn; otherwise leaving cookies out would be a way past every quota.
    """

    identity: str
    address: str
    is_known: bool

    @property
    def turn(self) -> str:
        """Whose turn a job takes among those from the same address."""
        return self.identity if self.is_known else ""


# Nobody's cookie is empty: what belongs to this user is the opening view, which is the same for all.
EVERYBODY = Asker("", "", True)


def neighbourhood(host: str) -> str:
    """Return what quotas count as one address: of version 6 a whole network of 64 bits, which anybody is given.

    >>> neighbourhood("192.0.2.7"), neighbourhood("2001:db8::7"), neighbourhood("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
