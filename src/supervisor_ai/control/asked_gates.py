"""A gate that somebody asks for by its name: whether it is there, and can say anything."""

import json
from collections.abc import Sequence
from typing import Final

from supervisor_ai.control.ports.definitions import Catalog
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.facts import Base
from supervisor_ai.domain.run.gates import GateKind

_CLAIMS: Final = ("files_created", "files_modified", "tests_written")
"""The lists that every implementer's answer has."""


def find_gate(catalog: Catalog, name: str, *, base: Base, head: Base) -> Gate:
    """Return a gate as the base configures it, so that no change loosens its own gate."""
    try:
        return catalog.gate(base.sha, name)
    except (InvalidInput, NotFound) as error:
        if _is_configured(catalog, base.sha, name) or not _is_in_head(catalog, head.sha, name):
            raise
        raise NotFound(
            f"The gate {name!r} is configured in {head.ref!r}, but not in the base {base.ref!r}.",
            hint="Definitions are read from the base; `--base HEAD` uses those of HEAD.",
        ) from error


def require_answer(gates: Sequence[Gate], answer: str | None) -> None:
    """Refuse to compare claims where there are none, and claims that nobody would compare."""
    compares = any(gate.kind is GateKind.CLAIMS for gate in gates)
    if compares and answer is None:
        raise InvalidInput(
            "The gate 'claims' compares what a worker reported with git, "
            "and there is no report to compare.",
            hint="Give it an implementer's answer, a file with JSON: --answer FILE",
        )
    if answer is not None and not compares:
        raise InvalidInput("Only the gate 'claims' compares an answer with git.")
    if answer is not None and not _has_claims(answer):
        raise InvalidInput(
            "The answer makes no claims: it is no JSON object with the lists "
            f"{', '.join(map(repr, _CLAIMS))}.",
            hint="`supervisor logs RUN --json` shows the answers of a run's workers.",
        )


def _is_configured(catalog: Catalog, commit: CommitSha, name: str) -> bool:
    return any(it.name == name and it.missing is None for it in catalog.gates(commit))


def _is_in_head(catalog: Catalog, commit: CommitSha, name: str) -> bool:
    """Tell whether the change brings the gate; what is wrong with the change is not asked."""
    try:
        return _is_configured(catalog, commit, name)
    except InvalidInput:
        return False


def _has_claims(answer: str) -> bool:
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and all(isinstance(found.get(key), list) for key in _CLAIMS)
