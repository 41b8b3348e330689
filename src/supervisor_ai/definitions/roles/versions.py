"""Versions of packs, and ranges of them."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

Version = tuple[int, int, int]

_VERSION: Final = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?")
_BOUND: Final = re.compile(r"(>=|<=|==|>|<|\^|~)? ?([\d.]{1,40})")
_COMPARE: Final[Mapping[str, Callable[[Version, Version], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "^": lambda version, bound: version >= bound and _leading(version) == _leading(bound),
    "~": lambda version, bound: version >= bound and version[:2] == bound[:2],
}


def version_text(value: str) -> str:
    """Accept a version such as 1.2.0."""
    parse_version(value)
    return value


def range_text(value: str) -> str:
    """Accept a range such as `>=1.0.0, <2`, `^1.2` or `~1.2.3`."""
    fits(value, "0")
    return value


def parse_version(value: str) -> Version:
    """Read a version; what is left out is 0."""
    match = _VERSION.fullmatch(value)
    if match is None:
        raise ValueError(f"must be a version such as 1.2.0, found {value!r}")
    major, minor, patch = (int(part or 0) for part in match.groups())
    return (major, minor, patch)


def fits(wanted: str, version: str) -> bool:
    """Tell whether a version lies in a range."""
    found = parse_version(version)
    # Every part is read, so that a mistake in the last one is found too.
    held = [_holds(part.strip(), found) for part in wanted.split(",")]
    return all(held)


def _holds(part: str, version: Version) -> bool:
    match = _BOUND.fullmatch(part)
    if match is None:
        raise ValueError(f"must be a range such as '>=1.0.0, <2', '^1.2' or '~1.2', found {part!r}")
    return _COMPARE[match[1] or "=="](version, parse_version(match[2]))


def _leading(version: Version) -> Version | tuple[int, ...]:
    """Return what must not change: all up to the first part that is not 0."""
    first = next((number for number, part in enumerate(version) if part), len(version) - 1)
    return version[: first + 1]
