"""Attempts to make the host's git run a worker's program, or to spoil what git keeps."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.attacks.attempt import Attempt, Outcome
from tests.attacks.desk import desk, plain_git
from tests.attacks.guards import Guards, careless, option, shown
from tests.attacks.scene import Scene

from supervisor_ai.engine.ports.workspaces import WorkspacePlan

_TRUSTED: Final = careless(
    "git of the host never opens a git directory that a worker can write",
    "git of the host on the worker's git directory",
)
_PINNED: Final = option(
    "the pointer .git is pinned read-only", ("--ro-bind", "{pointer}", "{pointer}")
)
_ADMISSION: Final = careless(
    "what looks like a repository does not enter history", "`git add --all --force`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Poison:
    """What a worker writes, and what a careless host does next."""

    program: str
    commands: tuple[tuple[str, ...], ...]

    def __call__(self, scene: Scene, guards: Guards) -> Outcome:
        """Let the worker write, then let the host work on."""
        place = desk(scene)
        place.work(self.program, guards)
        said = []
        if guards.is_careless:
            where = (f"--git-dir={place.worker_git}", f"--work-tree={place.tree}")
            for command in self.commands:
                words = [word.format(tree=place.tree) for word in command]
                said.append(plain_git(*where, *words, cwd=place.tree, home=scene.outside))
        else:
            place.collect()
        return Outcome(
            succeeded=scene.outside_changed(), detail="\n".join([*said, place.last_words()])
        )


def _person_looks(program: str, below: str = ".") -> Callable[[Scene, Guards], Outcome]:
    def perform(scene: Scene, guards: Guards) -> Outcome:
        place = desk(scene)
        place.work(program, guards)
        said = plain_git("status", cwd=place.tree / below, home=scene.outside)
        return Outcome(succeeded=scene.outside_changed(), detail=f"{said}\n{place.last_words()}")

    return perform


def _planted_for_later(scene: Scene, guards: Guards) -> Outcome:
    """Let a person check out the result and look around in it."""
    place = desk(scene)
    place.work("bare(work + '/sub')", guards)
    commit = place.naive_snapshot() if guards.is_careless else place.snapshot().commit
    result = scene.root / "result"
    result.mkdir()
    archive = place.user.git.run("archive", "--format=tar", commit).output
    subprocess.run(["tar", "-xm", "-C", result], input=archive, check=True)
    (result / "sub").mkdir(exist_ok=True)
    if (result / "sub/config").exists():
        # The worker cannot know where; a relative path would do as well.
        text = (result / "sub/config").read_text().replace(str(place.tree), str(result))
        (result / "sub/config").write_text(text)
    said = plain_git("status", cwd=result / "sub", home=scene.outside)
    return Outcome(succeeded=scene.outside_changed(), detail=said)


def _reads_other_branch(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    blob = place.user.git.run("hash-object", "-w", "--stdin", stdin=scene.secret.encode()).text
    scene.facts["blob"] = blob
    place.work(
        """
