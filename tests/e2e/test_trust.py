"""A repository's settings count only as far as the user trusts them."""

from tests.e2e.command import CONFIG, User

UNTRUSTED = """\
error: You have not agreed to these settings of the project:
  .supervisor/config.yaml:5 clis.my_agent.command = ["python3", "tools/agent.py"]
  .supervisor/config.yaml:8 gates.test.command = ["test", "-f", "done.txt"]
hint: Look at them and agree, if you do: supervisor trust
"""


def asks(user: User, *arguments: str) -> str:
    shown = user.call("trust", "--show", "--json", *arguments).json["trust"]
    return str(shown["fingerprint"])


def test_what_is_not_trusted_does_not_run(user: User) -> None:
    said = user.call("run", "Do it", SUPERVISOR_TRUST="")
    assert (said.code, said.out, said.err) == (7, "", UNTRUSTED)
    assert not (user.repository / ".supervisor/state.db").exists()


def test_yes_is_no_answer_to_a_question_of_trust(user: User) -> None:
    assert user.run(SUPERVISOR_TRUST="").code == 7
    said = user.call("trust", SUPERVISOR_TRUST="")
    assert said.code == 7
    assert "there is no terminal to ask you" in said.err
    assert "clis.my_agent.command" in said.err


def test_trust_is_given_to_exactly_what_was_shown(user: User) -> None:
    said = user.call("trust", "--fingerprint", "0" * 16, "--json")
    assert (said.code, said.error["kind"]) == (4, "conflict")
    agreed = asks(user)
    said = user.call("trust", "--fingerprint", agreed, "--json")
    assert said.json == {
        "target": str(user.repository),
        "applied": True,
        "dry_run": False,
        "detail": "2 settings are trusted now.",
    }
    assert user.run("--workflow", "quick", SUPERVISOR_TRUST="").code == 0
    assert user.call("trust", "--json").json["applied"] is False


def test_a_change_makes_the_agreement_void_and_is_shown(user: User) -> None:
    user.call("trust", "--fingerprint", asks(user))
    changed = "# A line that moves the others.\n" + CONFIG.replace("done.txt", "made.txt")
    user.commit({".supervisor/config.yaml": changed})
    said = user.call("run", "Do it", SUPERVISOR_TRUST="")
    assert (said.code, said.err) == (
        7,
        "error: These settings of the project changed since you agreed to them:\n"
        '  + .supervisor/config.yaml:9 gates.test.command = ["test", "-f", "made.txt"]\n'
        '  - .supervisor/config.yaml:8 gates.test.command = ["test", "-f", "done.txt"]\n'
        "hint: Look at them and agree, if you do: supervisor trust\n",
    )


def test_a_repository_without_powers_needs_no_trust(newcomer: User) -> None:
    newcomer.commit({"README.md": "A project.\n"})
    said = newcomer.call("trust", "--show", SUPERVISOR_TRUST="")
    assert said.code == 0
    assert "nothing" in said.out


def test_a_ledger_that_came_with_the_repository_is_refused(user: User) -> None:
    user.commit({".supervisor/state.db": "forged"})
    said = user.run()
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert "holds a ledger" in said.error["message"]
