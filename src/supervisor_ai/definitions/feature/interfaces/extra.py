"""Modules of the extra `interfaces`, which may be installed or not."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

FindModule = Callable[[str], Any]
"""Imports a module; None where it is not installed."""


def find_module(name: str) -> Any:  # noqa: ANN401 - libraries of which some have no types
    """Import a module; None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None
