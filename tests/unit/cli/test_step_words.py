"""What a step does, in words."""

from datetime import timedelta
from typing import Final

import pytest

from supervisor_ai.cli.run_preview import approver_rows, describe_step
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, Gate, Role, Step, StepKind, Workflow
from supervisor_ai.domain.run.gates import Complexity, GateKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.kinds import READ_FILES

AT: Final = StepName("at")
DEFINITION: Final = Definition(
    workflow=Workflow(name="w", description="", initial_step=AT, steps={}),
    roles={
        name: Role(
            name=name,
            description="",
            answer=AnswerKind.REVIEW,
            writes=False,
            cli="me",
            template="",
        )
        for name in ("one", "two")
    },
    clis={},
    gates={
        "at": Gate(name="test", command=("make", "a b"), timeout=timedelta(1)),
        "at/claims": Gate(name="claims", command=(), timeout=timedelta(1), kind=GateKind.CLAIMS),
    },
)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            Step(name=AT, kind=StepKind.ROLE, roles=("one", "two")),
            "one with me and two with me",
        ),
        (Step(name=AT, kind=StepKind.GATE, gate="at"), "gate: make 'a b'"),
        (
            Step(name=AT, kind=StepKind.GATE, gates=("at", "at/claims")),
            "gate: make 'a b', claims",
        ),
        (Step(name=AT, kind=StepKind.HUMAN), "a person approves"),
        (Step(name=AT, kind=StepKind.COMMIT), "commit on the run's branch"),
        (
            Step(name=AT, kind=StepKind.PULL_REQUEST),
            "push the run's branch and open a pull request",
        ),
        (Step(name=AT, kind=READ_FILES), "read the kanban's files"),
    ],
)
def test_a_step_says_what_it_does(step: Step, words: str) -> None:
    assert describe_step(DEFINITION, step) == words


def test_who_has_to_agree_is_told_for_each_complexity() -> None:
    levels = {
        Complexity.SIMPLE: (),
        Complexity.MEDIUM: ("one",),
        Complexity.COMPLEX: ("one", "two"),
    }
    step = Step(name=AT, kind=StepKind.ROLE, roles=("one", "two"), approvers=levels)
    flow = replace(DEFINITION.workflow, steps={AT: step})
    assert list(approver_rows(replace(DEFINITION, workflow=flow))) == [
        ("at, simple", "nobody"),
        ("at, medium", "one"),
        ("at, complex", "one, two"),
    ]
    assert list(approver_rows(DEFINITION)) == []