os.environ['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = S['objects']
print(subprocess.run(['git', 'cat-file', '-p', S['blob']], capture_output=True))
""",
        guards,
    )
    said = place.last_words()
    return Outcome(succeeded=scene.secret in said, detail=said)


def _spoils_history(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    [base] = [
        each.source
        for each in place.workspace.mounts
        if not each.is_writable and each.source.is_dir() and each.source.suffix == ".git"
    ]
    scene.facts["base"] = str(base)
    place.work(
        """
for folder, _, files in os.walk(S['base'] + '/objects'):
    for name in files:
        path = os.path.join(folder, name)
        try:
            os.chmod(path, 0o644); open(path, 'wb').write(b'spoilt'); got(path)
        except OSError as error: print(error)
""",
        guards,
    )
    check = plain_git(f"--git-dir={base}", "fsck", "--full", cwd=base, home=scene.outside)
    is_spoilt = "error" in check or "fatal" in check
    return Outcome(succeeded=is_spoilt, detail=f"{check}\n{place.last_words()}")


def _writes_trusted(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work(
        """
for name in os.listdir(S['desk']):
    path = S['desk'] + '/' + name + '/config'
    if name.endswith('.git') and not os.path.samefile(path, git + '/config'):
        setting('[core]\\n\\tsshCommand = TRAP', path); got(path)
""",
        guards,
    )
    said = place.last_words()
    changed = [
        path
        for path in place.tree.parent.glob("*.git/config")
        if path.parent != place.worker_git and "sshCommand" in path.read_text(encoding="utf-8")
    ]
    return Outcome(succeeded=bool(changed), detail=said)


def _moves_workspace(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene)
    place.work("os.chdir('/'); os.rename(S['tree'], S['desk'] + '/moved')", guards)
    return Outcome(succeeded=not place.tree.exists(), detail=place.last_words())


def _reads_hidden(scene: Scene, guards: Guards) -> Outcome:
    """Let a role that must not see a file look for it everywhere, history included."""
    hides = () if guards.is_careless else ("tests/answer.py",)
    files = {"tests/answer.py": scene.secret}
    place = desk(scene, WorkspacePlan(hides=hides), files=files)
    place.work(
        """
for words in (['log', '-p', '--all'], ['cat-file', '--batch-all-objects', '--batch']):
    print(subprocess.run(['git', *words], capture_output=True).stdout.decode(errors='replace'))
print(subprocess.run(['cat', 'tests/answer.py'], capture_output=True).stdout)
""",
        guards,
    )
    found = place.heard is not None and scene.secret.encode() in place.heard.output
    return Outcome(succeeded=found, detail=place.last_words())


def _edits_as_reader(scene: Scene, guards: Guards) -> Outcome:
    place = desk(scene, WorkspacePlan(is_writable=guards.is_careless))
    place.try_to("open(work + '/src/a.py', 'w').write('edited')", guards)
    text = (place.tree / "src/a.py").read_text(encoding="utf-8")
    return Outcome(succeeded=text == "edited", detail=place.last_words())


def _poison(what: str, program: str, *commands: tuple[str, ...], fact: str = "45") -> Attempt:
    return Attempt(
        what=f"has host git run {what}",
        fact=fact,
        layers=(_TRUSTED,),
        perform=Poison(program=program, commands=commands),
    )


_COMMIT: Final = ("commit", "--quiet", "-am", "x")
_EVIL_DIRECTORY: Final = """
run('init', '-q', work + '/evil')
run('-C', work + '/evil', 'commit', '-q', '--allow-empty', '-m', 'x')
setting('[core]\\n\\tfsmonitor = TRAP', work + '/evil/.git/config')
"""

ATTEMPTS: Final = (
    _poison("a hook (pre-commit)", "hook(git + '/hooks/pre-commit')", _COMMIT),
    _poison(
        "a hook (post-checkout)",
        "hook(git + '/hooks/post-checkout')",
        ("checkout", "--quiet", "task"),
    ),
    _poison(
        "hooks of another directory (core.hooksPath)",
        "hook(work + '/h/pre-commit'); setting(f'[core]\\n\\thooksPath = {work}/h')",
        _COMMIT,
    ),
    _poison("core.fsmonitor", "setting('[core]\\n\\tfsmonitor = TRAP')", ("status",)),
    _poison(
        "a setting that is included from the workspace",
        "write(work + '/more', f'[core]\\n\\tfsmonitor = {trap}\\n');"
        " setting(f'[include]\\n\\tpath = {work}/more')",
        ("status",),
    ),
    _poison("diff.external", "setting('[diff]\\n\\texternal = TRAP')", ("diff",)),
    _poison(
        "a text conversion by attribute",
        "write(work + '/.gitattributes', '* diff=evil');"
        " setting('[diff \"evil\"]\\n\\ttextconv = TRAP')",
        ("diff",),
    ),
    _poison(
        "a cleaning filter by attribute",
        "write(work + '/.gitattributes', '* filter=evil');"
        " setting('[filter \"evil\"]\\n\\tclean = TRAP')",
        ("add", "README"),
    ),
    _poison(
        "a smudging filter by attribute",
        "write(work + '/.gitattributes', '* filter=evil');"
        " setting('[filter \"evil\"]\\n\\tsmudge = TRAP')",
        ("checkout", "--force", "HEAD", "--", "README"),
    ),
    _poison(
        "a signing program",
        "setting('[commit]\\n\\tgpgsign = true\\n[gpg]\\n\\tprogram = TRAP')",
        _COMMIT,
    ),
    _poison(
        "core.sshCommand",
        "setting('[core]\\n\\tsshCommand = TRAP\\n[remote \"o\"]\\n\\turl = ssh://host.test/x')",
        ("fetch", "o"),
    ),
    _poison(
        "remote.uploadpack",
        "setting(f'[remote \"o\"]\\n\\turl = {work}/evil\\n\\tuploadpack = TRAP');"
        " run('init', '-q', work + '/evil')",
        ("fetch", "o"),
    ),
    _poison(
        "a merge driver by attribute",
        """
write(git + '/info/attributes', '* merge=evil')
setting('[merge "evil"]\\n\\tdriver = TRAP')
run('commit', '-qam', 'mine'); run('switch', '-qc', 'other', 'HEAD~1')
write(work + '/README', 'other\\n'); run('commit', '-qam', 'other'); run('switch', '-q', 'task')
""",
        ("merge", "--no-edit", "other"),
    ),
    _poison(
        "core.fsmonitor of a nested repository",
        f"{_EVIL_DIRECTORY}\nrun('add', 'evil')\nwrite(work + '/evil/new', 'x')",
        ("status",),
    ),
    _poison(
        "the configuration of another directory (commondir)",
        f"{_EVIL_DIRECTORY}\nwrite(git + '/commondir', work + '/evil/.git\\n')",
        ("status",),
        fact="46",
    ),
    Attempt(
        what="puts a repository in place of .git for whoever looks around",
        fact="46",
        layers=(_PINNED,),
        perform=_person_looks(
            """
os.unlink('.git'); run('init', '-q', '.')
run('-C', work, 'commit', '-q', '--allow-empty', '-m', 'x')
setting('[core]\\n\\tfsmonitor = TRAP', work + '/.git/config')
"""
        ),
    ),
    Attempt(
        what="points .git elsewhere for whoever looks around",
        fact="46",
        layers=(_PINNED,),
        perform=_person_looks(
            f"{_EVIL_DIRECTORY}\nos.chmod('.git', 0o644)\n"
            "open('.git', 'w').write(f'gitdir: {work}/evil/.git\\n')"
        ),
    ),
    Attempt(
        what="makes the workspace itself a bare repository",
        fact="46",
        layers=(_PINNED,),
        perform=_person_looks("bare(work); os.unlink('.git')"),
    ),
    Attempt(
        what="plants a bare repository that its result carries along",
        fact="46",
        layers=(_ADMISSION,),
        perform=_planted_for_later,
    ),
    Attempt(
        what="reads what another branch or a stash holds",
        layers=(
            shown("only what the base reaches is there", "--ro-bind", "{objects}", "{objects}"),
        ),
        perform=_reads_other_branch,
    ),
    Attempt(
        what="reads a file that its role must not see, in the history",
        layers=(careless("a role's hidden files are in no object either", "a role without them"),),
        perform=_reads_hidden,
    ),
    Attempt(
        what="edits files though its role may only read",
        layers=(careless("the workspace of such a role is read-only", "a role that may edit"),),
        perform=_edits_as_reader,
    ),
    Attempt(
        what="spoils the objects that all workspaces share",
        fact="13",
        layers=(
            option(
                "shared objects are read-only",
                ("--ro-bind", "{base}", "{base}"),
                *("--bind", "{base}", "{base}"),
            ),
        ),
        perform=_spoils_history,
    ),
    Attempt(
        what="changes the supervisor's own git directory",
        fact="45",
        layers=(shown("it is not mounted", "--bind", "{desk}", "{desk}"),),
        perform=_writes_trusted,
    ),
    Attempt(
        what="moves the workspace away",
        fact="51",
        layers=(
            option(
                "the workspace is a mount point",
                ("--bind", "{tree}", "{tree}", "--ro-bind", "{pointer}", "{pointer}"),
                *("--bind", "{desk}", "{desk}"),
            ),
        ),
        perform=_moves_workspace,
    ),
)
