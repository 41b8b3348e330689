"""The ways to look at a change that need no command; loaded by the reader's process only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.auto_run import examine_auto_run
from supervisor_ai.gates.change.changelog import examine_changelog
from supervisor_ai.gates.change.complexity import examine_complexity
from supervisor_ai.gates.change.misleading_names import find_odd_names
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import Languages, examine_tests
from supervisor_ai.gates.integrity.languages.go import GO
from supervisor_ai.gates.integrity.languages.java import JAVA
from supervisor_ai.gates.integrity.languages.javascript import JAVASCRIPT
from supervisor_ai.gates.integrity.languages.rust import RUST
from supervisor_ai.gates.integrity.model import LanguageReader
from supervisor_ai.gates.integrity.python_ast.reader import PythonTests
from supervisor_ai.gates.worker_claims.claims_gate import examine_claims

_MOST_ODD_NAMES: Final = 100

Look = Callable[[ChangeCase, Commits, Callable[[str], bool]], Examination]

LOOKS: Final[Mapping[GateKind, Look]] = {
    GateKind.CLAIMS: lambda case, commits, has_commit: examine_claims(
        case, commits, has_commit, Languages(known_languages())
    ),
    GateKind.AUTO_RUN_FILES: lambda case, commits, _: _examine_names(case, commits),
    GateKind.TEST_INTEGRITY: lambda case, commits, _: examine_tests(
        case, commits, known_languages()
    ),
    GateKind.CHANGELOG: lambda case, commits, _: examine_changelog(case, commits),
    GateKind.COMPLEXITY: lambda case, commits, _: examine_complexity(case, commits),
}


def look(
    kind: GateKind, case: ChangeCase, commits: Commits, has_commit: Callable[[str], bool]
) -> Examination:
    """Look at a change in one of the ways that need no command."""
    return LOOKS[kind](case, commits, has_commit)


def _examine_names(case: ChangeCase, commits: Commits) -> Examination:
    odd = islice(find_odd_names(case, commits), _MOST_ODD_NAMES)
    seen = examine_auto_run(case, commits)
    return replace(seen, findings=(*odd, *seen.findings))


def known_languages() -> Sequence[LanguageReader]:
    """Return the readers of all languages whose tests are understood."""
    return (PythonTests(), *map(TableReader, (JAVASCRIPT, GO, RUST, JAVA)))
