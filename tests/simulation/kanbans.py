"""Random kanbans: their files, their definition, and what agents do with them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Final

from tests.simulation.definitions import GATE
from tests.simulation.scripts import BAD, GOOD, Deed, duration
from tests.support.kanban_scene import FILE, kanban_definition, kanban_text, task_text

from supervisor_ai.documents.kanban_reader import MarkdownKanbanReader
from supervisor_ai.documents.kanban_writer import render_task, revise_kanban, revise_task
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import Kanban
from supervisor_ai.drivers.kanban.board.numbers import next_number
from supervisor_ai.drivers.kanban.board.plan import Plan, PlanRefusal
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.testing.fake_worker import answering

AT: Final = "2030-01-01T00:00:00+00:00"
DIRECTORY: Final = "/home/ada/tasks"
FOLDER: Final = "tasks/"
AGENTS: Final = frozenset({"architect", "implementor", "manager"})
MAX_ITERATIONS: Final = 8
FORBIDDEN: Final = f"{FOLDER}99-forbidden.md"
_READER: Final = MarkdownKanbanReader()
_GARBAGE: Final = "I am done."
_ITEM: Final = (
    "## Work Items\n\n<!-- start workitems -->\nwork_items:\n"
    "  - {description: More, files: [app.py], related_domains: [x], expertise_required: [y]}\n"
    "<!-- end workitems -->\n\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """What an agent has before it: its words, the files that it sees, and where it is asked."""

    role: str
    told: Mapping[str, object]
    files: Mapping[str, str]
    mark: str


def random_kanban(chance: Random) -> tuple[KanbanDefinition, dict[str, str]]:
    """Draw a kanban and return what a run on it pins, and its files."""
    directory = DIRECTORY if chance.random() < 0.3 else None
    policy = KanbanPolicy(
        place=KanbanPlace(file=FILE, directory=directory), max_iterations=MAX_ITERATIONS
    )
    made = kanban_definition(policy, gate=GATE if chance.random() < 0.3 else None)
    timeout = timedelta(seconds=chance.randrange(40, 400)) if chance.random() < 0.1 else None
    limits = replace(made.limits, workflow_timeout=timeout)
    names = [f"{FOLDER}{number}-task.md" for number in range(1, chance.randrange(2, 5))]
    roles = ("Architect", "Implementor", "Implementor", "Manager")
    tasks = {name: task_text(chance.choice(roles)) for name in names}
    return replace(made, limits=limits), {FILE: kanban_text(names[0], *names), **tasks}


def read(files: Mapping[str, str]) -> Kanban | None:
    """Return what the files of a kanban say; None: they cannot be read."""
    folder = {path: text.encode() for path, text in files.items() if path.startswith(FOLDER)}
    found = _READER.read(FILE, folder)
    return found if isinstance(found, Kanban) else None


def agent_deed(chance: Random, assigned: Assigned) -> Deed:
    """Say what an agent does: mostly its work."""
    act = _manage if assigned.role == "manager" else _work
    deed = act(chance, assigned)
    if chance.random() < 0.05:
        deed = replace(deed, result=BAD)
    return replace(deed, seconds=duration(chance))


def forbidden(role: str, deed: Deed) -> list[str]:
    """List what an agent writes and may not: there the kernel says no."""
    if role == "manager":
        return [path for path, _ in deed.files if not path.startswith(FOLDER)]
    return [path for path, _ in deed.files if path == FORBIDDEN]


def mark_of(step: str, visit: int, turn: int) -> str:
    """Name one turn of an agent, so that its entry in a work log can be told from all others."""
    return f"Turn {step}.{visit}.{turn}"


def log_entry(mark: str, status: str) -> str:
    """Write an entry of a work log."""
    return (
        f"\n### [{AT}] {mark}\n\n**Facts:** So.\n\n**Analysis:** So.\n\n**Conclusion:** {status}\n"
    )


def _work(chance: Random, assigned: Assigned) -> Deed:
    status = _drawn(chance, ok=0.78, blocked=0.08, escalate=0.06, error=0.03, silent=0.05)
    path = str(assigned.told["task_file"])
    text = assigned.files.get(path, "")
    if status == "ok" and chance.random() < 0.15 and "## Work Items" not in text:
        text = text.replace("## Work Log\n", f"{_ITEM}## Work Log\n", 1)
    if chance.random() < 0.95:
        text += log_entry(assigned.mark, "ok" if status in {"error", "silent"} else status)
    files = [(path, text)]
    if assigned.role == "implementor":
        files.append(("app.py", f"# {assigned.mark}\n"))
    if chance.random() < 0.08:
        files.append((FORBIDDEN, "Mine."))
    output = _GARBAGE if status == "silent" else _says(status)
    return Deed(seconds=0, result=GOOD, output=output, files=tuple(files))


def _manage(chance: Random, assigned: Assigned) -> Deed:
    honest = _honest(assigned)
    drawn = chance.random()
    if drawn < 0.05:
        return replace(honest, output=_GARBAGE)
    if drawn < 0.1:
        return replace(honest, output=_says("ok", next_task="tasks/77.md", tasks=[]))
    if drawn < 0.15:
        return replace(honest, files=(*honest.files, ("app.py", "Mine.")))
    return honest


def _honest(assigned: Assigned) -> Deed:
    kanban = read(assigned.files)
    if kanban is None:
        return Deed(seconds=0, result=GOOD, output=_says("error", next_task=None, tasks=[]))
    done, number = str(assigned.told["done_task"]), next_number(assigned.files)
    decided = reconcile(kanban, done, number=number, at=AT)
    if isinstance(decided, PlanRefusal):
        output = _says(decided.status, next_task=kanban.current, tasks=list(kanban.tasks))
        return Deed(seconds=0, result=GOOD, output=output)
    output = _says("ok", next_task=decided.next_task, tasks=list(decided.tasks))
    files = tuple(_texts(decided, assigned.files))
    return Deed(seconds=0, result=GOOD, output=output, files=files)


def _texts(plan: Plan, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for task in plan.created:
        yield task.path, render_task(task)
    for task in plan.revised:
        yield task.path, revise_task(files[task.path], task)
    yield plan.kanban.path, revise_kanban(files[plan.kanban.path], plan.kanban, plan.entries)


def _says(status: str, **more: object) -> str:
    return answering({"status": status, "message": "So.", **more})


def _drawn(chance: Random, **weights: float) -> str:
    return chance.choices(list(weights), weights=list(weights.values()))[0]


def told(prompt: str) -> Mapping[str, object]:
    """Read what an agent was told."""
    found: Mapping[str, object] = json.JSONDecoder().raw_decode(prompt[prompt.index("{") :])[0]
    return found
