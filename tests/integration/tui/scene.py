"""A project in a real ledger, and the terminal UI in front of it, without a thread."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from tests.support.kernel import PERSON, Kernel
from tests.support.knowledge_office import office
from textual.app import ScreenStackError
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from supervisor_ai.control.dashboard.change_views import PatchView, read_notes
from supervisor_ai.control.dashboard.feed import Feed, News
from supervisor_ai.control.dashboard.panels import read_panel
from supervisor_ai.control.dashboard.patches import DiffFile, read_patch
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.queries.changes import ChangeOfRun
from supervisor_ai.control.records import Records
from supervisor_ai.control.slices import TaskList
from supervisor_ai.domain.envelope import Event, NewEvent
from supervisor_ai.domain.errors import NotFound, SupervisorError
from supervisor_ai.domain.ids import CommitSha, RunId, run_stream
from supervisor_ai.domain.run.line_places import LinePlace
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.testing.fake_sandbox import Script
from supervisor_ai.testing.fake_worker import FakeScript
from supervisor_ai.testing.world import agrees, passes
from supervisor_ai.tui import app
from supervisor_ai.tui.app import SupervisorTui
from supervisor_ai.tui.desk import ChangeDraft, Desk
from supervisor_ai.tui.landing_wishes import LandingVerb, read_wish
from supervisor_ai.tui.landings import LandingPreview
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.diff import Paint

SMALL: Final = (80, 24)
LARGE: Final = (140, 40)

Story = Callable[[Pilot[None]], Awaitable[None]]


class SteppedNews:
    """Looks when it is asked to, so that a test decides what is new."""

    trouble: str | None = None

    def __init__(self, records: Records, *, limit: int = 200, kept: int = 1000) -> None:
        self._feed = Feed(records, limit=limit, kept=kept)
        self._watched: RunId | None = None
        self.is_stopped = False

    def start(self) -> None:
        """Nothing has to be started."""

    def watch(self, run: RunId | None) -> None:
        self._watched = run

    def take(self) -> News | None:
        return self._feed.look(self._watched)

    def stop(self) -> None:
        self.is_stopped = True


class RememberedDeeds:
    """Remembers what was ordered, and refuses what a test says."""

    def __init__(self) -> None:
        self.ordered: list[tuple[str, ...]] = []
        self.refusal: SupervisorError | None = None
        self.printed: tuple[str, ...] = ()
        self.troubles: list[str] = []
        self.landing: tuple[str, ...] = ()
        self.is_landed = False
        self.is_interrupted = False

    def approve(self, run: RunId, *, tree: str, note: str) -> str:
        return self._order("approve", run, tree, note)

    def reject(self, run: RunId, *, tree: str, reason: str) -> str:
        return self._order("reject", run, tree, reason)

    def comment(self, run: RunId, place: LinePlace, words: str) -> str:
        return self._order("comment", run, str(place), words)

    def begin_edit(self, run: RunId, files: Sequence[str]) -> ChangeDraft:
        self._order("edit", run, *files)
        texts = {file: f"{file} as it is\n" for file in files}
        row, asked = cast("RunRow", None), cast("ApprovalRow", None)
        return ChangeDraft(row=row, asked=asked, texts=texts)

    def end_edit(self, draft: ChangeDraft, contents: Mapping[str, bytes]) -> str:
        assert draft.texts.keys() == contents.keys()
        return self._order("edited", *(text.decode() for text in contents.values()))

    def preview(self, run: RunId, verb: LandingVerb, words: str) -> LandingPreview:
        wish = read_wish(words, verb)
        self._order("preview", run, verb.value, words)
        lines = (f"Commit: feat: {words or 'as usual'}", f"Merge target: {wish.into or 'main'}")
        shown = self.landing or lines
        return LandingPreview(run=run, verb=verb, wish=wish, lines=shown, is_idle=self.is_landed)

    def land(self, landing: LandingPreview) -> str:
        return self._order("land", landing.run, landing.verb.value, *landing.lines)

    def interrupt(self) -> None:
        self.is_interrupted = True

    def go_on(self, run: RunId) -> str:
        return self._order("go on", run)

    def cancel(self, run: RunId, *, reason: str) -> str:
        return self._order("cancel", run, reason)

    def output(self, run: RunId) -> tuple[str, ...]:
        del run
        return self.printed

    def notices(self) -> tuple[str, ...]:
        told, self.troubles = self.troubles, []
        return tuple(told)

    def close(self) -> tuple[RunId, ...]:
        return ()

    def _order(self, *words: str) -> str:
        if self.refusal is not None:
            raise self.refusal
        self.ordered.append(words)
        return f"Done: {words[0]}."


class TuiScene:
    """A ledger with runs, and a person in front of the screen."""

    def __init__(self, directory: Path, agent: FakeScript = agrees, gates: Script = passes) -> None:
        self.kernel = Kernel(directory, agent, gates)
        self.deeds = RememberedDeeds()
        self.place = "/home/ada/shop"
        self.moment = datetime(2030, 1, 1, 0, 12, 3, tzinfo=UTC)
        self.patch = ""
        self.is_left = False
        self.editor: Callable[[Mapping[str, str]], Mapping[str, bytes]] = self.edit
        self.leaving: Callable[[], AbstractContextManager[None]] = self.leave
        self.listed: TaskList | None = None
        self.office = office()
        self.paint: Callable[[DiffFile], Paint] = lambda _: {}
        world = self.kernel.world
        self.records = Records(
            ledger=directory / "state.db",
            queries=self.kernel.queries,
            log=world.log,
            artifacts=world.artifacts,
            documents=world.documents,
            now=self.now,
        )
        self.news = SteppedNews(self.records)

    def renew(self) -> None:
        """Begin anew, with the same ledger."""
        self.news, self.deeds = SteppedNews(self.records), RememberedDeeds()

    def now(self) -> datetime:
        """Return the time at which the test looks; the loop's time does not matter."""
        return self.moment

    @property
    def desk(self) -> Desk:
        return Desk(
            place=self.place,
            command="supervisor",
            news=self.news,
            deeds=self.deeds,
            panel=lambda run: read_panel(self.records, run),
            change=self.change,
            notes=lambda run: read_notes(self.records, run),
            paint=self.paint,
            tasks=self.tasks,
            knowledge=lambda: self.office,
            editor=self.editor,
            find=lambda name: self.records.find(name).id,
            now=self.now,
        )

    def change(self, run: RunId) -> PatchView:
        """Return the patch that a test wrote down, as the change of any run."""
        change = ChangeOfRun(
            run=run,
            base=CommitSha("b" * 40),
            head=CommitSha("c" * 40),
            source="not committed: what a person is asked about at approve",
            files=(),
        )
        return PatchView(change=change, files=read_patch(self.patch))

    def edit(self, texts: Mapping[str, str]) -> Mapping[str, bytes]:
        """Write a line more into every text, as a person with an editor would."""
        assert self.is_left, "the terminal belongs to the screen"
        return {name: f"{text}mine\n".encode() for name, text in texts.items()}

    @contextmanager
    def leave(self) -> Iterator[None]:
        """Leave the terminal to an editor."""
        self.is_left = True
        yield
        self.is_left = False

    def tasks(self, run: RunId) -> TaskList:
        """Return the list that a test wrote down."""
        if self.listed is None:
            raise NotFound(f"Run {run!r} works through no list of tasks.")
        return self.listed

    def tell(self, run: RunId, *events: Event) -> None:
        """Write facts of a run, as its owner would."""
        log = self.kernel.world.log
        version = sum(1 for _ in log.read(run_stream(run)))
        new = tuple(NewEvent(event=event, actor=PERSON) for event in events)
        append = StreamAppend(stream=run_stream(run), expected=version, events=new)
        log.append(Batch(appends=(append,)))

    def play(
        self, story: Story, *, size: tuple[int, int] = SMALL, first: RunId | None = None
    ) -> SupervisorTui:
        """Open the UI, do what the story says, and close it."""
        shown = _OnPaper(self.desk, first=first)
        shown.leave = self.leaving

        async def run() -> None:
            async with shown.run_test(size=size, notifications=True) as pilot:
                await settle(pilot)
                await story(pilot)

        asyncio.run(run())
        return shown


