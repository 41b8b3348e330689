"""The real CLIs in the real sandbox: they work, and what they must not see or run they do not."""

import json
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, KEY, Stage, conversation
from tests.clis.vocabulary import PLANTED

from supervisor_ai.engine.ports.workers import ToolCalled, UsageSeen, WorkerFinished, WorkerStarted
from supervisor_ai.lab.server import LabServer
from supervisor_ai.tools.json_value import mapping, sequence

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


SEARCHES: Final = {
    "claude": {"tool": {"name": "WebSearch", "input": {"query": "zebra"}}},
    "codex": {"text": ANSWER},
    "gemini": {"tool": {"name": "google_web_search", "input": {"query": "zebra"}}},
}
PROVIDER_SIDE: Final = ("web_search", "googleSearch")


@pytest.mark.long
@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("adapter", INSTALLED)
def test_the_provider_searches_for_a_cli_only_where_its_role_names_it(
    stage: Stage,
    is_named: bool,  # noqa: FBT001 - pytest passes it by name
) -> None:
    found = {"match": "zebra", "turns": [{"text": ANSWER}] * 3}
    asks = {"cursor": "history", "turns": [SEARCHES[stage.adapter], {"text": ANSWER}]}
    tools = ("read_file", "web_search") if is_named else None
    with LabServer({"scenarios": [found, asks]}) as lab:
        report = stage.attend(stage.worker(), stage.request(lab, allowed_tools=tools))
    assert report.output == ANSWER, (report.diagnosis, stage.said)
    assert stage.refused == []
    kinds = [
        str(tool.get("type") or next(iter(tool)))
        for seen in lab.requests
        for tool in sequence(mapping(seen.body).get("tools"))
        if isinstance(tool, dict)
    ]
    assert any(kind.startswith(PROVIDER_SIDE) for kind in kinds) is is_named
