#!/usr/bin/env python3
"""Write the generated pages: events and machines from the domain, commands from the CLI, workers.

Example: .venv/bin/python scripts/reference.py
"""

import inspect
import json
import re
import sys
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import click
import yaml
from msgspec import Struct

from supervisor_ai.cli.main import supervisor as command
from supervisor_ai.control.commands.decisions.knowledge import KnowledgeDone
from supervisor_ai.control.commands.decisions.signed_decisions import ExportView
from supervisor_ai.control.commands.doctor import DoctorCheck
from supervisor_ai.control.commands.gates.change_halves import FileHalf, HalvesView
from supervisor_ai.control.commands.gates.gate_check import CheckView
from supervisor_ai.control.commands.git_flow.run_merge import MergeView
from supervisor_ai.control.commands.workspaces.cleanup import CleanItem, CleanView
from supervisor_ai.control.dashboard.knowledge import DocumentList, DocumentView
from supervisor_ai.control.dashboard.run_lines import RunLine
from supervisor_ai.control.ports.definitions import (
    ConfigValue,
    GateSummary,
    RoleDetail,
    RoleSummary,
    RoleValue,
    WorkflowSummary,
)
from supervisor_ai.control.ports.knowledge import StoreProblem
from supervisor_ai.control.ports.logins import LoginView
from supervisor_ai.control.ports.queries import (
    ClaimsRow,
    GateRow,
    LedgerFault,
    StepRow,
    Verification,
)
from supervisor_ai.control.ports.workspace_inventory import FileChange
from supervisor_ai.control.queries.causes import CauseView
from supervisor_ai.control.queries.changes import ChangedLines, ChangeOfRun
from supervisor_ai.control.queries.contexts import RoleContext, SentContext, SentKnowledge
from supervisor_ai.control.queries.logs import RunLogEntry
from supervisor_ai.control.queries.notices import AlertView, MissedView
from supervisor_ai.control.queries.roles import RoleChange, RoleDifference, RoleExchange
from supervisor_ai.control.queries.sandbox_check import BackendView, InsideView, SandboxCheck
from supervisor_ai.control.queries.secrets.redaction import RedactionReport
from supervisor_ai.control.queries.workspaces import DirectoryView, WorkView
from supervisor_ai.control.questions import DoubtView, QuestionView
from supervisor_ai.control.run_views import MutationView, OriginView, RunView, UsageView
from supervisor_ai.control.sessions.calls import Call, all_calls
from supervisor_ai.control.sessions.folder.folder_desk import FolderReport
from supervisor_ai.control.sessions.session_pages import (
    MemberLine,
    SessionPage,
    SessionSummary,
    SessionTaskLine,
)
from supervisor_ai.control.slices import SliceReference, all_slices, slice_events
from supervisor_ai.definitions.roles.json_schemas import schema_files
from supervisor_ai.definitions.sources.slice_words import answer_words
from supervisor_ai.definitions.worker_answers.reader import schema_text
from supervisor_ai.domain.flow import Flow, Status, find
from supervisor_ai.domain.knowledge.documents import ChangeNote
from supervisor_ai.domain.knowledge.selection import InjectedItem, InjectedKnowledge
from supervisor_ai.domain.project.events import ProjectEvent
from supervisor_ai.domain.run.context_plan import PackedContext, PackedItem
from supervisor_ai.domain.run.events import RUN_EVENTS, RunEvent
from supervisor_ai.domain.run.failures.retry_notes import RetryEntry
from supervisor_ai.domain.run.run import RUN_FLOW
from supervisor_ai.domain.run.status import Outcome
from supervisor_ai.domain.run.values import ForkPoint
from supervisor_ai.domain.session.events import SessionEvent
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.drivers.moves.slots import ATTEMPT_FLOW
from supervisor_ai.drivers.moves.state import STEP_FLOW
from supervisor_ai.engine.ports.notifications import Delivery
from supervisor_ai.engine.ports.sandbox import LimitFinding, ProbeFinding
from supervisor_ai.engine.ports.sandbox import ProbeFinding as GateFinding
from supervisor_ai.mcp.member_tools import input_schema
from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.capabilities import Capability, capabilities

