"""What a worker may leave on disk: one recipe for every complaint that git's own check knows.

The complaints are those of every version of git until the middle of 2026, given up ones as well: an
older git than ours may still make them.
"""

import os
import socket
import zlib
from collections.abc import Callable, Mapping
from hashlib import sha1
from pathlib import Path
from typing import Final

Recipe = Callable[[Path], object]
"""Writes into the files of a workspace; beside them lies the worker's own git directory."""

_PERSON: Final = "A <a@b> 1 +0000"
_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_DEPTH: Final = 40


def submodule(line: str, name: str = "x") -> Recipe:
    """Return a recipe for a list of submodules with one line that git does not like."""
    text = f'[submodule "{name}"]\n\tpath = p\n\turl = ./u\n\t{line}\n'
    return lambda tree: (tree / ".gitmodules").write_text(text)


def text(name: str, content: str) -> Recipe:
    """Return a recipe for one file."""
    return lambda tree: (tree / name).write_text(content)


def commit(*lines: str) -> Recipe:
    """Return a recipe for a commit in the worker's git directory, at which its branch stands."""
    return lambda tree: _stand_at(tree, "commit", "\n".join(lines).encode())


def tag(*lines: str) -> Recipe:
    """Return a recipe for a tag in the worker's git directory."""
    return lambda tree: _stand_at(tree, "tag", "\n".join(lines).encode())


def entry(name: bytes, mode: bytes = b"100644", twice: bytes = b"") -> Recipe:
    """Return a recipe for a tree in the worker's git directory."""
    body = b"%b %b\0%b%b" % (mode, name, bytes(range(20)), twice)
    return lambda tree: _stand_at(tree, "tree", body)


def ref(name: str, content: str) -> Recipe:
    """Return a recipe for a file in the worker's git directory."""
    return lambda tree: _into(tree, name).write_text(content)


def _into(tree: Path, name: str) -> Path:
    place = tree.parent / "worker.git" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _stand_at(tree: Path, kind: str, body: bytes) -> None:
    whole = f"{kind} {len(body)}\0".encode() + body
    name = sha1(whole, usedforsecurity=False).hexdigest()
    _into(tree, f"objects/{name[:2]}/{name[2:]}").write_bytes(zlib.compress(whole))
    _into(tree, "refs/heads/task").write_text(f"{name}\n")
    _into(tree, "index").write_bytes(b"DIRC garbage")


def _link(name: str, target: str) -> Recipe:
    return lambda tree: (tree / name).symlink_to(target)


def _directory(name: str) -> Recipe:
    def make(tree: Path) -> None:
        (tree / name).mkdir()
        (tree / name / "x").write_text("x")

    return make


