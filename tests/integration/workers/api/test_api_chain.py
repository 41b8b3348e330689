"""Models that stand in for each other."""

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from tests.integration.workers.api.attempt import NOW, Attempt, model
from tests.integration.workers.api.service import Answering, Service, events, silence, whole

from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory as Category
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.ports.workers import WorkerRetried

GOOD = whole(
    {
        "model": "m-full",
        "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1},
    }
)
HALF = events({"choices": [], "usage": {"prompt_tokens": 5}})


def refusal(status: int, kind: str = "x", **headers: str) -> Answering:
    return whole({"error": {"type": kind, "message": kind}}, status=status, headers=headers)


class Chain:
    """Some services and an attempt that asks them in their order."""

    def __init__(self, *answers: Answering, **settings: Any) -> None:
        with ExitStack() as stack:
            self.services = [stack.enter_context(Service(answer)) for answer in answers]
            self.attempt = Attempt(
                [
                    model(f"m{place}", service.url, **settings)
                    for place, service in enumerate(self.services)
                ]
            )
            self.report = self.attempt.run()
        assert self.report.diagnosis is not None
        self.diagnosis = self.report.diagnosis

    @property
    def asked(self) -> list[int]:
        return [len(service.asked) for service in self.services]


@pytest.mark.parametrize(
    "first", [refusal(401), refusal(429), refusal(500), refusal(402), HALF, refusal(529)]
)
def test_the_next_is_asked_when_a_model_cannot_be_had(first: Answering) -> None:
    chain = Chain(first, GOOD, GOOD)
    assert chain.asked == [1, 1, 0]
    assert chain.report.result.exit_code == 0
    assert chain.diagnosis.has_succeeded
    assert chain.diagnosis.model == "m-full"


@pytest.mark.parametrize("first", [refusal(400), refusal(404), whole(b"?"), whole({}), GOOD])
def test_what_is_wrong_with_the_question_is_wrong_everywhere(first: Answering) -> None:
    chain = Chain(first, GOOD)
    assert chain.asked == [1, 0]


def test_the_report_says_who_answered_and_who_was_skipped_and_why() -> None:
    chain = Chain(refusal(401, "bad key"), refusal(429, "too fast"), GOOD)
    assert chain.asked == [1, 1, 1]
    assert chain.diagnosis.message == (
        "m2 (openai_compatible, m2-1) answered. Skipped: "
        "m0 (openai_compatible, m0-1): HTTP 401: bad key "
        "m1 (openai_compatible, m1-1): HTTP 429: too fast"
    )
    told = chain.attempt.printed[Channel.STDERR].decode().splitlines()
    assert told == [
        "m0 (openai_compatible, m0-1): HTTP 401: bad key Next: m1 (openai_compatible, m1-1).",
        "m1 (openai_compatible, m1-1): HTTP 429: too fast Next: m2 (openai_compatible, m2-1).",
    ]
    retried = [seen for seen in chain.attempt.seen if isinstance(seen, WorkerRetried)]
    assert [seen.reason for seen in retried] == told


def test_an_error_after_a_skip_names_both() -> None:
    chain = Chain(refusal(500, "down"), refusal(404, "no such model"))
    assert chain.diagnosis.category is Category.CLI_ERROR
    assert chain.diagnosis.message == (
        "m1 (openai_compatible, m1-1): HTTP 404: no such model Skipped: "
        "m0 (openai_compatible, m0-1): HTTP 500: down"
    )


def test_what_the_skipped_consumed_is_counted() -> None:
    assert Chain(HALF, GOOD).report.usage == Usage(tokens_in=15, tokens_out=1)


LATER = refusal(429, "slow", **{"Retry-After": "7200"})
SOON = refusal(429, "slow", **{"Retry-After": "60"})


@pytest.mark.parametrize(
    ("answers", "category", "action", "reset"),
    [
        ([refusal(401), LATER, SOON], Category.LIMIT, Action.PARK, timedelta(minutes=1)),
        ([LATER, refusal(500)], Category.LIMIT, Action.PARK, timedelta(hours=2)),
        ([refusal(401), refusal(500)], Category.NETWORK, Action.RETRY_SAME, None),
        ([refusal(402), refusal(500)], Category.NETWORK, Action.RETRY_SAME, None),
        ([refusal(402), refusal(401)], Category.LIMIT, Action.FAIL_OVER, None),
        ([refusal(401), refusal(403)], Category.AUTH, Action.FAIL_OVER, None),
    ],
)
def test_when_none_can_be_had_the_most_hopeful_way_on_is_taken(
    answers: list[Answering], category: Category, action: Action, reset: timedelta | None
) -> None:
    chain = Chain(*answers)
    assert chain.asked == [1] * len(answers)
    assert chain.report.result.exit_code == 1
    assert (chain.diagnosis.category, chain.diagnosis.action) == (category, action)
    assert chain.diagnosis.reset_at == (None if reset is None else NOW + reset)
    assert chain.diagnosis.message.startswith("No model is available. m0 (openai_compatible, m0-1)")


@pytest.mark.parametrize("value", [None, "", "  ", "a b", "k\r\nx-evil: 1", "schlüssel"])
def test_a_key_that_cannot_be_used_is_a_reason_to_ask_the_next(value: str | None) -> None:
    with Service(GOOD) as first, Service(GOOD) as second:
        attempt = Attempt(
            [
                model("one", first.url, key="${NO_KEY}"),
                model("two", second.url),
            ]
        )
        if value is not None:
            attempt.environment["NO_KEY"] = value
        report = attempt.run()
    assert (len(first.asked), len(second.asked)) == (0, 1)
    assert report.diagnosis is not None
    assert "'NO_KEY'" in report.diagnosis.message
    assert "x-evil" not in report.diagnosis.message


def test_a_key_is_never_taken_literally() -> None:
    with Service(GOOD) as service:
        report = Attempt([model("one", service.url, key="sk-written-down")]).run()
    assert service.asked == []
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.AUTH
    assert "sk-written-down" not in repr(report)


def test_each_model_gets_its_own_key_and_no_other() -> None:
    with Service(refusal(401)) as first, Service(GOOD) as second:
        Attempt([model("a", first.url), model("b", second.url, key="${OTHER_KEY}")]).run()
    assert first.asked[0].headers["authorization"] == "Bearer sk-canary-7c1f"
    assert second.asked[0].headers["authorization"] == "Bearer sk-other-0000"


def test_a_model_that_takes_too_long_is_passed_over() -> None:
    chain = Chain(silence, GOOD, timeout=6.0)
    assert chain.report.result.exit_code == 0
    assert "did not answer in time" in chain.diagnosis.message
    assert chain.services[0].left.wait(60)