DOCS = Path(__file__).parent.parent / "docs"
TABLE = DOCS.parent / "tests" / "fixtures" / "seeds" / "table.yaml"
SHAPES = """\
`run`, `resume`, `cancel` and `fork` print `{"run": RunView}`; `status RUN` prints
`{"run": RunView, "gates": [GateRow, …], "question": QuestionView or null,
"cause": CauseView or null}`: what the run asks a person, with all that a yes would accept, and what
a failed run failed at (`run`, `resume` and `fork` print a `cause`, too, where there is one);
`status` prints `{"runs": [RunView, …]}`, newest first, with `"alerts": [AlertView, …]` and
`"missed": [MissedView, …]` where there are any; `notify test` prints
`{"deliveries": [Delivery, …]}`;
`diff` prints `{"diff": ChangeOfRun, "patch": str}` (no patch with `--stat` or `--name-only`),
`merge` a MergeView, `start-task` `{"run": RunView}`, `complete-task`
`{"run": RunView, "merge": MergeView or null}`; `approvals` prints
`{"approvals": [PendingApproval, …]}`; `tui` prints `{"board": [RunLine, …], "total": int}`;
`events --json` prints one envelope per line;
`logs` prints `{"logs": [RunLogEntry, …]}`; others
that change something print a MutationView, `approve --export` and `reject --export` an
ExportView, `workspace clean` a CleanView. `workspace list` prints
`{"directories": [DirectoryView, …], "works": [WorkView, …]}`, `workspace show` prints
`{"workspace": DirectoryView or WorkView, "files": [FileChange, …]}`, `sandbox check` a
SandboxCheck. `gate list` prints `{"gates": [GateSummary, …]}`, `gate check` prints
`{"check": CheckView}` (with `--explain` `{"halves": HalvesView}`), `gate claims` prints
`{"claims": [ClaimsRow, …]}`. Where a list is cut,
`truncated` and `total` say so. `login --status` prints `{"logins": [LoginView, …]}`. `doctor`
prints `{"findings": [DoctorCheck, …], "conclusion": str}`; what is needed and does not hold is in
the way of a run. `session new` and `session show` print `{"session": {…}}` with all keys of
SessionSummary and of SessionPage, and the `place` of its folder; `session list` prints
`{"sessions": [SessionSummary, …]}`, `session members` `{"members": [MemberLine, …]}`,
`session task list` `{"tasks": [{id, subject, status, owner, blocked_by}, …]}`, `session task add`
and `update` `{"task": {…}}`, `session token` `{"session", "member", "role", "token"}`,
`session import`, `export` and `sync` `{"session", "imported": FolderReport, "exported":
FolderReport}`. `msg list` prints `{"messages": [{id, ts, from, to, type, summary, data}, …]}`,
`msg log`, `broadcast` and `read` `{"message": {…}}`, `msg status` `{"status": {messages, by_sender,
tasks, newest}}`, `msg state` `{"state": {…}}`.
`knowledge list` prints a DocumentList, `knowledge show`, `search` and `review` print
`{"documents": [DocumentView, …]}`, `knowledge add`, `promote` and `deprecate` a KnowledgeDone.
`context show` prints a RoleContext, `logs --context` `{"contexts": [SentContext, …], "knowledge":
[SentKnowledge, …]}`.
`ledger verify` prints `{"verification": Verification}`. An error is
`{"error": {kind, message, hint}}` on stdout. Times are UTC in ISO 8601.
"""
KINDS = (
    *(RunView, StepRow, OriginView, ForkPoint, Outcome, CauseView, UsageView, MutationView),
    ExportView,
    *(ChangeOfRun, ChangedLines, MergeView),
    *(DirectoryView, WorkView, FileChange, CleanView, CleanItem),
    *(SandboxCheck, BackendView, ProbeFinding, LimitFinding, InsideView),
    DoctorCheck,
    *(RoleSummary, RoleDetail, RoleValue, RoleDifference, RoleChange, RoleExchange),
    ConfigValue,
    *(QuestionView, DoubtView),
    *(GateRow, RunLogEntry, GateSummary, CheckView, GateFinding, HalvesView, FileHalf),
    ClaimsRow,
    *(WorkflowSummary, RetryEntry, PackedContext, PackedItem, SentContext, RedactionReport),
    *(RoleContext, SentKnowledge, InjectedKnowledge, InjectedItem),
    *(DocumentList, DocumentView, ChangeNote, StoreProblem, KnowledgeDone),
    *(Verification, LedgerFault),
    LoginView,
    *(AlertView, MissedView, Delivery),
    RunLine,
    *(SessionSummary, SessionPage, SessionTaskLine, MemberLine, FolderReport),
)
TITLES: dict[type, str] = {GateFinding: "ProbeFinding of a gate"}
WORKERS = """\
What each adapter of a CLI (`adapter:` in the configuration) can do, and how. How to use them:
[agents](howto/agents.md), [API models](howto/api-models.md); another one of your own:
[add a worker](howto/add-a-worker.md).

*Covered* means that the place is empty for the CLI and untouched in the repository. Where a CLI
tells no cost, it is estimated from a table of prices. Where a CLI cannot be told what a role asks
for, it works without.
"""
SEEDS = """\
Supervisor was made after five documents, which we call seeds. Here is every YAML block and every
command of theirs, by document and line, with the place where a project has it as it stands. The
build loads and runs them all, and loads each one alone besides: what a project with that file and
nothing else lacks is named. What is not built yet is named by its number and name in our list
of capabilities. The agent of document 001 has lost its line breaks in our copy, so nothing can
read its head.
"""
NOTE = "Generated by `scripts/reference.py`; do not edit.\n"


