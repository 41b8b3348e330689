"""Names of files are foreign text: whoever shows one shows it harmless, short and redacted."""

import re
from collections.abc import Callable

import pytest

from supervisor_ai.cli.commands.runs.workspace_tables import _files, visible
from supervisor_ai.cli.summary import changes
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.workspace_inventory import FileChange
from supervisor_ai.control.sentences import describe
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.git_flow.commit_message import commit_message
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run import events as e
from supervisor_ai.gates.change.differences import shown

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
ODD = ["\x1b[2Jx", "a\nb", "\u202egpj.exe", "x" * 4_000, "\x9b31mx", "a\rb", "\u200bx", "\udcff"]
HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\ud800-\udfff]")


def redact(text: str) -> str:
    return RuleRedactor().redact(text).text


def summary(name: str) -> str:
    return changes(redact, f" {name} | 1 +\n 1 file changed, 1 insertion(+)\n")


def left_out(name: str) -> str:
    event = e.FilesLeftOut(
        step=StepName("build"),
        visit=1,
        attempt=1,
        paths=(shown_name(name),),
        count=3,
        reason="it is too large",
    )
    return one_line(describe(event))


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("render", [summary, left_out, shown_name, shown, visible, commit_message])
def test_no_name_reaches_a_terminal_as_it_is(render: Callable[[str], str], name: str) -> None:
    assert not HARMFUL.search(render(name))


@pytest.mark.parametrize("render", [summary, left_out, shown_name, shown])
def test_no_name_fills_the_page(render: Callable[[str], str]) -> None:
    assert len(render("x" * 4_000)) < 400


def test_a_secret_in_a_name_is_not_shown_when_a_run_is_over() -> None:
    assert SECRET not in summary(f"keys/{SECRET}.txt")
    assert "1 file changed" in summary(f"keys/{SECRET}.txt")


def test_a_secret_in_a_name_is_not_shown_among_the_files_of_a_workspace() -> None:
    change = FileChange(change="A", path=f"keys/{SECRET}", added=1, deleted=0)
    assert SECRET not in "\n".join(_files((change,)))


def test_many_files_are_summed_up() -> None:
    stat = "".join(f" f{number} | 1 +\n" for number in range(200))
    told = changes(redact, f"{stat} 200 files changed, 200 insertions(+)\n")
    assert len(told.splitlines()) == 52
    assert "… and 150 more" in told
    assert told.endswith("200 files changed, 200 insertions(+)")
    assert changes(redact, "") == ""


def test_what_was_left_out_says_how_much_more_there_was() -> None:
    assert left_out("dump") == "not kept: dump and 2 more: it is too large"
