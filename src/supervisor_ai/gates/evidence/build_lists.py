"""Grafts build files: the base's recipes judge, but what the head adds to the product is built.

A line of the head is taken only where nothing but names of files that come or go with the change,
or of libraries, tells it from the base's: no recipe can hide in that.
"""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.change.path_patterns import name_pattern

BUILD_FILE: Final = name_pattern(
    [
        *("makefile", "gnumakefile", "makefile.am", "makefile.in", "*.mk", "justfile", ".justfile"),
        *("cmakelists.txt", "*.cmake", "meson.build", "meson_options.txt", "build", "build.bazel"),
        *("*.bzl", "configure.ac", "sconstruct", "sconscript", "wscript", "build.zig", "*.gradle"),
        *("*.gradle.kts", "pom.xml", "build.sbt", "*.csproj", "*.fsproj", "*.vcxproj", "mix.exs"),
        *("package.swift", "build.xml", "rebar.config", "*.cabal", "dune", "dune-project"),
    ]
)
_LINES: Final = 4000
_WORD: Final = re.compile(r"[^\s\"'(),;\\\[\]{}=]+")
_LIBRARY: Final = re.compile(r"-l[\w.+-]+|-pthread")
_DEPENDENCY: Final = re.compile(
    r"\s{0,99}(?:(?:implementation|api|compileOnly|runtimeOnly|annotationProcessor|kapt|ksp)"
    r"[\s(][\"'(\w.:@$\-{})\s]{1,300}"
    r"|</?dependency>"
    r"|<(groupId|artifactId|version|type|optional|[\w.-]+\.version)>[\w.:${}-]+</\1>"
    r"|<scope>(?:compile|runtime|provided)</scope>"
    r"|libraryDependencies\s*\+=.*|\"[\w.-]+\" %{1,3} \"[\w.-]+\" % \"[\w.-]+\",?"
    r"|<PackageReference\s[^>]*/>|\{:\w+,\s*\"[^\"\n]*\"\},?"
    r"|(?:find_package|target_link_libraries|pkg_check_modules)\([\w\s.:-]{1,300}\)"
    r"|\w{1,60}\s*=\s*dependency\([^()\n]{1,200}\)"
    r"|(?:LDLIBS|LDFLAGS|CFLAGS|CXXFLAGS)\s*[+:?]?=(?:\s{1,9}-(?:[lLWOgf]|std=|pthread)[\w./+=-]*)*"
    r"|)\s{0,99}"
)
"""Whole lines that name what the product is built with, as Gradle, Maven and others say it.

No folder in which a compiler looks for headers, and no macro: either can do away with a check.
"""


def graft_build(before: str, after: str, touched: Sequence[str]) -> str:
    """Return the base's text, with those lines of the head's that only list other files."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if max(len(old), len(new)) > _LINES:
        return before
    names = frozenset(name for path in touched for name in _names(path))
    found: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_taken = tag != "equal" and _only_lists(old[i1:i2], new[j1:j2], names)
        found += new[j1:j2] if is_taken else old[i1:i2]
    return "".join(found)


def _names(path: str) -> tuple[str, str]:
    pure = PurePosixPath(path)
    return pure.name, pure.stem


def _only_lists(old: Sequence[str], new: Sequence[str], names: frozenset[str]) -> bool:
    if all(_DEPENDENCY.fullmatch(line) for line in (*old, *new)):
        return True
    was, now = _WORD.findall("".join(old)), _WORD.findall("".join(new))
    other = (Counter(was) - Counter(now)) + (Counter(now) - Counter(was))
    is_listed = all(_is_name(word, names) for word in other)
    return is_listed and _without(was, other) == _without(now, other)


def _is_name(word: str, names: frozenset[str]) -> bool:
    return not names.isdisjoint(_names(word)) or _LIBRARY.fullmatch(word) is not None


def _without(words: Sequence[str], other: Counter[str]) -> list[str]:
    return [word for word in words if word not in other]
