"""Packages that are not in a plain install: each belongs to an extra, and the sentence about a missing one names it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from epstar.errors import MissingExtra

# The smallest extra that brings a package, by the name it is imported by.
EXTRAS = {
    "matplotlib": "plot",
    "plotly": "plot",
    "pyarrow": "table",
    "cryptography": "table",
    "pyspark": "spark",
    "pandas": "frame",
    "narwhals": "frame",
    "anywidget": "notebook",
    "sklearn": "learn",
    "fastapi": "web",
    "starlette": "web",
    "uvicorn": "web",
    "fastapi_offline": "web",
    "statsmodels": "demo",
    "dp_accounting": "accounting",
    "hypothesis": "dev",
}


def required(package: str, purpose: str) -> ModuleType:
    """Return a package that comes with an extra.

    Raises:
        MissingExtra: if it is not installed.
    """
    try:
        return import_module(package)
    except ImportError:
        raise missing(package, purpose) from None


def missing(package: str, purpose: str, extra: str | None = None) -> MissingExtra:
    """Return the error that says what a package is for and which extra brings it."""
    install = f"pip install 'epstar[{extra or EXTRAS[package]}]'"
    return MissingExtra(f"{purpose} {package}, which is not installed; install it with: {install}.")


def explained(error: ImportError) -> MissingExtra | None:
    """Return what to say instead of a failed import, None if no extra brings what could not be imported."""
    package = (error.name or "").partition(".")[0]
    return missing(package, "This needs") if package in EXTRAS else None
