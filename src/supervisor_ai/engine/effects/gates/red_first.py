"""Red before green: new tests have to fail on the old code."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.command import Ran, is_final, judge, run_command
from supervisor_ai.engine.effects.gates.looking import change_case
from supervisor_ai.engine.effects.gates.opinion import Opinion, of_findings
from supervisor_ai.engine.effects.operation import Operation
from supervisor_ai.engine.ports.gates import ChangeCase, NewTests

_WORDS: Final = re.compile(r"[^\w]+")
_UNLOADED: Final = "_FailedTest"
"""How unittest calls a file that it could not import."""
_STOPPED: Final = re.compile(r"^!+ stopping after \d+ failures? !+$", re.MULTILINE)
"""How a runner says that it ran only some of the tests."""


async def run_red_first(effect: RunGate, operation: Operation) -> Opinion:
    """Run the new tests on the code as it was when the run began."""
    world, case = operation.world, change_case(effect, operation)
    whole = ChangeCase(base=effect.origin, head=effect.snapshot, may_change=case.may_change)
    new = await world.examiner.new_tests(whole)
    if not new.names:
        message = "The step asks for tests first, and the change has no new test."
        return of_findings((Finding(rule="no_new_test", message=message),), "")
    composed = await world.workspaces.compose(effect.origin, new.contents, at=operation.intended_at)
    ran = await run_command(effect, operation, composed.commit)
    if not is_final(ran.result):
        return judge(effect.gate, ran)
    return _judge_red(ran, new)


def _judge_red(ran: Ran, new: NewTests) -> Opinion:
    green = tuple(_green(ran, new))
    count = len(new.names)
    summary = f"{count} new {'test was' if count == 1 else 'tests were'} run on the old code."
    found = of_findings(green, summary)
    return Opinion(
        verdict=found.verdict,
        reason=found.reason,
        findings=green,
        told=found.told,
        output=ran.output,
        exit_code=ran.result.exit_code,
        tests=ran.reading.tests,
        limits=ran.result.limits,
        is_final=True,
    )


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
    is_whole = test.endswith(file) or (_UNLOADED in test and PurePosixPath(file).stem in words)
    return is_whole or name in test or last in words
