"""`supervisor demo kanban`: a request becomes tasks, one leads to another, by a scripted agent."""

from typing import Final

from supervisor_ai.cli.commands.kanban import kanban
from supervisor_ai.cli.demos.steps import DemoStep, play
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.commands.demo_project import make_demo_project

_FILE: Final = "tasks/0-kanban-say-goodbye-too.md"
_STEPS: Final = (
    DemoStep(
        ("new", "Say goodbye too", "--run", "--yes"),
        "The Manager makes a plan of the request. The Architect explores and suggests what to do, "
        "the Implementer does it, the tests run after it, and the Manager says what is next.",
    ),
    DemoStep(("log", _FILE), "What was read, who was asked, what came of it:"),
    DemoStep(("status", _FILE), "How the kanban stands now, on the run's branch:"),
)


def show_kanban(*, verbose: bool, as_json: bool) -> int:
    """Work through a small kanban whose agent is scripted; everything else is real."""
    from supervisor_ai.bootstrap.projects import commit_demo

    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    package = "supervisor_ai.definitions.kanban"
    here = Invocation(
        directory=make_demo_project(commit_demo, package, "builtin/demo"), trusts=True
    )
    say(f"A greeter of one function, with a scripted agent: {here.directory}")
    steps = _STEPS if verbose else (_STEPS[0], _STEPS[2])
    code = play(here, kanban, steps, as_json=as_json)
    say(f"\nThe project stays in {here.directory}. Look around: {here.command} kanban log {_FILE}")
    return code
