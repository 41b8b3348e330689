"""Interfaces in memory: read from the commits of fakes, and parsed as a table says."""

from collections.abc import Callable, Mapping, Sequence

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Interface
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces


class PlainInterfaces:
    """Finds nothing wrong but where a test says so."""

    def __init__(
        self,
        workspaces: MemoryWorkspaces,
        judge: Callable[[Interface], InterfaceForm] = lambda _: InterfaceForm(by="a parser"),
    ) -> None:
        self._workspaces = workspaces
        self.judge = judge

    def parse(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say of each interface what the test says."""
        return tuple(map(self.judge, interfaces))

    async def looked(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say the same."""
        return self.parse(interfaces)

    async def read(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, str | None]:
        """Read files of a commit; None where there is none."""
        files = self._workspaces.files(commit)
        return {path: files.get(path) for path in paths}
