"""Comments on lines of a change, from the command line to the worker."""

from tests.e2e.command import User


def test_a_comment_on_a_removed_line_reaches_the_worker_with_what_it_said(user: User) -> None:
    user.script(implement=["well", "echo"])
    user.commit({"done.txt": "first of all"})
    run = user.run("--workflow", "careful").run["id"]
    assert "-first of all" in user.call("diff", run).out
    missing = user.call("comment", run, "done.txt:-2", "Where?", "--json")
    assert (missing.code, missing.error["kind"]) == (3, "not_found")
    said = user.call("comment", run, "done.txt:-1", "Leave it a line of its own")
    assert said.code == 0
    assert "Commented on done.txt:-1." in said.out
    [seen] = user.call("approvals", "--json").json["approvals"][0]["comments"]
    assert (seen["side"], seen["line"], seen["quote"]) == ("old", 1, "first of all")
    assert "done.txt:-1" in user.call("approvals", run).out
    assert user.call("reject", run, "--reason", "Look at my comment", "--drive").code == 5
    told = user.call("logs", run, "--step", "implement").out
    assert "## Comment 1 done.txt:-1" in told
    assert "a line that your change removes" in told
    assert "material line 1 done.txt:-1\nfirst of all\n" in told
    assert "Leave it a line of its own" in told
    [made] = [it for it in user.events(run) if it["type"] == "CommentMade"]
    assert "first of all" not in str(made), "what a file says stands in an artifact"
    assert "comment 1 on done.txt:-1" in user.call("events", run).out
