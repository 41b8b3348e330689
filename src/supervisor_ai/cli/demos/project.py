"""A demo at work: its project, made a moment ago, and whoever watches its run."""

from msgspec import Struct

from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
from supervisor_ai.cli.foreground.progress import make_progress
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.commands.demo_project import make_demo_project
from supervisor_ai.control.project import OpenProject


class Demo(Struct, frozen=True, kw_only=True):
    """A small project with a scripted agent, opened."""

    here: Invocation
    project: OpenProject
    attendance: ForegroundRun

    def leave(self, command: str) -> None:
        """Say where the project is, and what to type next."""
        say(f"\nThe project stays in {self.here.directory}.")
        say(f"Look around: {self.here.command} {command}")
        say("Remove it: supervisor demo --clean")


def open_demo(package: str, *, verbose: bool, as_json: bool) -> Demo:
    """Make the project of a demo, and open it."""
    from supervisor_ai.bootstrap.projects import commit_demo

    directory = make_demo_project(commit_demo, package, "builtin/demo")
    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    here = Invocation(directory=directory, trusts=True)
    progress = make_progress(verbose=verbose)
    project = here.project(progress)
    attendance = ForegroundRun(invocation=here, project=project, progress=progress, as_json=as_json)
    return Demo(here=here, project=project, attendance=attendance)
