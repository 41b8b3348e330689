"""What test integrity finds in changes to Python tests."""

from textwrap import dedent

from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.examine import examine_tests
from supervisor_ai.gates.integrity.languages.python.table import PYTHON

CASE = ChangeCase(base=BASE, head=HEAD)


def errors(*findings: Finding) -> set[str]:
    return {found.rule for found in findings if found.severity is Severity.ERROR}


def examined(before: dict[str, str], after: dict[str, str]) -> tuple[Finding, ...]:
    before = {path: dedent(text) for path, text in before.items()}
    after = {path: dedent(text) for path, text in after.items()}
    return examine_tests(CASE, two_commits(before, after), [TableReader(PYTHON)]).findings
