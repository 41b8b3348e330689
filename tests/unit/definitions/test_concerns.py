"""Objections that are known again without their words."""

import json

from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.gates import Concern
from supervisor_ai.engine.ports.workers import Answer


def concerns(*issues: dict[str, object], status: str = "REJECTED") -> tuple[Concern, ...]:
    text = json.dumps({"nonce": "n", "status": status, "issues": list(issues)})
    answer = StrictAnswerReader().read(AnswerKind.REVIEW, f"```json\n{text}\n```\n", nonce="n")
    assert isinstance(answer, Answer)
    return answer.concerns


def issue(message: str, severity: str = "major", file: str | None = "a.py") -> dict[str, object]:
    return {"file": file, "severity": severity, "message": message}


def words(message: str) -> set[int]:
    [found] = concerns(issue(message))
    return set(found.words)


def test_a_concern_is_digests_alone() -> None:
    [found] = concerns(issue("The empty list raises an error"))
    assert len(found.file) == 12
    assert int(found.file, 16) >= 0
    assert len(found.words) == 4
    assert list(found.words) == sorted(found.words)
    assert all(0 <= word < 2**32 for word in found.words)


def test_the_same_in_other_words() -> None:
    one = words("Missing validation of user's inputs in `readConfig` (line 12)")
    other = words("readConfig still misses to validate the input of users, line 99.")
    assert len(one & other) >= 5
    assert words("When would this be that?") == set()


def test_what_weighs_counts() -> None:
    heavy = concerns(issue("Lost update", "critical"), issue("Typo there", "minor"))
    assert heavy == concerns(issue("Lost update"))
    assert len(concerns(issue("Spelling", "minor"), issue("Naming", "info"))) == 2
    assert concerns(issue("Twice"), issue("Twice")) == concerns(issue("Twice"))


def test_the_file_is_known_again() -> None:
    [here], [there] = concerns(issue("Wrong", file="./a.py")), concerns(issue("Wrong"))
    assert here == there
    [nowhere] = concerns(issue("Wrong", file=None))
    assert (nowhere.file, nowhere.words) == ("", here.words)
    assert concerns(issue("Wrong", file="b.py")) != (here,)


def test_who_agrees_has_no_concerns() -> None:
    assert concerns(issue("Naming", "minor"), status="APPROVED") == ()
    assert concerns(issue("Lost update"), status="CHANGES_REQUESTED")
    plan = '```json\n{"status": "BLOCKED"}\n```\n'
    answer = StrictAnswerReader().read(AnswerKind.PLAN, plan, nonce="n")
    assert isinstance(answer, Answer)
    assert answer.concerns == ()


def test_hostile_words_stay_within_bounds() -> None:
    many = "".join(f" word{chr(97 + at % 26) * (at // 26 + 1)}" for at in range(900))
    assert len(words(many)) == 40
    assert words("x" * 200_000)
    assert words("проверка проверка 検証検証検証")
    assert (
        len(concerns(*(issue(f"Fault {chr(97 + at % 26) * 5}", file=str(at)) for at in range(300))))
        == 100
    )
