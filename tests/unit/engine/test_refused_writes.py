"""Complaints of programs that a file is read-only, and which file they mean."""

from pathlib import Path

import pytest

from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.effects.refused_writes import RefusedWrites
from supervisor_ai.engine.ports.sandbox import Channel

ROOM = Path("/work/room")
RULES = Writable(everywhere=False, paths={"tasks/3-own.md": True})


def refused(*chunks: str) -> tuple[str, ...]:
    watch = RefusedWrites(ROOM, RULES)
    passed: list[bytes] = []
    sink = watch.watching(lambda channel, chunk: passed.append(chunk))
    for chunk in chunks:
        sink(Channel.STDERR, chunk.encode())
    assert b"".join(passed) == "".join(chunks).encode()
    return watch.paths


@pytest.mark.parametrize(
    "line",
    [
        "sh: 1: cannot create tasks/0-kanban.md: Read-only file system",
        "bash: ./tasks/0-kanban.md: Read-only file system",
        "OSError: [Errno 30] Read-only file system: 'tasks/0-kanban.md'",
        "Error: EROFS: read-only file system, open '/work/room/tasks/0-kanban.md'",
        '{"result":"EROFS: read-only file system, open \'/work/room/tasks/0-kanban.md\'"}',
    ],
)
def test_programs_name_what_they_could_not_write(line: str) -> None:
    assert refused(f"before\n{line}\nafter\n") == ("tasks/0-kanban.md",)


def test_a_complaint_may_come_in_pieces() -> None:
    assert refused("sh: cannot create src/a", "pp.py: Read-only", " file system\n") == (
        "src/app.py",
    )


def test_what_may_be_written_or_lies_elsewhere_is_not_told() -> None:
    assert refused("touch: tasks/3-own.md: Read-only file system") == ()
    assert refused("touch: /usr/lib/x.so: Read-only file system") == ()
    assert refused("all is well with src/app.py") == ()


def test_only_so_many_are_kept() -> None:
    lines = "".join(f"touch: src/{n}.py: Read-only file system\n" for n in range(100))
    assert len(refused(lines)) == 20
