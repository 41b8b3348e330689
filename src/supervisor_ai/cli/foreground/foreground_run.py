"""A run in the foreground: driven while a person watches, then its result is printed."""

from collections.abc import Coroutine
from datetime import UTC, datetime

from msgspec import Struct

from supervisor_ai.cli.foreground.progress import Progress
from supervisor_ai.cli.interrupts import Interrupted, run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.summary import about_run, summarise
from supervisor_ai.cli.tables import title
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.dashboard.board import Board
from supervisor_ai.control.exit_codes import DONE, INTERRUPTED, run_exit_code
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.queries.causes import find_cause
from supervisor_ai.control.run_views import show_run
from supervisor_ai.control.slices import find_slice
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream


class ForegroundRun(Struct, frozen=True, kw_only=True):
    """A person at a terminal, or a program at a pipe, who waits for a run."""

    invocation: Invocation
    project: OpenProject
    progress: Progress
    as_json: bool
    wait: bool = False

    def begin(self, submission: Coroutine[object, object, RunId], *, queued: bool) -> int:
        """Submit a run and attend it, unless it is left for whoever serves the project."""
        run = run_interruptibly(submission)
        if not queued:
            return self.attend(run)
        self.report(run)
        return DONE

    def attend(self, run: RunId) -> int:
        """Drive the run as far as it goes and report; return the exit code."""
        code = self.drive(run)
        return self.report(run) if code is None else code

    def drive(self, run: RunId) -> int | None:
        """Drive the run as far as it goes; return an exit code where that came to no end."""
        try:
            self._drive(run)
        except Interrupted:
            say(f"Interrupted. Go on with: {self.invocation.command} resume {run}")
            return INTERRUPTED
        except Unavailable:
            say(f"The run is kept. Go on with: {self.invocation.command} resume {run}")
            raise
        return None

    def report(self, run: RunId) -> int:
        """Print what is known of the run now; return the exit code that its status means."""
        view = show_run(self.project.records, run)
        if self.as_json:
            about = about_run(self.invocation, self.project, view)
            cause = find_cause(self.project.records, view)
            because = {} if cause is None else {"cause": cause}
            own = {} if about is None else {view.driver: about.value}
            write_json({"run": view, **because, **own})
        else:
            write(summarise(self.invocation, self.project, view))
        return run_exit_code(view.status, view.outcome)

    def _drive(self, run: RunId) -> None:
        self.progress.begin(self._board(run))
        try:
            run_interruptibly(drive_family(self.project, run, wait=self.wait))
        finally:
            self.progress.end()

    def _board(self, run: RunId) -> Board:
        birth = self.project.birth(run)
        task = self.project.records.text(birth.task)
        board = Board(run=run, title=title(task), started=datetime.now(UTC), read=self._text)
        found = find_slice(birth.driver)
        if found is not None and found.definition is not None:
            pinned = self.project.world.documents.load(birth.definition, found.definition)
            board.expect(*pinned.expected_steps)
            board.labels = pinned.step_labels
        for envelope in self.project.records.log.read(run_stream(run)):
            board.see(envelope)
        return board

    def _text(self, artifact: ArtifactHash) -> str:
        """Read what was kept; what cannot be read must not stop a run that is only watched."""
        try:
            return self.project.records.text(artifact)
        except Unavailable:
            return ""
