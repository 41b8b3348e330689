"""Has the base's tests called in a process of their own, in which nothing tells of a runner.

Whatever a product goes by to know that it is tested, its callers, loaded modules, variables, the
command or the folder, is not there: it does then what it does for everybody else.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.far_tests import far_tests
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.near_names import near_names
from supervisor_ai.gates.evidence.probes.neighbours import TESTS
from supervisor_ai.gates.evidence.probes.reach_words import may_know_surroundings
from supervisor_ai.gates.integrity.change_sides import changed_files
from supervisor_ai.gates.own_tables import own_text

_LARGEST: Final = 128 * 1024
_BYTES: Final = 512 * 1024
_SOURCE: Final = "@@SOURCE@@"
_NAMES: Final = "@@NAMES@@"
_TEST: Final = re.compile(r"(?m)^[ \t]*def (test_\w+)\(")
_PYTHON: Final = "plainly_python.txt"
_SCRIPTS: Final = {".js": "plainly_node.txt", ".cjs": "plainly_node.txt", ".mjs": "plainly_esm.txt"}
_MODULE: Final = re.compile(r"(?m)^\s*(?:import|export)\b(?!\s*\()")
_PREPARED: Final = re.compile(
    rb"\bautouse\b|\b(?:setUpModule|setUpClass|setup_module|setup_class)\b|\bdef pytest_"
    rb"|\benviron\b|\bputenv\b|\bchdir\b|\bconfigure\(|\bsettings\b|\bsetup\(|\bsys\.path\b"
)
"""What a runner does before a test: a product may need it without knowing of any test."""
_CONFTEST: Final = "conftest.py"
_OWN_RUNNER: Final = re.compile(r"""["'](?:node:test)["']""")


def plainly(case: ChangeCase, rules: HarnessRules, commits: Commits) -> ProbesFound:
    """Write tests that call those of the base, if the change could know its surroundings."""
    base, head = commits.list(case.base), commits.list(case.head)
    paths = [frozenset(file.path for file in side) for side in (base, head)]
    conventions = Conventions(rules, *paths)
    changed = changed_files(commits, case.base, case.head, is_first=lambda path: False)
    product = [it for it in changed.files if conventions.of(it.path).half == Half.PRODUCT]
    if not any(map(may_know_surroundings, product)):
        return ProbesFound()
    names = near_names(commits, base, product)
    far = far_tests(commits, base, [it.path for it in product], names)
    near = [it for it in base if TESTS.fullmatch(it.path) and it.path not in far]
    prepared = tuple(_prepared_folders(commits, base))
    asked = [it for it in near if it.size <= _LARGEST and not it.path.startswith(prepared)]
    made = dict(_written(commits, asked))
    if not made:
        return ProbesFound()
    # What cannot be called plainly would only take its time.
    rest = {file.path for file in near} - made.keys()
    return ProbesFound(probes=(TestProbe(variants=(made,)),), far_tests=(*far, *sorted(rest)))


def _prepared_folders(commits: Commits, files: Sequence[CommitFile]) -> Iterator[str]:
    """Yield the folders in which a runner does more than to call tests."""
    found = [file for file in files if PurePosixPath(file.path).name == _CONFTEST]
    for file, source in commits.read(found):
        if _PREPARED.search(source):
            yield file.path.removesuffix(_CONFTEST)


def _written(commits: Commits, tests: Sequence[CommitFile]) -> Iterator[tuple[str, bytes]]:
    left = _BYTES
    for file, source in commits.read(tests):
        left -= file.size
        made = _plain(file.path, source) if left >= 0 else None
        if made is not None:
            yield file.path, made.encode()


def _plain(path: str, source: bytes) -> str | None:
    text = source.decode(errors="replace")
    suffix = PurePosixPath(path).suffix
    if suffix == ".py":
        if _PREPARED.search(source):
            return None
        names = sorted(dict.fromkeys(_TEST.findall(text)))
        made = own_text(_PYTHON).replace(_NAMES, ascii(names)).replace(_SOURCE, ascii(text))
        return made if names else None
    if suffix not in _SCRIPTS or not _OWN_RUNNER.search(text):
        return None
    is_module = suffix == ".mjs" or (suffix == ".js" and _MODULE.search(text) is not None)
    name = _SCRIPTS[".mjs"] if is_module else _SCRIPTS[".cjs"]
    return own_text(name).replace(_SOURCE, _script_text(text))


def _script_text(text: str) -> str:
    """Write a text as one that JavaScript reads back."""
    kept = {"\n": "\\n", "\\": "\\\\", '"': '\\"'}
    written = (kept.get(it) or (it if " " <= it <= "~" else _escaped(it)) for it in text)
    return f'"{"".join(written)}"'


def _escaped(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
