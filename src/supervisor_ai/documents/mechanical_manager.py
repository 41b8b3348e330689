"""The `mechanical_manager` adapter: the Manager of a kanban, by rules and without a model.

It runs in this process. Its prompt is one JSON document: `{"instruction": …, "kanban_file": …}`
to make a kanban, `{"kanban_file": …, "done_task": …}` to go on with one.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.documents.kanban_folder import KanbanFolder, kanban_folder
from supervisor_ai.documents.kanban_parser import read_kanban
from supervisor_ai.documents.kanban_writer import (
    render_kanban,
    render_task,
    revise_kanban,
    revise_task,
)
from supervisor_ai.documents.task_shelf import TaskShelf
from supervisor_ai.domain.errors import InvalidInput, SupervisorError
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.board.new_kanban import create
from supervisor_ai.drivers.kanban.board.numbers import next_number
from supervisor_ai.drivers.kanban.board.plan import Plan, PlanRefusal
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Sandbox,
    SandboxEnd,
    SandboxResult,
)
from supervisor_ai.engine.ports.workers import (
    Worker,
    WorkerFinished,
    WorkerReport,
    WorkerRequest,
)
from supervisor_ai.tools.json_value import parse_object

_LONGEST: Final = 4000
_NAMED: Final = 10

Texts = dict[str, str]
"""What files are to hold, by path."""


class ManagerReply(Struct, frozen=True, kw_only=True):
    """What the Manager answers."""

    status: str
    message: str
    next_task: str | None = None
    tasks: tuple[str, ...] = ()

    def written(self, nonce: str) -> str:
        """Write it as the last fenced block of an output."""
        document = {
            "nonce": nonce,
            "status": self.status,
            "message": self.message[:_LONGEST],
            "next_task": self.next_task,
            "tasks": self.tasks,
        }
        return f"```json\n{json.dumps(document, indent=2)}\n```\n"


class Assignment(Struct, frozen=True, kw_only=True):
    """What the prompt asks for."""

    file: str
    instruction: str | None
    """What a new kanban is for; None: there is one."""
    done: str = ""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MechanicalManager:
    """Keeps a kanban by rules; no process is started and nothing but its folder is touched."""

    def __init__(
        self, *, now: Callable[[], datetime] = _utc_now, shelf: TaskShelf | None = None
    ) -> None:
        self._now = now
        self._shelf = TaskShelf() if shelf is None else shelf

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Do what the prompt asks for, in the files of the workspace."""
        at = self._now().astimezone(UTC).isoformat(timespec="seconds")
        turn = _Turn(root=request.workspace.path, at=at, shelf=self._shelf)
        reply = await asyncio.to_thread(turn.reply, request.prompt)
        output = reply.written(request.nonce)
        on_output(Channel.STDOUT, output.encode())
        request.on_observation(WorkerFinished(message=reply.message[:_LONGEST]))
        reason = f"The Manager's rules say {reply.status!r}."
        result = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason=reason)
        return WorkerReport(result=result, output=output)


def mechanical_manager(sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
    """Make the Manager; it needs no sandbox, since nothing runs."""
    del sandbox, environment
    return MechanicalManager()


class _Turn(Struct, frozen=True, kw_only=True):
    """One time that the Manager is asked."""

    root: Path
    at: str
    shelf: TaskShelf

    def reply(self, prompt: str) -> ManagerReply:
        """Do what the prompt asks for."""
        try:
            assignment = _assignment(prompt)
            is_new = assignment.instruction is not None
            with kanban_folder(self.root, assignment.file, is_new=is_new) as folder:
                return self._act(assignment, folder)
        except SupervisorError as error:
            return ManagerReply(status="error", message=error.message)
        except OSError as error:
            return ManagerReply(status="error", message=f"The files cannot be used: {error}.")

    def _act(self, assignment: Assignment, folder: KanbanFolder) -> ManagerReply:
        paths = folder.paths()
        number = next_number([*paths, assignment.file])
        if assignment.instruction is not None:
            if assignment.file in paths:
                raise InvalidInput(f"The kanban file {assignment.file!r} exists already.")
            plan = create(assignment.instruction, file=assignment.file, number=number, at=self.at)
            return self._carry_out(plan, folder, {})
        files = folder.read()
        kanban = self._read(assignment.file, files)
        decided = reconcile(kanban, assignment.done, number=number, at=self.at)
        if isinstance(decided, PlanRefusal):
            return ManagerReply(
                status=decided.status,
                message=decided.why,
                next_task=kanban.current,
                tasks=kanban.tasks,
            )
        return self._carry_out(decided, folder, files)

    def _read(self, file: str, files: Mapping[str, bytes]) -> Kanban:
        found = read_kanban(file, files, self.shelf)
        if isinstance(found, Kanban):
            return found
        raise InvalidInput(f"The files cannot be read: {_listed(found)}")

    def _carry_out(
        self, plan: Plan, folder: KanbanFolder, files: Mapping[str, bytes]
    ) -> ManagerReply:
        """Write what a plan needs, the kanban file last: what it lists is there by then."""
        texts = _texts(plan, files)
        # Nothing is written that could not be read again.
        written = {path: text.encode(errors="replace") for path, text in texts.items()}
        again = self._read(plan.kanban.path, {**files, **written})
        if (again.current, again.tasks) != (plan.next_task, plan.tasks):
            raise InvalidInput(f"{plan.kanban.path!r} would not say what was decided.")
        for path, text in texts.items():
            (folder.replace if path in files else folder.create)(path, text)
        return ManagerReply(
            status="ok", message=plan.message, next_task=plan.next_task, tasks=plan.tasks
        )


def _assignment(prompt: str) -> Assignment:
    match parse_object(prompt):
        case {"kanban_file": str(file), "instruction": str(text)} if text.strip():
            return Assignment(file=file, instruction=text)
        case {"kanban_file": str(file), "done_task": str(done)}:
            return Assignment(file=file, instruction=None, done=done)
        case _:
            raise InvalidInput(
                "The prompt is no JSON document with kanban_file and done_task, or with "
                "kanban_file and an instruction."
            )


def _listed(mistakes: tuple[Mistake, ...]) -> str:
    more = f" … and {len(mistakes) - _NAMED} more." if len(mistakes) > _NAMED else ""
    return " ".join(map(str, mistakes[:_NAMED])) + more


def _texts(plan: Plan, files: Mapping[str, bytes]) -> Texts:
    kanban = plan.kanban
    before = files.get(kanban.path)
    return {
        **{task.path: render_task(task) for task in plan.created},
        **{task.path: revise_task(files[task.path].decode(), task) for task in plan.revised},
        kanban.path: render_kanban(kanban)
        if before is None
        else revise_kanban(before.decode(), kanban, plan.entries),
    }
