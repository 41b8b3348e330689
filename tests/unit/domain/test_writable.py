"""Which files a worker may write: the nearest rule decides."""

import pytest

from supervisor_ai.domain.run.writable import Writable

IMPLEMENTOR = Writable(everywhere=True, paths={"tasks": False, "tasks/3-build.md": True})
MANAGER = Writable(everywhere=False, paths={"tasks": True})


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        (IMPLEMENTOR, "src/app.py", True),
        (IMPLEMENTOR, "tasks/0-kanban.md", False),
        (IMPLEMENTOR, "tasks/deep/file.md", False),
        (IMPLEMENTOR, "tasks/3-build.md", True),
        (IMPLEMENTOR, "tasks-of-mine/a.md", True),
        (MANAGER, "tasks/0-kanban.md", True),
        (MANAGER, "src/app.py", False),
        (MANAGER, "app.py", False),
    ],
)
def test_the_nearest_rule_decides(rules: Writable, path: str, *, is_allowed: bool) -> None:
    assert rules.allows(path) is is_allowed


def test_an_inner_rule_comes_after_the_one_that_it_rules_over() -> None:
    rules = Writable(everywhere=True, paths={"a/b/c": True, "a/b": False, "z": False})
    assert [path for path, _ in rules.outermost_first] == ["z", "a/b", "a/b/c"]
