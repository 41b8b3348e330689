"""Which files are the product, by their paths: neither tests nor documents nor what serves work."""

import re
from typing import Final

from supervisor_ai.gates.change.differences import is_test_path

_CHANGELOG: Final = re.compile(
    r"(?:.*/)?(?:changelog|changes|history|news|release[-_]?notes)"
    r"(?:[-_.][\w.-]{0,40})?(?:\.(?:md|markdown|rst|txt|adoc|org))?$"
    r"|(?:.*/)?(?:changelog|changes|news|newsfragments|towncrier)(?:\.d)?/[^/]+$"
    r"|(?:.*/)?\.changeset/(?!readme)[^/]+\.md$",
    re.IGNORECASE,
)
_SOURCE: Final = re.compile(
    r".*\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|swift)$", re.IGNORECASE
)
_HIDDEN: Final = re.compile(r"(?:.*/)?\.[^/]+(?:/|$)")
_NO_PRODUCT: Final = re.compile(
    r"(?:.*/)?(?:docs?|documentation|examples?|bench(?:marks?)?)/"
    r"|.*\.(?:md|markdown|rst|adoc|lock|snap)$"
    r"|(?:.*/)?(?:licen[cs]e|notice|authors|contributors|codeowners|copying)(?:\.\w+)?$"
    r"|(?:.*/)?(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$",
    re.IGNORECASE,
)


def is_changelog(path: str) -> bool:
    """Tell whether a file tells users what changed; a source file is none, whatever its name."""
    return _CHANGELOG.match(path) is not None and _SOURCE.match(path) is None


def is_product(path: str) -> bool:
    """Tell whether a file is part of what users get."""
    return not is_test_path(path) and is_shipped(path)


def is_shipped(path: str) -> bool:
    """Tell whether a file is part of what users get, unless it is a test."""
    return not (is_changelog(path) or _NO_PRODUCT.match(path) or _HIDDEN.match(path))


def is_operative(path: str) -> bool:
    """Tell whether a file is part of what users get, or of what builds and delivers it."""
    return not (is_test_path(path) or is_changelog(path) or _NO_PRODUCT.match(path))
