"""Where code stands: in the product, in a test, or in what tests are run with."""

import re
from collections.abc import Callable
from typing import Final

from supervisor_ai.gates.change.differences import is_test_path
from supervisor_ai.gates.change.product_files import is_shipped

PRODUCT: Final = "product"
TESTS: Final = "tests"
_FOREIGN: Final = re.compile(
    r"(?:.*/)?(?:node_modules|vendor|third_party|dist|build|out|target|site-packages)/"
    r"|.*\.min\.[cm]?js$"
)
_CONFIG: Final = re.compile(
    r"(?:.*/)?[^/]*\.(?:config|conf|setup)\.[^/]+|(?:.*/)?(?:setup|noxfile)\.py"
)
_SERVING: Final = re.compile(
    r"(?:.*/)?(?:(?:jest|vitest|mocha|global|test|tests|ava|tap)[._-]?(?:setup|helpers?|utils?|support)"
    r"|setup[._-]?(?:jest|vitest|mocha|tests?)|test[._-]?(?:helpers?|utils?|support)/[^/]+"
    r"|__mocks__/.*|sitecustomize|usercustomize)(?:\.[^/]+)?",
    re.IGNORECASE,
)
"""Files without tests that runners load before them."""
_TESTED: Final = re.compile(r"#\s{0,4}\[\s{0,4}cfg\s{0,4}\(\s{0,4}test\s{0,4}\)\s{0,4}\]")
_ITEM_ENDS: Final = re.compile(r"[{};]")


def place_of(path: str, is_test: Callable[[str], bool]) -> str | None:
    """Name the place of a file; None for what is neither written here nor run."""
    if _FOREIGN.match(path):
        return None
    # A name that merely has `test` in it, as `latest.rs` has, says nothing about a file of Rust.
    is_ours = not path.endswith(".rs") and is_test(path)
    if is_ours or is_test_path(path) or _SERVING.fullmatch(path):
        return TESTS
    return PRODUCT if is_shipped(path) and not _CONFIG.fullmatch(path) else None


def test_lines(code: str) -> frozenset[int]:
    """Return the lines of a file of Rust that are there in test builds only, from 0 on."""
    found: set[int] = set()
    at = line = 0
    for mark in _TESTED.finditer(code):
        if mark.start() >= at:
            first = line + code.count("\n", at, mark.start())
            at = _end_of(code, mark.end())
            line = first + code.count("\n", mark.start(), at)
            found.update(range(first, line + 1))
    return frozenset(found)


def _end_of(code: str, start: int) -> int:
    """Return where an item ends."""
    depth = 0
    for found in _ITEM_ENDS.finditer(code, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth <= 0:
            return found.start()
    return len(code)
