"""Where a trade-off changes its course: the least distortion, jumps, kinks, and where the least loss is reached."""

from epstar.breakpoints.breakpoint import Breakpoint, Kind
from epstar.breakpoints.ends import Ends, ends
from epstar.breakpoints.find import breakpoints, known_breakpoints

__all__ = ["Breakpoint", "Ends", "Kind", "breakpoints", "ends", "known_breakpoints"]
