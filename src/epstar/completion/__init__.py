"""The completer: from what solvers find to claims that the rule can read. Nothing of it is trusted."""

from epstar.completion.complete import completed, larger

__all__ = ["completed", "larger"]
