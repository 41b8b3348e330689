"""Import of messages from `.msg/`: each line once, known by its hash, and nobody's proven word."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from supervisor_ai.control.sessions.bus import (
    STATE_UPDATE,
    Body,
    Data,
    body_of,
    kept_json,
    message_of,
    wake_letters,
)
from supervisor_ai.control.sessions.folder.folder_desk import (
    FROM_FILE,
    JSON_BYTES,
    MESSAGES,
    MESSAGES_BYTES,
    META,
    ROLE_STATES,
    FolderDesk,
    FolderFindings,
    begins_as,
    is_as_marked,
    read_object,
)
from supervisor_ai.control.sessions.folder.message_lines import (
    FileSpan,
    LineFlaw,
    LineRecord,
    MessageLine,
    check_line,
    line_key,
    read_line,
    spans,
    whole_lines,
)
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import Draft
from supervisor_ai.domain.session.imports import log_imported, unknown_drafts
from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.json_value import BadJson, JsonValue, canonical_json, json_line
from supervisor_ai.tools.text import excerpt

_LINES: Final = 1_000
"""How many lines come into the ledger at once."""
_MOST_REFUSALS: Final = 20
"""How many refused lines of one import are recorded; the notes tell of more."""
_META_KEY: Final = "meta:"
_LONGEST_NUMBER: Final = 9


class _Said(Struct, frozen=True, kw_only=True):
    """A line that is taken, and what is kept of it."""

    line: MessageLine
    body: Body

    def draft(self, body: ArtifactHash) -> Draft:
        record = self.line.record
        return Draft(
            sender=record.sender, to=record.to, kind=record.kind, body=body, key=self.line.key
        )


class MessageImport:
    """One import of the messages of one folder."""

    def __init__(self, desk: FolderDesk, findings: FolderFindings) -> None:
        self._desk = desk
        self._findings = findings
        self._view = desk.desk.view(desk.session)
        self._refusals = 0

    def take_messages(self) -> None:
        """Take the lines that are new; what was read before is not read again."""
        content = self._desk.fetch(MESSAGES, MESSAGES_BYTES, self._findings)
        mark = self._desk.mark(self._view.refresh(), MESSAGES)
        if content is None or is_as_marked(content := whole_lines(content), mark):
            return
        start, written = 0, 0
        if mark is not None and begins_as(content, mark):
            start, written = mark.size, mark.messages
        elif mark is not None:
            self._note(
                "was rewritten or shortened since it was read last; what was said stays said"
            )
        end = start
        for span in spans(content, start, _LINES):
            self._take(span)
            end = span.end
        if end < len(content):
            self._note(f"goes on behind byte {end}: import once more")
        self._desk.record([self._desk.synced(MESSAGES, content[:end], messages=written)])

    def take_states(self) -> None:
        """Take how roles stand from `meta.json`, where no message has said so."""
        content = self._desk.fetch(META, JSON_BYTES, self._findings)
        if content is None or is_as_marked(content, self._desk.mark(self._view.refresh(), META)):
            return
        try:
            states = read_object(content).get(ROLE_STATES)
        except BadJson as error:
            self._findings.conflicts.append(f"{META} cannot be read: {plain(str(error))}.")
            return
        for role, state in states.items() if isinstance(states, dict) else ():
            problem = self._take_state(role, state)
            if problem is not None:
                where = f"{META}: {ROLE_STATES}.{excerpt(plain(role))}"
                self._findings.notes.append(f"{where} is not taken: {problem}")
        self._desk.record([self._desk.synced(META, content)])

    def _take(self, span: FileSpan) -> None:
        session = self._view.refresh()
        lines = [it for it in span.lines if session.number_of(line_key(it[1])) is None]
        read = [read_line(number, line) for number, line in lines]
        new = [it for it in read if isinstance(it, LineFlaw) or not self._is_ours(it)]
        checked = [it if isinstance(it, LineFlaw) else self._checked(it) for it in new]
        self._log([it for it in checked if isinstance(it, _Said)])
        self._refuse([it for it in checked if isinstance(it, LineFlaw)])

    def _checked(self, line: MessageLine) -> _Said | LineFlaw:
        flaw = check_line(line)
        if flaw is not None:
            return flaw
        record = line.record
        try:
            body = body_of(self._desk.desk, record.summary, record.data, record.ts)
        except InvalidInput as error:
            return LineFlaw(number=line.number, reason=error.message)
        return _Said(line=line, body=body)

    def _is_ours(self, line: MessageLine) -> bool:
        """Tell whether a line is what we wrote of a message of the ledger."""
        number = line.record.id.removeprefix("MSG-")
        if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
            return False
        row = self._desk.desk.queries.message(self._desk.session, int(number))
        return row is not None and line.text == json_line(message_of(self._desk.desk, row).record())

    def _log(self, said: Sequence[_Said]) -> None:
        kept = self._desk.desk.artifacts.put_all([it.body.text for it in said])
        drafts = [it.draft(body) for it, body in zip(said, kept, strict=True)]
        told = {it.line.key: it.body.data for it in reversed(said)}

        def decide(session: SessionState) -> Sequence[s.SessionEvent]:
            new = unknown_drafts(session, drafts)
            return log_imported(session, self._with_states(session, new, told))

        letters = partial(wake_letters, self._desk.desk, self._desk.session, FROM_FILE)
        self._findings.messages += len(self._view.add(decide, FROM_FILE, letters))

    def _with_states(
        self, session: SessionState, drafts: Sequence[Draft], told: Mapping[str, Data]
    ) -> list[Draft]:
        """Let the last of a sender's messages about its state say how it stands after all."""
        last: dict[str, int] = {}
        states: dict[str, dict[str, object]] = {}
        for at, draft in enumerate(drafts):
            if draft.kind == STATE_UPDATE:
                states.setdefault(draft.sender, self._state(session, draft.sender))
                states[draft.sender] |= told[draft.key]
                last[draft.sender] = at
        whole = list(drafts)
        for sender, at in last.items():
            state = self._desk.desk.artifacts.put(canonical_json(states[sender]))
            whole[at] = replace(whole[at], state=state)
        return whole

    def _state(self, session: SessionState, sender: str) -> dict[str, object]:
        known = session.states.get(sender)
        return {} if known is None else kept_json(self._desk.desk, known)

    def _refuse(self, flaws: Sequence[LineFlaw]) -> None:
        for flaw in flaws:
            where = f"{MESSAGES}:{flaw.number}"
            self._findings.notes.append(f"{where} is not taken: {plain(flaw.reason)}")
        told = [flaw for flaw in flaws if flaw.sender][: _MOST_REFUSALS - self._refusals]
        self._refusals += len(told)
        events = [
            s.CallRefused(member=flaw.sender, call="import", reason=flaw.reason) for flaw in told
        ]
        self._desk.record(events, FROM_FILE)

    def _take_state(self, role: str, state: JsonValue) -> str | None:
        """Take one role's state; return why it is not taken."""
        session = self._view.refresh()
        if role in session.states:
            is_same = self._state(session, role) == state
            return None if is_same else "a message has said how it stands."
        if not isinstance(state, dict):
            return "it is no object."
        record = LineRecord(
            id="",
            sender=role,
            to=COORDINATOR,
            kind=STATE_UPDATE,
            summary=f"{ROLE_STATES} of {META}",
            data=state,
            ts=None,
        )
        line = MessageLine(number=1, text="", key=f"{_META_KEY}{role}", record=record)
        checked = self._checked(line)
        if isinstance(checked, LineFlaw):
            return plain(checked.reason)
        self._log([checked])
        return None

    def _note(self, words: str) -> None:
        self._findings.notes.append(f"{MESSAGES} {words}.")
