"""Attempts on whoever takes, shows or removes what a worker left."""

import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.attacks.attempt import Attempt, Outcome, run, spec_for
from tests.attacks.desk import Desk, desk, plain_git
from tests.attacks.guards import Guards, careless
from tests.attacks.scene import Scene

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.terminal import plain
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.files.safe_copy import Copy, CopyLimits
from supervisor_ai.workspaces.files.safe_open import root_directory

_NO_LINKS: Final = careless(
    "copying opens every component with O_NOFOLLOW or openat2", "look first, then open by path"
)
_RACE_SECONDS: Final = 1.5
_PATIENCE: Final = 20.0
_RACER: Final = """
import os, sys
os.chdir(sys.argv[1])
while True:
    for number in range(30):
        os.rename(f'other{number}', f'x{number}'); os.rename(f'f{number}', f'other{number}')
        os.rename(f'x{number}', f'f{number}')
"""


def _copied(scene: Scene, guards: Guards, tree: Path) -> Path:
    """Copy a worker's directory as the product does, or as anybody would."""
    result = scene.root / f"result-{time.monotonic_ns()}"
    if guards.is_careless:
        shutil.copytree(tree, result, ignore=shutil.ignore_patterns(".git"))
        return result
    result.mkdir()
    allowance = CopyLimits(what="The files", size=1 << 24, files=10_000)
    with root_directory(tree.parent) as source, root_directory(result) as target:
        Copy(source=source, target=target, allowance=allowance).entry((tree.name,))
    return result / tree.name


def _contains(place: Path, words: str) -> bool:
    files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    return any(words.encode() in path.read_bytes() for path in files)


def _leaks(program: str) -> Callable[[Scene, Guards], Outcome]:
    def perform(scene: Scene, guards: Guards) -> Outcome:
        place = desk(scene)
        place.work(program, guards)
        result = _copied(scene, guards, place.tree)
        succeeded = _contains(result, scene.secret)
        if not guards.is_careless:
            commit = place.snapshot().commit
            found = place.user.git.ask("grep", "-c", scene.secret, commit, "--", ".").output
            succeeded = succeeded or bool(found)
        return Outcome(succeeded=succeeded, detail=place.last_words())

    return perform


def _race(make: str) -> Callable[[Scene, Guards], Outcome]:
    """Swap plain entries and links all the time while they are copied again and again."""

    def perform(scene: Scene, guards: Guards) -> Outcome:
        tree = scene.workspace
        run(scene, guards, spec_for(scene, make))
        racer = subprocess.Popen([sys.executable, "-c", _RACER, tree])
        scene.callback(racer.wait)
        scene.callback(racer.kill)
        copy = _copy_as_anybody if guards.is_careless else _copy_as_we_do
        deadline = time.monotonic() + (_PATIENCE if guards.is_careless else _RACE_SECONDS)
        rounds = 0
        while time.monotonic() < deadline:
            rounds += 1
            if scene.secret.encode() in copy(scene, tree):
                return Outcome(succeeded=True, detail=f"It leaked in round {rounds}.")
        if racer.poll() is not None:
            raise RuntimeError("The racer has ended.")
        return Outcome(succeeded=False, detail=f"Nothing leaked in {rounds} rounds.")

    return perform


def _copy_as_we_do(scene: Scene, tree: Path) -> bytes:
    try:
        result = _copied(scene, Guards(), tree)
    except OSError:
        return b""  # Refusing to go on is no leak.
    files = [path for path in result.rglob("*") if not path.is_symlink() and path.is_file()]
    found = [path.read_bytes() for path in files]
    remove(result.parent)
    return b"".join(found)


def _copy_as_anybody(_: Scene, tree: Path) -> bytes:
    """Look first, then open, as a script does that wants to be careful."""
    entries = [tree / f"f{number}" for number in range(30)]
    fine = [path for path in entries if not path.is_symlink()]
    found = []
    for path in fine:
        try:
            found.append((path / "id_ed25519" if path.is_dir() else path).read_bytes())
        except OSError:
            continue
    return b"".join(found)


_FILES_TO_SWAP: Final = """
for number in range(30):
    open(f'f{number}', 'w').write('harmless')
    os.symlink(S['home'] + '/.ssh/id_ed25519', f'other{number}')
"""
_DIRECTORIES_TO_SWAP: Final = """
for number in range(30):
    os.mkdir(f'f{number}'); open(f'f{number}/id_ed25519', 'w').write('harmless')
    os.symlink(S['home'] + '/.ssh', f'other{number}')
"""


