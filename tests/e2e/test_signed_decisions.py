"""A second person decides from another machine, with a key; nobody else can be that person."""

import json
import sqlite3
from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.e2e.signing_desk import ME, Desk
from tests.support.ssh_keys import sign_file


@pytest.fixture
def desk(user: User, tmp_path: Path) -> Desk:
    place = tmp_path / "elsewhere"
    place.mkdir()
    return Desk(user, place)


def test_a_signed_yes_lets_the_run_go_on(desk: Desk) -> None:
    run = desk.wait()
    written = desk.export(run)
    assert (written["target"], written["applied"]) == (run, True)
    assert written["sign"] == f"ssh-keygen -Y sign -n supervisor-approval -f KEY {desk.file}"
    assert desk.user.git("rev-parse", f"{written['commit']}^{{tree}}") == written["tree"]
    assert desk.export(run)["file"] == str(desk.file)
    sign_file(desk.bob, desk.file)
    code, said = desk.bring("approve", "--dry-run")
    assert (code, said["applied"], said["detail"]) == (
        0,
        False,
        "Would say that 'bob' approved step 'approve'.",
    )
    code, said = desk.bring()
    assert (code, said["target"], said["applied"]) == (0, run, True)
    assert said["detail"].endswith(", by 'bob'.")
    assert desk.bring()[1]["applied"] is False
    ended = desk.user.call("resume", run, "--json")
    assert (ended.code, ended.run["status"]) == (0, "completed")
    given = desk.fact(run, "ApprovalGiven")
    assert given["actor"] == {"kind": "user", "id": "bob", "via": "cli+ssh", "verified": True}
    assert given["payload"]["person"] == "bob"
    assert desk.user.call("ledger", "verify", "--json").code == 0
    code, said = desk.bring()
    assert (code, said["kind"]) == (4, "conflict")


def test_a_signed_no_goes_back_with_its_reason(desk: Desk) -> None:
    desk.user.script(implement=["well", "echo"])
    run = desk.wait()
    desk.export(run, "reject", "--reason", "Mind the gap.")
    sign_file(desk.bob, desk.file)
    code, said = desk.bring("approve")
    assert (code, said["message"]) == (2, f"'{desk.file}' says 'reject'.")
    assert desk.bring("reject")[1]["applied"] is True
    assert desk.user.call("resume", run, "--json").code == 5
    refused = desk.fact(run, "ApprovalRefused")
    assert (refused["payload"]["person"], refused["actor"]["verified"]) == ("bob", True)
    logs = desk.user.call("logs", run, "--step", "implement", "--visit", "2", "--json")
    assert "Mind the gap." in logs.json["logs"][0]["came_back"]
    # What was signed is about a question that is not asked any more.
    code, said = desk.bring("reject")
    assert (code, said["kind"]) == (4, "conflict")
    assert "is signed for visit '1', not for '2'" in said["message"]


def test_a_name_without_a_proof_is_refused(desk: Desk) -> None:
    run = desk.wait()
    said = desk.user.call("approve", run, "--as", "bob", "--json")
    assert (said.code, said.error["kind"]) == (7, "denied")
    assert said.error["message"] == (
        f"Nothing proves that it is 'bob' who decides: the user '{ME}' of this machine is 'me'."
    )
    assert "--export" in said.error["hint"]
    assert "--import" in said.error["hint"]
    assert desk.user.call("reject", run, "--as", "bob", "--reason", "No.", "--json").code == 7
    assert desk.user.call("approve", run, "--as", "nobody", "--json").code == 7
    assert desk.user.call("resume", run, "--json").code == 5
    assert desk.user.call("approve", run, "--as", "me", "--json").code == 0
    assert desk.user.call("resume", run, "--json").code == 0
    given = desk.fact(run, "ApprovalGiven")
    assert (given["payload"]["person"], given["actor"]["id"]) == ("me", ME)


def test_a_signature_of_somebody_else_is_refused(desk: Desk) -> None:
    run = desk.wait()
    desk.export(run)
    mallory = desk.ring.key("mallory@example.com")
    sign_file(mallory, desk.file)
    code, said = desk.bring()
    assert (code, said["kind"]) == (7, "denied")
    assert "does not list" in said["message"]
    sign_file(desk.bob, desk.file, namespace="git")
    assert desk.bring()[0] == 7
    desk.ring.forget()
    desk.ring.allow("bob@example.com", desk.bob, 'valid-before="20200101"')
    sign_file(desk.bob, desk.file)
    assert desk.bring()[0] == 7
    desk.ring.forget()
    desk.ring.allow("bob@example.com", desk.bob)
    code, said = desk.bring("approve", "--as", "me")
    assert (code, said["message"]) == (7, f"'{desk.file}' is signed by 'bob', not by 'me'.")
    assert desk.bring("approve", "--as", "bob")[0] == 0


