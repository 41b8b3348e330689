"""What a session's stream tells: messages, reports of earlier supervisors, what was answered."""

from collections.abc import Iterable, Iterator

from supervisor_ai.control.sessions.folder.folder_desk import FROM_FILE
from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope
from supervisor_ai.domain.ids import ArtifactHash, session_stream
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import COORDINATOR, SUPERVISOR
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator, rebuild
from supervisor_ai.drivers.checkpoint.performers.context import HeardMessage, count_tokens
from supervisor_ai.drivers.checkpoint.performers.door import REPLY, SessionDoor
from supervisor_ai.drivers.checkpoint.protocol.requests import Incoming
from supervisor_ai.drivers.checkpoint.queries.reports import newest_reports
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, ReportProblem, read_report
from supervisor_ai.tools.json_value import mapping, parse_object
from supervisor_ai.tools.json_value import text as as_text

Logged = tuple[Envelope, s.MessageLogged]


def logged_messages(door: SessionDoor, *, after: int = 0) -> Iterator[Logged]:
    """Name the messages of a session from a version of its stream on, oldest first."""
    for envelope in door.desk.log.read(session_stream(door.session), after=after):
        event = envelope.event
        if isinstance(event, s.MessageLogged):
            yield envelope, event


def heard_message(door: SessionDoor, envelope: Envelope, event: s.MessageLogged) -> HeardMessage:
    """Read all that a message says."""
    body = door.desk.text(event.body)
    told = parse_object(body) or {}
    return HeardMessage(
        number=event.number,
        at=envelope.recorded_at,
        sender=event.sender,
        speaker=_speaker(envelope.actor, event.sender),
        kind=event.kind,
        summary=as_text(told.get("summary")),
        data=mapping(told.get("data")),
        tokens=count_tokens(body),
    )


def _speaker(actor: Actor, sender: str) -> str:
    """Say who is proven to speak: only a coordinator, or a person, speaks in another's name."""
    if actor.kind is ActorKind.WORKER:
        is_file = actor.via == FROM_FILE.via
        return "" if is_file else actor.id if actor.id == sender else COORDINATOR
    if not actor.verified:
        return ""
    return COORDINATOR if actor.kind is ActorKind.USER else sender


def incoming(heard: HeardMessage) -> Incoming:
    """Return a message as the protocol reads it."""
    content = heard.data.get("content")
    return Incoming(
        sender=heard.sender,
        kind=heard.kind,
        text=content if isinstance(content, str) else heard.summary,
        fields={key: it for key, it in heard.data.items() if key != "content"},
    )


def rebuilt(door: SessionDoor) -> tuple[Accumulator, int]:
    """Remember again what earlier reports tell; count those that are not in their form."""
    reports = newest_reports(door.desk.log, door.session)
    texts = {task: door.desk.text(kept) for task, kept in reports.items()}
    read = {task: read_report(text) for task, text in texts.items()}
    good = {task: it for task, it in read.items() if _is_of(task, it)}
    known = rebuild(
        [texts[task] for task in good], _artifacts(door, good.values()), session=door.path
    )
    if isinstance(known, ReportProblem):
        return Accumulator(), len(texts)
    ours = newest_reports(door.desk.log, door.session, is_of_runs=True)
    # Anybody writes a file: it can say what came of a checkpoint, not what was read for it.
    entries = (
        it if it.task in ours else replace(it, artifacts_read=(), facts={}) for it in known.entries
    )
    return Accumulator(entries=tuple(entries)), len(texts) - len(good)


def _is_of(task: str, report: CheckpointReport | ReportProblem) -> bool:
    return isinstance(report, CheckpointReport) and report.task == task


def _artifacts(
    door: SessionDoor, reports: Iterable[CheckpointReport | ReportProblem]
) -> dict[str, str]:
    """Return what the reports were made of, by hash, as far as it is still known."""
    named = {
        it.hash
        for report in reports
        if isinstance(report, CheckpointReport)
        for it in report.artifacts
    }
    texts = {name: door.desk.text(ArtifactHash(name)) for name in sorted(named)}
    return {name: text for name, text in texts.items() if text}


def seen_to(door: SessionDoor) -> tuple[int, int]:
    """Say up to which message, and which version, all that was asked has been answered."""
    asked: list[tuple[int, int]] = []
    answered: set[object] = set()
    version = number = 0
    for envelope, event in logged_messages(door):
        version, number = envelope.version, event.number
        if event.to == SUPERVISOR:
            asked.append((version, number))
        elif event.sender == SUPERVISOR:
            answered.add(heard_message(door, envelope, event).data.get(REPLY))
    for at, request in asked:
        if f"MSG-{request:03}" not in answered:
            return request - 1, at - 1
    return number, version
