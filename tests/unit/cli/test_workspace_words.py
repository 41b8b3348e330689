"""How what workers left is put into words."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.cli.commands.runs.workspace_tables import (
    human_size,
    shown_items,
    shown_workspace,
    visible,
    write_list,
)
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.control.commands.workspaces.cleanup import CleanItem, CleanView, Fate, Kind
from supervisor_ai.control.ports.workspace_inventory import KeptStanding
from supervisor_ai.control.queries.workspaces import (
    DirectoryView,
    Use,
    WorkspaceList,
    WorkspaceView,
    WorkView,
)
from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.structs import replace

AT = datetime(2030, 1, 1, tzinfo=UTC)
DIRECTORY = DirectoryView(
    directory="/state/r1/work/x.1",
    run=RunId("r1"),
    step=None,
    visit=None,
    slot=None,
    attempt=None,
    use=Use.LEFT,
    dirty=True,
    size=4096,
    since=AT,
)
WORK = WorkView(
    ref="refs/supervisor/r1/test/1.1.gate",
    run=RunId("r1"),
    step=StepName("test"),
    visit=1,
    slot=1,
    attempt=None,
    commit=CommitSha("c" * 40),
    start=None,
    at=AT,
    files=3,
    standing=KeptStanding.MERGED,
    holder="refs/heads/main",
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("src/a b.py", "src/a b.py"),
        ("größe", "größe"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\udcff", "\\udcff"),
    ],
)
def test_a_foreign_name_is_shown_whole_and_does_nothing(name: str, shown: str) -> None:
    assert visible(name) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0B"), (1023, "1023B"), (1024, "1.0K"), (1_572_864, "1.5M"), (1 << 60, "1048576.0T")],
)
def test_sizes_are_short(size: int, shown: str) -> None:
    assert human_size(size) == shown


def test_the_list_has_a_table_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    write_list(WorkspaceList(directories=(DIRECTORY,), works=(WORK,), total=5))
    out, err = capsys.readouterr()
    first, second = out.split("\n\n")
    assert first.splitlines()[0].split() == [
        *("RUN", "STEP", "ATTEMPT", "USE", "WORK", "SIZE", "SINCE", "DIRECTORY")
    ]
    assert first.splitlines()[1].split()[:6] == ["r1", "?", "?", "left", "dirty", "4.0K"]
    assert second.splitlines()[1].split()[:2] == ["r1/test/1.1.gate", "cccccccccccc"]
    assert second.splitlines()[1].endswith("merged    main")
    assert err == "2 of 5; --limit shows more.\n"


def test_names_and_reasons_are_whole_however_narrow_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = replace(DIRECTORY, directory=f"/state/{'long' * 30}.1")
    write_list(WorkspaceList(directories=(long,), works=(WORK,), total=2))
    assert long.directory in capsys.readouterr().out
    item = CleanItem(
        kind=Kind.DIRECTORY,
        name=long.directory,
        run=RunId("r1"),
        fate=Fate.FAILED,
        reason="The disk is full.",
        hint="Free some disk space.",
    )
    view = CleanView(
        target="workspaces", applied=False, dry_run=False, detail="Removed nothing.", items=(item,)
    )
    assert shown_items(view) == [
        "FAILED  directory",
        f"  {long.directory}",
        "  The disk is full.",
        "hint: Free some disk space.",
    ]


def test_the_commit_that_the_work_began_with_is_its_start() -> None:
    shown = shown_workspace(Invocation(directory=Path()), WorkspaceView(found=WORK, files=()))
    assert "start     none" in shown
    assert "base" not in shown


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    write_list(WorkspaceList(directories=(), works=(), total=0))
    out, err = capsys.readouterr()
    assert (out, err) == ("", "There is no workspace and no kept work.\n")
