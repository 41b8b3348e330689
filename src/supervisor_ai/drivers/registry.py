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
    SliceName("workflow", "supervisor_ai.drivers.workflow.slice", has_company=True),
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
        demo="supervisor_ai.cli.commands.kanban:show_kanban",
        definitions="supervisor_ai.definitions.kanban",
        has_company=True,
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
        demo="supervisor_ai.cli.demos.checkpoint:show_checkpoints",
        definitions="supervisor_ai.definitions.checkpoint",
    ),
    SliceName(
        "loop",
        "supervisor_ai.drivers.loop.slice",
        ports={
            "files": "supervisor_ai.workspaces.commits.store_files:open_store_files",
            "books": "supervisor_ai.documents.knowledge.books:open_knowledge_books",
        },
        section="supervisor_ai.definitions.loop.settings:LOOP",
        further_sections=("supervisor_ai.definitions.loop.settings:QUALITY",),
        resolver="supervisor_ai.definitions.loop.resolution:resolve_loop",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.loop:loop",
            help="Work on a remit, task by task, under quality supervisors",
        ),
        further_verbs={
            "directives": SliceVerb(
                place="supervisor_ai.cli.commands.loop_directives:directives",
                help="List what is wanted in the whole project, add to it or drop from it",
            ),
        },
        steps=(
            SliceStep("bookkeeping", phrases="supervisor_ai.drivers.loop.sentences:BOOKKEEPING"),
            SliceStep("supervisors", phrases="supervisor_ai.drivers.loop.sentences:SUPERVISION"),
            SliceStep(
                "attached_supervisors",
                phrases="supervisor_ai.drivers.loop.sentences:SUPERVISION",
                decider="supervisor_ai.drivers.quality.attached:DECIDER",
                form="supervisor_ai.definitions.loop.supervisors:refuse_in_files",
            ),
        ),
        roles=SliceRoles(
            works_on="loops",
            answers={
                "scope": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:SCOPE",
                    meanings="supervisor_ai.drivers.loop.kinds:SCOPE_MEANINGS",
                    noun="the remit of a loop",
                    model="primary",
                ),
                "next_task": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:NEXT_TASK",
                    meanings="supervisor_ai.drivers.loop.kinds:PLANNER_MEANINGS",
                    noun="the next task of a loop",
                    model="primary",
                ),
                "work": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:WORK",
                    meanings="supervisor_ai.drivers.loop.kinds:WORK_MEANINGS",
                    noun="what was done for a task of a loop",
                    model="primary",
                    needs_tools=True,
                ),
                "qa": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:QA",
                    meanings="supervisor_ai.drivers.loop.kinds:QA_MEANINGS",
                    noun="whether a task of a loop is done",
                    model="primary",
                ),
                "assessment": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:ASSESSMENT",
                    meanings="supervisor_ai.drivers.loop.kinds:ASSESSOR_MEANINGS",
                    noun="the assessment of a loop",
                    model="primary",
                ),
                "research": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:RESEARCH",
                    meanings="supervisor_ai.drivers.loop.kinds:RESEARCH_MEANINGS",
                    noun="answers to questions of a loop",
                    model="research",
                    is_optional=True,
                ),
                "work_summary": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:WORK_SUMMARY",
                    meanings="supervisor_ai.drivers.loop.kinds:SUMMARY_MEANINGS",
                    noun="a summary of what a loop did",
                    model="summarizer",
                    is_optional=True,
                ),
                "style_findings": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:STYLE_FINDINGS",
                    meanings="supervisor_ai.drivers.quality.kinds:SUPERVISOR_MEANINGS",
                    noun="findings about conventions",
                    model="supervisor",
                    is_optional=True,
                ),
                "design_findings": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:DESIGN_FINDINGS",
                    meanings="supervisor_ai.drivers.quality.kinds:SUPERVISOR_MEANINGS",
                    noun="findings about the design",
                    model="supervisor",
                    is_optional=True,
                ),
                "knowledge_items": SliceAnswer(
                    form="supervisor_ai.definitions.loop.answers:KNOWLEDGE_ITEMS",
                    meanings="supervisor_ai.drivers.quality.kinds:SUPERVISOR_MEANINGS",
                    noun="what was learnt",
                    model="supervisor",
                    is_optional=True,
                ),
            },
        ),
        demo="supervisor_ai.cli.demos.loop:show_loop",
        definitions="supervisor_ai.definitions.loop",
        company="supervisor_ai.definitions.loop.supervisors:join",
    ),
    SliceName(
        "team",
        "supervisor_ai.drivers.team.slice",
        ports={"folders": "supervisor_ai.workspaces.sessions.folders:open_session_files"},
        resolver="supervisor_ai.definitions.team.resolution:resolve_team",
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.team:team",
            help="Watch over a team of agents: who works, who waits, who writes",
        ),
        steps=(
            SliceStep("team", phrases="supervisor_ai.drivers.team.residence.sentences:WATCHES"),
        ),
        oversight="supervisor_ai.drivers.team.commands.oversight:open_oversight",
        calls="supervisor_ai.drivers.team.commands.member_calls:CALLS",
        demo="supervisor_ai.cli.commands.team:show_team",
    ),
    SliceName(
        "feature",
        "supervisor_ai.drivers.feature.slice",
        ports={
            "reader": "supervisor_ai.definitions.feature.plan_files:open_plan_reader",
            "merges": "supervisor_ai.workspaces.commits.branch_merges:open_branch_merges",
            "trees": "supervisor_ai.workspaces.commits.project_trees:open_project_trees",
            "landings": "supervisor_ai.workspaces.commits.project_landings:open_project_landings",
            "drafts": "supervisor_ai.definitions.feature.drafts:open_plan_drafts",
            "imports": "supervisor_ai.context.code.import_edges:open_imports",
            "interfaces": (
                "supervisor_ai.definitions.feature.interfaces.confined_parser:open_interface_parser"
            ),
        },
        section="supervisor_ai.definitions.feature.shapes:FEATURES",
        resolver="supervisor_ai.definitions.feature.resolution:resolve_plan",
        further_sections=(
            "supervisor_ai.definitions.feature.projects:PROJECTS",
            "supervisor_ai.definitions.feature.projects:PROJECT_ORDER",
        ),
        verb=SliceVerb(
            place="supervisor_ai.cli.commands.feature.group:feature",
            help="Build a feature of many components at once",
        ),
        further_verbs={
            "analyze-deps": SliceVerb(
                place="supervisor_ai.cli.commands.feature.analyze_deps:analyze_deps",
                help="Find in the code which components need which",
            ),
            "interface": SliceVerb(
                place="supervisor_ai.cli.commands.feature.interface:interface",
                help="Show what components agree on, unlock it and lock it",
            ),
        },
        steps=(
            SliceStep("feature", phrases="supervisor_ai.drivers.feature.queries.sentences:FEATURE"),
            SliceStep(
                "component", phrases="supervisor_ai.drivers.feature.queries.sentences:COMPONENT"
            ),
            SliceStep(
                "feature_plan",
                phrases="supervisor_ai.drivers.feature.queries.sentences:PLAN",
                decider="supervisor_ai.drivers.feature.drafts.step:DECIDER",
                keys=("on_reject", "max_retries"),
            ),
        ),
        roles=SliceRoles(
            works_on="features",
            answers={
                "feature_phases": SliceAnswer(
                    form="supervisor_ai.definitions.feature.answers:PHASES",
                    meanings="supervisor_ai.drivers.feature.kinds:PLAN_MEANINGS",
                    noun="the phases of a feature",
                ),
                "feature_components": SliceAnswer(
                    form="supervisor_ai.definitions.feature.answers:COMPONENTS",
                    meanings="supervisor_ai.drivers.feature.kinds:PLAN_MEANINGS",
                    noun="the components of a feature",
                ),
            },
        ),
        reasons={
            "feature_plan": "supervisor_ai.drivers.feature.queries.sentences:PLAN_RISK",
            "interface": "supervisor_ai.drivers.feature.queries.sentences:UNLOCK",
        },
        demo="supervisor_ai.cli.commands.feature.demo:show_feature",
        definitions="supervisor_ai.definitions.feature",
        has_company=True,
    ),
)
"""Each is imported when something of it is asked for."""
