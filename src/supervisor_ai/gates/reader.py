"""Reads hostile code and settings in a process that may be broken by them."""

from dataclasses import replace

from supervisor_ai.gates.looks import known_languages, look
from supervisor_ai.gates.mutation import mutants
from supervisor_ai.gates.new_tests import new_tests
from supervisor_ai.gates.reader_messages import AskedCommits, Task, Work, decode, encode
from supervisor_ai.tools.confined_child import Ask


def serve(task: bytes, ask: Ask) -> bytes:
    """Do what the examiner wants to have done."""
    return encode(_done(decode(task, Task), AskedCommits(ask)))


def _done(task: Task, commits: AskedCommits) -> object:
    match task.work:
        case Work.LOOK:
            return look(task.kind, task.case, commits, commits.has_commit)
        case Work.NEW_TESTS:
            found = new_tests(task.case, commits, known_languages())
            return replace(found, contents=dict.fromkeys(found.contents))
        case Work.MUTANTS:
            return mutants(task.case, commits, limit=task.limit)
