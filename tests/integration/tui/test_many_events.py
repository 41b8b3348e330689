"""Thousands of events a second: the screen stays prompt, and what it keeps stays small."""

import asyncio
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, cast

from tests.integration.tui.scene import TuiScene, view_text
from tests.integration.tui.shop import QUICK
from tests.support.kernel import PERSON
from tests.support.processes import PATIENCE
from textual.events import Key
from textual.pilot import Pilot

from supervisor_ai.control.dashboard.feed import Feed
from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.ids import RunId, StepName, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.tui.feed_thread import LOG, FeedThread
from supervisor_ai.tui.screens.run import RunScreen

EVENTS: Final = 30_000
BATCH: Final = 1_500
SECONDS: Final = 10
"""So many events in so many seconds are 3,000 in one."""


def refusal(number: int) -> NewEvent:
    event = e.EgressRefused(
        step=StepName("implement"),
        visit=1,
        slot=1,
        attempt=1,
        host=f"host{number}.example",
        port=443,
        reason="no",
    )
    return NewEvent(event=event, actor=PERSON)


class Flood:
    """Writes events of one run, as fast as it is asked to."""

    def __init__(self, scene: TuiScene) -> None:
        self._log = scene.kernel.world.log
        self.run: RunId = scene.kernel.submit(QUICK, task="Fetch everything")
        entered = e.StepEntered(step=StepName("implement"), visit=1, start=None)
        scene.tell(self.run, e.RunStarted(driver="workflow", parent=None, root=self.run), entered)
        self._version = 3

    def write(self, size: int) -> None:
        events = tuple(refusal(self._version + at) for at in range(size))
        append = StreamAppend(stream=run_stream(self.run), expected=self._version, events=events)
        self._log.append(Batch(appends=(append,)))
        self._version += size


def test_thirty_thousand_events_leave_no_more_than_a_screen_needs(scene: TuiScene) -> None:
    flood = Flood(scene)
    feed = Feed(scene.records, limit=200, kept=LOG)
    feed.look(flood.run)
    flood.write(5_000)
    feed.look(flood.run)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    news = None
    for _ in range(EVENTS // 5_000):
        flood.write(5_000)
        news = feed.look(flood.run)
        assert news is not None
        assert len(news.log) == LOG
        assert len(news.lines) == 1
    assert news is not None
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert news.cursor == scene.records.log.head().seq
    assert news.log[-1].words.startswith(f"may not reach host{5_000 + EVENTS + 2}.example")
    assert after - before < 3 << 20


async def press(pilot: Pilot[None], waits: list[float]) -> None:
    """Press keys as a terminal does; Pilot's own way waits until all threads are idle."""
    for key, view in (("3", "Gates"), ("2", "Log")):
        began = time.monotonic()
        pilot.app.post_message(Key(key, key))
        await seen(partial(shows, pilot, view))
        waits.append(time.monotonic() - began)


def shows(pilot: Pilot[None], view: str) -> bool:
    return cast("RunScreen", pilot.app.screen).view == view


async def seen(holds: Callable[[], bool]) -> None:
    """Look again and again until something is so."""
    deadline = time.monotonic() + PATIENCE
    for _ in iter(holds, True):  # noqa: FBT003 - what the calls end with
        assert time.monotonic() < deadline, "it never came about"
        await asyncio.sleep(0.002)


async def pour(flood: Flood) -> None:
    """Write 3,000 events a second."""
    began = time.monotonic()
    for batch in range(EVENTS // BATCH):
        await asyncio.to_thread(flood.write, BATCH)
        due = began + (batch + 1) * SECONDS * BATCH / EVENTS
        await asyncio.sleep(max(due - time.monotonic(), 0))


def test_a_key_is_answered_promptly_while_events_pour_in(tmp_path: Path) -> None:
    scene = TuiScene(tmp_path)
    flood = Flood(scene)
    thread = FeedThread(lambda: scene.records)
    scene.news = thread  # type: ignore[assignment]
    calm: list[float] = []
    pressed: list[float] = []

    async def story(pilot: Pilot[None]) -> None:
        for _ in range(5):
            await press(pilot, calm)
        busy = time.thread_time()
        pouring = asyncio.create_task(pour(flood))
        while not pouring.done():
            await press(pilot, pressed)
            await asyncio.sleep(0.2)
        await pouring
        assert time.thread_time() - busy < SECONDS / 2
        last = f"host{EVENTS + 2}.example"
        await seen(lambda: any(last in line for line in view_text(pilot, "view")[-5:]))
        assert len(view_text(pilot, "view")) <= LOG

    try:
        scene.play(story, first=flood.run)
    finally:
        thread.stop()
        scene.kernel.close()
    assert len(pressed) > 10
    assert median(pressed) < 5 * median(calm) + 0.2, (calm, pressed)
