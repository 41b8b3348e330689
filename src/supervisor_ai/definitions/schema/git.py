"""The part of `config.yaml` that is about branches and commits."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from supervisor_ai.definitions.schema.base import Duration, FileShape
from supervisor_ai.domain.git_flow.branch_pattern import pattern_mistake, ref_mistake


def _branch_pattern(value: str) -> str:
    """Accept what makes a name that git has for a branch, whatever the task."""
    mistake = pattern_mistake(value)
    if mistake is not None:
        raise ValueError(f"{mistake}, found {value!r}")
    return value


def _protected(value: str) -> str:
    """Accept the name of a branch, or its beginning with a `*`."""
    mistake = ref_mistake(f"{value.removesuffix('*')}x" if value.endswith("*") else value)
    if mistake is not None:
        raise ValueError(f"{mistake}, found {value!r}")
    return value


class GitShape(FileShape):
    """`git`: how the work of a run comes to a branch."""

    auto_branch: bool | None = None
    branch_pattern: Annotated[str, AfterValidator(_branch_pattern)] | None = None
    auto_commit: bool | None = None
    dry_run_preview: bool | None = None
    merge_strategy: Literal["auto", "ff", "merge", "squash"] | None = None
    merge_gates: bool | None = None
    protected_branches: list[Annotated[str, AfterValidator(_protected)]] | None = None
    sign_commits: bool | None = None
    keep_snapshots: Duration | None = None
