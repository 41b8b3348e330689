"""The desk of teams: what every call on one needs."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.json import decode

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.domain.envelope import Actor, Envelope
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.roster import TeamCreated
from supervisor_ai.drivers.team.folder.shelf import Shelf
from supervisor_ai.drivers.team.sent import Ruling
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.stream import PIPELINE, TeamView, team_stream
from supervisor_ai.drivers.team.text.messages import MessageTemplates, templates_of

Letters = Callable[[TeamState, "tuple[TeamFact, ...]"], "tuple[InboxCommand, ...]"]


class TeamDesk(Struct, frozen=True, kw_only=True):
    """The ports that calls on teams act through."""

    desk: SessionDesk
    folders: SessionFolders | None = None
    """None: who calls writes no files; the resident does."""

    def view(self, name: str) -> TeamView:
        """Return a team as far as it is known; what is new is read when it is refreshed."""
        stream = team_stream(name)
        known = self.desk.streams.get(stream)
        if not isinstance(known, TeamView):
            known = TeamView(self.desk.log, name, self.desk.cache, self.desk.documents)
            self.desk.streams[stream] = known
        return known

    def state(self, name: str) -> TeamState:
        """Return how a team stands now; refuse one that there is not."""
        found = self.view(name).refresh()
        if found.created is None:
            raise NotFound(
                f"There is no team {name[:80]!r}.", hint="Make one: supervisor team create NAME"
            )
        return found

    def names(self) -> tuple[str, ...]:
        """Name the teams of the project, the newest first."""
        return tuple(it.id for it in self.desk.queries.sessions() if it.pipeline == PIPELINE)

    def created(self, name: str) -> TeamCreated:
        """Return how a team began."""
        made = self.state(name).created
        if made is None:
            raise NotFound(f"There is no team {name[:80]!r}.")
        return made

    def templates(self, name: str) -> MessageTemplates:
        """Return the words of a team's messages: of its file, of its beginning, or the usual."""
        kept, shelf = self.created(name).messages, self.shelf(name)
        text = "" if kept is None else self.desk.text(kept)
        own = decode(text, type=dict[str, str]) if text else {}
        return templates_of({**own, **({} if shelf is None else shelf.messages().own)})

    def shelf(self, name: str) -> Shelf | None:
        """Return the folder of a team; None: who calls writes no files."""
        if self.folders is None:
            return None
        folder = self.created(name).folder
        return Shelf(self.folders, folder=folder, redact=self.desk.redactor.redact)

    def facts(self, name: str, *, after: int = 0) -> Iterator[tuple[int, TeamFact]]:
        """Return the facts of a team with their places."""
        for envelope in self.envelopes(name, after=after):
            if isinstance(envelope.event, TeamFact):
                yield envelope.version, envelope.event

    def envelopes(
        self, name: str, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        """Return what the ledger holds of a team."""
        return self.desk.log.read(team_stream(name), after=after, upto=upto)

    def rule(
        self, name: str, decide: Callable[[TeamState], Ruling], actor: Actor, letters: Letters
    ) -> Ruling:
        """Record what comes of a decision; others may be faster, then it is made again."""
        made: list[Ruling] = []

        def facts(state: TeamState) -> tuple[TeamFact, ...]:
            made[:] = [decide(state)]
            return made[0].facts

        self.state(name)
        self.view(name).add(facts, actor, lambda state, new: letters(state, tuple(new)))
        return made[0]


def no_letters(state: TeamState, facts: tuple[TeamFact, ...]) -> tuple[InboxCommand, ...]:
    """Wake nobody."""
    del state, facts
    return ()
