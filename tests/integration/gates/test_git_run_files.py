"""What the user's own git would run of the work tree: each such path stops a worker's change."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.auto_run import examine_auto_run
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git_run_files import find_git_run_files
from supervisor_ai.workspaces.repositories.repository import GitRepository

CASE = ChangeCase(base=BASE, head=HEAD)
HARMLESS = {"src/main.py": "x\n", "test/test_main.py": "x\n", "docs/a.md": "x\n", "ed": "x\n"}
SETTINGS = (
    ("core.hooksPath", "scripts/git", "scripts/git/pre-commit"),
    ("core.hooksPath", "tools", "tools/post-checkout"),
    ("core.hooksPath", "./my hooks", "my hooks/pre-push"),
    ("core.hooksPath", "{top}/tools", "tools/pre-commit"),
    ("core.hooksPath", ".", "commit-msg"),
    ("include.path", "../git.inc", "git.inc"),
    ("include.path", "{top}/settings/own", "settings/own"),
    ("includeIf.onbranch:other.path", "../git.inc", "git.inc"),
    ("includeIf.gitdir:/nowhere/.path", "../git.inc", "git.inc"),
    ("core.attributesFile", "attributes", "attributes"),
    ("core.excludesFile", "config/ignore", "config/ignore"),
    ("core.fsmonitor", "tools/watch.sh", "tools/watch.sh"),
    ("core.editor", "./edit.sh -w", "edit.sh"),
    ("core.editor", "ed", "ed"),
    ("sequence.editor", "python3 tools/sequence", "tools/sequence"),
    ("core.pager", "tools/pager | less", "tools/pager"),
    ("pager.log", "perl pager", "pager"),
    ("core.sshCommand", "ssh -F .ssh/config -i .ssh/id", ".ssh/config"),
    ("core.askPass", "tools/ask", "tools/ask"),
    ("core.gitProxy", "tools/proxy for example.com", "tools/proxy"),
    ("core.alternateRefsCommand", "tools/refs", "tools/refs"),
    ("alias.deploy", "!tools/deploy.sh", "tools/deploy.sh"),
    ("alias.deploy", "!sh -c 'cd tools && ./deploy'", "tools/deploy"),
    ("alias.deploy", '!f() { node "$PWD/tools/deploy"; }; f', "tools/deploy"),
    ("alias.deploy", "!$(git rev-parse --show-toplevel)/tools/deploy", "tools/deploy"),
    ("alias.ci", "-c core.hooksPath=tools commit", "tools/pre-commit"),
    ("diff.external", "tools/diff", "tools/diff"),
    ("diff.pdf.command", "tools/diff-pdf", "tools/diff-pdf"),
    ("diff.pdf.textconv", "python3 tools/text.py", "tools/text.py"),
    ("filter.x.clean", "tools/clean %f", "tools/clean"),
    ("filter.x.smudge", "'tools/my smudge' %f", "tools/my smudge"),
    ("filter.x.process", "tools/process", "tools/process"),
    ("merge.x.driver", "tools/merge %O %A %B", "tools/merge"),
    ("merge.tool.x.cmd", "tools/x", "tools/x"),
    ("mergetool.x.cmd", "tools/x $LOCAL", "tools/x"),
    ("mergetool.x.path", "x", "x"),
    ("difftool.x.cmd", "bash tools/x", "tools/x"),
    ("difftool.x.path", "tools/x", "tools/x"),
    ("guitool.x.cmd", "tools/x", "tools/x"),
    ("interactive.diffFilter", "tools/colour", "tools/colour"),
    ("add.interactive.useBuiltin", "tools/x", "tools/x"),
    ("gpg.program", "tools/gpg", "tools/gpg"),
    ("gpg.ssh.program", "tools/ssh-sign", "tools/ssh-sign"),
    ("gpg.x509.program", "tools/smime", "tools/smime"),
    ("gpg.ssh.allowedSignersFile", "signers", "signers"),
    ("gpg.ssh.defaultKeyCommand", "tools/key", "tools/key"),
    ("credential.helper", "!tools/helper", "tools/helper"),
    ("credential.helper", "{top}/tools/helper", "tools/helper"),
    ("credential.https://example.com.helper", "!tools/helper", "tools/helper"),
    ("trailer.x.command", "tools/trailer", "tools/trailer"),
    ("trailer.x.cmd", "tools/trailer", "tools/trailer"),
    ("sendemail.smtpServer", "{top}/tools/mail", "tools/mail"),
    ("sendemail.toCmd", "tools/to", "tools/to"),
    ("sendemail.ccCmd", "tools/cc", "tools/cc"),
    ("sendemail.headerCmd", "tools/header", "tools/header"),
    ("browser.x.cmd", "tools/browser", "tools/browser"),
    ("browser.x.path", "tools/browser", "tools/browser"),
    ("web.browser", "tools/browser", "tools/browser"),
    ("man.x.cmd", "tools/man", "tools/man"),
    ("man.x.path", "man-viewer", "man-viewer"),
    ("help.browser", "tools/browser", "tools/browser"),
    ("instaweb.httpd", "tools/httpd -f", "tools/httpd"),
    ("uploadpack.packObjectsHook", "tools/pack", "tools/pack"),
    ("receive.procReceiveRefs", "tools/x", "tools/x"),
    ("remote.origin.uploadpack", "tools/upload", "tools/upload"),
    ("remote.origin.receivepack", "tools/receive", "tools/receive"),
    ("remote.origin.url", "ext::tools/connect %S", "tools/connect"),
    ("url.ext::tools/connect.insteadOf", "x:", "tools/connect"),
    ("submodule.lib.update", "!tools/update", "tools/update"),
    ("init.templateDir", "template", "template/hooks/pre-commit"),
    ("tar.tar.xz.command", "tools/xz", "tools/xz"),
    ("lfs.customtransfer.x.path", "tools/transfer", "tools/transfer"),
    ("gitflow.path.hooks", "tools/flow", "tools/flow/pre-flow"),
    ("http.sslCAInfo", "certificates", "certificates"),
    ("some.program.not.known.yet", "tools/x", "tools/x"),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScratchRepository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    user = ScratchRepository(tmp_path / "home")
    user.commit(HARMLESS)
    return user


def stopped(user: ScratchRepository, *paths: str) -> list[str]:
    """Return which paths the gate stops when a worker changes them all."""
    before: Mapping[str, str] = dict.fromkeys(paths, "old\n")
    commits = MemoryCommits(base=before, head=dict.fromkeys(paths, "evil\n"))
    run_files = find_git_run_files(GitRepository(user.path))
    found = examine_auto_run(CASE, commits, run_files).findings
    return [it.file or "" for it in found]


@pytest.mark.parametrize(("key", "value", "path"), SETTINGS)
@pytest.mark.parametrize("scope", ["local", "global"])
def test_a_path_that_a_setting_names_is_stopped(
    project: ScratchRepository, tmp_path: Path, scope: str, key: str, value: str, path: str
) -> None:
    if scope == "global" and value.startswith("../"):
        value = f"home/{value.removeprefix('../')}"
    said = value.replace("{top}", str(project.path))
    file = tmp_path / "global" if scope == "global" else project.path / ".git" / "config"
    project.git.run("config", "--file", str(file), key, said)
    assert path in stopped(project, path, "src/main.py", "test/test_main.py")
    assert "src/main.py" not in stopped(project, "src/main.py", "test/test_main.py")


def test_usual_settings_stop_nothing(project: ScratchRepository) -> None:
    for key, value in {
        "user.name": "test",
        "user.email": "src@example.com",
        "alias.st": "status -s",
        "alias.t": "!make test",
        "alias.l": "log --graph src",
        "core.editor": "vim",
        "core.pager": "less -R",
        "diff.tool": "meld",
        "remote.origin.url": "git@example.com:src/main.py",
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
        "branch.main.merge": "refs/heads/src",
        "blame.ignoreRevsFile": "docs/a.md",
        "submodule.src.path": "src",
        "init.defaultBranch": "test",
        "commit.template": "docs/a.md",
        "credential.helper": "store",
    }.items():
        project.git.run("config", key, value)
    assert stopped(project, *HARMLESS) == []


def test_settings_of_included_files_of_other_branches_and_of_the_environment_count(
    project: ScratchRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more").write_text('[includeIf "onbranch:x"]\n\tpath = deeper\n')
    (tmp_path / "deeper").write_text("[core]\n\thooksPath = tools/hooks\n")
    project.git.run("config", "includeIf.onbranch:other.path", str(tmp_path / "more"))
    monkeypatch.setenv("GIT_EDITOR", "tools/edit")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "alias.x")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "!tools/alias")
    paths = ["tools/alias", "tools/edit", "tools/hooks/pre-commit"]
    assert sorted(stopped(project, *paths, "tools/other")) == paths


def test_links_are_followed_on_both_sides(project: ScratchRepository, tmp_path: Path) -> None:
    for name in ("dotfiles/gitconfig", "tools/check", "lib/real/pre-push", "tools/called"):
        (project.path / name).parent.mkdir(parents=True, exist_ok=True)
        (project.path / name).write_text("")
    (tmp_path / "global").symlink_to(project.path / "dotfiles/gitconfig")
    hooks = project.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").symlink_to("../../tools/check")
    (project.path / "tools/check").chmod(0o755)
    (hooks / "pre-push").write_text('#!/bin/sh\n# as src/main.py\nexec ./tools/called "$@"\n')
    (hooks / "pre-push").chmod(0o755)
    (hooks / "commit-msg.sample").write_text("src/main.py\n")
    (project.path / "linked").symlink_to("lib/real")
    project.git.run("config", "alias.x", "!linked/pre-push")
    paths = ["dotfiles/gitconfig", "lib/real/pre-push", "tools/called", "tools/check"]
    assert sorted(stopped(project, *paths, "src/main.py", "tools/other")) == paths
    project.git.run("config", "core.hooksPath", "linked")
    assert stopped(project, "lib/real/commit-msg", "linked") == ["lib/real/commit-msg", "linked"]


def test_new_hooks_in_a_linked_folder_are_stopped(project: ScratchRepository) -> None:
    (project.path / "scripts").mkdir()
    (project.path / ".git/hooks").rename(project.path / ".git/unused")
    (project.path / ".git/hooks").symlink_to("../scripts")
    assert stopped(project, "scripts/pre-push", "src/main.py") == ["scripts/pre-push"]


@pytest.mark.parametrize(
    "value", ["~nobody-here/x", "x" * 5000 + "/y", "!'open", "\x01/x", "~", "/"]
)
def test_odd_values_are_read(project: ScratchRepository, value: str) -> None:
    project.git.run("config", "alias.x", value)
    project.git.run("config", b"alias.\xff.x", value)
    project.git.run("config", "gitflow.path", value)
    assert stopped(project, "src/main.py") == []


def test_a_link_in_place_of_a_folder_above_is_stopped(project: ScratchRepository) -> None:
    project.git.run("config", "core.hooksPath", "scripts/git/hooks")
    assert stopped(project, "scripts", "Scripts/Git", "script") == ["Scripts/Git", "scripts"]


@pytest.mark.parametrize(
    ("settings", "path", "verb"),
    [
        ({"core.hooksPath": "scripts/git"}, "scripts/git/pre-commit", "commit --allow-empty -m x"),
        ({"core.fsmonitor": "tools/watch"}, "tools/watch", "status"),
        ({"alias.x": "!cd tools && ./x"}, "tools/x", "x"),
        ({"diff.external": "tools/diff"}, "tools/diff", "diff"),
        ({"core.editor": "tools/edit"}, "tools/edit", "commit --allow-empty"),
        (
            {"trailer.x.cmd": "tools/trailer"},
            "tools/trailer",
            "interpret-trailers --trailer x=1 src/main.py",
        ),
    ],
)
def test_git_really_runs_it(
    project: ScratchRepository, settings: Mapping[str, str], path: str, verb: str
) -> None:
    for key, value in settings.items():
        project.git.run("config", key, value)
    program, mark = project.path / path, project.path / "ran"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\necho ran > {mark}\n")
    program.chmod(0o755)
    (project.path / "src/main.py").write_text("changed\n")
    names = {
        f"GIT_{it}_{name}": "u@x" for it in ("AUTHOR", "COMMITTER") for name in ("NAME", "EMAIL")
    }
    subprocess.run(
        ["git", *verb.split()],
        cwd=project.path,
        env={**os.environ, **names},
        capture_output=True,
        check=False,
    )
    assert mark.exists()
    assert stopped(project, path) == [path]


def test_git_really_reads_what_an_include_names(project: ScratchRepository) -> None:
    project.git.run("config", "include.path", "../git.inc")
    mark = project.path / "ran"
    (project.path / "git.inc").write_text(f'[core]\n\tfsmonitor = "touch {mark}; false"\n')
    subprocess.run(["git", "status"], cwd=project.path, capture_output=True, check=False)
    assert mark.exists()
    assert stopped(project, "git.inc") == ["git.inc"]
