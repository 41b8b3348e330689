"""Programs that agents start for their tools count like commands; words do not."""

from tests.e2e.command import CONFIG, User

SERVER = CONFIG + "roles: {implementer: {mcp_servers: {notes: {command: [notes, FLAG]}}}}\n"
WORDS = CONFIG + "roles: {implementer: {system_prompt: Be kind.}}\n"


def dry(user: User, config: str) -> tuple[int, str]:
    user.commit({".supervisor/config.yaml": config})
    said = user.call("run", "Do it", "--dry-run", SUPERVISOR_TRUST="")
    return said.code, said.err


def agree(user: User) -> None:
    shown = user.call("trust", "--show", "--json").json["trust"]
    assert user.call("trust", "--fingerprint", str(shown["fingerprint"])).code == 0


def test_a_new_and_a_changed_server_need_trust(user: User) -> None:
    agree(user)
    assert dry(user, WORDS)[0] == 0
    code, told = dry(user, SERVER)
    assert code == 7
    assert 'roles.implementer.mcp_servers.notes = {"command": ["notes", "FLAG"]}' in told
    agree(user)
    assert dry(user, SERVER)[0] == 0
    code, told = dry(user, SERVER.replace("FLAG", "--all"))
    assert (code, "--all" in told) == (7, True)
