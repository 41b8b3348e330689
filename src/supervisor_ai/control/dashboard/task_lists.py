"""Lists of tasks that runs work through, whichever driver they have."""

from collections.abc import Callable, Iterator, Mapping

from supervisor_ai.control.run_views import show_run
from supervisor_ai.control.slice_names import registered_slices
from supervisor_ai.control.slices import TaskDesk, TaskList, find_slice
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId

OpenPort = Callable[[str, str], object]
"""Opens an adapter of a driver's own port, by the names of both."""


class _Ports(Mapping[str, object]):
    """The ports of one driver, each opened when it is asked for."""

    def __init__(self, driver: str, open_port: OpenPort) -> None:
        self._driver = driver
        self._open = open_port

    def __getitem__(self, port: str) -> object:  # type: ignore[explicit-override]
        return self._open(self._driver, port)

    def __iter__(self) -> Iterator[str]:  # type: ignore[explicit-override]
        return iter(registered_slices()[self._driver].ports)

    def __len__(self) -> int:  # type: ignore[explicit-override]
        return len(registered_slices()[self._driver].ports)


def read_tasks(desk: TaskDesk, run: RunId, open_port: OpenPort) -> TaskList:
    """Read the list that a run works through; raises NotFound where it has none."""
    view = show_run(desk.records, run)
    found = find_slice(view.driver)
    ports = _Ports(view.driver, open_port)
    tasks = None if found is None else found.task_list(desk, view, ports)
    if tasks is None:
        raise NotFound(f"Run {run!r} works through no list of tasks.")
    return tasks
