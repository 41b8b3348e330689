"""People hear of runs through the installed command: once, signed, and also over a kill."""

import hmac
import json
import threading
from collections.abc import Iterator
from hashlib import sha256

import pytest
from tests.e2e.command import Json, User, until
from tests.integration.workers.api.service import Asked, Attendant, Service, whole

SECRET = "only-the-receiver-knows"
CONFIG = """\
notifications:
  channels:
    hook: {{kind: webhook, url: "{url}/in", secret: "${{HOOK_SECRET}}"}}
  severities:
    info: [{channels}]
    warning: [{channels}]
"""


class Receiver:
    """A webhook on loopback that can hold a sender."""

    def __init__(self) -> None:
        self.holds = threading.Event()
        self.status = 200
        self.service = Service(self._answer)

    def _answer(self, attendant: Attendant) -> None:
        if self.holds.is_set():
            attendant.wait_for_leave()
        else:
            whole({}, status=self.status)(attendant)

    @property
    def asked(self) -> list[Asked]:
        return self.service.asked

    @property
    def titles(self) -> list[str]:
        return [asked.body["title"] for asked in self.asked]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    with made.service:
        yield made


@pytest.fixture
def listener(user: User, receiver: Receiver) -> User:
    """Give the test a user who wants to hear of everything."""
    return configured(user, receiver, "hook, tui")


def configured(user: User, receiver: Receiver, channels: str) -> User:
    place = user.home / "config"
    place.mkdir(exist_ok=True)
    config = CONFIG.format(url=receiver.service.url, channels=channels)
    (place / "config.yaml").write_text(config)
    user.environment["HOOK_SECRET"] = SECRET
    return user


def facts(user: User, kind: str) -> list[Json]:
    said = user.call("events", "--json")
    found = [json.loads(line) for line in said.out.splitlines()]
    return [event for event in found if event["type"] == kind]


def test_people_hear_once_that_a_run_waits_and_that_it_is_done(
    listener: User, receiver: Receiver
) -> None:
    run = listener.run("--workflow", "careful").run["id"]
    assert listener.call("resume", run, "--json").code == 5
    assert receiver.titles == [f"Run {run} needs you: it waits for an approval"]
    asked = receiver.asked[0]
    assert asked.body["body"].splitlines()[0] == "Task: Do it"
    signed = f"{asked.headers['x-supervisor-timestamp']}.".encode()
    signed += json.dumps(asked.body, ensure_ascii=False, sort_keys=True).encode()
    mark = hmac.new(SECRET.encode(), signed, sha256).hexdigest()
    assert asked.headers["x-supervisor-signature"] == f"sha256={mark}"
    [alert] = listener.call("status", "--json").json["alerts"]
    assert (alert["run"], alert["title"]) == (run, receiver.titles[0])
    assert f"! {receiver.titles[0]}" in listener.call("status").err
    assert listener.call("approve", run, "--drive", "--json").code == 0
    assert receiver.titles[1:] == [f"Run {run} is completed"]
    assert "alerts" not in listener.call("status", "--json").json


def test_a_notice_whose_process_was_killed_is_sent_again_by_the_same_key(
    listener: User, receiver: Receiver
) -> None:
    receiver.holds.set()
    words = ("run", "Do it", "--yes", "--json", "--workflow", "careful")
    with listener.start(*words) as process:
        until(lambda: bool(receiver.asked), "the notice")
        process.kill()
    receiver.holds.clear()
    assert len(facts(listener, "NoticeTaken")) == 1
    assert facts(listener, "NoticeDelivered") == []
    assert listener.call("serve", "--once").code == 0
    assert listener.call("serve", "--once").code == 0
    first, again = receiver.asked
    assert first.headers["x-supervisor-key"] == again.headers["x-supervisor-key"]
    [told] = facts(listener, "NoticeDelivered")
    assert told["payload"]["channels"] == ["hook", "tui"]


def test_a_channel_that_fails_stops_no_run_and_is_seen(user: User, receiver: Receiver) -> None:
    receiver.status = 503
    listener = configured(user, receiver, "hook")
    said = listener.run("--workflow", "quick")
    assert (said.code, said.run["status"]) == (0, "completed")
    [missed] = listener.call("status", "--json").json["missed"]
    assert missed["is_lost"] is True
    assert "hook: 127.0.0.1 answered with status 503." in missed["reason"]
    assert "reached nobody" in listener.call("status").err
    checks = listener.call("doctor", "--json").json["findings"]
    [found] = [it for it in checks if it["name"] == "notices"]
    assert "reached nobody" in found["detail"]
    receiver.status = 200
    assert listener.run("--workflow", "quick").code == 0
    assert "missed" not in listener.call("status", "--json").json


def test_the_channels_can_be_tried(listener: User, receiver: Receiver) -> None:
    said = listener.call("notify", "test", "--json")
    assert said.code == 0
    assert {it["channel"]: it["is_delivered"] for it in said.json["deliveries"]} == {
        "hook": True,
        "tui": True,
    }
    assert receiver.titles == ["A test of supervisor"]
    said = listener.call("notify", "test", "hook", HOOK_SECRET="")
    assert said.code == 6
    assert "The variable HOOK_SECRET is not set." in said.out
    said = listener.call("notify", "test", "hok", "--json")
    assert (said.code, said.error["hint"]) == (3, "Did you mean 'hook'?")


def test_who_has_no_channel_is_told_how_to_have_one(user: User) -> None:
    said = user.call("notify", "test", "--json")
    assert said.code == 3
    assert said.error["message"] == "Your config has no channel."


def test_a_project_cannot_say_who_hears_of_runs(user: User) -> None:
    config = (user.repository / ".supervisor/config.yaml").read_text()
    command = "{kind: command, command: [touch, /tmp/planted]}"
    user.commit(
        {".supervisor/config.yaml": f"{config}notifications: {{channels: {{mine: {command}}}}}\n"}
    )
    said = user.run("--workflow", "quick")
    assert said.code == 2
    assert "only your own config may" in said.error["message"]
