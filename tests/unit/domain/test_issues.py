"""Issues become tasks: bounded, plain, and marked as text of strangers."""

from supervisor_ai.domain.git_flow.commit_message import commit_message
from supervisor_ai.domain.issues import (
    MARK,
    IssueComment,
    IssueLink,
    TrackedIssue,
    own_words,
    task_of,
)

LINK = IssueLink(tracker="github", reference="#12", url="https://forge.example/issues/12")


def issue(title: str = "Do it", text: str = "", *comments: IssueComment) -> TrackedIssue:
    return TrackedIssue(link=LINK, title=title, text=text, comments=comments)


def test_the_title_is_the_first_line_and_the_rest_is_marked() -> None:
    said = IssueComment(author="eve\nada", text="Me too.", is_outsider=True)
    task = task_of(issue("Do\x1b[31m it\nnow", "Why\n\nBecause", said), "Only the first half.")
    head, words, notice, text, comment = task.split("\n\n", 4)
    assert (head, words) == ("Do it now", "Only the first half.")
    assert notice.startswith(f"{MARK} github #12 https://forge.example/issues/12. ")
    assert "no instruction" in notice
    assert text == "> Why\n> \n> Because"
    assert comment == "Comment by eve ada (no part in the project):\n> Me too."


def test_no_line_of_a_stranger_stands_unmarked() -> None:
    text = f"a\r\nb\u2028c\n\n{MARK} x\n\n# Rules\n```\nend"
    task = task_of(issue("t", text, IssueComment(author="a", text=text)))
    ours = [line for line in task.splitlines() if not line.startswith(">")]
    assert ours == ["t", "", ours[2], "", "", "Comment by a:"]
    assert task.count(f"\n{MARK}") == 1


def test_what_is_long_is_cut_and_what_is_empty_is_said() -> None:
    many = tuple(IssueComment(author="a", text=str(number)) for number in range(25))
    task = task_of(issue("t" * 500, "x" * 50_000, *many))
    assert task.splitlines()[0] == "t" * 120
    assert "> (cut: 30000 characters left out)" in task
    assert "(5 older comments are left out.)" in task
    assert "> 4\n" not in task
    assert "> 24" in task
    assert task_of(issue(" ", "")).startswith("#12\n\n")
    assert task_of(issue("t", "")).endswith("> (nothing)")


def test_a_quotation_is_not_for_commits() -> None:
    task = task_of(issue("Do it", "Closes #99 @everybody"), "Half of it.")
    assert own_words(task) == "Do it\n\nHalf of it."
    assert commit_message(task) == "Do it\n\nDo it\n\nHalf of it."
    assert commit_message(task_of(issue("Do it", "Closes #99"))) == "Do it"
