import asyncio

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import Forge, NotOpened, Opened, PullRequest
from supervisor_ai.testing.fake_forge import FakeForge

REQUEST = PullRequest(branch="a", commit=CommitSha("c"), target=None, title="t", body="b")


def test_a_fake_forge_opens_once_remembers_and_refuses() -> None:
    fake = FakeForge()
    forge: Forge = fake
    first = asyncio.run(forge.open(REQUEST))
    assert first == Opened(url="https://forge.example/pull/1")
    assert asyncio.run(forge.open(REQUEST)) == Opened(url=first.url, is_found=True)
    other = replace(REQUEST, branch="b")
    assert asyncio.run(forge.open(other)) == Opened(url="https://forge.example/pull/2")
    fake.refusal = NotOpened(reason="No.")
    assert asyncio.run(forge.open(other)) == fake.refusal
    assert fake.requests == [REQUEST, REQUEST, other, other]
