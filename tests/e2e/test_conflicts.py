"""`supervisor conflicts`: which runs will get into each other's way."""

from tests.e2e.command import Json, User

Found = dict[tuple[str, str], tuple[str, list[str]]]


def done(user: User) -> str:
    """Take a run to its end."""
    said = user.run("--workflow", "quick")
    assert said.code == 0, said.err
    run: str = said.run["id"]
    return run


def found(user: User, *arguments: str) -> Found:
    said = user.call("conflicts", *arguments, "--json")
    assert said.code == 0, said.err
    entries: list[Json] = said.json["conflicts"]
    return {(it["run"], it["with"]): (it["status"], it["files"]) for it in entries}


def test_a_project_without_runs_has_nothing_to_merge(user: User) -> None:
    assert user.call("conflicts", "--json").json == {"conflicts": []}
    said = user.call("conflicts")
    assert (said.code, said.out) == (0, "")
    assert "nothing to merge" in said.err
    assert user.call("conflicts", "nothing", "--json").code == 3


def test_runs_are_compared_until_they_are_merged(user: User) -> None:
    first = done(user)
    assert found(user) == {(first, "main"): ("clean", [])}
    user.script(implement=["echo"])
    second = done(user)
    both: Found = {(second, first): ("conflict", ["done.txt"])}
    clean: Found = {(first, "main"): ("clean", []), (second, "main"): ("clean", [])}
    assert found(user) == both | clean
    assert found(user, first) == both | {(first, "main"): ("clean", [])}
    head, *lines = user.call("conflicts").out.splitlines()
    assert head.split() == ["RUN", "WITH", "STATUS", "FILES"]
    assert lines[-1].split() == [second, first, "conflict", "done.txt"]
    user.git("merge", "--quiet", f"ai/{first}-do-it")
    assert found(user) == {(second, "main"): ("conflict", ["done.txt"])}
    user.git("branch", "-D", f"ai/{second}-do-it")
    assert found(user) == {}


def test_a_run_under_way_is_compared_by_its_last_snapshot(user: User) -> None:
    waiting = user.run("--workflow", "careful").run["id"]
    assert found(user) == {(waiting, "main"): ("clean", [])}
    user.commit({"done.txt": "mine\n"})
    assert found(user, "last") == {(waiting, "main"): ("conflict", ["done.txt"])}
