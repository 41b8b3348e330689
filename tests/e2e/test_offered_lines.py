"""Every command line that a message offers works as it is printed, where it is printed."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import CONFIG, SUPERVISOR, Said, User

OFFER: Final = re.compile(
    r"(?:^|`|: | or | {2,})(?P<line>(?:\S*/)?(?:supervisor|git) (?:-C \S+ )?[a-z][^`;\n]*)",
    re.MULTILINE,
)
GAP: Final = re.compile(r"\b[A-Z]{3,}\b|…|\.\.\.")
"""What a person has to put in place of a word."""
PROSE: Final = {"may", "is", "has", "was", "does", "version"}
STAYS: Final = ("serve", "tui", "--follow", "watch")
REFUSALS: Final = {2: "it is no command line", 3: "nothing is found", 70: "it is a bug"}
ASKS: Final = "--yes"
"""What a line that asks a person says where nobody can answer."""


def offered(said: Said) -> Iterator[str]:
    """Find the lines that can be typed as they are."""
    for found in OFFER.finditer(f"{said.out}\n{said.err}"):
        line = re.split(r"  +(?=[a-z#])|, (?=[a-z])| \(| and ", found["line"])[0].rstrip(" .,:)")
        words = line.split()
        if len(words) > 1 and words[1] not in PROSE and not GAP.search(line):
            yield line


def typed(user: User, line: str) -> Said:
    """Type a line; one that stays is ended as soon as it has had time to fail."""
    words = shlex.split(line)
    if words[0].endswith("supervisor") and not any(it in words for it in STAYS):
        return user.call(*words[1:])
    words[0] = str(SUPERVISOR) if words[0].endswith("supervisor") else words[0]
    done = subprocess.run(
        ["timeout", "--signal=INT", "5", *words],
        cwd=user.repository,
        env=user.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return Said(code=done.returncode, out=done.stdout, err=done.stderr)


def no_repository(user: User) -> Said:
    shutil.rmtree(user.repository / ".git")
    return user.call("run", "Do it", "--yes")


def initialised(user: User) -> Said:
    return user.call("init", "--yes")


def untrusted(user: User) -> Said:
    return user.call("run", "Do it", "--yes", SUPERVISOR_TRUST="")


def completed(user: User) -> Said:
    user.script(implement=["write done.txt 1"])
    return user.call("run", "Do it", "--yes", "--workflow", "quick")


def failed(user: User) -> Said:
    user.commit({".supervisor/config.yaml": CONFIG.replace("done.txt", "missing.txt")})
    return user.call("run", "Do it", "--yes")


def queued(user: User) -> Said:
    return user.call("run", "Do it", "--yes", "--queue")


def waiting(user: User) -> Said:
    return user.call("run", "Do it", "--yes", "--workflow", "careful")


def approved(user: User) -> Said:
    waiting(user)
    return user.call("approve", "last", "--note", "Fine.")


def merged(user: User) -> Said:
    completed(user)
    return user.call("merge", "last")


def unknown_run(user: User) -> Said:
    completed(user)
    return user.call("logs", "rnothing")


def session(user: User) -> Said:
    return user.call("session", "new", "auth")


def team(user: User) -> Said:
    return user.call("team", "create", "auth", "--for", "Log in", "--tasks", "2")


def task_started(user: User) -> Said:
    return user.call("start-task", "Log in", "--yes")


SITUATIONS: Final[tuple[Callable[[User], Said], ...]] = (
    no_repository,
    initialised,
    untrusted,
    completed,
    failed,
    queued,
    waiting,
    approved,
    merged,
    unknown_run,
    session,
    team,
    task_started,
)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda it: it.__name__)
def test_what_is_offered_works(
    user: User,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    situation: Callable[[User], Said],
) -> None:
    lines = list(dict.fromkeys(offered(situation(user))))
    kept = tmp_path_factory.mktemp("kept") / "world"
    shutil.copytree(tmp_path, kept, symlinks=True)
    wrong = []
    for line in lines:
        said = typed(user, line)
        if said.code in REFUSALS and ASKS not in said.err:
            wrong.append(f"{line!r}: {REFUSALS.get(said.code)}: {said.err[-400:]}")
        shutil.rmtree(tmp_path)
        shutil.copytree(kept, tmp_path, symlinks=True)
    assert lines
    assert not wrong, "\n".join(wrong)
