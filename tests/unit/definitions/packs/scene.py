"""Packs, and repositories that hold them."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from supervisor_ai.definitions.packs.installer import FilePackInstaller
from supervisor_ai.definitions.packs.sources import PackSources
from supervisor_ai.workspaces.repositories.git import Git

ROLE = """\
extends: reviewer
description: Looks at orders
system_prompt_additions: |
  Reject orders without a limit.
"""
POWERFUL = """\
extends: implementer
description: Talks to the exchange
allowed_tools: [run_command]
egress: ["exchange.example:443"]
mcp_servers:
  quotes: {command: [quotes, --stdio]}
gates:
  - name: risk
    command: [python3, -m, risk]
"""


def pack(
    name: str, version: str = "1.0.0", *, role: str = ROLE, needs: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the files of a pack with one role."""
    lines = [f"name: {name}", f"version: {version}", "description: Made for tests"]
    lines += ["author: Ada", f"roles: [{name}_role]"]
    if needs:
        lines.append("dependencies:")
        lines += [f'  - {{name: {it}, version: "{versions}"}}' for it, versions in needs.items()]
    return {"pack.yaml": "\n".join(lines) + "\n", f"roles/{name}_role.yaml": role}


def write(directory: Path, files: Mapping[str, str]) -> Path:
    """Write files below a directory."""
    for path, text in files.items():
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return directory


def lie_in(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    """Move files into a folder."""
    return {f"{folder}/{path}": text for path, text in files.items()}


def git(directory: Path, *arguments: str) -> str:
    """Run git as the author of packs does."""
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["git", *identity, "-C", str(directory), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def publish(directory: Path, files: Mapping[str, str]) -> str:
    """Commit files to a work tree and its bare repository `DIRECTORY.git`; return the commit."""
    bare = directory.with_suffix(".git")
    if not bare.exists():
        directory.mkdir(parents=True)
        git(directory, "init", "--quiet", "--initial-branch=main")
        subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", bare], check=True)
    write(directory, files)
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "--message", "packs")
    git(directory, "push", "--quiet", str(bare), "HEAD:main")
    return git(directory, "rev-parse", "HEAD")


def run_git(place: Path, arguments: tuple[str, ...], stdin: bytes) -> bytes:
    """Run git as the product does."""
    return Git(directory=place, is_scratch=True).run(*arguments, stdin=stdin).output


class Scene:
    """A place for packs, and a directory for sources."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.place = directory / "project" / ".supervisor"
        self._shops = 0

    def shop(self, *known: str, signers: Path | None = None) -> FilePackInstaller:
        """Open the shop as if for one call."""
        self._shops += 1
        fetched = self.directory / f"fetched{self._shops}"
        fetched.mkdir()
        sources = PackSources(place=fetched, git=run_git, signers=signers)
        return FilePackInstaller(directory=self.place, sources=sources, known=known)

    def install(self, name: str, source: Path, versions: str = ">=0") -> None:
        """Install a pack without questions."""
        shop = self.shop()
        shop.plan_install(name, versions, str(source)).apply()
