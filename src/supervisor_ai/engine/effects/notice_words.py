"""The words of a notice: short, plain, and nothing of what a worker wrote."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.notices import NoticeState
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.redaction import Redactor

LINE_LENGTH: Final = 160
_TITLES: Final[Mapping[NoticeState, str]] = {
    NoticeState.APPROVAL: "needs you: it waits for an approval",
    NoticeState.OBJECTION: "may land a change: you may object",
    NoticeState.BLOCKED: "needs you: it is blocked",
    NoticeState.BUDGET: "waits for a budget",
    NoticeState.FAILED: "has failed",
    NoticeState.COMPLETED: "is completed",
    NoticeState.CANCELLED: "was cancelled",
}
_WAYS: Final[Mapping[NoticeState, str]] = {
    NoticeState.APPROVAL: "Look at it: supervisor diff {run}; then supervisor approve {run}",
    NoticeState.OBJECTION: "Object: supervisor reject {run} --reason WHY",
    NoticeState.BLOCKED: "See what it needs: supervisor status {run}",
}
_WAY: Final = "See more: supervisor status {run}"


class NoticeWords(Struct, frozen=True, kw_only=True):
    """What a notice says, as a heading and a few lines."""

    title: str
    body: str


class NoticeStory(Struct, frozen=True, kw_only=True):
    """What a notice is made of."""

    run: RunId
    about: NoticeState
    task: str
    reason: str = ""
    """Why, in one sentence of our own."""
    wait: timedelta | None = None


def notice_words(story: NoticeStory, redactor: Redactor) -> NoticeWords:
    """Put a notice into words; the task is one line, and secrets are taken out of all of them."""
    title = f"Run {story.run} {_TITLES[story.about]}"
    way = _WAYS.get(story.about, _WAY).format(run=story.run)
    lines = [_within(story.wait), _line(story.reason), f"Task: {_line(story.task)}", way]
    body = "\n".join(line for line in lines if line)
    return NoticeWords(title=_line(redactor.redact(title).text), body=redactor.redact(body).text)


def _within(wait: timedelta | None) -> str:
    if wait is None:
        return ""
    minutes = -(-int(wait.total_seconds()) // 60)
    return f"It lands {minutes} min after somebody was told, quiet hours not counted."


def _line(text: str) -> str:
    """Return the first line of a text, of a bounded length."""
    first = " ".join(plain(text).strip().partition("\n")[0].split())
    return first if len(first) <= LINE_LENGTH else f"{first[: LINE_LENGTH - 1].rstrip()}…"
