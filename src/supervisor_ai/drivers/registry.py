"""The registry of drivers: the one list of those that there are, by name and module."""

from typing import Final

from supervisor_ai.control.slice_names import (
    SliceAnswer,
    SliceName,
    SliceRoles,
    SliceStep,
    SliceVerb,
)

SLICES: Final = (
    SliceName("workflow", "supervisor_ai.drivers.workflow.slice"),
    SliceName(
        "kanban",
        "supervisor_ai.drivers.kanban.slice",
        ports={
            "files": "supervisor_ai.workspaces.kanban.files:open_kanban_files",
            "reader": "supervisor_ai.documents.kanban_reader:open_kanban_reader",
        },
        section="supervisor_ai.definitions.kanban.settings:KANBAN",
        resolver="supervisor_ai.definitions.kanban.resolution:resolve_kanban",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.kanban:kanban",
            help="Work through a kanban, task by task",
        ),
        steps=(SliceStep("kanban", phrases="supervisor_ai.drivers.kanban.sentences:READ_FILES"),),
        roles=SliceRoles(
            works_on="kanbans",
            answers={
                "agent": SliceAnswer(
                    form="supervisor_ai.definitions.kanban.answers:AGENT",
                    meanings="supervisor_ai.drivers.kanban.kinds:AGENT_MEANINGS",
                    noun="the state of a kanban's task",
                ),
                "manager": SliceAnswer(
                    form="supervisor_ai.definitions.kanban.answers:MANAGER",
                    meanings="supervisor_ai.drivers.kanban.kinds:MANAGER_MEANINGS",
                    noun="the tasks of a kanban",
                ),
            },
            must_write=True,
            begin_afresh=True,
            list_files=False,
        ),
        reasons={"kanban": "supervisor_ai.drivers.kanban.sentences:UNREADABLE"},
        adapters={"mechanical_manager": "write `kanban: {manager: builtin}`"},
        definitions="supervisor_ai.definitions.kanban",
    ),
    SliceName(
        "checkpoint",
        "supervisor_ai.drivers.checkpoint.slice",
        ports={"files": "supervisor_ai.workspaces.sessions.folders:open_session_files"},
        section="supervisor_ai.definitions.checkpoint.shapes:SUPERVISION",
        resolver="supervisor_ai.definitions.checkpoint.resolution:resolve_checkpoint",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.checkpoint:checkpoint",
            help="Watch over a session, checkpoint by checkpoint",
        ),
        steps=(
            SliceStep(
                "session", phrases="supervisor_ai.drivers.checkpoint.queries.sentences:RESIDENCE"
            ),
            SliceStep(
                "checkpoint",
                phrases="supervisor_ai.drivers.checkpoint.queries.sentences:CHECKPOINT",
                decider="supervisor_ai.drivers.checkpoint.decisions.workflow_step:DECIDER",
                keys=("options", "on_reject", "max_retries", "human_approval", "timeout"),
                form="supervisor_ai.definitions.checkpoint.step_options:read_options",
                role="checkpoint_judge",
                switch="supervision",
            ),
        ),
        roles=SliceRoles(
            works_on="checkpoints",
            answers={
                "judgement": SliceAnswer(
                    form="supervisor_ai.definitions.checkpoint.answers:JUDGEMENT",
                    meanings="supervisor_ai.drivers.checkpoint.kinds:JUDGE_MEANINGS",
                    noun="the judgement of checks",
                ),
            },
        ),
        reasons={"checkpoint": "supervisor_ai.drivers.checkpoint.queries.sentences:BLOCKED"},
        calls="supervisor_ai.drivers.checkpoint.commands.member_calls:CALLS",
        definitions="supervisor_ai.definitions.checkpoint",
    ),
    SliceName(
        "feature",
        "supervisor_ai.drivers.feature.slice",
        ports={
            "reader": "supervisor_ai.definitions.feature.plan_files:open_plan_reader",
            "merges": "supervisor_ai.workspaces.commits.branch_merges:open_branch_merges",
        },
        section="supervisor_ai.definitions.feature.shapes:FEATURES",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.feature:feature",
            help="Build a feature of many components at once",
        ),
        steps=(
            SliceStep("feature", phrases="supervisor_ai.drivers.feature.queries.sentences:FEATURE"),
            SliceStep(
                "component", phrases="supervisor_ai.drivers.feature.queries.sentences:COMPONENT"
            ),
        ),
    ),
)
"""Each is imported when something of it is asked for."""
