"""Manifests that are lines: makefiles, requirements, go.mod, and what is not worth a parser."""

import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.ports.project_survey import ManifestEvidence
from supervisor_ai.definitions.detection.facts import ProjectFact
from supervisor_ai.definitions.detection.trees import normal

Found = Iterator[ProjectFact]

_MOST_LINES: Final = 20_000
_LONGEST: Final = 400
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_:.-]{0,60}")
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_SETUP_REQUIREMENT: Final = re.compile(r"\s+([A-Za-z0-9][A-Za-z0-9._-]{0,100})\s*([<>=!~;\[]|$)")
_ENVIRONMENT: Final = re.compile(r"\[testenv:([A-Za-z0-9_.-]{1,60})\]")
_SESSION: Final = re.compile(r"def ([A-Za-z_][A-Za-z0-9_]{0,60})\(session")
_MODULE: Final = re.compile(r"(?:require\s+)?([a-z0-9][\w.-]*\.[a-z]+/[\w./~-]+) v\d")
_ARTIFACT: Final = re.compile(r"<artifactId>\s*([\w.-]{1,100})\s*</artifactId>")
_COORDINATE: Final = re.compile(r"['\"]([\w.-]{1,100}):([\w.-]{1,100})(?::[^'\"]{0,60})?['\"]")
_PLUGIN: Final = re.compile(r"id\s*\(?\s*['\"]([\w.-]{1,100})['\"]")
_KIND: Final = re.compile(r"kind:\s*([A-Z][A-Za-z]{1,60})\s*(#.*)?")


def makefile(file: str, text: str) -> Found:
    """Find the targets of a makefile."""
    for number, line in _lines(text):
        head, colon, rest = line.partition(":")
        if colon and not rest.startswith(("=", ":=")) and "=" not in head and line[0].isalpha():
            for target in filter(_WORD.fullmatch, head.split()):
                yield _fact("make", target, file, number)


def justfile(file: str, text: str) -> Found:
    """Find the recipes of a justfile."""
    for number, line in _lines(text):
        head, colon, rest = line.partition(":")
        words = head.removeprefix("@").split()
        is_recipe = colon and words and not rest.startswith("=") and not line[0].isspace()
        if is_recipe and _WORD.fullmatch(words[0]):
            yield _fact("just", words[0], file, number)


def requirements(file: str, text: str) -> Found:
    """Find the distributions of a requirements file."""
    for number, line in _lines(text):
        name = _REQUIREMENT.match(line)
        if name:
            yield _fact("pypi", normal(name[0]), file, number)


def setup_cfg(file: str, text: str) -> Found:
    """Find the distributions that a setup.cfg lists, one to a line."""
    yield from _matches("pypi", _SETUP_REQUIREMENT, file, text)


def tox(file: str, text: str) -> Found:
    """Find the environments of a tox.ini."""
    yield from _matches("tox", _ENVIRONMENT, file, text)


def nox(file: str, text: str) -> Found:
    """Find the sessions of a noxfile."""
    yield from _matches("nox", _SESSION, file, text)


def go_mod(file: str, text: str) -> Found:
    """Find the modules that a Go module needs."""
    for number, line in _lines(text):
        module = _MODULE.match(line.strip())
        if module:
            yield _fact("go", module[1], file, number)


def pom(file: str, text: str) -> Found:
    """Find the artifacts that a Maven project names."""
    for number, line in _lines(text):
        for artifact in _ARTIFACT.finditer(line):
            yield _fact("maven", artifact[1], file, number)


def gradle(file: str, text: str) -> Found:
    """Find the artifacts and the plug-ins that a Gradle project names."""
    for number, line in _lines(text):
        for artifact in _COORDINATE.finditer(line):
            yield _fact("maven", artifact[2], file, number)
        for plugin in _PLUGIN.finditer(line):
            yield _fact("maven", plugin[1], file, number)


def resource(file: str, text: str) -> Found:
    """Find the kinds of a file of Kubernetes; other YAML has no apiVersion."""
    lines = list(_lines(text))
    if any(line.startswith("apiVersion:") for _, line in lines):
        for number, line in lines:
            kind = _KIND.fullmatch(line.rstrip())
            if kind:
                yield _fact("kind", kind[1], file, number)


def _matches(kind: str, pattern: re.Pattern[str], file: str, text: str) -> Found:
    for number, line in _lines(text):
        found = pattern.match(line)
        if found:
            name = normal(found[1]) if kind == "pypi" else found[1]
            yield _fact(kind, name, file, number)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n")[:_MOST_LINES], start=1):
        if line.strip():
            yield number, line[:_LONGEST]


def _fact(kind: str, name: str, file: str, line: int) -> ProjectFact:
    return ProjectFact(name=f"{kind}:{name}", evidence=ManifestEvidence(file=file, line=line))
