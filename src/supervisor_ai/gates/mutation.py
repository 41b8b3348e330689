"""Puts small faults into the Python lines that a change touches; the tests should notice."""

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.engine.ports.gates import ChangeCase, Mutant
from supervisor_ai.gates.faults import Faults, SeededFault
from supervisor_ai.gates.integrity.languages.python.files import is_test_file

_LARGEST: Final = 256 * 1024
_FILES: Final = 200
_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NOT_PYTHON: Final = (SyntaxError, ValueError, RecursionError, MemoryError)

_Place = tuple[str, int]


def mutants(case: ChangeCase, commits: Commits, *, limit: int) -> tuple[Mutant, ...]:
    """Return at most so many mutants, spread over all changed lines; the same ones every time."""
    files = _changed(case, commits)
    touched = dict(_touched(case, commits, files))
    sources = {file.path: source for file, source in commits.read(files)}
    places: dict[_Place, list[SeededFault]] = defaultdict(list)
    for path, source in sources.items():
        for fault in _faults(source):
            if fault.line in touched.get(path, ()):
                places[path, fault.line].append(fault)
    return tuple(_spread(places, sources, limit))


def _changed(case: ChangeCase, commits: Commits) -> tuple[CommitFile, ...]:
    """Return the Python files of the product that changed."""
    changes = commits.changes(case.base, case.head)
    paths = {change.path for change in changes if change.path.endswith(".py")}
    files = [
        file
        for file in commits.list(case.head)
        if file.path in paths and file.size <= _LARGEST and not is_test_file(file.path, b"")
    ]
    return tuple(files[:_FILES])


def _touched(
    case: ChangeCase, commits: Commits, files: Sequence[CommitFile]
) -> Iterator[tuple[str, frozenset[int]]]:
    paths = [file.path for file in files]
    for path, patch in commits.patches(case.base, case.head, paths):
        yield path, frozenset(_added_lines(patch))


def _added_lines(patch: str) -> Iterator[int]:
    """Find the numbers of the lines that a patch adds."""
    number = 0
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            number = int(hunk[1])
        elif number and line.startswith("+"):
            yield number
            number += 1
        elif number and line.startswith(" "):
            number += 1


def _parsed(source: str | bytes) -> ast.Module:
    """Parse a file without a word about its style."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _faults(source: bytes) -> list[SeededFault]:
    try:
        text = source.decode()
        found = Faults(source, _parsed(text)).find()
        return sorted(found, key=lambda fault: (fault.line, fault.start, fault.description))
    except _NOT_PYTHON:
        return []


def _mutant(path: str, source: bytes, fault: SeededFault) -> Mutant:
    return Mutant(
        file=path,
        line=fault.line,
        contents=fault.put_into(source),
        description=fault.description,
    )


def _spread(
    places: Mapping[_Place, Sequence[SeededFault]], sources: Mapping[str, bytes], limit: int
) -> Iterator[Mutant]:
    """Take one fault of each line, evenly over the lines, before a second one of any."""
    left = max(limit, 0)
    depth = 0
    while left:
        layer = [
            (path, found[depth])
            for (path, _), found in sorted(places.items())
            if len(found) > depth
        ]
        if not layer:
            return
        made = (_mutant(path, sources[path], fault) for path, fault in _evenly(layer, left))
        chosen = [mutant for mutant in made if _is_code(mutant)]
        yield from chosen
        left -= len(chosen)
        depth += 1


def _evenly(
    layer: Sequence[tuple[str, SeededFault]], count: int
) -> Sequence[tuple[str, SeededFault]]:
    if len(layer) <= count:
        return layer
    return [layer[index * len(layer) // count] for index in range(count)]


def _is_code(mutant: Mutant) -> bool:
    try:
        _parsed(mutant.contents)
    except _NOT_PYTHON:
        return False
    return True
