"""What each role of a kanban may write, for the tests that try all of it."""

from typing import Final

from tests.attacks.kanban_writes import (
    IN_THE_CODE,
    IN_THE_FOLDER,
    OF_THE_OWN,
)

NESTED: Final = "docs/more/tasks"
BESIDE: Final = {
    *("make a task file", "make a folder in the folder", "put a link into the folder"),
}
"""What no mount can stop where tools write beside a file first; none of it is kept."""


ALLOWED: Final = {
    "manager": {*IN_THE_FOLDER, *OF_THE_OWN},
    "architect": {*OF_THE_OWN, *BESIDE},
    "implementor": {*IN_THE_CODE, *OF_THE_OWN, *BESIDE},
}
