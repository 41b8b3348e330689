"""Tables of the gates' own: YAML of ours, read fast because every reader process reads it."""

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_table(text: str) -> object:
    """Read a table; it comes with the package, so nobody bounds it."""
    table: object = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe one in either case
    return table
