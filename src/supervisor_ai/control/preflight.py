"""Preflight: what can be looked up and checked of a project before anything is written."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.ledger_binding import LedgerBinding
from supervisor_ai.control.policy import Policy
from supervisor_ai.control.ports.definitions import Catalog, TrustStore
from supervisor_ai.engine.ports.clock import Ids
from supervisor_ai.engine.ports.redaction import Redactor
from supervisor_ai.engine.ports.workspaces import Repository


class Preflight(Struct, frozen=True, kw_only=True):
    """A user's repository, its definitions, and how far the user trusts them."""

    repository: Repository
    catalog: Catalog
    trust: TrustStore
    binding: LedgerBinding
    policy: Policy
    make_redactor: Callable[[], Redactor]
    ids: Ids
    checkout: Path
    """The top of the work tree in which the user stands."""

    @property
    def redactor(self) -> Redactor:
        """Return what takes secrets out of texts; its rules are read when they are needed."""
        return self.make_redactor()
