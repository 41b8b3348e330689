"""Turns the base's tests into their opposite, where a change could reach into their runner.

A product shares a process with those who test it. One that has its hands in the runner, under
whatever name, lets pass what must fail; so does one that is wrong and hides it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.far_tests import far_tests
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.failing_compiled import failing_go, failing_rust
from supervisor_ai.gates.evidence.probes.failing_python import failing_python
from supervisor_ai.gates.evidence.probes.failing_script import failing_script
from supervisor_ai.gates.evidence.probes.near_names import near_names
from supervisor_ai.gates.evidence.probes.neighbours import TESTS
from supervisor_ai.gates.evidence.probes.opposites import Which
from supervisor_ai.gates.evidence.probes.reach_words import may_reach_runner
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.change_sides import changed_files

_LARGEST: Final = 256 * 1024
_BYTES: Final = 1024 * 1024
_RUST: Final = ".rs"
_FAILING: Final[Mapping[str, Callable[[str, bytes, Which], bytes]]] = {
    ".py": failing_python,
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), failing_script),
    ".go": failing_go,
    _RUST: failing_rust,
}


def failures(case: ChangeCase, rules: HarnessRules, commits: Commits) -> ProbesFound:
    """Let the base's tests of what changed fail, if the change could keep them from it."""
    base, head = commits.list(case.base), commits.list(case.head)
    paths = [frozenset(file.path for file in side) for side in (base, head)]
    conventions = Conventions(rules, *paths)
    changed = changed_files(commits, case.base, case.head, is_first=lambda path: False)
    product = [it for it in changed.files if conventions.of(it.path).half != Half.HARNESS]
    if not any(map(may_reach_runner, product)):
        return ProbesFound()
    names = near_names(commits, base, product)
    far = far_tests(commits, base, [it.path for it in product], names)
    # A file with tests of its own has to stay the change's, where the change is judged.
    both = {it.path for it in product if it.path.endswith(_RUST)}
    own = [file for file in head if file.path in both and _may_test(file)]
    not_ours = {*far, *both} - {file.path for file in own}
    tests = [file for file in base if file.path not in not_ours and _may_test(file)]
    return ProbesFound(probes=tuple(_probes(commits, tests, own)), far_tests=far)


def _may_test(file: CommitFile) -> bool:
    suffix = PurePosixPath(file.path).suffix
    is_test = suffix == _RUST or TESTS.fullmatch(file.path) is not None
    return is_test and suffix in _FAILING and file.size <= _LARGEST


def _probes(
    commits: Commits, tests: Sequence[CommitFile], own: Sequence[CommitFile]
) -> Iterator[TestProbe]:
    """Write each test twice, unless it is the same: another assertion, another failure."""
    known: dict[str, bytes] = {}
    for which in Which:
        made = _failing(commits, tests, which)
        if made and made != known:
            yield TestProbe(variants=(made,), on_head=_written(commits, own, which))
        known = made


def _failing(commits: Commits, files: Sequence[CommitFile], which: Which) -> dict[str, bytes]:
    """Return the files that can be made to fail."""
    before = dict(_read(commits, files))
    after = _written(commits, files, which)
    return {path: it for path, it in after.items() if it != before[path]}


def _written(commits: Commits, files: Sequence[CommitFile], which: Which) -> dict[str, bytes]:
    return {path: _made(path, source, which) for path, source in _read(commits, files)}


def _read(commits: Commits, files: Sequence[CommitFile]) -> Iterator[tuple[str, bytes]]:
    left = _BYTES
    for file, source in commits.read(files):
        left -= file.size
        if left >= 0:
            yield file.path, source


def _made(path: str, source: bytes, which: Which) -> bytes:
    try:
        return _FAILING[PurePosixPath(path).suffix](path, source, which)
    except NoGraft:
        return source
