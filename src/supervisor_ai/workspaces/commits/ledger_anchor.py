"""The head of the ledger's chain, kept in the user's repository."""

from typing import Final

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.repositories.repository import GitRepository

_REF: Final = "refs/supervisor/ledger"


class GitAnchor:
    """Keeps the newest link as a blob under a ref of its own."""

    def __init__(self, repository: GitRepository) -> None:
        self._git = repository.git
        self._repository = repository
        self._deposit = ObjectImport(repository)

    def write(self, point: AnchorPoint) -> None:
        """Keep the link."""
        link = f"{point.seq} {point.hash}\n".encode()
        made = self._git.run("hash-object", "-w", "--stdin", stdin=link)
        self._deposit.point(_REF, CommitSha(made.text))

    def read(self) -> AnchorPoint | None:
        """Return the newest link that was kept."""
        if self._repository.tip(_REF) is None:
            return None
        link = self._git.run("cat-file", "blob", _REF).text
        seq, _, digest = link.partition(" ")
        if not seq.isdecimal():
            raise Conflict(f"The ref {_REF!r} holds {link!r}, which is no link of the ledger.")
        return AnchorPoint(seq=int(seq), hash=digest)
