"""Sources that offer more than packs."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.unit.definitions.packs.scene import (
    Scene,
    git,
    lie_in,
    pack,
    publish,
    run_git,
    write,
)

from supervisor_ai.control.ports.packs import PackOffer
from supervisor_ai.definitions.packs.contents import digest
from supervisor_ai.definitions.packs.git_archive import fetch_archive, protocol
from supervisor_ai.definitions.packs.preferences import read_preferences
from supervisor_ai.definitions.packs.sources import _refuse_local
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("install.sh", "touch pwned"),
        ("roles/a b.yaml", "a"),
        ("roles/deep/er.yaml", "a"),
        ("config.yaml", "sandbox: {}"),
        (".gitattributes", "* filter=evil"),
        ("prompts/_base.j2", "a"),
        ("workflows/evil.yaml", "a"),
        ("README.md", "a" * 300_000),
        ("README.md", "a\r\nb"),
        ("README.md", "a\0b"),
    ],
)
def test_a_file_that_no_pack_has_is_refused(path: str, text: str, scene: Scene) -> None:
    source = write(scene.directory / "a" / "desk", pack("desk"))
    (source / path).parent.mkdir(parents=True, exist_ok=True)
    (source / path).write_bytes(text.encode())
    with pytest.raises(InvalidInput, match="refused"):
        scene.install("desk", source)


def test_a_link_in_a_directory_is_refused(scene: Scene) -> None:
    source = write(scene.directory / "desk", pack("desk"))
    secret = write(scene.directory, {"secret": "hidden"}) / "secret"
    (source / "README.md").symlink_to(secret)
    (source / "prompts").symlink_to(scene.directory)
    with pytest.raises(InvalidInput) as caught:
        scene.install("desk", source)
    assert "'README.md' is not a plain file" in caught.value.message
    assert "'prompts' is not a plain file" in caught.value.message


def test_a_pipe_is_refused(scene: Scene) -> None:
    source = write(scene.directory / "desk", pack("desk"))
    os.mkfifo(source / "README.md")
    with pytest.raises(InvalidInput, match="not a plain file"):
        scene.install("desk", source)


def test_links_and_submodules_of_a_repository_are_refused(scene: Scene) -> None:
    work = scene.directory / "shelf"
    commit = publish(work, lie_in("desk", pack("desk")))
    (work / "desk/README.md").symlink_to("/etc/passwd")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{commit},desk/roles/sub.yaml")
    git(work, "add", "desk/README.md")
    git(work, "commit", "--quiet", "--message", "links")
    git(work, "push", "--quiet", str(work.with_suffix(".git")), "HEAD:main")
    with pytest.raises(InvalidInput) as caught:
        scene.install("desk", work.with_suffix(".git"))
    assert "'README.md' is not a plain file" in caught.value.message
    assert "'roles/sub.yaml' is not a plain file" in caught.value.message


def test_too_many_files_are_refused(scene: Scene) -> None:
    many = {f"roles/r{number}.yaml": "a: b\n" for number in range(250)}
    source = write(scene.directory / "desk", pack("desk") | many)
    with pytest.raises(InvalidInput, match="at most 200"):
        scene.install("desk", source)


def test_hooks_and_filters_do_not_run(scene: Scene) -> None:
    work = scene.directory / "shelf"
    publish(work, {".gitattributes": "* filter=evil\n"} | lie_in("desk", pack("desk")))
    bare = work.with_suffix(".git")
    trap = scene.directory / "pwned"
    for name in ("post-checkout", "reference-transaction", "pre-receive", "update"):
        hook = bare / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
        hook.chmod(0o755)
    git(bare, "config", "filter.evil.smudge", f"touch {trap}")
    git(bare, "config", "uploadpack.packObjectsHook", f"touch {trap}")
    git(bare, "config", "core.fsmonitor", f"touch {trap}")
    scene.install("desk", bare)
    assert not trap.exists()
    assert (scene.place / "packs/desk/pack.yaml").exists()


@pytest.mark.parametrize(
    "source",
    [
        "ext::sh -c 'touch pwned'",
        "http://example.org/a.git",
        "git://example.org/a.git",
        "fd::7",
        "--upload-pack=touch pwned",
        "user@host:a::b",
        "nowhere",
    ],
)
def test_a_source_that_runs_or_trusts_anything_is_refused(source: str, scene: Scene) -> None:
    with pytest.raises(InvalidInput, match="cannot be fetched"):
        scene.shop().plan_install("desk", ">=0", source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("https://example.org/a.git", "https"),
        ("ssh://git@example.org/a.git", "ssh"),
        ("git@example.org:a/b.git", "ssh"),
        ("file:///a", "file"),
        ("/a", "file"),
    ],
)
def test_a_source_has_one_protocol(source: str, expected: str) -> None:
    assert protocol(source) == expected


def test_a_ref_cannot_pose_as_an_option(scene: Scene) -> None:
    with pytest.raises(InvalidInput, match="cannot be called"):
        fetch_archive("/a", "--upload-pack=x", scene.directory, run_git)


def test_files_of_a_commit_are_read_with_care(scene: Scene) -> None:
    work = scene.directory / "shelf"
    publish(work, {"big.yaml": "a" * 300_000, "small.yaml": "a: b\n\n"})
    place = scene.directory / "fetched"
    place.mkdir()
    archive = fetch_archive(str(work.with_suffix(".git")), None, place, run_git)
    assert archive.read("small.yaml") == b"a: b\n\n"
    assert archive.read("big.yaml") is None
    assert archive.read("../small.yaml") is None
    assert archive.read("a\nb") is None
    assert archive.read("gone.yaml") is None


def offer(source: str) -> PackOffer:
    return PackOffer(name="a", version="1", description="", author="", source=source, path=".")


def test_an_index_from_elsewhere_cannot_name_local_files() -> None:
    for place in ("/home", "file:///home"):
        with pytest.raises(Denied, match="a place on your machine"):
            _refuse_local("https://example.org/a.git", offer(place))
    _refuse_local("https://example.org/a.git", offer("https://example.org/b.git"))
    _refuse_local("/local", offer("/other"))


def test_an_index_that_lies_is_refused(scene: Scene) -> None:
    market = write(scene.directory / "market", lie_in("desk", pack("desk", "1.0.0")))
    entry = "packs: [{name: desk, version: 9.0.0, path: desk}]\n"
    write(market, {"index.yaml": entry})
    with pytest.raises(Conflict, match=r"offers 'desk' 9.0.0, but what lies there is 'desk' 1.0.0"):
        scene.install("desk", market)
    wrong = f"name: desk, version: 1.0.0, path: desk, digest: {'a' * 64}"
    write(market, {"index.yaml": f"packs: [{{{wrong}}}]\n"})
    with pytest.raises(Conflict, match="has the digest"):
        scene.install("desk", market)
    write(market, {"index.yaml": "packs: [{name: ../a, version: x, path: ../b}]\n"})
    with pytest.raises(InvalidInput, match="3 mistakes"):
        scene.install("desk", market)
    write(market, {"index.yaml": "packs: []\n"})
    with pytest.raises(NotFound, match="no pack"):
        scene.install("desk", market)
    (market / "index.yaml").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="UTF-8"):
        scene.install("desk", market)


def signed(scene: Scene, key: Path, *, index: str) -> Path:
    market = write(scene.directory / "market", lie_in("desk", pack("desk")) | {"index.yaml": index})
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "supervisor-packs"]
    (market / "index.yaml.sig").unlink(missing_ok=True)
    subprocess.run([*command, str(market / "index.yaml")], check=True, capture_output=True)
    return market


def make_key(place: Path, name: str) -> Path:
    key = place / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
    subprocess.run(command, check=True)
    return key


def test_an_index_must_be_signed_where_the_user_says_so(scene: Scene) -> None:
    key, other = make_key(scene.directory, "ada"), make_key(scene.directory, "eve")
    signers = scene.directory / "signers"
    signers.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    named = f"name: desk, version: 1.0.0, path: desk, digest: {digest(pack('desk'))}"
    index = f"packs: [{{{named}}}]\n"
    market = signed(scene, key, index=index)
    plan = scene.shop(signers=signers).plan_install("desk", ">=0", str(market))
    assert [change.after for change in plan.changes] == ["1.0.0"]
    signed(scene, other, index=index)
    with pytest.raises(Denied, match="nobody whom you have listed"):
        scene.shop(signers=signers).plan_install("desk", ">=0", str(market))
    signed(scene, key, index=index)
    write(market, {"index.yaml": f"{index}# more\n"})
    with pytest.raises(Denied, match=r"is not what 'ada@example\.org' signed"):
        scene.shop(signers=signers).plan_install("desk", ">=0", str(market))
    signed(scene, key, index="packs: [{name: desk, version: 1.0.0, path: desk}]\n")
    with pytest.raises(Denied, match="no digest"):
        scene.shop(signers=signers).plan_install("desk", ">=0", str(market))
    (market / "index.yaml.sig").unlink()
    with pytest.raises(Denied, match="no signed index"):
        scene.shop(signers=signers).plan_install("desk", ">=0", str(market))


def test_preferences_are_read_from_the_users_file(tmp_path: Path) -> None:
    assert read_preferences(tmp_path).sources == ()
    write(tmp_path, {"packs.yaml": "sources: [/a]\nallowed_signers: /b\n"})
    found = read_preferences(tmp_path)
    assert (found.sources, found.signers) == (("/a",), Path("/b"))
    write(tmp_path, {"packs.yaml": "source: [/a]\n"})
    with pytest.raises(InvalidInput, match=r"packs\.yaml:1: source"):
        read_preferences(tmp_path)
    write(tmp_path, {"packs.yaml": ""})
    assert read_preferences(tmp_path).sources == ()
    (tmp_path / "packs.yaml").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_preferences(tmp_path)


def test_what_is_no_text_is_refused(scene: Scene) -> None:
    source = write(scene.directory / "desk", pack("desk"))
    (source / "README.md").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"'README\.md' is not plain UTF-8 text"):
        scene.install("desk", source)


def test_a_pack_may_not_be_large_in_sum(scene: Scene) -> None:
    large = {f"roles/r{number}.yaml": "#" * 200_000 for number in range(12)}
    source = write(scene.directory / "desk", pack("desk") | large)
    with pytest.raises(InvalidInput, match="larger than 2097152 bytes"):
        scene.install("desk", source)
