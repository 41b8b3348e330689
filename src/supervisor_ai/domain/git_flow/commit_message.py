"""Messages of commits: the task's own words, or the conventional form of them.

The same task, plan and paths always make the same message: a landing that is repeated makes the
same commit.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.issues import own_words
from supervisor_ai.domain.slugs import slug_of
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.json_value import parse_object

SUBJECT_LENGTH: Final = 72
_MOST_PATHS: Final = 500
_LONGEST_PATH: Final = 300
"""So much of what a worker named is looked at; nothing else of a change is decided by it."""
_SCOPE_LENGTH: Final = 20
_TYPES: Final = (
    *("feat", "fix", "docs", "style", "refactor", "perf"),
    *("test", "build", "ci", "chore", "revert"),
)
_MEANT: Final = {"feature": "feat", "bugfix": "fix", "documentation": "docs", "tests": "test"}
_CONVENTIONAL: Final = re.compile(rf"({'|'.join(_TYPES)})(\([^()\s]{{1,40}}\))?!?: \S")
_WORDS: Final = (
    ("fix", re.compile(r"(bug)?fix(es)?|repair|correct|resolve|bug|prevent", re.IGNORECASE)),
    ("refactor", re.compile(r"refactor|rename|simplify|extract|restructure|move", re.IGNORECASE)),
    ("perf", re.compile(r"speed|optimi[sz]e|accelerate", re.IGNORECASE)),
    ("revert", re.compile(r"revert|undo", re.IGNORECASE)),
)
_FILES: Final = (
    (
        "test",
        re.compile(r"(.*/)?(tests?|specs?|__tests__)/.*|(.*/)?(test_.*|.*[._](test|spec)\..*)"),
    ),
    ("docs", re.compile(r"docs?/.*|.*\.(md|rst|adoc)", re.IGNORECASE)),
    ("ci", re.compile(r"\.github/.*|\.gitlab-ci\.yml|\.ci/.*|\.circleci/.*")),
    (
        "build",
        re.compile(
            r"(.*/)?(pyproject\.toml|package\.json|go\.(mod|sum)|Cargo\.toml|Makefile|Dockerfile"
            r"|requirements.*\.txt|[^/]*[.-]lock(\.json|\.yaml)?)"
        ),
    ),
)
_NAMELESS: Final = frozenset({"__init__", "index", "main", "mod", "lib", "app"})
_GENERIC: Final = frozenset({"src", "lib", "app", "test", "tests", "pkg", "packages", "internal"})


class CommitWish(Struct, frozen=True, kw_only=True):
    """What a planner suggests for the subject of the commit."""

    type: str | None = None
    scope: str = ""


def wish_of(plans: Iterable[str]) -> CommitWish:
    """Read what the last plan that says so suggests; what cannot be understood counts for none."""
    found = CommitWish()
    for plan in plans:
        said = parse_object(plan) or {}
        kind, scope = said.get("commit_type"), said.get("commit_scope")
        word = kind.strip().lower() if isinstance(kind, str) else ""
        word = _MEANT.get(word, word)
        if word in _TYPES:
            found = CommitWish(type=word, scope=_scope(scope if isinstance(scope, str) else ""))
    return found


def commit_message(task: str, subject: str | None = None) -> str:
    """Make a subject of the task's first line, and a body where the task is longer."""
    task = plain(own_words(task)).strip()
    first = task.partition("\n")[0].strip()
    made = _cut(first if subject is None else subject)
    is_whole = first == task and (made == task if subject is None else made == subject)
    return made if is_whole else f"{made}\n\n{task}"


def conventional_subject(task: str, wish: CommitWish, paths: Sequence[str]) -> str:
    """Put type and scope before the task's first line, as far as plan and paths tell them."""
    words = " ".join(plain(own_words(task)).strip().partition("\n")[0].split())
    if _CONVENTIONAL.match(words):
        return words
    paths = [path[:_LONGEST_PATH] for path in paths[:_MOST_PATHS]]
    scope = wish.scope if wish.type is not None else _scope_of(paths)
    kind = wish.type or _type_of(words, paths)
    described = f"{words[:1].upper()}{words[1:]}".rstrip(".")
    return f"{kind}({scope}): {described}" if scope else f"{kind}: {described}"


def _cut(subject: str) -> str:
    if len(subject) <= SUBJECT_LENGTH:
        return subject
    return f"{subject[: SUBJECT_LENGTH - 1].rstrip()}…"


def _type_of(words: str, paths: Sequence[str]) -> str:
    """Say what kind of change it is: by its files where they are all of one kind, else by words."""
    kinds = {_kind(path) for path in paths}
    if len(kinds) == 1 and None not in kinds:
        return next(filter(None, kinds))
    first = words.partition(" ")[0]
    return next((kind for kind, words in _WORDS if words.fullmatch(first)), "feat")


def _kind(path: str) -> str | None:
    return next((kind for kind, pattern in _FILES if pattern.fullmatch(path)), None)


def _scope_of(paths: Sequence[str]) -> str:
    """Name the one thing that all files are about, if there is one; tests are about another."""
    product = [path for path in paths if _kind(path) is None] or list(paths)
    names = {_subject_of(path) for path in product}
    if len(names) == 1:
        return _scope(names.pop())
    folders = [path.split("/")[:-1] for path in product]
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))
    shared = [names[0] for names in levels]
    return _scope(next((it for it in reversed(shared) if it not in _GENERIC), ""))


def _subject_of(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0].removeprefix("test_").removesuffix("_test")
    return folder.rpartition("/")[2] if stem in _NAMELESS else stem


def _scope(words: str) -> str:
    slug = slug_of(words)
    return slug if len(slug) <= _SCOPE_LENGTH else ""
