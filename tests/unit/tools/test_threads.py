import asyncio
import threading

import pytest

from supervisor_ai.tools.threads import finish_in_thread, wait_until_done


def test_the_result_and_the_failure_come_back() -> None:
    def divide(a: int, b: int) -> float:
        return a / b

    assert asyncio.run(finish_in_thread(divide, 6, b=3)) == 2
    with pytest.raises(ZeroDivisionError):
        asyncio.run(finish_in_thread(divide, 1, 0))


@pytest.mark.parametrize("fails", [False, True])
def test_who_cancels_waits_until_the_work_is_done(*, fails: bool) -> None:
    may_end, is_done = threading.Event(), threading.Event()

    def work() -> None:
        may_end.wait(30)
        is_done.set()
        if fails:
            raise ValueError("nobody hears this")

    async def scene() -> None:
        task = asyncio.ensure_future(finish_in_thread(work))
        for _ in range(3):
            await asyncio.sleep(0)
            task.cancel()
        assert not task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert is_done.is_set()

    asyncio.run(scene())


def test_a_cancellation_comes_through_when_all_have_ended() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        first: asyncio.Future[None] = loop.create_future()
        second: asyncio.Future[None] = loop.create_future()
        waiting = asyncio.ensure_future(wait_until_done([first, second]))
        await asyncio.sleep(0)
        waiting.cancel()
        first.set_result(None)
        await asyncio.sleep(0)
        assert not waiting.done()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scene())
