"""`--budget`: shown before a run starts, refused where it cannot be read."""

import json

import pytest
from tests.e2e.command import Said, User
from tests.e2e.terminal import Terminal


def dry(user: User, *options: str) -> Said:
    return user.call("run", "Do it", "--dry-run", *options)


def test_a_preview_shows_the_budget(user: User) -> None:
    said = dry(user, "--budget", "5usd, 200k tokens, 2h")
    assert said.code == 0, said.err
    assert "  budget    run: at most 5 USD, 200,000 tokens, 2:00:00" in said.out.splitlines()


def test_the_preview_has_it_in_json_too(user: User) -> None:
    said = dry(user, "--json", "--budget", "$5")
    assert "run: at most 5 USD" in said.json["detail"]
    assert (said.json["applied"], said.json["dry_run"]) == (False, True)


def test_the_question_before_the_start_names_it(user: User) -> None:
    terminal = Terminal(user, "run", "Do it", "--budget", "2h")
    terminal.wait_for("Proceed? [Y/n]")
    assert "budget    run: at most 2:00:00" in terminal.seen
    terminal.type("n\n")
    assert terminal.wait() == 1


def test_without_a_budget_there_is_nothing_to_show(user: User) -> None:
    assert "budget" not in dry(user).out


def test_the_configuration_may_be_stricter(user: User) -> None:
    config = (user.repository / ".supervisor/config.yaml").read_text()
    user.commit({".supervisor/config.yaml": f"{config}budgets: {{run: 1usd, day: 9usd}}\n"})
    said = dry(user, "--budget", "5usd, 10 attempts")
    assert [line for line in said.out.splitlines() if line.startswith("  budget")] == [
        "  budget    run: at most 1 USD, 10 attempts",
        "  budget    day: at most 9 USD",
    ]


@pytest.mark.parametrize("budget", ["5eur", "", "0usd", "5usd, 6usd", "\x1b[31m5"])
def test_what_is_no_budget_is_refused_with_an_example(user: User, budget: str) -> None:
    said = user.run("--budget", budget)
    assert said.code == 2
    assert said.error["kind"] == "invalid"
    assert said.error["message"].startswith("The budget ")
    assert "5usd, 200k tokens, 2h, 10 attempts" in said.error["hint"]
    assert "\x1b" not in said.out
    assert user.call("status", "--json").json["runs"] == []


def test_a_run_with_a_budget_keeps_it(user: User) -> None:
    said = user.run("--workflow", "quick", "--budget", "5usd, 1h")
    assert said.code == 0, said.err
    pinned = user.events(said.run["id"])[0]["payload"]["definition"]
    kept = next((user.repository / ".supervisor/artifacts").rglob(f"*{pinned[2:]}"))
    limit = json.loads(kept.read_text())["budgets"]["run"]
    assert (limit["money"], limit["time"], limit["tokens"]) == ("5", "PT3600S", None)
