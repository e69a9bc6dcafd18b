"""The body of a request as it arrives: so much of it, in so much time."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from starlette.types import Message, Receive

# What is sent to a request that was refused is taken and thrown away, up to so much: whoever sends everything before
# reading anything would otherwise find the connection closed, and never the sentence that says why.
_MOST_THROWN_AWAY = 64 << 20
_SECONDS_THROWN_AWAY = 5.0


class TooLarge(Exception):
    """More was sent than is read."""


class TooSlow(Exception):
    """The rest did not come in time."""


class Body:
    """Receives the body of one request."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive, self._most = receive, most
        self._end = time.monotonic() + seconds
        self._seen = 0
        self._has_ended = False

    async def receive(self) -> Message:
        """Return the next part; after the last one, wait for whatever else happens to the connection.

        Raises:
            TooLarge: once it is longer than it may be.
            TooSlow: once it takes longer than it may.
        """
        if self._has_ended:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._end - time.monotonic()))
        except TimeoutError:
            raise TooSlow from None
        self._note(message)
        if self._seen > self._most:
            raise TooLarge
        return message

    async def throw_away(self) -> None:
        """Take what still comes, for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_THROWN_AWAY):
                while not self._has_ended and self._seen < _MOST_THROWN_AWAY:
                    self._note(await self._receive())

    def _note(self, message: Message) -> None:
        self._seen += len(message.get("body", b""))
        self._has_ended = message["type"] != "http.request" or not message.get("more_body", False)
