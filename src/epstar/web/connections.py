"""Connections: how many are open at once, and how long one may take to say what it wants or to take what it asked for.

uvicorn by itself waits for ever for the rest of a request, and for a client that does not read its answer.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from uvicorn.protocols.http.h11_impl import H11Protocol

from epstar.web.limits import Limits


def bounded_protocol(limits: Limits) -> type[H11Protocol]:
    """Return how a server speaks on its connections, within its limits."""
    # Connections on which nothing is being answered, those first that have been so the longest.
    idle: OrderedDict[asyncio.Transport, None] = OrderedDict()

    class BoundedProtocol(H11Protocol):
        """One connection. It is idle until the head of a request has come, and again once that is answered."""

        _end: asyncio.TimerHandle | None = None
        _times_taken = 0

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                # Whoever has been idle the longest makes room for the newcomer; if nobody is, there is none.
                next(iter(idle), transport).abort()
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._is_heard()
            elif self._end is None:
                # The beginning of the next request; more of it earns no more time.
                self._wait_for_head()

        def on_response_complete(self) -> None:
            self._is_heard()
            idle[self.transport] = None
            super().on_response_complete()
            self._see_it_taken()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._see_it_taken()

        def resume_writing(self) -> None:
            self._times_taken += 1
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            self._is_heard()
            super().connection_lost(exc)

        def _wait_for_head(self) -> None:
            idle[self.transport] = None
            self._end = self.loop.call_later(limits.head_seconds, self.transport.abort)

        def _is_heard(self) -> None:
            idle.pop(self.transport, None)
            if self._end is not None:
                self._end.cancel()
                self._end = None

        def _see_it_taken(self) -> None:
            """End the connection if nothing of what is to be sent is taken for as long as a client may need."""
            left, times = self.transport.get_write_buffer_size(), self._times_taken

            def look_again() -> None:
                if times == self._times_taken and 0 < left <= self.transport.get_write_buffer_size():
                    self.transport.abort()
                elif self.transport.get_write_buffer_size() > 0:
                    self._see_it_taken()

            if left > 0:
                self.loop.call_later(limits.body_seconds, look_again)

    return BoundedProtocol
