"""`supervisor demo team`: a team that you see speak: a claim, a conflict, a review, an end."""

from typing import Final

from supervisor_ai.cli.commands.team import team
from supervisor_ai.cli.demos.steps import DemoStep, play
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.commands.demo_project import make_demo_project


def _line(text: str, member: str, says: str = "") -> DemoStep:
    return DemoStep(("send", "stats", text, "--from", member), says)


def _lead(event: str, *words: str, says: str = "") -> DemoStep:
    return DemoStep(("send", "stats", event, *words, "--current"), says)


_STEPS: Final = (
    DemoStep(
        (
            "create",
            "stats",
            "--for",
            "More averages",
            "--todo",
            "Add a median",
            "--todo",
            "Add a mode",
        ),
        "You lead. The state is handed over: from now on supervisor alone writes it.",
    ),
    DemoStep(("join", "stats", "rev", "--role", "unified-reviewer"), "A reviewer and two coders:"),
    DemoStep(("join", "stats", "coder-1", "--role", "coder")),
    DemoStep(("join", "stats", "coder-2", "--role", "coder")),
    _line("CLAIM: task 1. Files: [stats/averages.py]", "coder-1", "Both touch one file:"),
    _line("CLAIM: task 2. Files: [stats/averages.py]", "coder-2"),
    DemoStep(("inbox", "stats"), "What you are asked as the Lead:"),
    _lead("ARBITRATION", "--task", "1", "--owner", "coder-1", says="You decide who goes on."),
    _line("IN_REVIEW: task 1. Files: [stats/averages.py]", "coder-1"),
    _line("DONE: task 1", "coder-1", "No task closes without its review:"),
    _line("APPROVED: task 1", "coder-2", "And nobody gives somebody else's:"),
    DemoStep(("inbox", "stats", "--from", "rev"), "The reviewer was told:"),
    _line("MAJOR (90%): task 1. It fails without values. Scenario: median([])", "rev"),
    _line("IN_REVIEW: task 1. Files: [stats/averages.py]", "coder-1"),
    _line("APPROVED: task 1", "rev"),
    _line("DONE: task 1", "coder-1", "Now it is done, and the other coder goes on by itself:"),
    DemoStep(("status", "stats")),
    _lead("TASK_CANCELLED", "--task", "2", says="The team ends when all have acknowledged:"),
    DemoStep(("teardown", "stats")),
    *(_line("SHUTDOWN_ACK:", name) for name in ("rev", "coder-1", "coder-2")),
    DemoStep(("delete", "stats")),
    DemoStep(("report", "stats")),
    DemoStep(("status", "stats")),
)


def show_team(*, verbose: bool, as_json: bool) -> int:
    """Let a team work whose members are lines that are typed for you; the rules are real."""
    from supervisor_ai.bootstrap.projects import commit_demo

    del verbose  # All that there is to see is shown.
    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    here = Invocation(directory=make_demo_project(commit_demo), trusts=True)
    say(f"A small Python project that a team is to extend: {here.directory}")
    code = play(here, team, _STEPS, as_json=as_json)
    say(f"\nThe project stays in {here.directory}; .claude/teams/stats has state.md, TEARDOWN.md.")
    say("With agents of yours: supervisor team create NAME --member claude:coder-1 …")
    return code
