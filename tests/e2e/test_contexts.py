"""What a worker would be shown and was shown, from the command line."""

from tests.e2e.command import User

FILES = {
    "AGENTS.md": "Write short functions.\n",
    "src/app.py": "from src.words import hello\n\n\ndef main() -> str:\n    return hello()\n",
    "src/words.py": 'def hello() -> str:\n    return "hi"\n',
    "src/unrelated.py": "SECRET_OF_LIFE = 42\n",
    ".env": "PASSWORD=correct-horse-battery-9\n",
}


def test_a_context_is_shown_before_anything_runs(user: User) -> None:
    user.commit(FILES)
    said = user.call("context", "show", "implementer", "--target", "src/app.py")
    assert said.code == 0, said.err
    assert '<file path="src/app.py" part="target">' in said.out
    assert "def hello() -> str:" in said.out
    assert "SECRET_OF_LIFE" not in said.out
    assert "tokens, counted by" in said.err
    packed = user.call("context", "show", "implementer", "--task", "Mend src/app.py", "--json")
    items = packed.json["context"]["items"]
    assert ("target", "src/app.py") in {(item["source"], item["name"]) for item in items}
    assert packed.json["context"]["tokens"] <= packed.json["context"]["budget"]


def test_nothing_secret_is_shown(user: User) -> None:
    user.commit({**FILES, "src/keys.py": 'API_KEY = "q7Rk2Lm9Xw4Tz8Vb3Np6Ys1D"\n'})
    said = user.call("context", "show", "implementer", "-t", "src/keys.py", "-t", ".env")
    assert said.code == 0
    assert "q7Rk2Lm9" not in said.out + said.err
    assert "correct-horse" not in said.out + said.err


def test_an_unknown_role_is_named(user: User) -> None:
    said = user.call("context", "show", "implementr", "--json")
    assert said.code == 3
    assert "implementer" in said.out + said.err


def test_what_was_really_sent_is_recorded(user: User) -> None:
    user.commit(FILES)
    run = user.call("run", "Mend src/app.py", "--yes", "--json", "--workflow", "quick").run
    assert run["status"] == "completed"
    sent = user.call("logs", run["id"]).out
    assert "## What you are shown of the project" in sent
    assert '<file path="src/app.py" part="target">' in sent
    record = user.call("logs", run["id"], "--context")
    assert "src/app.py" in record.out
    [context] = user.call("logs", run["id"], "--context", "--json").json["contexts"]
    assert (context["step"], context["strategy"]) == ("implement", "implementer_targeted")
    assert "ContextPacked" in user.types(run["id"])