def events() -> str:
    """Describe every event."""
    lines = ["# Events\n", NOTE]
    own = {f"The run's stream: {it.whose} own": events for events, it in _slices()}
    shared = {
        "The project's stream": get_args(ProjectEvent),
        "The stream of a session": get_args(SessionEvent),
    }
    streams = {
        f"The stream {stream.prefix}:NAME": stream.events
        for it in all_slices()
        for stream in it.streams
    }
    every = {"The run's stream": RUN_EVENTS, **own, **shared, **streams}
    for title, kinds in every.items():
        lines.append(f"## {title}\n")
        for kind in kinds:
            lines += [f"### {kind.__name__}\n", f"{inspect.getdoc(kind)}\n", *_fields(kind)]
    return "\n".join(lines)


def _slices() -> Iterator[tuple[tuple[type[RunEvent], ...], SliceReference]]:
    """Take of every slice its events and what it says about itself."""
    for it in all_slices():
        said = it.reference()
        if said is not None:
            yield it.events, said


def _fields(kind: type[Struct]) -> Iterator[str]:
    annotations = ChainMap(*(inspect.get_annotations(it) for it in kind.__mro__))
    if kind.__struct_fields__:
        yield "| field | type |\n|---|---|"
        for name in kind.__struct_fields__:
            yield f"| `{name}` | `{_type(annotations[name])}` |"
        yield ""


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"(?:typing|supervisor_ai|[a-z_]+)\.(?=[\w.])", "", text)
    text = re.sub(r"Optional\[(.*)\]", r"\1 or none", text)
    return text.replace(" | None", " or none").replace(" | ", " or ")


def shapes() -> str:
    """Describe what `--json` prints."""
    own = [said for _, said in _slices()]
    lines = ["# JSON of the command line\n", NOTE, SHAPES, *(said.prints for said in own)]
    for kind in (*KINDS, *(kind for said in own for kind in said.shapes)):
        title = TITLES.get(kind, kind.__name__)
        lines += [f"## {title}\n", f"{inspect.getdoc(kind)}\n", *_fields(kind)]
    return "\n".join(lines)


def machines() -> str:
    """Draw every machine from its table."""
    lines = ["# Machines\n", NOTE]
    lines += _diagram("Run", RUN_FLOW)
    lines += _diagram("Step", STEP_FLOW)
    lines += _diagram("Attempt", ATTEMPT_FLOW)
    return "\n".join(lines)


def _diagram(name: str, flow: Flow[Status]) -> list[str]:
    return [f"## {name}\n", "```mermaid", "stateDiagram-v2", *_edges(flow), "```\n"]


def _edges(flow: Flow[Status]) -> Iterator[str]:
    labels: dict[tuple[str, str], list[str]] = {}
    for (source, base), target in flow.items():
        if source != target:
            kinds = (kind for kind in (*RUN_EVENTS, *slice_events()) if issubclass(kind, base))
            names = [kind.__name__ for kind in kinds if find(flow, source, kind) == target]
            labels.setdefault((source.value, target.value), []).extend(names)
    for (before, after), events_ in labels.items():
        yield f"    {before} --> {after}: {', '.join(events_)}"


