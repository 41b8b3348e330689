"""Which files of its workspace a worker may write."""

from collections.abc import Iterator

from msgspec import Struct, field


class Writable(Struct, frozen=True, kw_only=True):
    """What may be written and what only read; a path inside another rules over it."""

    everywhere: bool
    """What holds where no other rule does."""
    paths: dict[str, bool] = field(default_factory=dict)
    """Files and directories, relative to the workspace, and whether they may be written."""

    def allows(self, path: str) -> bool:
        """Tell whether a file may be written."""
        rules = (self.paths[above] for above in _upwards(path) if above in self.paths)
        return next(rules, self.everywhere)

    @property
    def outermost_first(self) -> tuple[tuple[str, bool], ...]:
        """List the rules so that each one comes after those that it rules over."""
        return tuple(sorted(self.paths.items(), key=lambda rule: rule[0].count("/")))


def _upwards(path: str) -> Iterator[str]:
    """Name a path and everything that it lies in, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]
