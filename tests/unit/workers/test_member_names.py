"""The names of workers that are members of a session."""

import pytest

from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.session.decisions import check_word
from supervisor_ai.engine.ports.members import Newcomer
from supervisor_ai.workers.member_doors import is_of_run, member_name

RUN = RunId("r7k3m9x2ab")


@pytest.mark.parametrize(
    ("role", "slot", "attempt", "name"),
    [
        ("implementer", 1, 1, "implementer-1.r7k3m9x2ab"),
        ("implementer", 1, 12, "implementer-12.r7k3m9x2ab"),
        ("reviewer", 2, 1, "reviewer-1-2.r7k3m9x2ab"),
        ("web/auditor é", 1, 1, "web-auditor---1.r7k3m9x2ab"),
        ("7th", 1, 1, "worker-7th-1.r7k3m9x2ab"),
        ("", 1, 1, "worker--1.r7k3m9x2ab"),
        ("x" * 100, 1, 1, f"{'x' * 40}-1.r7k3m9x2ab"),
    ],
)
def test_a_name_says_role_attempt_and_run(role: str, slot: int, attempt: int, name: str) -> None:
    newcomer = Newcomer(session=SessionId("S"), run=RUN, role=role, slot=slot, attempt=attempt)
    assert member_name(newcomer) == name
    assert check_word("member", name) == name
    assert is_of_run(name, RUN)
    assert not is_of_run(name, RunId("r7k3m9x2a"))
    assert not is_of_run(name, RunId("7k3m9x2ab"))
