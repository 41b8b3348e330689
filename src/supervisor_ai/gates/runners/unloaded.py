"""What runners and compilers say when they cannot load a file of tests."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.engine.ports.gates import Missing

_MOST: Final = 100
_MODULES: Final = (
    r"No module named '(?P<name>[\w.]+)'",
    r"Cannot find (?:module|package) ['\"](?P<name>[^'\"]+)['\"]",
    r"Failed to resolve import \"(?P<name>[^\"]+)\"",
    r"Failed to load url (?P<name>[^\s(]+)",
    r"Could not resolve \"(?P<name>[^\"]+)\"",
    r"(?:cannot find|no required module provides) package \"?(?P<name>[\w./-]+)",
    r"package (?P<name>[\w./-]+) is not in (?:std|GOROOT)",
    r"unresolved import `(?P<name>[\w:]+)`",
    r"file not found for module `(?P<name>\w+)`",
    r"(?:undeclared crate or module|unresolved module or unlinked crate) `(?P<name>\w+)`",
    r"error: package (?P<name>[\w.]+) does not exist",
    r"cannot load such file -- (?P<name>\S+)",
)
_NAMES: Final = (
    r"ImportError: cannot import name '(?P<name>\w+)'",
    r"does not provide an export named '(?P<name>\w+)'",
    r"No matching export in \"[^\"]+\" for import \"(?P<name>\w+)\"",
    r"has no exported member (?:named )?'(?P<name>\w+)'",
    r"\.go:\d+:\d+: undefined: (?:\w+\.)?(?P<name>\w+)",
    r"\.go:\d+:\d+: [\w.()]+\.(?P<name>\w+) undefined",
    r"error\[E\d+\]: cannot find \w+(?:,? \w+){0,6} `(?P<name>\w+)`",
    r"error\[E\d+\]: no [\w ]{1,40} named `(?P<name>\w+)`",
    r"symbol: +(?:method|class|variable|static) (?P<name>\w+)",
)
_PATTERNS: Final = tuple(
    (re.compile(pattern), is_module)
    for patterns, is_module in ((_MODULES, True), (_NAMES, False))
    for pattern in patterns
)


def missing_parts(lines: Sequence[str]) -> tuple[Missing, ...]:
    """List what was looked for and not found."""
    found: dict[Missing, None] = {}
    for line in lines:
        for pattern, is_module in _PATTERNS:
            for match in pattern.finditer(line):
                found[Missing(match["name"], is_module)] = None
        if len(found) >= _MOST:
            break
    return tuple(found)[:_MOST]
