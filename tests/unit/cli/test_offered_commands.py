"""Every command line that a message, a hint or a summary offers can be typed as it is printed."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import click

from supervisor_ai.cli.main import supervisor

SOURCES: Final = Path(__file__).parents[3] / "src/supervisor_ai"
COMMAND: Final = {"invocation.command", "self.invocation.command", "at.command", "supervisor"}
"""What stands in an f-string for the program that the user typed."""
VALUE: Final = "\0"
OFFER: Final = re.compile(r"(?:^|[`\n]|: )\s*supervisor (?P<words>(?:[^`;\n.,)]|\.(?=\S))+)")
PROSE: Final = {"was", "has", "opens", "decision", "log", "->", "supervisor", "--help"}
"""What follows where the supervisor itself is meant, or a format is described."""


class Offered(NamedTuple):
    """A command line in the source."""

    place: str
    words: str


@cache
def offered() -> tuple[Offered, ...]:
    return tuple(it for path in sorted(SOURCES.rglob("*.py")) for it in _of_file(path))


def _of_file(path: Path) -> Iterator[Offered]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                passed.update(id(it) for it in ast.walk(node) if it is not node)
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                first = node.body[0] if node.body else None
                passed.update({id(first.value)} if isinstance(first, ast.Expr) else ())
            case _:
                pass
    for node in ast.walk(tree):
        if id(node) not in passed and isinstance(node, ast.Constant | ast.JoinedStr):
            place = f"{path.relative_to(SOURCES)}:{node.lineno}"
            yield from (Offered(place, it["words"].strip()) for it in OFFER.finditer(_text(node)))


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = []
    for it in node.values:
        if isinstance(it, ast.Constant):
            parts.append(str(it.value))
        elif isinstance(it, ast.FormattedValue):
            parts.append("supervisor" if ast.unparse(it.value) in COMMAND else VALUE)
    return "".join(parts)


def problem(line: str) -> str | None:
    """Say why a line cannot be typed; nothing where it can, or where a value decides."""
    words = re.sub(r"^-C \S+ ", "", line).split()
    command: click.Command = supervisor
    context = click.Context(supervisor)
    while isinstance(command, click.Group) and words:
        word = words.pop(0)
        if VALUE in word or (command is supervisor and word in PROSE):
            return None
        try:
            found = command.get_command(context, word.partition("|")[0])
        except click.UsageError:
            found = None
        if found is None:
            return f"there is no command {word!r}"
        command, context = found, click.Context(found, parent=context)
    flags = {flag for it in command.params for flag in (*it.opts, *it.secondary_opts)} | {"--help"}
    unknown = [it for it in words if it.startswith("--") and it.rstrip(":?!'\"") not in flags]
    return f"there is no option {unknown[0]!r}" if unknown else None


def test_offered_command_lines_can_be_typed() -> None:
    wrong = [f"{it.place}: {it.words!r}: {why}" for it in offered() if (why := problem(it.words))]
    assert not wrong, "\n".join(wrong)
    assert len(offered()) > 300


def test_a_line_that_cannot_be_typed_is_noticed() -> None:
    assert problem("resume RUN") is None
    assert problem("resmue RUN") == "there is no command 'resmue'"
    assert problem("approve RUN --nothing") == "there is no option '--nothing'"
    assert problem("workspace lst") == "there is no command 'lst'"
