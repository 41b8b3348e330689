"""Orders of a person, carried out by the commands that the command line uses too."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from typing import Final

from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.control.commands.decisions.change_edit import (
    edit_files,
    editable_question,
    texts_of,
)
from supervisor_ai.control.commands.decisions.line_comments import comment_on
from supervisor_ai.control.commands.run_cancellation import cancel
from supervisor_ai.control.commands.run_execution import prepare_resume
from supervisor_ai.control.dashboard.outputs import last_output
from supervisor_ai.control.ports.user_merges import UserMerges
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.line_places import LinePlace
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.tui.desk import ChangeDraft
from supervisor_ai.tui.drives import Drives
from supervisor_ai.tui.landing_wishes import LandingVerb
from supervisor_ai.tui.landings import LandingPreview, Landings
from supervisor_ai.tui.outputs import LINES, OutputTails

_NOTICES: Final = 20


class ProjectDeeds:
    """Opens the project when the first order is given; that takes a while and is done once."""

    def __init__(
        self,
        open_project: Callable[[OutputTails], OpenProject],
        merges: Callable[[], AbstractContextManager[UserMerges]],
    ) -> None:
        self._open = open_project
        self._lock = Lock()
        self._opened: OpenProject | None = None
        self._closing = Lock()
        self._left: tuple[RunId, ...] | None = None
        self._outputs = OutputTails()
        self._notices: deque[str] = deque(maxlen=_NOTICES)
        self._drives = Drives(lambda: self.project, self._notices.append)
        self._landings = Landings(lambda: self.project, self._drives, merges)

    @property
    def project(self) -> OpenProject:
        """Return the project, opened for commands."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open(self._outputs)
            return self._opened

    def approve(self, run: RunId, *, tree: str, note: str) -> str:
        """Say yes to exactly this tree, and go on with the run where nobody else does."""
        decision = PersonsDecision(is_approval=True, words=note or None, tree=tree)
        return self._judge(run, decision)

    def reject(self, run: RunId, *, tree: str, reason: str) -> str:
        """Say no to exactly this tree, and go on with the run where nobody else does."""
        return self._judge(run, PersonsDecision(is_approval=False, words=reason, tree=tree))

    def _judge(self, run: RunId, decision: PersonsDecision) -> str:
        project = self.project
        if self._is_driven(run):
            return judge(project, run, decision).detail
        resumption = prepare_resume(project, run, will_approve=decision.is_approval)
        self._drives.wait_for(resumption)
        done = judge(project, run, decision)
        self._drives.begin(run)
        return f"{done.detail} The run goes on here."

    def comment(self, run: RunId, place: LinePlace, words: str) -> str:
        """Say something about a line; a run that nobody drives takes it in here."""
        done = comment_on(self.project, run, place, words)
        if done.applied and not self._is_driven(run):
            self._drives.begin(run)
        return done.detail

    def begin_edit(self, run: RunId, files: Sequence[str]) -> ChangeDraft:
        """Find the files that are to be edited, as they are now."""
        project = self.project
        row, asked = editable_question(project, run)
        return ChangeDraft(row=row, asked=asked, texts=texts_of(project, asked.commit, files))

    def end_edit(self, draft: ChangeDraft, contents: Mapping[str, bytes]) -> str:
        """Put what was edited into the place of the change; a run that nobody drives goes on."""
        project, run = self.project, draft.row.id
        is_driven = self._is_driven(run)
        if not is_driven:
            self._drives.wait_for(prepare_resume(project, run))
        done = self._drives.wait_for(edit_files(project, draft.row, draft.asked, contents))
        if done.applied and not is_driven:
            self._drives.begin(run)
        return done.detail

    def preview(self, run: RunId, verb: LandingVerb, words: str) -> LandingPreview:
        """Find out how the work of a run would come to a branch."""
        return self._landings.preview(run, verb, words)

    def land(self, landing: LandingPreview) -> str:
        """Bring the work of a run to a branch, as it was shown."""
        return self._landings.land(landing)

    def go_on(self, run: RunId) -> str:
        """Drive a run here that nobody drives."""
        project = self.project
        if self._is_driven(run):
            return f"Run {run} is driven already."
        row = self._drives.wait_for(prepare_resume(project, run))
        if row.status in ENDED:
            raise Conflict(f"Run {run!r} has ended: it is {row.status.value}.")
        self._drives.begin(run)
        return f"Run {run} goes on here."

    def cancel(self, run: RunId, *, reason: str) -> str:
        """Stop a run."""
        view = self._drives.wait_for(cancel(self.project, run, reason=reason or None))
        return f"Run {run} is {view.status.value}."

    def output(self, run: RunId) -> tuple[str, ...]:
        """Return what is printed now, where the run is driven here; else what was kept last."""
        return self._outputs.lines(run) or last_output(self.project.records, run, lines=LINES)

    def notices(self) -> tuple[str, ...]:
        """Return what went wrong beside the screen, once."""
        found = []
        while self._notices:
            found.append(self._notices.popleft())
        return tuple(found)

    def begin(self, run: RunId) -> None:
        """Drive a run that was just submitted."""
        self._drives.begin(run)

    def interrupt(self) -> None:
        """Stop what is driven here, without waiting for it."""
        self._drives.interrupt()

    def close(self) -> tuple[RunId, ...]:
        """Leave what is driven here in good order; return which runs that were."""
        with self._closing:
            if self._left is None:
                self._left = self._drives.stop()
            return self._left

    def _is_driven(self, run: RunId) -> bool:
        owner = self.project.records.queries.owner(run)
        return owner is not None and owner.is_alive
