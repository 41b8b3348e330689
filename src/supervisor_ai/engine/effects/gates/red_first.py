"""Red before green: new tests have to fail on the old code."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.change_gate import change_case
from supervisor_ai.engine.effects.gates.command import Ran, run_command
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings
from supervisor_ai.engine.effects.gates.judgement import is_final, judge
from supervisor_ai.engine.ports.gates import Missing, NewTests, Reading
from supervisor_ai.engine.world import Operation

_WORDS: Final = re.compile(r"[^\w]+")
_UNLOADED: Final = "_FailedTest"
"""How unittest calls a file that it could not import."""
_NAMED: Final = 5
_OF_PATHS: Final = frozenset({"", "crate", "self", "super", "js", "ts", "jsx", "tsx", "mjs", "cjs"})
"""Words in the name of a module that are no part of where it stands."""
_STOPPED: Final = re.compile(r"^!+ stopping after \d+ failures? !+$", re.MULTILINE)
"""How a runner says that it ran only some of the tests."""


async def run_red_first(effect: RunGate, operation: Operation) -> Opinion:
    """Run the new tests on the code as it was when the run began."""
    world, case = operation.world, change_case(effect, operation)
    whole = replace(case, base=effect.origin, own=effect.own)
    new = await world.examiner.new_tests(whole)
    if not new.names:
        message = "The step asks for tests first, and the change has no new test."
        return of_findings((Finding(rule="no_new_test", message=message),), "")
    composed = await world.workspaces.compose(effect.origin, new.contents, at=operation.intended_at)
    ran = await run_command(effect, operation, composed.commit)
    if not is_final(ran.result):
        opinion = judge(effect.gate, ran)
        # That the old code cannot be tested says nothing about the new.
        return replace(opinion, needs_person=opinion.verdict is Verdict.NOT_RUN)
    return _judge_red(ran, new)


def _judge_red(ran: Ran, new: NewTests) -> Opinion:
    why = _why_not_red(ran, new)
    green = (Finding(rule="not_shown_red", message=why),) if why else tuple(_green(ran, new))
    count = len(new.names)
    summary = f"{count} new {'test was' if count == 1 else 'tests were'} run on the old code."
    return replace(
        of_findings(green, why or summary),
        output=ran.output,
        exit_code=ran.result.exit_code,
        tests=ran.reading.tests,
        limits=ran.result.limits,
        is_final=why is None,
    )


def _why_not_red(ran: Ran, new: NewTests) -> str | None:
    """Say why a command that failed does not tell that tests did; None where it does."""
    reading = ran.reading
    if ran.result.exit_code == 0:
        return None
    foreign = [part.name for part in reading.missing if not _adds(new, part)]
    if foreign:
        named = ", ".join(map(repr, foreign[:_NAMED]))
        return f"The new tests cannot be loaded without {named}, which the change does not add."
    if reading.missing:
        return None
    lame = next((file for file, name in new.names if _is_lame(file, name, reading)), None)
    if lame is not None:
        return f"{lame!r} cannot be loaded on the old code, and not for want of what is new."
    if reading.tool is not None and not reading.failing_tests and not reading.failed:
        return "The command failed on the old code, and its output names no test that did."
    return None


def _adds(new: NewTests, part: Missing) -> bool:
    """Tell whether the change adds what was looked for: a module by its file, a name by itself."""
    words = [word for word in _WORDS.split(part.name) if word not in _OF_PATHS]
    is_named = bool(words) and words[-1] in new.added_words
    is_free = not part.is_module or "::" in part.name
    return _has(new, words) or (is_free and is_named)


def _has(new: NewTests, words: list[str]) -> bool:
    paths = (
        [*PurePosixPath(path).parts[:-1], PurePosixPath(path).stem] for path in new.added_files
    )
    return any(
        _ends_alike(parts[:end], words) for parts in paths for end in range(1, len(parts) + 1)
    )


def _ends_alike(parts: list[str], words: list[str]) -> bool:
    count = min(len(parts), len(words))
    return count > 0 and parts[-count:] == words[-count:]


def _is_lame(file: str, name: str, reading: Reading) -> bool:
    """Tell whether a test failed only because its whole file could not be loaded."""
    about = [test for test in reading.failing_tests if _is_same(file, name, test)]
    return bool(about) and all(_is_whole(file, test) for test in about)


def _green(ran: Ran, new: NewTests) -> Iterator[Finding]:
    """Find the new tests that do not fail; where names are not told, all stand or fall together."""
    failing = ran.reading.failing_tests
    if ran.result.exit_code != 0 and (not failing or _STOPPED.search(ran.text)):
        return
    for file, name in new.names:
        if not any(_is_same(file, name, test) for test in failing):
            message = "It passes on the old code, so it does not test the change."
            yield Finding(rule="green_before", message=message, file=file, subject=name)


def _is_same(file: str, name: str, test: str) -> bool:
    """Tell whether a runner speaks of a test, or of its whole file."""
    words, last = _WORDS.split(test), name.rpartition(".")[2]
    return _is_whole(file, test) or name in test or last in words


def _is_whole(file: str, test: str) -> bool:
    is_unloaded = _UNLOADED in test and PurePosixPath(file).stem in _WORDS.split(test)
    return test.endswith(file) or is_unloaded