def _hangs(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("os.mkfifo('report.xml')", guards)

    def take() -> None:
        if guards.is_careless:
            (place.tree / "report.xml").read_bytes()
        else:
            _copied(scene, guards, place.tree)
            place.snapshot()

    taking = threading.Thread(target=take, daemon=True)
    taking.start()
    taking.join(1.5 if guards.is_careless else _PATIENCE)
    is_stuck = taking.is_alive()
    if is_stuck:
        # Nobody else will ever write into it; let the thread go.
        os.close(os.open(place.tree / "report.xml", os.O_RDWR | os.O_NONBLOCK))
        taking.join(1)
    return Outcome(succeeded=is_stuck, detail=place.last_words())


def _keeps_privileges(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("os.chmod('trap', 0o6755)", guards)
    copied = (_copied(scene, guards, place.tree) / "trap").stat().st_mode
    kept = bool(copied & (stat.S_ISUID | stat.S_ISGID))
    if not guards.is_careless:
        kept = kept or place.entries(place.snapshot().commit)[b"trap"] != b"100755"
    return Outcome(succeeded=kept, detail=stat.filemode(copied))


def _stays(program: str) -> Callable[[Scene, Guards], Outcome]:
    """Leave something that cannot be removed."""

    def perform(scene: Scene, guards: Guards) -> Outcome:
        run(scene, guards, spec_for(scene, program))
        try:
            if guards.is_careless:
                shutil.rmtree(scene.workspace)
            else:
                remove(scene.workspace)
        except (OSError, RecursionError) as error:
            return Outcome(succeeded=scene.workspace.exists(), detail=str(error))
        return Outcome(succeeded=scene.workspace.exists(), detail="")

    return perform


def _locks_itself(scene: Scene, guards: Guards) -> Outcome:
    """Let a worker take the permissions from its own workspace, then collect what is in it."""
    place = desk(scene)
    place.work("os.chmod('src', 0); os.chmod('.', 0)", guards)
    try:
        if guards.is_careless:
            found = _find(place)
            return Outcome(succeeded=b"src/a.py" not in found, detail=repr(found))
        entries = place.entries(place.snapshot().commit)
    except (OSError, SupervisorError, subprocess.CalledProcessError) as error:
        return Outcome(succeeded=True, detail=str(error))
    return Outcome(succeeded=b"src/a.py" not in entries, detail=repr(entries))


def _removes_others(scene: Scene, guards: Guards) -> Outcome:
    run(scene, guards, spec_for(scene, "os.symlink(S['outside'], 'build')"))
    (_remove_naively if guards.is_careless else remove)(scene.workspace)
    return Outcome(succeeded=not (scene.outside / "file").exists(), detail="")


def _remove_naively(path: Path) -> None:
    for entry in path.iterdir():
        if entry.is_dir():
            _remove_naively(entry)
        else:
            entry.unlink()


def _is_given(scene: Scene, guards: Guards) -> Outcome:
    """Let the next sandbox hand over what the worker of this one left."""
    run(scene, guards, spec_for(scene, "os.symlink(S['outside'] + '/file', 'gift')"))
    if guards.is_careless:
        for path in scene.workspace.iterdir():
            os.chown(path, scene.first_user, scene.first_user)
    else:
        run(scene, guards, spec_for(scene, ""))
    owner = (scene.outside / "file").stat().st_uid
    return Outcome(succeeded=owner != os.geteuid(), detail=f"the owner is {owner}")


def _forges_path(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("os.mkdir('a\\nsrc'); open('a\\nsrc/forged.py', 'w').write('x')", guards)
    if guards.is_careless:
        found = _find(place).decode().splitlines()
        return Outcome(succeeded="src/forged.py" in found, detail=repr(found))
    entries = place.entries(place.snapshot().commit)
    known = {b"README", b"src/a.py", b"trap", b"a\nsrc/forged.py"}
    return Outcome(succeeded=entries.keys() != known, detail=repr(entries))


def _find(place: Desk) -> bytes:
    command = ["find", ".", "-type", "f", "-printf", "%P\\n"]
    return subprocess.run(command, cwd=place.tree, capture_output=True, check=True).stdout


def _breaks_reader(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("open(b'\\xff\\xfe', 'w').write('x')", guards)
    try:
        if guards.is_careless:
            _find(place).decode("utf-8")
        else:
            entries = place.entries(place.snapshot().commit)
            return Outcome(succeeded=b"\xff\xfe" not in entries, detail=repr(entries))
    except UnicodeDecodeError as error:
        return Outcome(succeeded=True, detail=str(error))
    return Outcome(succeeded=False, detail="")


def _paints(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    program = (
        "open('\\x1b[2J', 'w').write('x'); open('README', 'w').write('\\x1b]0;evil\\x07\\x9b2J')"
    )
    place.work(program, guards)
    where = (f"--git-dir={place.user.git.directory}", f"--work-tree={place.tree}")
    commit = place.snapshot().commit
    shown = plain_git(*where, "show", "--format=", commit, cwd=place.tree, home=scene.outside)
    if not guards.is_careless:
        shown = plain(place.user.git.run("show", "--format=", commit).text)
    return Outcome(succeeded="\x1b" in shown, detail=repr(shown[:300]))


def _is_an_option(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("open('--checkpoint=1', 'w'); open('--checkpoint-action=exec=sh trap', 'w')", guards)
    if guards.is_careless:
        command = ["sh", "-c", "tar -cf /dev/null *"]
        subprocess.run(command, cwd=place.tree, check=False, capture_output=True)
    else:
        place.collect()
    return Outcome(succeeded=scene.outside_changed(), detail="")


def _blinds_review(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("open('HEAD', 'w').write('x')", guards)
    if guards.is_careless:
        where = (f"--git-dir={place.user.git.directory}", f"--work-tree={place.tree}")
        said = plain_git(*where, "diff", "HEAD", cwd=place.tree, home=scene.outside)
        return Outcome(succeeded="worker" not in said, detail=said)
    commit = place.snapshot().commit
    said = place.user.git.run("diff", place.workspace.start, commit, "--").text
    return Outcome(succeeded="+worker" not in said, detail=said)


def _enters_history(program: str, path: bytes) -> Callable[[Scene, Guards], Outcome]:
    def perform(scene: Scene, guards: Guards) -> Outcome:
        place = desk(scene)
        place.work(program, guards)
        commit = place.naive_snapshot() if guards.is_careless else place.snapshot().commit
        entries = place.entries(commit)
        return Outcome(succeeded=path in entries, detail=repr(entries))

    return perform


_REMOVAL: Final = careless("removal never recurses, and repairs permissions", "`shutil.rmtree`")

ATTEMPTS: Final = (
    Attempt(
        what="leaves a link to a key where a result is expected",
        fact="47",
        layers=(_NO_LINKS,),
        perform=_leaks("os.symlink(S['home'] + '/.ssh/id_ed25519', 'leak')"),
    ),
    Attempt(
        what="leaves a link to a directory of keys",
        fact="47",
        layers=(_NO_LINKS,),
        perform=_leaks("os.symlink(S['home'] + '/.ssh', 'leak')"),
    ),
    Attempt(
        what="swaps files and links while they are copied",
        fact="47",
        layers=(_NO_LINKS,),
        perform=_race(_FILES_TO_SWAP),
    ),
    Attempt(
        what="swaps directories and links while they are copied",
        fact="47",
        layers=(_NO_LINKS,),
        perform=_race(_DIRECTORIES_TO_SWAP),
    ),
    Attempt(
        what="leaves a pipe whose reader waits for ever",
        fact="48",
        layers=(careless("O_NONBLOCK, and regular files only", "`open` and `read`"),),
        perform=_hangs,
    ),
    Attempt(
        what="leaves a program with its owner's privileges (setuid)",
        fact="18",
        layers=(careless("modes are reduced to 644 and 755", "`shutil.copytree`"),),
        perform=_keeps_privileges,
    ),
    Attempt(
        what="leaves a directory that nobody may enter",
        fact="48",
        layers=(_REMOVAL,),
        perform=_stays("os.makedirs('locked/in'); os.chmod('locked', 0)"),
    ),
    Attempt(
        what="locks its workspace so that nobody can collect it",
        fact="48",
        layers=(careless("permissions are repaired before anything is read", "`find`"),),
        perform=_locks_itself,
    ),
    Attempt(
        what="leaves directories deeper than any program recurses",
        fact="50",
        layers=(_REMOVAL,),
        perform=_stays("for _ in range(1500): os.mkdir('d'); os.chdir('d')"),
    ),
    Attempt(
        what="has the files of others removed through a link",
        fact="10",
        layers=(careless("removal never follows a link", "a removal that follows links"),),
        perform=_removes_others,
    ),
    Attempt(
        what="is given the files of others through a link",
        fact="10",
        layers=(careless("ownership is handed over without following links", "`chown` by path"),),
        needs_root=True,
        perform=_is_given,
    ),
    Attempt(
        what="forges a path by a file name with a newline",
        fact="49",
        layers=(careless("paths are bytes that end with zero", "paths are lines of text"),),
        perform=_forges_path,
    ),
    Attempt(
        what="breaks whoever reads file names that are no text",
        fact="49",
        layers=(careless("paths are bytes that end with zero", "paths are lines of text"),),
        perform=_breaks_reader,
    ),
    Attempt(
        what="paints on the terminal of whoever looks at the change",
        fact="49",
        layers=(careless("foreign text is made plain", "the text as git shows it"),),
        perform=_paints,
    ),
    Attempt(
        what="has a file name taken for an option",
        fact="49",
        layers=(careless("no shell, no file names as arguments", "`tar *` in a shell"),),
        perform=_is_an_option,
    ),
    Attempt(
        what="hides its change behind a file that is called HEAD",
        fact="49",
        layers=(careless("full names of commits, and -- after them", "`git diff HEAD`"),),
        perform=_blinds_review,
    ),
    Attempt(
        what="brings a nested repository into history",
        fact="45",
        layers=(careless("nested repositories become plain files", "`git add --all --force`"),),
        perform=_enters_history(
            "run('init', '-q', 'sub'); run('-C', work + '/sub', 'commit', '-q',"
            " '--allow-empty', '-m', 'x')",
            b"sub",
        ),
    ),
    Attempt(
        what="forges the supervisor's own records",
        layers=(
            careless("the supervisor's state never enters history", "`git add --all --force`"),
        ),
        perform=_enters_history(
            "write(work + '/.supervisor/state.db', 'forged')", b".supervisor/state.db"
        ),
    ),
)
