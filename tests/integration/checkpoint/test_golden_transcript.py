"""A session of the resident supervisor, word for word, from its prompt to its last message."""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.support.checkpoint_scene import ARTIFACTS, FIXTURES, FOLDER, CheckpointScene, resident
from tests.support.kernel import Kernel
from tests.unit.drivers.checkpoint.transcripts import turns

from supervisor_ai.control.sessions.bus import Message, Post
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.checkpoint.protocol.prompt import SupervisorPrompt, read_prompt

GOLDEN: Final = Path(__file__).parents[2] / "fixtures/checkpoint/resident.txt"


class Resident:
    """The driver itself, in a world of fakes, spoken to as the transcript says."""

    def __init__(self) -> None:
        self.at = CheckpointScene(Kernel(None), folder=FOLDER)
        self.run: RunId | None = None
        files = self.at.kernel.session_files.files.setdefault(FOLDER, {})
        for task, name in ARTIFACTS.items():
            self.at.write(task)
            files[f"spec/{name}"] = (FIXTURES / name).read_bytes()

    def hear(self, kind: str, words: str) -> list[tuple[str, str]]:
        """Say something to it; return what it says then, of which type."""
        before = len(self.at.said())
        if kind == "prompt":
            self._begin(words)
        else:
            quoted = json.loads(words) if kind == "shutdown_request" else None
            post = Post(kind=kind, summary="" if quoted else words, data=quoted, to="supervisor")
            self.at.bus().log(post)
        assert self.run is not None
        self.at.kernel.drive(self.run)
        return [(it.type, _words(it)) for it in self.at.said()[before:]]

    def _begin(self, words: str) -> None:
        prompt = read_prompt(words)
        assert isinstance(prompt, SupervisorPrompt)
        assert (prompt.session, prompt.session_id) == (FOLDER, self.at.session)
        if self.run is not None and self.at.kernel.status(self.run) not in ENDED:
            self.at.kernel.send(self.run, "stop", Cancel(reason=None))
            self.at.kernel.drive(self.run)
        self.run = self.at.start(resident(recovery=prompt.recovery))


def _words(message: Message) -> str:
    data = dict(message.data or {})
    data.pop("in_reply_to", None)
    content = data.pop("content", None)
    if message.type == "shutdown_response":
        return json.dumps(data)
    return str(content) if content is not None else json.dumps(data, indent=2)


def play(text: str) -> str:
    """Let the driver answer what a transcript says to it."""
    resident_ = Resident()
    told: list[str] = []
    for who, kind, words in turns(text):
        if who == "<<":
            told.append(f"<< {kind}\n{words}\n")
            told += [f">> {type_}\n{said}\n" for type_, said in resident_.hear(kind, words)]
    return "".join(told)


def test_the_resident_supervisor_says_what_the_transcript_says() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert play(text) == text


@pytest.mark.parametrize(
    "words",
    [
        "[supervisor] Resident supervisor ready. Baseline loaded for session S1."
        " Awaiting checkpoint assignments.",
        "## Checkpoint Request\ntask_id: CHECKPOINT-001\nscope: [DRAFT-001, DRAFT-002]\n"
        "pipeline_progress: 3/10 tasks completed\n",
        "[supervisor] CHECKPOINT-001 complete.\nVerdict: pass (score: ",
        "\nRisks: 0 logged\nQuality trend: stable\nArtifact: ",
        "/artifacts/CHECKPOINT-001-report.md\n",
        "[supervisor] Recovered. Rebuilt context from 2 previous checkpoint reports.\n",
        '"approve": true',
    ],
)
def test_the_words_of_the_protocol_stand_in_it(words: str) -> None:
    assert words in GOLDEN.read_text(encoding="utf-8")
