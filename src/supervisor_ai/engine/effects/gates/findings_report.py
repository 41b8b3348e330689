"""Findings on their way to an artifact."""

import json

from msgspec.structs import asdict

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.world import Operation


def keep_report(operation: Operation, findings: tuple[Finding, ...]) -> ArtifactHash:
    """Keep findings without secrets, as a list that programs and people can read."""
    rows = [{key: _clean(operation, value) for key, value in asdict(at).items()} for at in findings]
    return operation.world.artifacts.put(json.dumps(rows, indent=2, ensure_ascii=False))


def _clean(operation: Operation, value: object) -> object:
    """Take secrets and escapes out of a text; files and tests are named by whoever likes to."""
    if not isinstance(value, str):
        return value
    return operation.world.redactor.redact(plain(value)).text