class _OnPaper(SupervisorTui):
    """The UI on a terminal that can be left for an editor, unlike the one of Textual's tests."""

    CSS_PATH = str(Path(app.__file__).with_name("styles.tcss"))
    leave: Callable[[], AbstractContextManager[None]]

    @contextmanager
    def suspend(self) -> Iterator[None]:  # type: ignore[explicit-override]
        with self.leave():
            yield


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, and wait until all that follows from them is drawn."""
    await pilot.press(*keys)
    await settle(pilot)


async def leave(pilot: Pilot[None], key: str) -> None:
    """Press the key that ends the UI: who waits after it may find that there is no screen left."""
    with suppress(ScreenStackError):
        await pilot.press(key)
        await pilot.pause()


async def settle(pilot: Pilot[None]) -> None:
    """Wait until what was asked for is read and drawn."""
    await pilot.pause()
    for _ in range(2):
        cast("SupervisorTui", pilot.app).take()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def write(pilot: Pilot[None], words: str) -> None:
    """Write an answer as a whole, and send it."""
    pilot.app.screen.query_one(Input).value = words
    await press(pilot, "enter")


def on(pilot: Pilot[None], kind: type[Screen[None]]) -> bool:
    """Tell whether a screen of this kind is shown."""
    return isinstance(pilot.app.screen, kind)


def screen_text(pilot: Pilot[None]) -> list[str]:
    """Return the lines of the screen as a person sees them."""
    width, height = pilot.app.size
    lines = pilot.app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip)[:width].rstrip() for strip in lines][:height]


def view_text(pilot: Pilot[None], name: str) -> Sequence[str]:
    """Return all lines of a view, those that have to be scrolled to included."""
    return [line.plain for line in pilot.app.screen.query_one(f"#{name}", LineView).lines]
