"""Reader process of the gates: reads hostile code and settings, and may be broken by them."""

from collections.abc import Callable
from typing import cast

from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.control.slice_names import import_place
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Examination, Unexaminable
from supervisor_ai.gates.change import auto_run
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.evidence import table
from supervisor_ai.gates.evidence.halves import find_halves
from supervisor_ai.gates.evidence.hollow import hollow
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.kinds import PROBES
from supervisor_ai.gates.evidence.probes.neighbours import neighbours
from supervisor_ai.gates.facts.change_facts import find_facts
from supervisor_ai.gates.facts.rules import fact_rules
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
from supervisor_ai.gates.runners.json_report import read_json_report
from supervisor_ai.gates.runners.junit_report import read_report
from supervisor_ai.gates.runners.report_request import make_request
from supervisor_ai.tools.confined_child import Ask


def prepare() -> None:
    """Load what every change is looked at with, once for all tasks."""
    for gate in change_gates().values():
        import_place(gate.look)
    auto_run.table()
    table.table()
    fact_rules()


def serve(task: bytes, ask: Ask) -> bytes:
    """Do what the examiner wants to have done."""
    return encode(_done(decode(task, Task), AskedCommits(ask)))


def _done(task: Task, commits: AskedCommits) -> object:
    match task.work:
        case ReaderWork.LOOK:
            view = ChangeView(case=task.case, commits=commits, has_commit=commits.has_commit)
            return look(task.look, view)
        case ReaderWork.NEW_TESTS:
            found = new_tests(task.case, commits, known_languages())
            return replace(found, contents=dict.fromkeys(found.contents))
        case ReaderWork.MUTANTS:
            return mutants(task.case, commits, limit=task.limit)
        case ReaderWork.REPORT:
            return _report(task)
        case ReaderWork.REQUEST:
            return None if task.question is None else make_request(task.question, commits)
        case ReaderWork.HALVES:
            return find_halves(task.case, task.rules, commits)
        case ReaderWork.FACTS:
            return None if task.facts is None else find_facts(task.facts, commits)
        case ReaderWork.HOLLOW:
            return hollow(task.case, task.rules, commits, whole=task.whole)
        case ReaderWork.PROBES:
            return _probes(task, commits)


def _probes(task: Task, commits: AskedCommits) -> ProbesFound:
    if task.speaking:
        return neighbours(task.case, task.rules, commits, task.speaking)
    return PROBES[task.probe](task.case, task.rules, commits)


def _report(task: Task) -> ReadReport:
    read = read_json_report if task.is_json else read_report
    try:
        return ReadReport(reading=read(task.report, task.root))
    except Unexaminable as error:
        return ReadReport(fault=error.message)


def look(place: str, view: ChangeView) -> Examination:
    """Look at a change with the function that a kind of gate registered."""
    examine = cast("Callable[[ChangeView], Examination]", import_place(place))
    return examine(view)
