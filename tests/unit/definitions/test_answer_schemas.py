import json

import pytest

from supervisor_ai.control.registered_kinds import answer_meanings
from supervisor_ai.definitions.sources.slice_words import answer_words
from supervisor_ai.definitions.worker_answers.reader import schema_text
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.drivers.checkpoint.kinds import OF_JUDGE
from supervisor_ai.drivers.feature.kinds import OF_COMPONENTS, OF_PHASES
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER
from supervisor_ai.drivers.loop.kinds import (
    OF_ASSESSOR,
    OF_PLANNER,
    OF_QA,
    OF_RESEARCH,
    OF_SCOPE,
    OF_SUMMARY,
    OF_WORK,
)
from supervisor_ai.drivers.quality.kinds import OF_DESIGN, OF_KNOWLEDGE, OF_STYLE

REQUIRED = {
    AnswerKind.PLAN: ["status"],
    AnswerKind.IMPLEMENTATION: ["status", "files_created", "files_modified", "tests_written"],
    AnswerKind.REVIEW: ["status", "issues"],
    OF_AGENT: ["status", "message"],
    OF_MANAGER: ["status", "message", "next_task", "tasks"],
    OF_JUDGE: ["checks"],
    OF_SCOPE: ["remit", "milestones"],
    OF_PLANNER: ["status", "task"],
    OF_WORK: ["status", "files_created", "files_modified", "tests_written"],
    OF_QA: ["status", "feedback"],
    OF_ASSESSOR: ["status"],
    OF_RESEARCH: ["answers"],
    OF_SUMMARY: ["summary"],
    OF_STYLE: ["conventions_updated", "directives"],
    OF_DESIGN: ["design_updates", "directives"],
    OF_KNOWLEDGE: ["knowledge_items"],
    OF_PHASES: ["status", "phases"],
    OF_COMPONENTS: ["status", "phases"],
}


@pytest.mark.parametrize("kind", answer_words())
def test_the_schema_says_what_the_reader_demands(kind: AnswerWord) -> None:
    schema = json.loads(schema_text(kind))
    assert schema["required"] == ["nonce", *REQUIRED[kind]]
    assert schema["additionalProperties"] is False
    status = schema["properties"]["status"]
    assert status.get("enum", [status.get("const")]) == list(answer_meanings(kind))


def test_fields_may_be_called_title_but_have_none() -> None:
    schema = json.loads(schema_text(AnswerKind.PLAN))
    assert "title" not in schema
    assert schema["$defs"]["PlannedPhase"]["properties"]["title"] == {"type": "string"}
    assert set(schema["$defs"]["PlannedDependency"]["properties"]) == {"from", "to"}
