"""Help pages: complete, alike, and true to the list that is shown without importing them."""

import click
import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from supervisor_ai.cli.failures import report_failure
from supervisor_ai.cli.main import supervisor
from supervisor_ai.cli.version import VERSION


def pages() -> list[tuple[str, click.Command]]:
    """Name every verb, those of groups included."""
    verbs = supervisor.verbs.items()
    return [page for name, verb in verbs for page in pages_below(name, verb.load())]


def pages_below(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(name, command)]
    inner = command.commands.items()
    return [page for below, it in inner for page in pages_below(f"{name} {below}", it)]


@pytest.mark.parametrize("name", supervisor.verbs)
def test_the_list_says_what_the_page_says(name: str) -> None:
    page = supervisor.verbs[name].load().help or ""
    assert page.partition("\n")[0] == supervisor.verbs[name].help


@pytest.mark.parametrize(("name", "command"), pages())
def test_every_page_has_a_short_first_line_an_example_and_json(
    name: str, command: click.Command
) -> None:
    page = command.help or ""
    first = page.partition("\n")[0]
    assert first[0].isupper()
    assert not first.endswith(".")
    assert f"Example:\n  supervisor {name}" in page
    assert any("--json" in parameter.opts for parameter in command.params)


@pytest.mark.parametrize(("name", "command"), pages())
def test_every_option_says_what_it_is_for(name: str, command: click.Command) -> None:
    options = [it for it in command.params if isinstance(it, click.Option)]
    assert all(option.help for option in options), name


