"""The ways to look at a change that need no command."""

from collections.abc import Callable, Sequence
from typing import Final, assert_never

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Finding, GateKind
from supervisor_ai.engine.ports.commits import Commits
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.integrity.model import Language

WITH_A_COMMAND: Final = frozenset({GateKind.COMMAND, GateKind.RED_BEFORE_GREEN, GateKind.MUTATION})


def look(
    kind: GateKind, case: ChangeCase, commits: Commits, has_commit: Callable[[str], bool]
) -> Examination:
    """Look at a change."""
    match kind:
        case GateKind.CLAIMS:
            from supervisor_ai.gates.claims import examine_claims

            return examine_claims(case, commits, has_commit)
        case GateKind.AUTO_RUN_FILES:
            from supervisor_ai.gates.auto_run import examine_auto_run

            return examine_auto_run(case, commits)
        case GateKind.TEST_INTEGRITY:
            from supervisor_ai.gates.integrity.examine import examine_tests

            return examine_tests(case, commits, known_languages())
        case GateKind.CHANGELOG:
            from supervisor_ai.gates.changelog import examine_changelog

            return examine_changelog(case, commits)
        case GateKind.COMPLEXITY:
            from supervisor_ai.gates.complexity import examine_complexity

            return examine_complexity(case, commits)
        case GateKind.COMMAND | GateKind.RED_BEFORE_GREEN | GateKind.MUTATION:
            raise needs_a_command(kind)
        case _:
            assert_never(kind)


def needs_a_command(kind: GateKind) -> InvalidInput:
    """Say that looking is not enough."""
    return InvalidInput(f"A gate of the kind {kind.value!r} needs a command to be run.")


def known_languages() -> Sequence[Language]:
    """Return the readers of all languages whose tests are understood."""
    from supervisor_ai.gates.integrity.languages.known import tree_sitter_languages
    from supervisor_ai.gates.integrity.python import PythonTests

    return (PythonTests(), *tree_sitter_languages())


def unreadable(kind: GateKind, reason: str) -> Examination:
    """Say that nobody could look: what cannot be read is never taken for good."""
    message = f"The change could not be looked at ({kind.value}): {reason}."
    return Examination(
        findings=(Finding(rule="unreadable", message=message),),
        summary="The change could not be looked at.",
    )
