"""Reader process of the gates: reads hostile code and settings, and may be broken by them."""

from importlib import import_module
from typing import cast

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Examination, Unexaminable
from supervisor_ai.gates.change_gates import CHANGE_GATES, ChangeGate, ChangeView
from supervisor_ai.gates.integrity.examine import known_languages
from supervisor_ai.gates.mutation import mutants
from supervisor_ai.gates.new_tests import new_tests
from supervisor_ai.gates.reader_messages import (
    AskedCommits,
    ReaderWork,
    ReadReport,
    Task,
    decode,
    encode,
)
from supervisor_ai.gates.runners.junit_report import read_report
from supervisor_ai.tools.confined_child import Ask


def serve(task: bytes, ask: Ask) -> bytes:
    """Do what the examiner wants to have done."""
    return encode(_done(decode(task, Task), AskedCommits(ask)))


def _done(task: Task, commits: AskedCommits) -> object:
    match task.work:
        case ReaderWork.LOOK:
            view = ChangeView(case=task.case, commits=commits, has_commit=commits.has_commit)
            return look(CHANGE_GATES[task.kind], view)
        case ReaderWork.NEW_TESTS:
            found = new_tests(task.case, commits, known_languages())
            return replace(found, contents=dict.fromkeys(found.contents))
        case ReaderWork.MUTANTS:
            return mutants(task.case, commits, limit=task.limit)
        case ReaderWork.REPORT:
            return _report(task.report)


def _report(report: bytes) -> ReadReport:
    try:
        return ReadReport(reading=read_report(report))
    except Unexaminable as error:
        return ReadReport(fault=error.message)


def look(gate: ChangeGate, view: ChangeView) -> Examination:
    """Look at a change in the way that a kind of gate registered."""
    examine = getattr(import_module(gate.module), gate.function)
    return cast("Examination", examine(view))
