"""The calls about checkpoints that members of a session can make."""

from typing import Final

from msgspec import Struct, to_builtins

from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.control.sessions.member_calls import NoParameters
from supervisor_ai.domain.session.members import MemberPermission
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.requests import CheckpointWish, request_checkpoint
from supervisor_ai.drivers.checkpoint.queries.checkpoints import (
    list_checkpoints,
    show_checkpoint,
)


class RequestForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `checkpoint_request` takes."""

    task_id: str
    scope: tuple[str, ...]
    pipeline_progress: str | None = None


class CheckpointName(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `checkpoint_show` takes."""

    task_id: str


def _request(room: Room, asked: RequestForm) -> object:
    wish = CheckpointWish(task=asked.task_id, scope=asked.scope, progress=asked.pipeline_progress)
    message = request_checkpoint(room.desk, room.session, room.caller, wish)
    view = show_checkpoint(room.desk, room.session, asked.task_id)
    return {"checkpoint": to_builtins(replace(view, message=message))}


def _list(room: Room, asked: NoParameters) -> object:
    del asked
    return {"checkpoints": to_builtins(list_checkpoints(room.desk, room.session))}


def _show(room: Room, asked: CheckpointName) -> object:
    return {"checkpoint": to_builtins(show_checkpoint(room.desk, room.session, asked.task_id))}


CALLS: Final = CallTable(
    calls=(
        Call(
            name="checkpoint_request",
            help="Ask the supervisor for a checkpoint about tasks of the session",
            permission=MemberPermission.REQUEST_CHECKPOINT,
            form=RequestForm,
            act=_request,
        ),
        Call(
            name="checkpoint_list",
            help="List the checkpoints of the session with their verdicts",
            permission=MemberPermission.READ,
            form=NoParameters,
            act=_list,
        ),
        Call(
            name="checkpoint_show",
            help="Show one checkpoint with its report",
            permission=MemberPermission.READ,
            form=CheckpointName,
            act=_show,
        ),
    )
)