def commands() -> str:
    """Print the help of every command."""
    lines = ["# Commands\n", NOTE]
    lines += _help(command, click.Context(command, info_name="supervisor"))
    return "\n".join(lines)


def _help(group: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{group.get_help(context)}\n```\n"
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _help(found, click.Context(found, info_name=name, parent=context))


def workers() -> str:
    """Draw the matrix of adapters and capabilities."""
    every = capabilities()
    others = [name for name in every if name not in PROFILES]
    lines = ["# Workers\n", NOTE, WORKERS]
    lines += ["## CLIs\n", *_matrix(list(PROFILES)), "\n## Others\n", *_matrix(others)]
    return "\n".join([*lines, ""])


def _matrix(names: list[str]) -> Iterator[str]:
    every = capabilities()
    yield f"| | {' | '.join(f'`{name}`' for name in names)} |"
    yield f"|---|{'---|' * len(names)}"
    for row in Capability:
        yield f"| {row.value} | {' | '.join(every[name][row] for name in names)} |"


def seeds() -> str:
    """Say what each block and command of the seeds is to us."""
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    lines = ["# The seeds, block by block\n", NOTE, SEEDS]
    lines += ["| block | what it is | where it stands | alone |", "|---|---|---|---|"]
    for name, it in table["blocks"].items():
        needs = ", ".join(it.get("needs", ()))
        state = f"works once there is: {needs}" if needs else _state(it)
        lines.append(f"| {_where(name)} | {it['loads']} | `{it['file']}` | {state} |")
    lines += ["\n| command | | |", "|---|---|---|"]
    for name, it in table["commands"].items():
        lines.append(f"| {_where(name)} | `{it['says']}` | {_state(it)} |")
    return "\n".join([*lines, ""])


def _where(name: str) -> str:
    seed, _, line = name.partition(".")[0].partition("-")
    return f"{seed}, line {int(line)}"


def _state(entry: Mapping[str, str]) -> str:
    return f"not yet: {entry['capability']}" if "capability" in entry else "works"


PAGES = {
    "reference/events.md": events,
    "reference/json.md": shapes,
    "reference/machines.md": machines,
    "reference/cli.md": commands,
    "reference/seeds.md": seeds,
    "workers.md": workers,
}


MEMBERS = """\
What members of a session can call, whatever the door: as tools of `supervisor mcp`, and by the
verbs of the command line with the same JSON. A tool that is not on the list of a role is neither
shown to it nor done for it; the refusal is recorded. To approve, to reject, to override, to trust
and to cancel are on no list. What leads a team is done for its Lead alone, whoever coordinates
the session.
"""


def tools_page() -> str:
    """List the tools of sessions: who may call them, and what they take."""
    calls = all_calls().values()
    head = " | ".join(role.value for role in MemberRole)
    rows = [
        f"| `{it.name}` | {' | '.join('yes' if it.is_for(role) else '' for role in MemberRole)} |"
        for it in calls
    ]
    parts = [MEMBERS, "\n".join([f"| tool | {head} |", "|---|---|---|---|---|", *rows])]
    parts += map(_tool, calls)
    return "# Tools of a session\n\nGenerated; do not edit.\n\n" + "\n\n".join(parts) + "\n"


def _tool(call: Call) -> str:
    schema = json.dumps(input_schema(call.form), indent=2)
    return f"## {call.name}\n\n{call.help}.\n\n```json\n{schema}\n```"


PAGES["reference/mcp.md"] = tools_page


def texts() -> Iterator[tuple[str, str]]:
    """Make every page, the schemas for editors, and those of answers."""
    for name, make in PAGES.items():
        yield name, make()
    for name, text in schema_files().items():
        yield f"reference/schemas/{name}", text
    for kind in answer_words():
        yield f"reference/schemas/answer-{kind}.schema.json", f"{schema_text(kind)}\n"


def main() -> None:
    """Write the pages, or with --check fail when one is out of date."""
    stale = []
    for name, text in texts():
        path = DOCS / name
        if not path.exists() or path.read_text() != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text)
    print("up to date" if not stale else f"changed: {', '.join(stale)}")
    if stale and "--check" in sys.argv:
        sys.exit("Run scripts/reference.py and commit what it writes.")


if __name__ == "__main__":
    main()
