"""Going on after an error that nobody foresaw."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from types import TracebackType

_LOG = logging.getLogger(__name__)


class ErrorBoundary:
    """Lets no error out of its block; the log says its kind and its place, and whether there was one can be asked.

    No more, because what an error says may hold what somebody asked.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self.met_error = False

    def __enter__(self) -> ErrorBoundary:
        """Begin the block."""
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        """End the block; interrupts and exits pass."""
        if not isinstance(error, Exception):
            return False
        self.met_error = True
        places = traceback.extract_tb(trace)
        where = f"{Path(places[-1].filename).name}:{places[-1].lineno}" if places else "an unknown place"
        _LOG.error("Could not %s: %s at %s.", self._doing, type(error).__name__, where)
        return True
