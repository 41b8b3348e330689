"""The real CLIs in the real sandbox: they work, and what they must not see or run they do not."""

import json
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, KEY, Stage, conversation
from tests.clis.vocabulary import PLANTED

from supervisor_ai.engine.ports.workers import ToolCalled, UsageSeen, WorkerFinished, WorkerStarted
from supervisor_ai.lab.server import LabServer

ANSWER: Final = 'Done.\n```json\n{"status": "SUCCESS"}\n```'
# The pattern must not be what it finds: this command is in the transcript too.
LOOK: Final = (
    "{ env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n';"
    " grep -rsl 'sk-not-for-[w]orkers' /home /tmp /run /etc /var . ; } 2>/dev/null;"
    " echo looked; id -u"
)
OTHERS: Final = [pytest.param(name, marks=pytest.mark.long) for name in ("opencode", "qwen")]


@pytest.mark.parametrize("adapter", [*INSTALLED, *OTHERS])
def test_a_cli_edits_the_workspace_and_neither_sees_the_key_nor_runs_what_was_planted(
    stage: Stage,
) -> None:
    stage.write(stage.words.traps)
    work = stage.words.create(str(stage.tree / "made.txt"), "made by a tool")
    with LabServer(conversation(work, stage.words.run(LOOK), {"text": ANSWER})) as lab:
        report = stage.play(lab)

    assert report.diagnosis is not None, report
    assert report.diagnosis.has_succeeded, (report.diagnosis, stage.said)
    assert report.output == ANSWER
    assert (stage.tree / "made.txt").read_text() == "made by a tool\n"
    asked = [seen for seen in lab.requests if seen.place != "side"]
    assert {seen.key for seen in lab.requests} == {KEY}
    told = json.dumps([seen.body for seen in asked])
    assert "looked" in told
    assert KEY not in told + stage.said
    assert not (stage.tree / PLANTED).exists()
    assert all((stage.tree / trap).exists() for trap in stage.words.traps)
    assert report.usage.tokens_in >= 300
    kinds = {type(seen) for seen in stage.observed}
    assert {WorkerStarted, ToolCalled, UsageSeen, WorkerFinished} <= kinds
    assert stage.adapter == "opencode" or stage.refused == []
