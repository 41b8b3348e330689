"""Virtual time passes at once, in order, and stops a program in which nothing can happen."""

import asyncio
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from supervisor_ai.engine.ports.clock import Clock, Ids, Processes
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.ids import FakeIds, FakeProcesses
from supervisor_ai.testing.virtual_loop import run_virtual

START = datetime(2031, 2, 3, tzinfo=UTC)


def test_a_day_passes_at_once() -> None:
    clock: Clock = FakeClock(START)

    async def day() -> tuple[datetime, float]:
        await clock.sleep(24 * 3600)
        return clock.now(), clock.boottime()

    before = monotonic()
    assert run_virtual(day()) == (START + timedelta(days=1), 24 * 3600)
    assert monotonic() - before < 3600


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    woken: list[int] = []

    async def sleeper(seconds: int) -> None:
        await asyncio.sleep(seconds)
        woken.append(seconds)

    async def main() -> None:
        await asyncio.gather(*map(sleeper, [30, 10, 20]))

    run_virtual(main())
    assert woken == [10, 20, 30]


def test_timeouts_fire_on_virtual_time() -> None:
    async def main() -> None:
        async with asyncio.timeout(3600):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        run_virtual(main())


def test_waiting_for_nothing_is_an_error() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="deadlock"):
        run_virtual(main())


def test_a_jump_sets_the_time_of_day_alone() -> None:
    clock = FakeClock(START)

    clock.jump(timedelta(hours=-1))
    assert (clock.now(), clock.boottime()) == (START - timedelta(hours=1), 0)

    clock.advance(timedelta(minutes=1))
    assert (clock.now(), clock.boottime()) == (START - timedelta(minutes=59), 60)


def test_names_are_counted_and_processes_die_when_told() -> None:
    ids: Ids = FakeIds()
    fake = FakeProcesses(pid=7)
    processes: Processes = fake

    assert [ids.run_id(), ids.run_id()] == ["r1", "r2"]
    assert processes.is_alive(processes.current())
    fake.kill(7)
    assert not processes.is_alive(processes.current())
