"""Path patterns: which files a context may show, judged by their names alone."""

import re
from collections.abc import Collection, Iterable, Mapping
from operator import is_
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.ports.commits import CommitFile
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


_MOST_KNOWN: Final = 200_000
"""Names whose match one set of patterns remembers; a repository of more is matched anew."""
_MOST_RULES: Final = 64
_MOST_VISIBLE: Final = 4
"""Lists that are remembered: what two roles may see of a base and of what was made of it."""


_PLAIN: Final = re.compile(r"[\w.@+~-]+")
"""A piece of a pattern that stands for itself, letter by letter."""
_CLASSES: Final = frozenset("[\\")


def _signs(patterns: Iterable[str]) -> tuple[str, ...] | None:
    """Find for each pattern that chooses what its paths have in them; None where one has no sign.

    A path with none of these words is not spoken of, and need not be matched.
    """
    signs = dict[str, None]()
    for pattern in (it for it in patterns if not it.startswith("!")):
        pieces = [] if _CLASSES & set(pattern) else _PLAIN.findall(pattern)
        if not pieces:
            return None
        signs[max(pieces, key=len)] = None
    return tuple(signs)


class Patterns:
    """Patterns as `.gitignore` writes them; what matches is chosen."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._spec: GitIgnoreSpec | None = None
        self._signs = _signs(self._patterns)
        self._known: dict[str, bool] = {}

    def match(self, path: str) -> bool:
        """Tell whether the last pattern that speaks of the path chooses it."""
        self._compile()
        if self._signs is not None and not any(map(path.__contains__, self._signs)):
            return False
        found = self._known.get(path)
        if found is None:
            found = self._spec is not None and self._spec.match_file(path)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[path] = found
        return found

    def chosen(self, paths: Collection[str]) -> list[str]:
        """Return those of many paths that match, in their order."""
        self._compile()
        if self._signs is None:
            return [path for path in paths if self.match(path)]
        together = "\n".join(paths)
        signs = [sign for sign in self._signs if sign in together]
        if not signs:
            return []
        likely = (path for path in paths if any(map(path.__contains__, signs)))
        return [path for path in likely if self.match(path)]

    def _compile(self) -> None:
        """Read the patterns; a wrong one is refused before anything is asked of it."""
        if self._spec is None and self._patterns:
            self._spec = _compiled(self._patterns)


class PathRules:
    """Sets of patterns that several packings share, so that a name is matched once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], Patterns] = {}
        self._visible: list[tuple[tuple[object, ...], dict[str, CommitFile]]] = []
        """What was asked about, and found; the newest last."""

    def visible(
        self, files: tuple[CommitFile, ...], hidden: Patterns, excluded: Patterns
    ) -> Mapping[str, CommitFile]:
        """Return the files of a list, by their paths, that neither set of patterns takes away."""
        asked = (files, hidden, excluded)
        for known, found in tuple(self._visible):
            if all(map(is_, known, asked)):
                return found
        found = _visible(files, hidden, excluded)
        self._visible.append((asked, found))
        del self._visible[:-_MOST_VISIBLE]
        return found

    def patterns(self, patterns: Iterable[str]) -> Patterns:
        """Return a set of patterns, the same one for the same words."""
        words = tuple(patterns)
        found = self._known.get(words)
        if found is None:
            if len(self._known) >= _MOST_RULES:
                self._known.clear()
            found = self._known[words] = Patterns(words)
        return found


def _visible(
    files: Iterable[CommitFile], hidden: Patterns, excluded: Patterns
) -> dict[str, CommitFile]:
    found = {it.path: it for it in files if len(it.path) <= _DEEPEST_PATH or is_sane(it.path)}
    unseen = {*hidden.chosen(found), *excluded.chosen(found)}
    if not unseen:
        return found
    return {path: file for path, file in found.items() if path not in unseen}


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