@pytest.mark.parametrize(("name", "command"), [("", supervisor), *pages()])
def test_every_page_fits_a_narrow_terminal(
    name: str, command: click.Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    page = CliRunner().invoke(supervisor, [*name.split(), "--help"]).output
    before, _, after = page.partition("  Example:\n")
    # What is to be typed stays in one piece, and so does the name of an option.
    told = [*before.splitlines(), *after.partition("\n\n")[2].splitlines()]
    named = ("  -", "  [", "Usage:")
    assert [it for it in told if len(it) > 40 and not it.startswith(named)] == []
    assert "..." not in "".join(told).replace("[ARGS]...", "").replace("]...", ""), command


def test_the_first_page() -> None:
    result = CliRunner().invoke(supervisor, ["--help"], terminal_width=100)
    assert result.output == snapshot("""\
Usage: supervisor [OPTIONS] COMMAND [ARGS]...

  Give AI coding agents the discipline of production jobs

  Example:
    supervisor demo   # watch; needs no key
    supervisor init   # in your own project
    supervisor run "Add a /health endpoint"

Options:
  --version   Show the version and exit.
  -C DIR      Act as if started in this directory.
  -h, --help  Show this message and exit.

Start here:
  demo           Watch a small task go through all steps
  doctor         Check whether this machine can run agents safely
  init           Look at the project and write its first settings
  trust          Agree to what the project may do on your machine
  login          Let an agent work with your subscription
  logout         Forget a login that was kept

Daily work:
  run            Run one task to its end
  kanban         Work through a kanban, task by task
  checkpoint     Watch over a session, checkpoint by checkpoint
  loop           Work on a remit, task by task, under quality supervisors
  directives     List what is wanted in the whole project, add to it or drop from it
  team           Watch over a team of agents: who works, who waits, who writes
  feature        Build a feature of many components at once
  analyze-deps   Find in the code which components need which
  interface      Show what components agree on, unlock it and lock it
  start-task     Start a task on a branch of its own
  complete-task  Land a task that is done
  status         Show the runs of the project, or one of them
  tui            Watch all runs on one screen, and answer them
  diff           Show what a run changed
  merge          Merge a completed run's work into your branch
  approvals      Show what waits for people, the riskiest first
  approve        Say yes to what a run asks
  reject         Say no to what a run asks
  comment        Say something about a line of a run's change
  edit           Change the files that a run asks about
  resume         Go on with a run from its last fact
  cancel         Stop a run
  fork           Start a new run from a step of another one
  serve          Drive whatever is due until stopped

Work together:
  session        Let members work together: tasks and messages
  msg            Say something in a session, and read what was said
  mcp            Serve the tools of a session to agents
  agents         Let an agent of yours coordinate a session

Look inside a run:
  events         Show the facts of a run in order
  logs           Show what was sent, what came back and what the gates printed
  replay         Fold a run's facts again and show what each one moved
  context        See what a worker is told, and what it is not
  conflicts      Predict which runs will conflict when they are merged

Change how runs go:
  config         See the settings that hold, and which file says so
  workflow       List, show, draw, validate and migrate workflows
  role           List, show, check, compare and exchange roles
  knowledge      Keep what the project knows: what workers are told, and what waits for you
  gate           List gates, run one on any two commits, and count false reports

Look after the machine:
  worker         Look after the agents' commands and what they print
  sandbox        See which sandboxes work here, and what is inside
  notify         See whether you can be reached
  workspace      List, show, restore and clean up what workers left
  ledger         Verify, rebuild or erase from the ledger
  lab            Rehearse with a model that says what a script says
  completion     Print a script that completes commands in your shell
""")


def test_the_page_of_run() -> None:
    result = CliRunner().invoke(supervisor, ["run", "--help"], terminal_width=100)
    assert result.output == snapshot("""\
Usage: supervisor run [OPTIONS] [TASK]

  Run one task to its end

  The task goes through the steps of a workflow. Workers do the work in copies of the repository,
  gates check it, and the result is a commit on a branch of its own; your checkout, your index and
  your branches stay as they are. `-` reads the task from stdin; `--issue 123` takes it from an
  issue of the repository, `--issue URL` or `--issue TRACKER:ID` from another place, as text that is
  not believed. Where the project asks for what you have not agreed to, a terminal shows it and
  asks, as `supervisor trust` does.

  Example:
    supervisor run "Add a /health endpoint" --cli my_agent --budget 5usd
    supervisor run --issue 123 --workflow open_source

Options:
  --issue NUMBER|URL|TRACKER:ID   Take the task from this issue; a task besides says what else is
                                  wanted.
  -w, --workflow NAME             Take the task through this workflow.
  -c, --cli NAME                  Use this agent for every role.
  --role STEP=ROLE                Give a step another role; ROLE alone: every step whose role
                                  answers in the same way.
  --session SESSION               Let the workers be members of this session.
  --team TEAM                     Let the workers be members of this team, which watches over them.
  --tui                           Watch the run in the terminal UI.
  -b, --base REF                  Start from this commit, not the checkout's.
  --sandbox [auto|bubblewrap|podman|docker|none]
                                  Where workers and gates run, whatever the configuration says.
  --budget AMOUNT                 Spend at most this: 5usd, or "5usd, 200k tokens, 2h, 10 attempts".
  --no-cache                      Use no verdict and no set-up that is known from before.
  --queue                         Leave the run to `supervisor serve` and return at once.
  --wait                          Stay while the run waits for a person or a time.
  --dry-run                       Say what would be done and stop.
  -y, --yes                       Do not ask whether to proceed.
  -v, --verbose                   Show every line that workers and gates print.
  --json                          Print JSON on stdout.
  -h, --help                      Show this message and exit.
""")


@pytest.mark.parametrize("group", [[], ["gate"]])
def test_who_says_nothing_is_shown_the_page(
    group: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.exceptions.NoArgsIsHelpError) as raised:
        supervisor.main(group, prog_name="supervisor", standalone_mode=False)
    assert report_failure(raised.value, as_json=False) == 2
    assert capsys.readouterr().err.startswith(" ".join(("Usage: supervisor", *group)))


def test_the_version() -> None:
    assert CliRunner().invoke(supervisor, ["--version"]).output == f"supervisor {VERSION}\n"
