"""All keys of the terminal UI in one table: what they do, and which verb does the same."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType

from supervisor_ai.tui.pages.blocks import (
    DIM,
    STRONG,
    LineBlock,
    cell,
    joined,
    own,
    rule,
    said,
    wrapped,
)

_HELP: Final = "? help"


class Key(NamedTuple):
    """A key of a screen."""

    key: str
    """As Textual calls it; several with commas between them."""
    shown: str
    action: str
    word: str
    """For the last line of the screen; nothing: only the help page has it."""
    help: str
    verb: str = ""
    """What does the same on the command line."""


EVERYWHERE: Final = (
    Key("question_mark", "?", "app.help", "", "Show this page", "supervisor --help"),
    Key("escape", "Esc", "leave", "", "Go back"),
    Key("q,ctrl+c", "q", "app.leave", "", "Quit; runs that are driven here are left in good order"),
    Key("down,j", "↓ j", "", "", "Move down; Page down, Space, End further"),
    Key("up,k", "↑ k", "", "", "Move up; Page up, Home further"),
)
ANSWER: Final = Key("a", "a", "answer", "answer", "Answer what the run asks", "approvals RUN")
GO_ON: Final = Key("g", "g", "go_on", "go on", "Go on with a run that nobody drives", "resume RUN")
MERGE: Final = Key("m", "m", "merge", "", "Merge the run's work into your branch", "merge RUN")
COMPLETE: Final = Key(
    "l", "l", "complete", "", "Land a task that is done: commit, merge back", "complete-task RUN"
)
CANCEL: Final = Key("x", "x", "cancel", "cancel", "Stop the run", "cancel RUN")
BOARD: Final = (
    Key("", "Enter", "", "open", "Open the run", "status RUN"),
    ANSWER,
    Key("slash", "/", "search", "search", "Show runs with these words only", "status"),
    Key("f", "f", "filter", "filter", "Show runs of one status only", "status"),
    Key("colon", ":", "jump", "jump", "Go to a run by a part of its name", "status RUN"),
    Key("n", "n", "next_alert", "next", "Go to the next run that needs you", "approvals"),
    GO_ON,
    CANCEL,
    MERGE,
    COMPLETE,
    Key("t", "t", "tasks", "", "Show the task list that the run works through"),
    Key("w", "w", "knowledge", "", "Show what the project knows", "knowledge review"),
)
RUN: Final = (
    Key("1,2,3,4,5,6", "1-6", "", "views", "Steps, log, gates, diff, output, cost"),
    Key("tab", "Tab", "turn(1)", "", "Next view"),
    Key("shift+tab", "⇧Tab", "turn(-1)", "", "View before"),
    ANSWER,
    Key("d", "d", "diff", "diff", "Show what the run changed", "diff RUN"),
    Key("e", "e", "everything", "", "Show every event in the log, or only what matters"),
    GO_ON,
    CANCEL,
    MERGE,
    COMPLETE,
    Key("t", "t", "tasks", "", "Show the task list that the run works through"),
)
PANEL: Final = (
    Key("a", "A", "approve", "approve", "Approve exactly the tree that is shown", "approve RUN"),
    Key("r", "R", "reject", "reject", "Reject, with a reason", "reject RUN --reason TEXT"),
    Key("d", "D", "diff", "diff", "Read the change", "diff RUN"),
    Key("c", "C", "comment", "comments", "Comment on a line", "comment RUN FILE:[-]LINE TEXT"),
    Key("s", "S", "skip", "skip", "Skip for now: the next question, or back"),
    Key("e", "E", "edit", "edit", "Change the files yourself", "edit RUN FILE"),
    Key("l", "L", "complete", "", COMPLETE.help, COMPLETE.verb),
)
DIFF: Final = (
    Key("n,right_square_bracket", "n", "file(1)", "next file", "Next file"),
    Key("p,left_square_bracket", "p", "file(-1)", "file before", "File before"),
    Key("c", "c", "comment", "comment", "Comment on this line", "comment RUN FILE:[-]LINE TEXT"),
    Key("e", "e", "edit", "edit", "Change this file yourself", "edit RUN FILE"),
    Key("f", "f", "next_mark", "finding", "Go to the next finding or comment"),
    ANSWER,
)
KNOWLEDGE: Final = (
    Key("p", "p", "promote", "promote", "Say that the document holds", "knowledge promote"),
    Key("x", "x", "deprecate", "deprecate", "It no longer applies", "knowledge deprecate"),
)
SECTIONS: Final = (
    ("Everywhere", EVERYWHERE),
    ("Board", BOARD),
    ("One run", RUN),
    ("Approval", PANEL),
    ("Diff", DIFF),
    ("What the project knows", KNOWLEDGE),
)


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Make Textual's bindings of those keys that have an action."""
    return [Binding(it.key, it.action, it.help, show=False) for it in keys if it.action]


def key_line(keys: Iterable[Key], width: int) -> Text:
    """Name as many keys as there is room for; the way to the others is always named."""
    shown = [own(_HELP, STRONG)]
    left = width - len(_HELP)
    for it in (it for it in keys if it.word):
        piece = joined(own(it.shown, STRONG), own(f" {it.word}"))
        left -= cell_len(piece.plain) + 2
        if left < 0:
            break
        shown.insert(-1, piece)
    return own("  ").join(shown)


def help_blocks(width: int) -> Sequence[LineBlock]:
    """Draw the help page."""
    lines: list[Text] = []
    for title, keys in SECTIONS:
        lines += ([own("")] if lines else []) + [rule(width, title)]
        for it in keys:
            lines += _help_lines(it, width)
    return [LineBlock((line,)) for line in lines]


def _help_lines(key: Key, width: int) -> tuple[Text, ...]:
    verb = f"  ({key.verb})" if key.verb else ""
    words = joined(said(key.help), own(verb, DIM))
    line = joined(" ", cell(said(key.shown, STRONG), 6), " ", words)
    return wrapped(line, width, indent=8)
