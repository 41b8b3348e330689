"""Finding the files that a task is about, and the rules that hold for them."""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.context.path_rules import Patterns

_MENTION: Final = re.compile(r"[\w@+.\-\[\]/]{3,400}")
_LONGEST_TEXT: Final = 200_000
_MOST_MENTIONS: Final = 5_000
_RULE_FILES: Final = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_OWN_RULES: Final = {"claude": "CLAUDE.md", "gemini": "GEMINI.md"}


def mentioned(text: str, paths: Collection[str]) -> tuple[str, ...]:
    """Return the paths that a text names, by themselves or by an ending that only one path has."""
    mentions = {mention: PurePosixPath(mention).name for mention in _mentions(text)}
    by_name: dict[str, list[str]] = {name: [] for name in mentions.values()}
    for path in paths:
        if (name := path.rpartition("/")[2]) in by_name:
            by_name[name].append(path)
    found: dict[str, None] = {}
    for mention, name in mentions.items():
        named = by_name[name]
        exact = [path for path in named if path == mention]
        ending = [path for path in named if path.endswith(f"/{mention}")]
        if exact or len(ending) == 1:
            found[(exact or ending)[0]] = None
    return tuple(found)


def _mentions(text: str) -> Iterator[str]:
    matches = _MENTION.finditer(text[:_LONGEST_TEXT])
    for match, _ in zip(matches, range(_MOST_MENTIONS), strict=False):
        yield match[0].removeprefix("./").strip("/").rstrip(".")


def named(targets: Iterable[str], paths: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the files that each named target stands for: a file, a directory or a pattern."""
    return {target: _matching(target, paths) for target in targets}


def _matching(target: str, paths: Collection[str]) -> tuple[str, ...]:
    plain = target.removeprefix("./").rstrip("/")
    if plain in paths:
        return (plain,)
    patterns = Patterns([f"/{plain.removeprefix('/')}"])
    return tuple(patterns.chosen(paths))


def rule_files(targets: Iterable[str], paths: Collection[str], model: str) -> tuple[str, ...]:
    """Return the rules for some files, the nearest first; of a directory only one file counts."""
    directories = {PurePosixPath(): None}
    for target in targets:
        directories |= dict.fromkeys(PurePosixPath(target).parents)
    nearest_first = sorted(directories, key=lambda place: (-len(place.parts), str(place)))
    candidates = (_rules_in(directory, paths, model) for directory in nearest_first)
    return tuple(path for path in candidates if path)


def _rules_in(directory: PurePosixPath, paths: Collection[str], model: str) -> str | None:
    own = [name for family, name in _OWN_RULES.items() if family in model.lower()]
    candidates = (str(directory / name) for name in (*own, *_RULE_FILES))
    return next((path for path in candidates if path in paths), None)
