"""Patterns of paths: as our tables write them, at any depth and whatever the case, or a project."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase


def path_pattern(paths: Iterable[str]) -> re.Pattern[str]:
    """Match whole paths: `*` is a part of a name, `folder/**` the folder and all in it.

    A `/` in front means the top.
    """
    anywhere: list[str] = []
    top: list[str] = []
    for path in paths:
        (top if path.startswith("/") else anywhere).append(_translated(path.lstrip("/")))
    # A name may hold a line break, which must not hide what stands behind it.
    wanted = [f"(?:.*/)?(?:{'|'.join(anywhere)})"] if anywhere else []
    return re.compile(f"(?:{'|'.join([*wanted, *top])})$", re.IGNORECASE | re.DOTALL)


def name_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Match names of files or folders."""
    return re.compile(f"(?:{'|'.join(map(_translated, names))})$", re.IGNORECASE | re.DOTALL)


def fits(path: str, pattern: str) -> bool:
    """Tell whether a path is meant by a pattern of a project: a folder, a file or a `*` of both."""
    wide = pattern.removesuffix("/**").rstrip("/")
    return path == wide or path.startswith(f"{wide}/") or fnmatchcase(path, pattern)


def _translated(path: str) -> str:
    folder = path.removesuffix("/**")
    name = re.escape(folder).replace(r"\*", "[^/]*")
    return f"{name}{'(?:/.*)?' if folder != path else ''}"
