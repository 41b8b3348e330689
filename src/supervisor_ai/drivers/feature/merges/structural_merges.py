"""A merge by the structure of files, with a tool of the user's, where git alone cannot decide."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.engine.effects.effect_workspace import gate_plan
from supervisor_ai.engine.ports.branch_merges import ConflictedFile
from supervisor_ai.engine.ports.sandbox import Profile, SandboxEnd, SandboxSpec
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.world import Operation

TOOL: Final = "mergiraf"
_PLACE: Final = ".supervisor-merge"
_MOST: Final = 4 << 20


async def merge_by_structure(
    frame: RunGate, operation: Operation, onto: CommitSha, files: Sequence[ConflictedFile]
) -> Mapping[str, bytes] | None:
    """Let the tool merge every file in the sandbox; None: it is not there, or cannot either."""
    workspaces = operation.world.workspaces
    contents: dict[str, bytes | None] = {
        path: text for at, it in enumerate(files) for path, text in _sides(at, it).items()
    }
    composed = await workspaces.compose(onto, contents, at=operation.intended_at)
    workspace = await workspaces.open(
        operation.run,
        operation.key,
        fence=operation.epoch,
        start=composed.commit,
        plan=gate_plan(frame),
    )
    found: dict[str, bytes] = {}
    for at, it in enumerate(files):
        text = await _merged(frame, operation, workspace, at, it)
        if text is None:
            break
        found[it.path] = text
    await workspaces.close(workspace)
    return found if len(found) == len(files) else None


def _sides(at: int, file: ConflictedFile) -> dict[str, bytes]:
    base, ours, theirs = _names(at, file)
    return {base: file.base, ours: file.ours, theirs: file.theirs}


def _names(at: int, file: ConflictedFile) -> tuple[str, str, str]:
    suffix = PurePosixPath(file.path).suffix
    base, ours, theirs = (f"{_PLACE}/{at}/{it}{suffix}" for it in ("base", "ours", "theirs"))
    return base, ours, theirs


async def _merged(
    frame: RunGate, operation: Operation, workspace: Workspace, at: int, file: ConflictedFile
) -> bytes | None:
    """Merge one file as a merge driver of git does: the result takes the place of our side."""
    base, ours, theirs = _names(at, file)
    spec = SandboxSpec(
        label=operation.key,
        fence=operation.epoch,
        profile=Profile.EXECUTOR,
        argv=(TOOL, "merge", "--git", base, ours, theirs, "-p", file.path),
        cwd=workspace.path,
        mounts=workspace.mounts,
        environment=workspace.environment,
        limits=frame.sandbox.executor,
        timeout=frame.gate.timeout,
        output_bytes=frame.output_bytes,
    )
    transcript = operation.transcript(frame.step, None)
    try:
        result = await operation.world.sandbox.run(spec, transcript.write)
    finally:
        transcript.abandon()
    if result.end is not SandboxEnd.EXITED or result.exit_code != 0:
        return None
    text = await operation.world.workspaces.read_file(workspace, ours, most=_MOST)
    return text if text is not None and len(text) <= _MOST and text != file.ours else None
