"""The files of a work tree that the user's own git runs, or reads its settings from.

Git itself is asked for its settings, in every scope. Whatever a setting names inside the work tree
counts, unless the setting is known to be harmless: nobody has a list of all that git and the
programs around it start.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.workspaces.repositories.git import ask_as_user, failure, printable
from supervisor_ai.workspaces.repositories.repository import GitRepository

_LISTING: Final = ("--list", "--show-origin", "-z", "--includes")
_HARMLESS: Final = re.compile(
    r"remote\..*\.(fetch|push)|branch\..*\.(merge|remote|pushremote|description)"
    r"|submodule\..*\.(path|branch|active)|(user|author|committer)\.(name|email)"
    r"|blame\.ignorerevsfile|commit\.template|mailmap\.(file|blob)|safe\.directory|core\.worktree"
)
_ADDRESS: Final = re.compile(r"(remote|submodule)\..*\.(push)?url|url\..*\.(push)?insteadof")
_INCLUDE: Final = re.compile(r"include\.path|includeif\..*\.path")
_HOOKS: Final = "core.hookspath"
_OF_PATHS: Final = re.compile(r"(path|file|dir|directory|cainfo|sslcert|sslkey|signingkey)$")
_WORD: Final = re.compile(r"[^\s\"'`;&|<>(){}$,=:!\\]+")
_VARIABLE: Final = re.compile(r"\$\{?\w+")
_OPENER: Final = re.compile(
    r"(.*/)?(cd|pushd|source|\.|exec|env|-C|--prefix|--directory|\w*sh|python[\d.]*"
    r"|node|deno|bun|ruby|perl|php|.*path)",
    re.IGNORECASE,
)
"""What a path follows, also one that is a plain word."""
_VARIABLES: Final = (
    *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND"),
    *("GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_TEMPLATE_DIR"),
    *("GIT_EXEC_PATH", "EDITOR", "VISUAL", "PAGER", "SSH_ASKPASS", "BROWSER"),
)
_COMMENT: Final = re.compile(r"^\s*#.*$", re.MULTILINE)
_RUN: Final = os.X_OK | os.R_OK
_MOST_FILES: Final = 100
_MOST_ENTRIES: Final = 1_000
_HOOK_BYTES: Final = 64 << 10
_KEY_LENGTH: Final = 120


class _Setting(Struct, frozen=True, kw_only=True):
    """A setting, and the file that it stands in, if it does."""

    key: str
    value: str
    file: Path | None = None


def find_git_run_files(repository: GitRepository) -> Mapping[str, str]:
    """Name paths of the work tree, files or folders, with what makes git run or read them."""
    found: dict[str, str] = {}
    for top in dict.fromkeys((repository.checkout, repository.root)):
        for path, reason in _Tree(top, repository.git.directory).run_files():
            found.setdefault(path, reason)
    return found


class _Tree:
    """A work tree with what git would do in it."""

    def __init__(self, top: Path, directory: Path) -> None:
        self._top = top
        self._real_top = os.path.realpath(top)
        self._directory = directory

    def run_files(self) -> Iterator[tuple[str, str]]:
        settings = list(self._settings())
        hooks = [self._directory / "hooks"]
        for it in settings:
            reason = f"your git's setting {printable(os.fsencode(it.key))[:_KEY_LENGTH]!r} names it"
            for path in self._named(it):
                yield from ((each, reason) for each in self._with_targets(path))
                if it.key == _HOOKS:
                    hooks.append(path)
        for file in {*_usual_files(self._directory), *(it.file for it in settings if it.file)}:
            yield from ((it, "your git reads its settings from it") for it in self._links(file))
        for place in hooks:
            yield from ((it, "a hook of your git runs it") for it in self._of_hooks(place))

    def _settings(self) -> Iterator[_Setting]:
        """Ask git, also for files that it would read on another branch or in another place."""
        handed = {key: it for key, it in os.environ.items() if key.startswith("GIT_CONFIG_")}
        waiting, seen = [*self._listed(*_LISTING, environment=handed)], set[str]()
        for it in waiting:
            yield it
            if it.file is not None:
                seen.add(os.path.realpath(it.file))
        while waiting and len(seen) < _MOST_FILES:
            it = waiting.pop()
            if _INCLUDE.fullmatch(it.key):
                for file in self._named(it):
                    if os.path.realpath(file) not in seen and os.path.isfile(file):  # noqa: PTH113 - any text
                        seen.add(os.path.realpath(file))
                        more = [*self._listed("--file", str(file), *_LISTING)]
                        waiting += more
                        yield from more
        for name in _VARIABLES:
            if os.environ.get(name):
                yield _Setting(key=name, value=os.environ[name])

    def _listed(
        self, *asked: str, environment: Mapping[str, str] | None = None
    ) -> Iterator[_Setting]:
        reply = ask_as_user(self._top, "config", *asked, environment=environment)
        if reply.code != 0:
            raise failure("config", self._top, reply)
        parts = reply.output.split(b"\0")
        for origin, entry in zip(parts[::2], parts[1::2], strict=False):
            kind, _, file = os.fsdecode(origin).partition(":")
            key, _, value = os.fsdecode(entry).partition("\n")
            place = self._top / file if kind == "file" else None
            yield _Setting(key=key.lower(), value=value, file=place)

    def _named(self, setting: _Setting) -> Iterator[Path]:
        """Find what a setting names, wherever that is."""
        key, value = setting.key, setting.value
        if _ADDRESS.fullmatch(key):
            value = f"{key.partition('.')[2].rpartition('.')[0]} {value}"
            if "::" not in value:  # A helper that git starts stands in front of it.
                return
        if not value or _HARMLESS.fullmatch(key):
            return
        base = self._top
        if _INCLUDE.fullmatch(key) and setting.file is not None:
            base = setting.file.parent
        whole = value.removeprefix(":(optional)")
        is_path = _OF_PATHS.search(key) is not None
        if is_path or "/" in whole or "." in whole:
            yield base / os.path.expanduser(whole)  # noqa: PTH111 - any text
        if not _INCLUDE.fullmatch(key) and key != _HOOKS:
            yield from self._words(whole)

    def _words(self, text: str) -> Iterator[Path]:
        """Find the words of a command that name a path, as a shell and as anybody reads them."""
        try:
            quoted = [it for it in shlex.split(text.removeprefix("!")) if " " in it]
        except ValueError:
            quoted = []
        found = _WORD.findall(_VARIABLE.sub(" ", text))
        words = ["", *(it.lstrip("-+?") if "/" in it else it for it in found)]
        for word in quoted:
            yield self._top / word
        for before, word in pairwise(words):
            path = self._top / os.path.expanduser(word)  # noqa: PTH111 - any text
            is_file = os.path.isfile(path)  # noqa: PTH113 - as above
            if "/" in word or "." in word or is_file or _OPENER.fullmatch(before):
                yield path
                if word.startswith("/") and not os.path.exists(path):  # noqa: PTH110 - behind a variable, as in $PWD/x
                    yield self._top / word.lstrip("/")

    def _with_targets(self, path: Path) -> Iterator[str]:
        """Name a path and what the links at and in it lead to, as far as they are inside."""
        plain = Path(os.path.normpath(path))
        if plain.is_relative_to(self._top):
            yield from self._worth(str(plain.relative_to(self._top)))
        yield from self._links(path)
        if plain != self._top:
            for entry in _entries(path):
                if entry.is_symlink():
                    yield from self._links(entry)

    def _links(self, path: Path) -> Iterator[str]:
        real = os.path.realpath(path)
        if os.path.commonpath((real, self._real_top)) == self._real_top:
            yield from self._worth(os.path.relpath(real, self._real_top))

    def _worth(self, path: str) -> Iterator[str]:
        if path != "." and path.partition("/")[0].lower() != ".git":
            yield path

    def _of_hooks(self, place: Path) -> Iterator[str]:
        """Name the hooks that are links into the work tree, and the files that hooks start."""
        if place.resolve() == Path(self._real_top):
            yield "*"
        yield from self._links(place)
        for hook in _entries(place):
            if hook.suffix == ".sample" or not (hook.is_file() and os.access(hook, _RUN)):
                continue
            yield from self._links(hook)
            with hook.open("rb") as file:
                text = os.fsdecode(file.read(_HOOK_BYTES))
            for path in self._words(_COMMENT.sub("", text)):
                if os.path.isfile(path):  # noqa: PTH113 - any text
                    yield from self._with_targets(path)


def _usual_files(directory: Path) -> Iterator[Path]:
    """Name what git reads without being told to; an empty file is not in its listing."""
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git"
    system = os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    user = os.environ.get("GIT_CONFIG_GLOBAL") or Path.home() / ".gitconfig"
    yield from (Path(system), Path(user), directory / "config", directory / "config.worktree")
    yield from (directory / "info" / it for it in ("attributes", "exclude"))
    yield from (own / it for it in ("config", "attributes", "ignore"))


def _entries(place: Path) -> Sequence[Path]:
    try:
        return list(islice(place.iterdir(), _MOST_ENTRIES))
    except OSError:
        return ()
