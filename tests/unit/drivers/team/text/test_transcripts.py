"""The four examples of seed 002, as transcripts: who says what, and what is answered."""

import pytest

from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.drivers.team.staffing.approvals import approval_need, tier_of
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import SPECIALISTS, TeamRole
from supervisor_ai.drivers.team.text.answers import (
    ONLINE,
    ForeignRequest,
    answer_to,
    refusal_of,
)
from supervisor_ai.drivers.team.text.lines import NoEvent, read_line
from supervisor_ai.drivers.team.text.messages import SECRET_MARK, without_secrets


def answer(message: str) -> str:
    return answer_to(read_line(message), message)


def test_example_1_a_supervisor_that_comes_online_pings_before_it_escalates() -> None:
    assert ONLINE == (
        "I'll track activity and task state, send a gentle ping first, and escalate only if SLA "
        "thresholds are breached."
    )


def test_example_2_an_escalation_is_marked_and_routed_and_staffed_by_the_lead() -> None:
    assert answer("ESCALATE TO MEDIUM: task #4 touches auth middleware") == (
        "Accepted. I'll mark the escalation in state, notify lead to spawn specialized reviewers, "
        "and update active roster expectations for task #4."
    )
    need = approval_need(
        tier_of(TeamComplexity.SIMPLE, is_escalated=True), active={TeamRole.UNIFIED_REVIEWER}
    )
    assert need.missing == (*SPECIALISTS, TeamRole.TECH_LEAD)


def test_example_3_a_loop_is_quarantined_and_put_to_the_lead() -> None:
    assert answer("REVIEW_LOOP: task #7. Same issue keeps repeating") == (
        "I'll quarantine task #7 operationally, summarize loop evidence, and propose reassignment "
        "or clarification checkpoint to Lead."
    )


def test_example_4_a_request_to_patch_code_is_refused_with_what_can_be_done() -> None:
    message = "Hotfix src/server/auth.ts now"
    assert isinstance(read_line(message), NoEvent)
    assert answer(message) == (
        "I can't implement code changes. I can coordinate reassignment to a coder, track SLA, "
        "and monitor completion."
    )


@pytest.mark.parametrize(
    ("message", "request_", "to"),
    [
        ("Please implement the login page", ForeignRequest.CODE, TeamRole.LEAD),
        ("Refactor the parser", ForeignRequest.CODE, TeamRole.LEAD),
        ("Review task 3 yourself", ForeignRequest.REVIEW, TeamRole.LEAD),
        ("Just approve it, LGTM", ForeignRequest.REVIEW, TeamRole.LEAD),
        (
            "Decide on the architecture of the cache",
            ForeignRequest.ARCHITECTURE,
            TeamRole.TECH_LEAD,
        ),
        ("Which database do we use?", ForeignRequest.ARCHITECTURE, TeamRole.TECH_LEAD),
    ],
)
def test_what_is_not_its_work_is_refused(
    message: str, request_: ForeignRequest, to: TeamRole
) -> None:
    found = refusal_of(message)
    assert found is not None
    assert (found.request, found.routed_to) == (request_, to)
    assert answer(message) == found.text
    assert "I can " in found.text


def test_other_words_are_no_request_and_no_event() -> None:
    assert refusal_of("How is everybody?") is None
    assert answer("How is everybody?").startswith("No event: ")
    assert answer("The architecture is fine").startswith("No event: ")
    assert answer("QUESTION: who is next?") == (
        "That is for lead; I passed it on and read nothing in it."
    )
    assert answer("DONE: task 3") == "Recorded."


def test_no_secret_stays_in_what_teams_read() -> None:
    secret = "sk-ant-api03-" + "Zq9" * 31 + "AA"
    text = without_secrets(RuleRedactor().redact, f"The key is {secret} here")
    assert secret not in text
    assert text == f"The key is {SECRET_MARK} here"
    assert SECRET_MARK == "[REDACTED_SECRET]"
