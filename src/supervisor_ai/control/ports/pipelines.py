"""Port of pipelines: the tasks that sessions begin with, built in or from a file of the user's."""

from collections.abc import Sequence
from typing import Protocol

from supervisor_ai.domain.session.pipeline import Pipeline


class Pipelines(Protocol):
    """Finds pipelines."""

    def all(self) -> Sequence[Pipeline]:
        """Return those that are built in."""
        ...

    def find(self, name: str) -> Pipeline:
        """Return one that is built in by its name, or one by the path of its file.

        Raises InvalidInput with everything that is wrong with the file, NotFound without one.
        """
        ...
