"""`supervisor sandbox check` on this machine, as people and programs call it."""

from pathlib import Path

from tests.e2e.command import CONFIG, User


def install(home: Path) -> Path:
    """Install a tool as cargo would, beside its credentials."""
    program = home / ".cargo/bin/git-absorb"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (home / ".cargo/credentials.toml").write_text("token = 'secret'")
    return program


def test_it_says_what_works_and_what_is_inside(newcomer: User) -> None:
    program = install(newcomer.home)
    path = f"{program.parent}:{newcomer.environment['PATH']}"
    said = newcomer.call("-C", "/", "sandbox", "check", "--backend", "bubblewrap", PATH=path)
    assert said.code == 0, said.out + said.err
    assert said.out.startswith("bubblewrap ")
    assert ": works\n  ok  " in said.out
    assert "\nA worker in bubblewrap\n  network   only through the supervisor" in said.out
    assert "\nA gate in bubblewrap\n  network   none\n" in said.out
    assert f"            {program.parent}\n" in said.out
    assert "\x1b" not in said.out


def test_what_the_project_shows_is_included(user: User) -> None:
    program = install(user.home)
    (user.home / ".npm/_cacache").mkdir(parents=True)
    wishes = f"sandbox:\n  ro_paths: [{program}]\n  caches: [npm]\n"
    user.commit({".supervisor/config.yaml": CONFIG + wishes})
    said = user.call("sandbox", "check", "--backend", "bubblewrap", "--json")
    assert said.code == 0, said.out + said.err
    found = said.json
    assert (found["ro_paths"], found["caches"]) == ([str(program)], ["npm"])
    assert (found["project"], found["problem"]) == (str(user.repository), None)
    assert found["chosen"] == "bubblewrap"
    worker, gate = found["inside"]
    assert (worker["profile"], gate["profile"]) == ("worker", "executor")
    for view in (worker, gate):
        assert view["problem"] is None
        assert view["commands"]["git"]
        assert "/usr/bin" in view["path"]
    (backend,) = found["backends"]
    assert {limit["hardness"] for limit in backend["limits"]} <= {"hard", "soft", "none"}


def test_what_the_project_asks_for_decides_and_not_what_works_besides(
    user: User, tmp_path: Path
) -> None:
    user.commit({".supervisor/config.yaml": f"{CONFIG}sandbox: {{backend: docker}}\n"})
    nowhere = f"unix://{tmp_path}/nobody.sock"
    said = user.call("sandbox", "check", DOCKER_HOST=nowhere)
    assert said.code == 6
    assert "The project asks for docker." in said.out
    assert "auto takes" not in said.out
    found = user.call("sandbox", "check", "--json", DOCKER_HOST=nowhere).json
    assert (found["wanted"], found["chosen"], found["inside"]) == ("docker", None, [])
    assert user.call("sandbox", "check", "--backend", "bubblewrap").code == 0
    said = user.call("doctor", DOCKER_HOST=nowhere)
    assert said.code == 6
    assert "docker, which the project asks for" in said.out
    assert "other sandbox: bubblewrap" in said.out


def test_a_project_that_wants_too_much_is_told(user: User) -> None:
    user.commit({".supervisor/config.yaml": f"{CONFIG}sandbox: {{ro_paths: ['~/']}}\n"})
    said = user.call("sandbox", "check", "--backend", "bubblewrap")
    assert "cannot be shown to a worker: it holds the whole home directory" in said.out


def test_definitions_with_mistakes_do_not_stop_the_check(user: User) -> None:
    user.commit({".supervisor/config.yaml": "sandbox: 7\n"})
    said = user.call("sandbox", "check", "--backend", "bubblewrap")
    assert said.code == 0, said.out + said.err
    assert "The project's settings are not included: " in said.out


def test_where_no_sandbox_works_the_exit_code_says_so(newcomer: User, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    state = str(tmp_path / "file/state")
    said = newcomer.call("sandbox", "check", SUPERVISOR_STATE=state)
    assert said.code == 6
    assert "None of these works here." in said.out
    assert "hint: Name another directory with SUPERVISOR_STATE." in said.out
    asked = newcomer.call("sandbox", "check", "--json", SUPERVISOR_STATE=state)
    assert (asked.code, asked.json["chosen"], asked.json["inside"]) == (6, None, [])
