"""Puts a failure at the end of the base's tests, where a change could reach into their runner.

A product shares a process with those who test it. One that has its hands in the runner, under
whatever name, lets pass what must fail.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.risks.changes import compare_sources
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.far_tests import far_tests
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.failing_python import failing_python
from supervisor_ai.gates.evidence.probes.failing_script import failing_script
from supervisor_ai.gates.evidence.probes.neighbours import TESTS
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.change_sides import FileSides, changed_files

_LARGEST: Final = 256 * 1024
_BYTES: Final = 1024 * 1024
_REACHING: Final[Mapping[str, re.Pattern[str]]] = {
    "python": re.compile(
        r"\b(?:sys|gc|inspect|ctypes|builtins|importlib|atexit|unittest|_?pytest|signal|threading"
        r"|weakref|types|traceback|faulthandler|__import__|import_module|globals|locals|vars"
        r"|setattr|getattr|eval|exec|compile|settrace|setprofile|excepthook|__dict__|__class__"
        r"|__globals__|__builtins__|__subclasses__|__code__|__traceback__|__getattribute__|f_back"
        r"|\w+_frame|attrgetter|methodcaller)\b"
    ),
    "script": re.compile(
        r"\b(?:process|require|global|globalThis|Reflect|Proxy|prototype|__proto__|constructor|eval"
        r"|Function|module|getBuiltinModule|createRequire|defineProperty|defineProperties"
        r"|setPrototypeOf|getPrototypeOf|assign|import|queueMicrotask|setImmediate|self|window)\b"
        r"|\[[^\]\d]*\+[^\]\d]*\]"
    ),
}
"""Words without which nobody leaves a module; many honest changes have one, and pass."""
_FAILING: Final[Mapping[str, Callable[[str, bytes], bytes]]] = {
    ".py": failing_python,
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), failing_script),
}


def failures(case: ChangeCase, rules: HarnessRules, commits: Commits) -> ProbesFound:
    """Let the base's tests of what changed fail, if the change could keep them from it."""
    base = commits.list(case.base)
    paths = [frozenset(file.path for file in side) for side in (base, commits.list(case.head))]
    conventions = Conventions(rules, *paths)
    changed = changed_files(commits, case.base, case.head, is_first=lambda path: False)
    product = [it for it in changed.files if conventions.of(it.path).half == Half.PRODUCT]
    if not any(map(_may_reach_out, product)):
        return ProbesFound()
    far = far_tests(commits, base, [it.path for it in product])
    made = dict(_failing(commits, [file for file in base if file.path not in far]))
    return ProbesFound(probes=(TestProbe(variants=(made,)),) if made else (), far_tests=far)


def _may_reach_out(file: FileSides) -> bool:
    pattern = _REACHING.get(family_of(file.path) or "")
    if pattern is None or not file.after:
        return False
    family = family_of(file.path) or ""
    before, after = (read_source(family, _text(side)) for side in (file.before, file.after))
    added = compare_sources(family, [before], [after]).added
    return any(pattern.search(unit.code) for unit in added)


def _failing(commits: Commits, files: Sequence[CommitFile]) -> Iterator[tuple[str, bytes]]:
    tests = [
        file
        for file in files
        if TESTS.fullmatch(file.path)
        and PurePosixPath(file.path).suffix in _FAILING
        and file.size <= _LARGEST
    ]
    left = _BYTES
    for file, source in commits.read(tests):
        left -= file.size
        made = _made(file.path, source) if left >= 0 else source
        if made != source:
            yield file.path, made


def _made(path: str, source: bytes) -> bytes:
    try:
        return _FAILING[PurePosixPath(path).suffix](path, source)
    except NoGraft:
        return source


def _text(side: bytes | None) -> str:
    return (side or b"").decode(errors="replace")
