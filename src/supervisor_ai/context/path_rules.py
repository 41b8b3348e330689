"""Path patterns: which files a context may show, judged by their names alone."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SECRET_FILES: Final = (
    *(".env*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"),
    *("id_*", "!id_*.py", "!id_*.ts", "!id_*.js", "!id_*.go", "!id_*.rs", "!id_*.java"),
    *("*.tfstate", "*.tfstate.*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd"),
    *(".git-credentials", ".aws/credentials", ".docker/config.json"),
    *("!.env.example", "!.env.sample", "!.env.template"),
)
"""Files that are made to hold secrets: they are listed and never packed."""

INTERFACE_FILES: Final = (
    *("*.d.ts", "*.pyi", "*.proto", "*.graphql", "*.gql", "*.avsc", "*.thrift", "*.xsd"),
    *("types.*", "interfaces.*", "protocols.*", "contracts.*", "schema.*", "schemas.*"),
    *("interfaces/", "protocols/", "contracts/", "schemas/", "ports/", "types/"),
    *("openapi.*", "swagger.*", "*.schema.json"),
)
"""Files that usually define types, contracts and schemas."""

_MOST_STARS: Final = 3
"""In one part of a path: each more multiplies what a match can cost by the length of a name."""
_MOST_DOUBLE_STARS: Final = 4
_LONGEST_PATH: Final = 1000
_DEEPEST_PATH: Final = 60
KNOWLEDGE_FILES: Final = ("/.supervisor/knowledge/**/*.md",)


class Patterns:
    """Patterns as `.gitignore` writes them; what matches is chosen."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._spec: GitIgnoreSpec | None = None
        self._known: dict[str, bool] = {}

    def match(self, path: str) -> bool:
        """Tell whether the last pattern that speaks of the path chooses it."""
        if not self._patterns:
            return False
        if self._spec is None:
            self._spec = _compiled(self._patterns)
        if path not in self._known:
            self._known[path] = self._spec.match_file(path)
        return self._known[path]


def is_sane(path: str) -> bool:
    """Tell whether a path is short enough to be matched; any other is never shown."""
    return len(path) <= _LONGEST_PATH and path.count("/") <= _DEEPEST_PATH


def _compiled(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    for pattern in patterns:
        parts = pattern.split("/")
        stars = max(0 if part == "**" else part.count("*") for part in parts)
        if stars > _MOST_STARS or parts.count("**") > _MOST_DOUBLE_STARS:
            raise InvalidInput(f"The pattern {pattern!r} has too many stars.")
    try:
        # The other backends refuse names that are no UTF-8.
        return GitIgnoreSpec.from_lines(patterns, backend="simple")
    except (ValueError, re.error) as error:
        raise InvalidInput(f"One of the patterns {patterns!r} cannot be read: {error}") from error
