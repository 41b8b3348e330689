"""The calls that show how the runs of the project stand, with the JSON of the verbs."""

from itertools import islice
from typing import Annotated, Final

from msgspec import Meta, Struct

from supervisor_ai.control.queries.causes import find_cause
from supervisor_ai.control.queries.events import event_record, known_types, read_events
from supervisor_ai.control.questions import find_question
from supervisor_ai.control.run_views import list_runs, show_run
from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.domain.session.members import MemberPermission

_MOST: Final = 100

Limit = Annotated[int, Meta(ge=1, le=_MOST)]


class RunListAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `run_list` takes."""

    limit: Limit = 20


class RunStatusAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `run_status` takes."""

    run: str


class RunEventsAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `run_events` takes."""

    run: str
    after: Annotated[int, Meta(ge=0)] = 0
    types: tuple[str, ...] = ()
    limit: Limit = _MOST


def _list(room: Room, asked: RunListAsked) -> object:
    listed = list_runs(room.project.records, limit=asked.limit)
    more = {"truncated": True, "total": listed.total} if listed.is_truncated else {}
    return {"runs": listed.runs, **more}


def _status(room: Room, asked: RunStatusAsked) -> object:
    records = room.project.records
    view = show_run(records, asked.run)
    return {
        "run": view,
        "gates": records.queries.gates(view.id),
        "question": find_question(records, view),
        "cause": find_cause(records, view),
    }


def _events(room: Room, asked: RunEventsAsked) -> object:
    """Return a page of facts; whoever wants more asks for what comes after the last one."""
    records, wanted = room.project.records, known_types(asked.types)
    facts = read_events(records, records.find(asked.run).id, after=asked.after)
    found = list(islice((it for it in facts if not wanted or it.type in wanted), asked.limit + 1))
    more = {"truncated": True} if len(found) > asked.limit else {}
    return {"events": [event_record(records, it) for it in found[: asked.limit]], **more}


CALLS: Final = CallTable(
    calls=(
        Call(
            name="run_list",
            help="List the runs of the project, the newest first",
            permission=MemberPermission.WATCH_RUNS,
            form=RunListAsked,
            act=_list,
        ),
        Call(
            name="run_status",
            help="Show how one run stands: its steps, gates, open question and cause of failure",
            permission=MemberPermission.WATCH_RUNS,
            form=RunStatusAsked,
            act=_status,
        ),
        Call(
            name="run_events",
            help="Show the facts of one run in order, after a sequence number",
            permission=MemberPermission.WATCH_RUNS,
            form=RunEventsAsked,
            act=_events,
        ),
    )
)
