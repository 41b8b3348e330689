"""Reader process of the gates: reads hostile code and settings, and may be broken by them.

What a task needs is imported where it is used: most changes need little of all that can be read.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Final, cast

from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.control.slice_names import import_place
from supervisor_ai.domain.run.gates import VOUCHING
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Examination, NewTests, Unexaminable
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.commit_lists import KnownLists
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.own_tables import read_own_texts
from supervisor_ai.gates.reader_messages import (
    AskedCommits,
    ReaderWork,
    ReadReport,
    Task,
    decode,
    encode,
)
from supervisor_ai.tools.confined_child import Ask
from supervisor_ai.tools.syntax_tree import PARSERS

_RUNNERS: Final = "supervisor_ai.gates.runners"
_EVIDENCE: Final = "supervisor_ai.gates.evidence"
_TABLE: Final = f"{_EVIDENCE}.table:table"
_NEEDED: Final[Mapping[ReaderWork, tuple[str, ...]]] = {
    ReaderWork.NEW_TESTS: ("supervisor_ai.gates.new_tests",),
    ReaderWork.MUTANTS: ("supervisor_ai.gates.mutation",),
    ReaderWork.REPORT: (f"{_RUNNERS}.json_report", f"{_RUNNERS}.junit_report"),
    ReaderWork.REQUEST: (f"{_RUNNERS}.report_request",),
    ReaderWork.HALVES: (f"{_EVIDENCE}.halves", _TABLE),
    ReaderWork.HOLLOW: (f"{_EVIDENCE}.hollow", _TABLE),
    ReaderWork.PROBES: (f"{_EVIDENCE}.probes.kinds", _TABLE),
    ReaderWork.FACTS: (
        "supervisor_ai.gates.facts.change_facts",
        "supervisor_ai.gates.facts.rules:fact_rules",
    ),
}
"""Modules that a task imports, and tables that it reads, which are kept once they were read."""


LATE_ROOTS: Final = ("supervisor_ai", "yaml", *PARSERS)


def prepare() -> None:
    """Load what every change is looked at with, once for all tasks."""
    gates = change_gates()
    for kind in VOUCHING:
        import_place(gates[kind].look)
    _read("supervisor_ai.gates.change.auto_run:table")
    load_work(ReaderWork.REQUEST)
    read_own_texts()


@cache
def known_lists() -> KnownLists:
    """Return what this process was told of commits."""
    return KnownLists()


def load(need: bytes) -> None:
    """Load what the next task needs: a kind of work or the place of a look, and lists of files."""
    name, _, lessons = need.partition(b"\n")
    load_work(name.decode())
    known_lists().learn(lessons)


def load_work(name: str) -> None:
    """Load what a kind of work, or the place of a look, needs."""
    if ":" in name:
        import_place(name)
        return
    for place in _NEEDED.get(ReaderWork(name), ()):
        _read(place)


def _read(place: str) -> None:
    if ":" in place:
        cast("Callable[[], object]", import_place(place))()
    else:
        import_module(place)


def serve(task: bytes, ask: Ask) -> bytes:
    """Do what the examiner wants to have done."""
    return encode(_done(decode(task, Task), AskedCommits(ask, known_lists().of)))


def _done(task: Task, commits: AskedCommits) -> object:
    match task.work:
        case ReaderWork.LOOK:
            view = ChangeView(
                case=task.case,
                commits=commits,
                has_commit=commits.has_commit,
                run_files=task.run_files,
            )
            return look(task.look, view)
        case ReaderWork.NEW_TESTS:
            return _new_tests(task, commits)
        case ReaderWork.MUTANTS:
            from supervisor_ai.gates.mutation import mutants

            return mutants(task.case, commits, limit=task.limit)
        case ReaderWork.REPORT:
            return _report(task)
        case ReaderWork.REQUEST:
            from supervisor_ai.gates.runners.report_request import make_request

            return None if task.question is None else make_request(task.question, commits)
        case ReaderWork.FACTS:
            from supervisor_ai.gates.facts.change_facts import find_facts

            return None if task.facts is None else find_facts(task.facts, commits)
        case ReaderWork.HALVES:
            from supervisor_ai.gates.evidence.halves import find_halves

            return find_halves(task.case, task.rules, commits)
        case ReaderWork.HOLLOW:
            from supervisor_ai.gates.evidence.hollow import hollow

            return hollow(task.case, task.rules, commits, whole=task.whole)
        case ReaderWork.PROBES:
            return _probes(task, commits)


def _new_tests(task: Task, commits: AskedCommits) -> NewTests:
    from supervisor_ai.gates.integrity.examine import known_languages
    from supervisor_ai.gates.new_tests import new_tests

    found = new_tests(task.case, commits, known_languages())
    return replace(found, contents=dict.fromkeys(found.contents))


def _probes(task: Task, commits: AskedCommits) -> ProbesFound:
    from supervisor_ai.gates.evidence.probes.kinds import PROBES
    from supervisor_ai.gates.evidence.probes.neighbours import neighbours

    if task.speaking:
        return neighbours(task.case, task.rules, commits, task.speaking)
    return PROBES[task.probe](task.case, task.rules, commits)


def _report(task: Task) -> ReadReport:
    from supervisor_ai.gates.runners.json_report import read_json_report
    from supervisor_ai.gates.runners.junit_report import read_report

    read = read_json_report if task.is_json else read_report
    try:
        return ReadReport(reading=read(task.report, task.root))
    except Unexaminable as error:
        return ReadReport(fault=error.message)


def look(place: str, view: ChangeView) -> Examination:
    """Look at a change with the function that a kind of gate registered."""
    examine = cast("Callable[[ChangeView], Examination]", import_place(place))
    return examine(view)
