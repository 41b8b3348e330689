"""Tables of the gates' own: YAML of ours, read fast because every reader process reads it."""

from functools import cache
from importlib.resources import files

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_own_texts() -> None:
    """Read all texts, for a process that is going to open no file."""
    for file in (files("supervisor_ai.gates") / "builtin").iterdir():
        own_text(file.name)


@cache
def own_text(name: str) -> str:
    """Return a text that comes with the package."""
    return (files("supervisor_ai.gates") / "builtin" / name).read_text("utf-8")


def load_table(text: str) -> object:
    """Read a table; it comes with the package, so nobody bounds it."""
    table: object = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe one in either case
    return table
