"""What a planner owes to the directives that it is shown."""

from inline_snapshot import snapshot

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.engine.effects.knowledge import _replies, reply_problems, urgency_of
from supervisor_ai.engine.ports.knowledge import StandingDirective


def directive(number: int, kind: str = "functional", priority: str = "normal") -> StandingDirective:
    return StandingDirective(
        number=number,
        type=kind,
        priority=priority,
        source="design",
        text=ArtifactHash("text"),
        since=0,
    )


SHOWN = (directive(1), directive(2, "cleanup"))


def test_each_directive_has_one_answer_and_only_cleanup_waits() -> None:
    assert list(reply_problems(SHOWN, [(1, "explained"), (2, "deferred")])) == []
    said = [(1, "deferred"), (3, "addressed"), (3, "explained")]
    assert list(reply_problems(SHOWN, said)) == snapshot(
        [
            "A directive is answered twice.",
            "There is no directive 3 among ACTIVE DIRECTIVES.",
            "Directive 1 is functional and cannot be deferred.",
            "Directive 2 is not answered in `directives`: address it, explain why it is handled "
            "already, or escalate it.",
        ]
    )


def test_a_critical_directive_comes_first_and_cannot_wait_whatever_its_type() -> None:
    urgent = directive(3, "cleanup", "critical")
    assert [it.number for it in sorted((*SHOWN, urgent), key=urgency_of)] == [3, 1, 2]
    (problem,) = reply_problems((urgent,), [(3, "deferred")])
    assert problem == "Directive 3 is critical and cannot be deferred."


def test_what_is_no_answer_is_passed_over() -> None:
    said = '{"directives": [{"directive": "1"}, 7, {"directive": 2, "response": "addressed"}]}'
    assert [(it.directive, it.response, it.note) for it in _replies(said)] == [(2, "addressed", "")]
    assert list(_replies("nothing")) == []
