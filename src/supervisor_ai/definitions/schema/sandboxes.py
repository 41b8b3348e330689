"""The shapes of what sandboxes and workspaces are told."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from supervisor_ai.definitions.schema import hosts, scalars
from supervisor_ai.definitions.schema.base import (
    Command,
    Duration,
    FileShape,
    HostPath,
    Name,
    Variable,
)

Destination = Annotated[str, AfterValidator(hosts.destination)]
Upstream = Annotated[str, AfterValidator(hosts.upstream)]
Route = Annotated[str, AfterValidator(hosts.route)]
Header = Annotated[str, AfterValidator(hosts.header)]
Pattern = Annotated[str, AfterValidator(scalars.pattern)]
InnerPath = Annotated[str, AfterValidator(scalars.inner_path)]
Size = Annotated[int, BeforeValidator(scalars.size), Field(ge=1024**2)]


class BrokerShape(FileShape):
    """`clis.NAME.broker`: the way to the agent's model, with a key that stays outside."""

    upstream: Upstream
    paths: Annotated[list[Route], Field(min_length=1)]
    base_url: Variable
    header: Header
    placeholder: Variable | None = None
    private: bool = False


class ResourceShape(FileShape):
    """`sandbox.limits.PROFILE`: how much of the machine one command may use."""

    memory: Size | None = None
    cpus: Annotated[float, Field(ge=0.05, le=1024, strict=False)] | None = None
    processes: Annotated[int, Field(ge=8, le=1_000_000)] | None = None
    file_size: Size | None = None
    disk: Size | None = None
    disk_files: Annotated[int, Field(ge=100)] | None = None
    idle_timeout: Duration | None = None


class ProfilesShape(FileShape):
    """`sandbox.limits`: the worker's and the executor's."""

    worker: ResourceShape = Field(default_factory=ResourceShape)
    executor: ResourceShape = Field(default_factory=ResourceShape)


class SandboxShape(FileShape):
    """`sandbox`: what sandboxes see besides the system, and how much they may use."""

    backend: Literal["auto", "bubblewrap", "podman", "docker"] | None = None
    ro_paths: list[HostPath] = Field(default_factory=list)
    caches: list[Name] = Field(default_factory=list)
    limits: ProfilesShape = Field(default_factory=ProfilesShape)
    disk_quota: bool | None = None
    require_hard_limits: bool | None = None


class CacheShape(FileShape):
    """`workspace.cache`: what a set-up makes, and the files that decide what that is."""

    key: Annotated[list[InnerPath], Field(min_length=1)]
    paths: Annotated[list[InnerPath], Field(min_length=1)]


class WorkspaceShape(FileShape):
    """`workspace`: what a workspace is given before anybody works in it."""

    setup: Command | None = None
    setup_timeout: Duration | None = None
    egress: list[Destination] | None = None
    cache: CacheShape | None = None
