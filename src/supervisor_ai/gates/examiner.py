"""The one who looks at changes and outputs for the engine; all that it is shown is hostile."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Finding, GateKind
from supervisor_ai.engine.ports.commits import Commits
from supervisor_ai.engine.ports.gates import ChangeCase, Examination, Mutant, NewTests, Reading
from supervisor_ai.gates.integrity.model import Language

_PARSERS_GIVE_UP: Final = (RecursionError, MemoryError, SyntaxError, ValueError)
"""How parsers answer to what was made to break them; a broken encoding is a ValueError."""


class RepositoryExaminer:
    """Looks at commits of the trusted repository, and at nothing else."""

    def __init__(self, commits: Commits, has_commit: Callable[[str], bool]) -> None:
        self._commits = commits
        self._has_commit = has_commit

    async def examine(self, kind: GateKind, case: ChangeCase) -> Examination:
        """Look at a change in one of the ways that need no command."""
        try:
            return await asyncio.to_thread(self._examine, kind, case)
        except _PARSERS_GIVE_UP as error:
            return _unreadable(kind, error)

    async def read(self, output: str) -> Reading:
        """Find out what a runner said."""
        from supervisor_ai.gates.runners.reading import read

        return await asyncio.to_thread(read, output)

    async def new_tests(self, case: ChangeCase) -> NewTests:
        """Find the tests that a change adds or alters; none where they cannot be read."""
        from supervisor_ai.gates.new_tests import new_tests

        try:
            return await asyncio.to_thread(new_tests, case, self._commits, known_languages())
        except _PARSERS_GIVE_UP:
            return NewTests()

    async def mutants(self, case: ChangeCase, *, limit: int) -> tuple[Mutant, ...]:
        """Put small faults into the lines that a change touches, spread over all of them."""
        from supervisor_ai.gates.mutation import mutants

        return await asyncio.to_thread(mutants, case, self._commits, limit=limit)

    def _examine(self, kind: GateKind, case: ChangeCase) -> Examination:
        match kind:
            case GateKind.CLAIMS:
                from supervisor_ai.gates.claims import examine_claims

                return examine_claims(case, self._commits, self._has_commit)
            case GateKind.AUTO_RUN_FILES:
                from supervisor_ai.gates.auto_run import examine_auto_run

                return examine_auto_run(case, self._commits)
            case GateKind.TEST_INTEGRITY:
                from supervisor_ai.gates.integrity.examine import examine_tests

                return examine_tests(case, self._commits, known_languages())
            case GateKind.CHANGELOG:
                from supervisor_ai.gates.changelog import examine_changelog

                return examine_changelog(case, self._commits)
            case GateKind.COMPLEXITY:
                from supervisor_ai.gates.complexity import examine_complexity

                return examine_complexity(case, self._commits)
            case GateKind.COMMAND | GateKind.RED_BEFORE_GREEN | GateKind.MUTATION:
                raise InvalidInput(f"A gate of the kind {kind.value!r} needs a command to be run.")
            case _:
                assert_never(kind)


def known_languages() -> Sequence[Language]:
    """Return the readers of all languages whose tests are understood."""
    from supervisor_ai.gates.integrity.languages.known import tree_sitter_languages
    from supervisor_ai.gates.integrity.python import PythonTests

    return (PythonTests(), *tree_sitter_languages())


def _unreadable(kind: GateKind, error: BaseException) -> Examination:
    """Say that nobody could look: what cannot be read is never taken for good."""
    message = f"The change could not be looked at ({kind.value}): {type(error).__name__}."
    return Examination(
        findings=(Finding(rule="unreadable", message=message),),
        summary="The change could not be looked at.",
    )
