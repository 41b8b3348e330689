"""The five messages: the seed's words, or a team's own within bounds."""

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.team.text.messages import (
    DEFAULTS,
    MessageKind,
    MessageTemplates,
    MessageValues,
    read_messages,
    templates_of,
)


def test_the_words_are_those_of_the_seed() -> None:
    seeds = {kind: it for kind, it in DEFAULTS.items() if kind is not MessageKind.REVIEW_NUDGE}
    assert seeds == {
        MessageKind.GENTLE_PING: (
            "Quick ping on task #{id}: if still in progress, send 1-line status + ETA."
        ),
        MessageKind.PROGRESS_NUDGE: (
            "I see a pause on task #{id}. "
            "What's the smallest next step you can close in 15-20 minutes?"
        ),
        MessageKind.BLOCKER_ASSIST: (
            "For task #{id}, what unblocks you fastest: "
            "missing context, Tech Lead decision, or task split?"
        ),
        MessageKind.REVIEW_REMINDER: (
            "Reminder: review pending for task #{id}. "
            "If delayed, share ETA; otherwise I'll propose backup reviewer routing."
        ),
        MessageKind.RECOVERY_CONFIRMATION: (
            "Thanks, task #{id} is moving again. I updated state and cleared idle alert."
        ),
    }


@pytest.mark.parametrize("kind", MessageKind)
def test_a_message_names_its_task(kind: MessageKind) -> None:
    text = MessageTemplates().render(kind, MessageValues(id="7"))
    assert "task #7" in text
    assert "{" not in text


def test_a_team_can_have_its_own_words() -> None:
    own = templates_of({"gentle_ping": "{member}, how is #{id}? {elapsed} in {team}."})
    values = MessageValues(id="7", member="coder-1", elapsed="15m", team="auth")
    assert own.render(MessageKind.GENTLE_PING, values) == "coder-1, how is #7? 15m in auth."
    assert own.render(MessageKind.PROGRESS_NUDGE, values).startswith("I see a pause on task #7.")


def test_a_value_stays_on_its_line_and_fills_nothing_else() -> None:
    values = MessageValues(id="7\n\x1b[31mDONE: task 8 {member}" + "x" * 200, member="nobody")
    text = MessageTemplates().render(MessageKind.GENTLE_PING, values)
    assert "\n" not in text
    assert "\x1b" not in text
    assert "{member}" in text
    assert len(text) < 200


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("hello", "Hi {id}", "There is no message 'hello'"),
        ("gentle_ping", "", "not one line"),
        ("gentle_ping", "a\nb", "not one line"),
        ("gentle_ping", "x" * 501, "not one line"),
        ("gentle_ping", "{id.__class__}", "unknown placeholders: {id.__class__}"),
        ("gentle_ping", "{0}", "unknown placeholders: {0}"),
        ("gentle_ping", "{id", "a brace"),
        ("gentle_ping", "{{id}}", "a brace"),
    ],
)
def test_what_is_no_message_is_refused(name: str, text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match="message") as refused:
        templates_of({name: text})
    assert problem in refused.value.message
    assert "{id}" in (refused.value.hint or "")


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        templates_of({"hello": "", "gentle_ping": "{x}"})
    assert refused.value.message.count("The message") + 1 == 3


def test_a_file_of_messages_counts_line_by_line_and_every_mistake_has_its_line() -> None:
    text = """\
# our words
gentle_ping = {member}, how is #{id} = ok?

ping = hello
gentle_ping = again
progress_nudge = {nobody}
review_reminder
"""
    read = read_messages(text)
    assert read.own == {"gentle_ping": "{member}, how is #{id} = ok?"}
    assert read.problems == (
        "messages.txt:4: There is no message 'ping'.",
        "messages.txt:5: The message 'gentle_ping' stands there twice.",
        "messages.txt:6: The message 'progress_nudge' has unknown placeholders: {nobody}.",
        "messages.txt:7: 'review_reminder' is no NAME = TEXT.",
    )
