import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.sandboxes.egress.refusal import Refusals, Refused, printable


class Told:
    """Remembers what was told and which failures were passed on."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.refusals: list[EgressRefusal] = []
        self.failures: list[Exception] = []
        self._failure = failure

    def sink(self, refusal: EgressRefusal) -> None:
        self.refusals.append(refusal)
        if self._failure:
            raise self._failure


def test_every_distinct_refusal_is_told_once() -> None:
    told = Told()
    refusals = Refusals(told.sink, told.failures.append)
    for refused in (
        Refused("not-listed", "a.example", 443),
        Refused("not-listed", "a.example", 443),
        Refused("not-listed", "a.example", 80),
        Refused("no-sni", "a.example", 443),
        Refused("bad-request"),
    ):
        refusals.tell(refused)
    assert told.refusals == [
        EgressRefusal(host="a.example", port=443, reason="not-listed"),
        EgressRefusal(host="a.example", port=80, reason="not-listed"),
        EgressRefusal(host="a.example", port=443, reason="no-sni"),
        EgressRefusal(host="-", port=None, reason="bad-request"),
    ]


def test_a_worker_that_tries_everything_is_not_told_of_forever() -> None:
    told = Told()
    refusals = Refusals(told.sink, told.failures.append)
    for number in range(300):
        refusals.tell(Refused("not-listed", f"h{number}.example", 443))
    assert len(told.refusals) == 100


def test_the_failure_of_a_sink_is_passed_on() -> None:
    failure = OSError("the ledger is full")
    told = Told(failure)
    Refusals(told.sink, told.failures.append).tell(Refused("no-sni"))
    assert told.failures == [failure]


@given(st.text(max_size=400))
def test_a_host_is_fit_to_be_shown(host: str) -> None:
    shown = printable(host)
    assert 1 <= len(shown) <= 253
    assert all("!" <= letter <= "~" for letter in shown)


@pytest.mark.parametrize(("host", "shown"), [("", "-"), ("a\x1b[31m", "a?[31m"), ("ä b", "??b")])
def test_an_unprintable_letter_is_replaced(host: str, shown: str) -> None:
    assert printable(host) == shown
