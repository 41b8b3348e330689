"""Orders of a person that need a word or a yes first: asked for, then carried out."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from textual.app import SuspendNotSupported

from supervisor_ai.control.commands.decisions.line_comments import read_comment
from supervisor_ai.domain.errors import InvalidInput, SupervisorError, Unavailable
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.line_places import LinePlace
from supervisor_ai.tui.desk import ChangeDraft
from supervisor_ai.tui.landing_wishes import LandingVerb, option_words
from supervisor_ai.tui.landings import LandingPreview
from supervisor_ai.tui.screens.ask import AskScreen
from supervisor_ai.tui.screens.face import Face, Then


class Orders:
    """What screens let a person do to a run."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def comment(self, run: RunId, place: LinePlace | None, then: Then, *, draft: str = "") -> None:
        """Ask for words about a line, and keep them for the implementer."""

        def send(words: str) -> str:
            at, said = read_comment(words) if place is None else (place, words)
            return self._face.desk.deeds.comment(run, at, said)

        def say(words: str | None) -> None:
            if words:
                # Nobody writes the same twice because of a wrong number.
                again = partial(self.comment, run, place, then, draft=words)
                self._face.work(lambda: send(words), self._done(then), again)

        ask = "Comment on a line" if place is None else f"Comment on {shown_name(str(place))}"
        form = "FILE:LINE TEXT, or FILE:-LINE TEXT for a line that is gone. "
        hint = "All comments go to the implementer together when you reject."
        told = hint if place else form + hint
        self._face.ask(AskScreen(ask, hint=told, value=draft), say)

    def edit(self, run: RunId, files: Sequence[str], then: Then) -> None:
        """Open the person's editor on files of the change; where there are several, ask which."""
        if len(files) == 1:
            self._edit(run, files, then)
            return

        def choose(words: str | None) -> None:
            if words:
                self._face.work(lambda: _names(words), partial(self._edit, run, then=then))

        hint = "Names of files of the change, with spaces between them."
        first = shlex.quote(files[0]) if files else ""
        self._face.ask(AskScreen(f"Edit which files of {run}?", hint=hint, value=first), choose)

    def _edit(self, run: RunId, files: Sequence[str], then: Then) -> None:
        deeds = self._face.desk.deeds
        self._face.work(lambda: deeds.begin_edit(run, files), partial(self._edited, then))

    def _edited(self, then: Then, draft: ChangeDraft) -> None:
        face = self._face
        try:
            contents = self._with_editor(draft.texts)
        except SupervisorError as error:
            face.refuse(error)
        else:
            face.work(lambda: face.desk.deeds.end_edit(draft, contents), self._done(then))

    def _with_editor(self, texts: Mapping[str, str]) -> Mapping[str, bytes]:
        """Leave the terminal to the editor; the screen comes back however that ends."""
        try:
            with self._face.suspend():
                try:
                    return self._face.desk.editor(texts)
                except SupervisorError as error:
                    failed = error
        except SuspendNotSupported as error:
            raise Unavailable(
                "No editor can be opened on this terminal.",
                hint="Use another one: supervisor edit RUN FILE",
            ) from error
        raise failed

    def land(self, run: RunId | None, verb: LandingVerb, words: str = "") -> None:
        """Show how the work of a run would come to a branch, and ask."""
        if run is not None:
            deeds = self._face.desk.deeds
            shown = partial(self._confirm, words)
            self._face.work(lambda: deeds.preview(run, verb, words), shown)

    def _confirm(self, words: str, landing: LandingPreview) -> None:
        face = self._face
        if landing.is_idle:
            face.tell(" ".join(landing.lines))
            return

        def go(said: str | None) -> None:
            if said is not None and said != words:
                # Nothing is done that was not shown.
                self.land(landing.run, landing.verb, said)
            elif said is not None:
                face.work(lambda: face.desk.deeds.land(landing), face.tell)

        hint = f"With options it is shown again first: {option_words(landing.verb)}"
        question = f"{landing.verb.value} {landing.run}?"
        face.ask(AskScreen(question, details=landing.lines, hint=hint, value=words), go)

    def go_on(self, run: RunId | None) -> None:
        """Go on with a run that nobody drives."""
        if run is not None:
            self._face.work(lambda: self._face.desk.deeds.go_on(run), self._face.tell)

    def cancel(self, run: RunId | None) -> None:
        """Ask why, and stop a run."""
        if run is None:
            return
        face = self._face

        def stop(reason: str | None) -> None:
            if reason:
                face.work(lambda: face.desk.deeds.cancel(run, reason=reason), face.tell)
            elif reason is not None:
                face.tell(f"Run {run} was not cancelled: no reason was given.")

        hint = "A reason and Enter cancel the run; what was done so far is kept."
        face.ask(AskScreen(f"Cancel run {run}: why?", hint=hint), stop)

    def _done(self, then: Then) -> Callable[[str], None]:
        def tell(words: str) -> None:
            self._face.tell(words)
            then()

        return tell


def _names(words: str) -> Sequence[str]:
    try:
        return shlex.split(words)
    except ValueError as error:
        raise InvalidInput(f"{words!r} names no files: a quotation mark is missing.") from error