def test_a_changed_document_is_refused(desk: Desk) -> None:
    run = desk.wait()
    desk.export(run)
    sign_file(desk.bob, desk.file)
    text = desk.file.read_text()
    for changed, expected in (
        (text + "\n", 2),
        (text.replace("\n", "\r\n"), 2),
        (text.replace("decision: approve", "decision: reject"), 2),
        (text.replace("visit: 1", "visit: 2"), 4),
        (text.replace(f"run: {run}", "run: rnowhere"), 3),
    ):
        assert changed != text
        desk.file.write_text(changed)
        assert desk.bring()[0] == expected, changed
    # Another tree, signed by the right person.
    tree = next(line for line in text.splitlines() if line.startswith("tree: "))
    desk.file.write_text(text.replace(tree, f"tree: {'0' * 40}"))
    sign_file(desk.bob, desk.file)
    code, said = desk.bring()
    assert (code, said["kind"]) == (4, "conflict")
    assert "is signed for tree" in said["message"]


def test_the_decision_of_one_run_is_not_good_for_another(desk: Desk) -> None:
    first, second = desk.wait(), desk.wait()
    desk.export(first)
    sign_file(desk.bob, desk.file)
    said = desk.user.call("approve", second, "--import", str(desk.file), "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert f"is about run '{first}'" in said.error["message"]
    assert desk.bring()[1]["target"] == first


def test_the_decision_of_one_repository_is_not_good_for_another(desk: Desk) -> None:
    run = desk.wait()
    desk.export(run)
    text = desk.file.read_text()
    mark = next(line for line in text.splitlines() if line.startswith("project: "))
    desk.file.write_text(text.replace(mark, f"project: {'0' * 32}"))
    sign_file(desk.bob, desk.file)
    code, said = desk.bring()
    assert (code, said["message"]) == (4, "The decision is about a run of another repository.")


def test_files_that_are_not_there_or_are_something_else(desk: Desk) -> None:
    run = desk.wait()
    code, said = desk.bring()
    assert (code, said["kind"]) == (3, "not_found")
    desk.export(run)
    code, said = desk.bring()
    assert (code, said["kind"]) == (3, "not_found")
    assert "ssh-keygen -Y sign" in said["hint"]
    Path(f"{desk.file}.sig").write_text("bob says yes\n")
    assert desk.bring()[0] == 2
    desk.file.write_text("x" * 5000)
    assert desk.bring()[0] == 2
    desk.file.write_text("Something else.\n")
    taken = desk.user.call("approve", run, "--export", str(desk.file), "--json")
    assert (taken.code, taken.error["kind"]) == (4, "conflict")
    for words in (
        ("approve",),
        ("approve", run, "--export", "-"),
        ("approve", "--import", "-"),
        ("approve", run, "--export", "a", "--import", "b"),
        ("approve", run, "--export", "a", "--drive"),
        ("approve", "--import", str(desk.file), "--note", "x"),
        ("reject", run, "--export", "a"),
    ):
        assert desk.user.call(*words, "--json").code == 2, words


def test_a_letter_that_somebody_writes_into_the_ledger_proves_nothing(desk: Desk) -> None:
    run = desk.wait()
    assert desk.user.call("approve", run, "--json").code == 0
    database = desk.user.repository / ".supervisor" / "state.db"
    with sqlite3.connect(database) as ledger:
        [(key, text)] = ledger.execute("SELECT key, letter FROM letters").fetchall()
        letter = json.loads(text)
        letter["actor"] = {"kind": "user", "id": "bob", "via": "cli", "verified": True}
        letter["command"] |= {"person": "bob", "proof": None}
        ledger.execute("UPDATE letters SET letter = ? WHERE key = ?", (json.dumps(letter), key))
    ledger.close()
    assert desk.user.call("resume", run, "--json").code == 5
    refused = desk.fact(run, "CommandRefused")
    assert refused["payload"]["reason"] == "Nothing proves that it is 'bob' who decides."
    assert refused["actor"]["verified"] is False
    assert "ApprovalGiven" not in desk.user.types(run)
    # The real user can still decide, although a letter of that name was refused.
    assert desk.user.call("approve", run, "--json").json["applied"] is True
    assert desk.user.call("resume", run, "--json").code == 0


def test_a_forged_signature_in_the_ledger_proves_nothing(desk: Desk) -> None:
    run = desk.wait()
    desk.export(run)
    sign_file(desk.bob, desk.file)
    assert desk.bring()[0] == 0
    # Between the letter and its owner the key is taken from the list.
    desk.ring.forget()
    assert desk.user.call("resume", run, "--json").code == 5
    assert "does not list" in desk.fact(run, "CommandRefused")["payload"]["reason"]
    assert desk.user.call("ledger", "verify", "--json").code == 0
    desk.ring.allow("bob@example.com", desk.bob)
    assert desk.bring()[1]["applied"] is True
    assert desk.bring()[1]["applied"] is False
    assert desk.user.call("resume", run, "--json").code == 0


def test_people_in_a_projects_config_are_a_mistake(desk: Desk) -> None:
    config = desk.user.repository / ".supervisor" / "config.yaml"
    desk.user.commit({".supervisor/config.yaml": f"{config.read_text()}people: {{leads: [eve]}}\n"})
    said = desk.user.run("--workflow", "careful")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "people: says who may approve" in said.error["message"]