def _deep(tree: Path) -> None:
    here = os.open(tree, os.O_RDONLY)
    for _ in range(_DEPTH):
        os.mkdir("a" * 100, dir_fd=here)
        there = os.open("a" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(os.open("deepest", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def _aliases(tree: Path) -> None:
    for name in (".GIT", "git~1", ".git ", ".g\u200cit", ".git::$INDEX_ALLOCATION", "a\\.git"):
        (tree / name).mkdir()
        (tree / name / "config").write_text("[core]\n\tfsmonitor = false\n")


def _special(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    os.mkfifo(tree / ".gitignore")
    os.mkfifo(tree / ".gitattributes")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{os.open(tree, os.O_RDONLY)}/socket")


def _unreadable(tree: Path) -> None:
    (tree / "secret").write_text("x")
    (tree / "secret").chmod(0)
    (tree / "closed").mkdir()
    (tree / "closed" / "x").write_text("x")
    (tree / "closed").chmod(0)
    (tree / "README").chmod(0)
    tree.chmod(0)


def _repository(tree: Path) -> None:
    for name in ("objects", "refs"):
        (tree / "bare" / name).mkdir(parents=True)
    (tree / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "bare" / "config").write_text("[core]\n\tfsmonitor = /bin/false\n")


def _many_modules(tree: Path) -> None:
    for number in range(12):
        (tree / f"d{number}").mkdir()
        submodule(f"url = -u./{number}")(tree / f"d{number}")
    for number in range(110):
        (tree / f"f{number}").write_text(str(number))


def _sparse(tree: Path) -> None:
    with (tree / "sparse").open("wb") as file:
        file.truncate(1 << 30)


def _linked(tree: Path) -> None:
    (tree / "one").write_text("x" * 1000)
    for number in range(20):
        os.link(tree / "one", tree / f"one{number}")
    (tree / "loop").symlink_to("loop")
    (tree / "up").symlink_to("..")


def _nothing(tree: Path) -> None:
    for name in ("README", "src/a.py"):
        (tree / name).unlink()


def _own_state(tree: Path) -> None:
    (tree / ".supervisor").mkdir()
    (tree / ".supervisor" / "state.db").write_text("x")


OF_FSCK: Final[Mapping[str, Recipe]] = {
    "badDate": commit(f"tree {_TREE}", "author A <a@b> x +0000", f"committer {_PERSON}", "", ""),
    "badDateOverflow": commit(f"tree {_TREE}", f"author A <a@b> {'9' * 30} +0000", ""),
    "badEmail": commit(f"tree {_TREE}", "author A <a 1 +0000", ""),
    "badFilemode": entry(b"x", b"100777"),
    "badGpgsig": commit(f"tree {_TREE}", "gpgsig", ""),
    "badHeaderContinuation": commit(f"tree {_TREE}", " x", ""),
    "badHeadTarget": ref("HEAD", "ref: refs/../../x\n"),
    "badName": commit(f"tree {_TREE}", "author A>B <a@b> 1 +0000", ""),
    "badObjectSha1": tag("object x", "type commit", ""),
    "badPackedRefEntry": ref("packed-refs", "garbage\n"),
    "badPackedRefHeader": ref("packed-refs", "# pack-refs x\n"),
    "badParentSha1": commit(f"tree {_TREE}", "parent x", ""),
    "badRefContent": ref("refs/heads/x", "garbage\n"),
    "badRefFiletype": lambda tree: os.mkfifo(_into(tree, "refs/heads/pipe")),
    "badRefName": ref("refs/heads/x..y", f"{_TREE}\n"),
    "badRefOid": ref("refs/heads/x", f"{'0' * 40}\n"),
    "badReferentName": ref("refs/heads/x", "ref: a..b\n"),
    "badReftableTableName": ref("reftable/tables.list", "../../x\n"),
    "badTagName": tag(f"object {_TREE}", "type tree", "tag a..b", ""),
    "badTagObject": tag(f"object {_TREE}", "type blob", "tag x", f"tagger {_PERSON}", ""),
    "badTimezone": commit(f"tree {_TREE}", "author A <a@b> 1 x", ""),
    "badTree": lambda tree: _stand_at(tree, "tree", b"100644 x"),
    "badTreeSha1": commit("tree x", ""),
    "badType": tag(f"object {_TREE}", "type x", ""),
    "duplicateEntries": entry(b"x", twice=b"100644 x\0" + bytes(range(20))),
    "emptyName": entry(b""),
    "emptyPackedRefsFile": ref("packed-refs", ""),
    "extraHeaderEntry": tag(f"object {_TREE}", "type tree", "tag x", f"tagger {_PERSON}", "x y"),
    "fullPathname": entry(b"a/b"),
    "gitattributesBlob": _directory(".gitattributes"),
    "gitattributesLarge": text(".gitattributes", "#" * 100),
    "gitattributesLineLength": text(".gitattributes", f"* {'a' * 3000}\n"),
    "gitattributesMissing": entry(b".gitattributes"),
    "gitattributesSymlink": _link(".gitattributes", "/dev/zero"),
    "gitignoreSymlink": _link(".gitignore", "/dev/zero"),
    "gitmodulesBlob": _directory(".gitmodules"),
    "gitmodulesLarge": text(".gitmodules", "#" * 100),
    "gitmodulesMissing": entry(b".gitmodules"),
    "gitmodulesName": submodule("x = y", "../x"),
    "gitmodulesParse": text(".gitmodules", "[[[\n"),
    "gitmodulesPath": submodule("path = -x"),
    "gitmodulesSymlink": _link(".gitmodules", "README"),
    "gitmodulesUpdate": submodule("update = !false"),
    "gitmodulesUrl": submodule("url = -u./x"),
    "hasDot": entry(b"."),
    "hasDotdot": entry(b".."),
    "hasDotgit": _aliases,
    "largePathname": _deep,
    "mailmapSymlink": _link(".mailmap", "/dev/zero"),
    "missingAuthor": commit(f"tree {_TREE}", f"committer {_PERSON}", ""),
    "missingCommitter": commit(f"tree {_TREE}", f"author {_PERSON}", ""),
    "missingEmail": commit(f"tree {_TREE}", "author A 1 +0000", ""),
    "missingGraft": ref("info/grafts", f"{'1' * 40} {'2' * 40}\n"),
    "missingNameBeforeEmail": commit(f"tree {_TREE}", "author <a@b> 1 +0000", ""),
    "missingObject": tag("type commit", ""),
    "missingParent": commit(f"tree {_TREE}", f"parent {'1' * 40}", f"author {_PERSON}", ""),
    "missingSpaceBeforeDate": commit(f"tree {_TREE}", "author A <a@b>1 +0000", ""),
    "missingSpaceBeforeEmail": commit(f"tree {_TREE}", "author A<a@b> 1 +0000", ""),
    "missingTag": tag(f"object {_TREE}", "type tree", ""),
    "missingTagEntry": tag(f"object {_TREE}", "type tree", "x y", ""),
    "missingTagObject": tag(f"object {'1' * 40}", "type commit", "tag x", ""),
    "missingTaggerEntry": tag(f"object {_TREE}", "type tree", "tag x", ""),
    "missingTree": commit("x", ""),
    "missingTreeObject": commit(f"tree {'1' * 40}", f"author {_PERSON}", ""),
    "missingType": tag(f"object {_TREE}", ""),
    "missingTypeEntry": tag(f"object {_TREE}", "x", ""),
    "multipleAuthors": commit(f"tree {_TREE}", f"author {_PERSON}", f"author {_PERSON}", ""),
    "nulInCommit": commit(f"tree {_TREE}", f"author {_PERSON}", f"committer {_PERSON}", "", "\0"),
    "nulInHeader": commit(f"tree {_TREE}\0", ""),
    "nullSha1": lambda tree: _stand_at(tree, "tree", b"100644 x\0" + bytes(20)),
    "packedRefEntryNotTerminated": ref("packed-refs", f"{_TREE} refs/heads/x"),
    "packedRefUnsorted": ref("packed-refs", f"{_TREE} refs/b\n{_TREE} refs/a\n"),
    "refMissingNewline": ref("refs/heads/x", _TREE),
    "symlinkPointsToGitDir": _link("link", ".git/config"),
    "symlinkRef": lambda tree: _into(tree, "refs/heads/link").symlink_to("task"),
    "symlinkTargetBlob": _link("link", "."),
    "symlinkTargetLength": _link("link", "a/" * 2000),
    "symlinkTargetMissing": _link("link", "nowhere"),
    "symrefTargetIsNotARef": ref("refs/heads/x", "ref: x\n"),
    "tagObjectNotTag": lambda tree: _stand_at(tree, "blob", b"tag x"),
    "trailingRefContent": ref("refs/heads/x", f"{_TREE} x\n"),
    "treeNotSorted": entry(b"z", twice=b"100644 a\0" + bytes(range(20))),
    "unknownType": lambda tree: _stand_at(tree, "x", b"x"),
    "unterminatedHeader": lambda tree: _stand_at(tree, "commit", b"tree x"),
    "zeroPaddedDate": commit(f"tree {_TREE}", "author A <a@b> 01 +0000", ""),
    "zeroPaddedFilemode": entry(b"x", b"0100644"),
}
"""What cannot come from files is put into the worker's own git directory, for us to be misled."""

OTHERS: Final[Mapping[str, Recipe]] = {
    "aliases of a git directory": _aliases,
    "attributes that fail": text(".gitattributes", "* working-tree-encoding=UTF-16\n"),
    "attributes of a missing filter": text(".gitattributes", "* filter=x text eol=crlf ident\n"),
    "deep directories": _deep,
    "hard links and loops": _linked,
    "ignored by itself": text(".gitignore", "*\n!.gitmodules\n"),
    "links of attributes": _link(".gitattributes", "."),
    "many lists of submodules": _many_modules,
    "names that are no text": lambda tree: (tree / os.fsdecode(b"\xff\n\x1b[31m")).write_text("x"),
    "names that are options": text("--pathspec-from-file=x", "x"),
    "names that are long": text("n" * 255, "x"),
    "no files at all": _nothing,
    "own state": _own_state,
    "a repository": _repository,
    "sparse files": _sparse,
    "special files": _special,
    "unreadable files": _unreadable,
}
