"""What a reviewer objects to, without the words: enough to know the same objection again."""

import hashlib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from supervisor_ai.definitions.worker_answers.models import Output, ReviewIssue, ReviewOutput
from supervisor_ai.domain.run.gates import Concern
from supervisor_ai.domain.structs import replace

_HEAVY: Final = frozenset({"critical", "major"})
_SAYS_HEAVY: Final = re.compile(
    r"\W{0,10}(critical|major)[\s*_`]{0,10}[])}:\u2013\u2014-]", re.IGNORECASE
)
"""How a text begins that says itself how much it weighs."""
_OBJECTS: Final = frozenset({"CHANGES_REQUESTED", "REJECTED"})
_MOST_CONCERNS: Final = 100
_MOST_WORDS: Final = 40
_LONGEST: Final = 20_000
_FILE_DIGITS: Final = 12
_SHORTEST: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]+")
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_EMPTY: Final = frozenset(
    {
        *("about", "after", "again", "also", "because", "been", "before", "being"),
        *("both", "cannot", "could", "does", "doing", "each", "else", "ever"),
        *("every", "from", "have", "having", "here", "however", "instead", "into"),
        *("just", "like", "made", "make", "many", "more", "most", "much"),
        *("must", "need", "needs", "only", "other", "otherwise", "please", "really"),
        *("same", "shall", "should", "since", "some", "still", "such", "than"),
        *("that", "their", "them", "then", "there", "these", "they", "this"),
        *("those", "very", "well", "were", "what", "when", "where", "whether"),
        *("which", "while", "will", "with", "within", "would", "your"),
    }
)
_ENDINGS: Final = (
    *("ations", "ation", "ating", "ated", "ates", "ate", "ings", "ing"),
    *("ies", "ied", "edly", "ed", "es", "ly", "s", "e", "y"),
)


def concerns(answer: Output) -> tuple[Concern, ...]:
    """Return what a review objects to: what weighs most of it, where the reviewer says so."""
    if not isinstance(answer, ReviewOutput) or answer.status not in _OBJECTS:
        return ()
    named = [*answer.issues, *answer.concerns]
    heavy = [issue for issue in named if issue.severity in _HEAVY]
    chosen = islice(heavy or named, _MOST_CONCERNS)
    return tuple(dict.fromkeys(_concern(issue) for issue in chosen))


def weighed(answer: Output) -> Output:
    """Take an approval that names anything critical or major for the request that it is."""
    if not isinstance(answer, ReviewOutput) or answer.status in _OBJECTS:
        return answer
    named = [*answer.issues, *answer.concerns, *_of_suggestions(answer)]
    if not any(map(_is_heavy, named)):
        return answer
    return replace(
        answer,
        status="CHANGES_REQUESTED",
        issues=[_in_its_own_words(issue) for issue in named],
        security_concerns=None,
    )


def _of_suggestions(answer: ReviewOutput) -> Iterator[ReviewIssue]:
    for text in answer.suggestions or ():
        if _SAYS_HEAVY.match(text):
            yield ReviewIssue(severity="info", message=text)


def _is_heavy(issue: ReviewIssue) -> bool:
    return issue.severity in _HEAVY or _SAYS_HEAVY.match(issue.message) is not None


def _in_its_own_words(issue: ReviewIssue) -> ReviewIssue:
    """Believe the heavier of what an issue is called and what it calls itself."""
    said = _SAYS_HEAVY.match(issue.message)
    if said is None or issue.severity in _HEAVY:
        return issue
    return replace(issue, severity="critical" if said[1].lower() == "critical" else "major")


def _concern(issue: ReviewIssue) -> Concern:
    path = (issue.file or "").strip().removeprefix("./")
    file = hashlib.sha256(path.encode(errors="replace")).hexdigest()[:_FILE_DIGITS] if path else ""
    digests = {_digest(word) for word in islice(_distinct(issue.message), _MOST_WORDS)}
    return Concern(file=file, words=tuple(sorted(digests)))


def _distinct(message: str) -> Iterator[str]:
    """Yield the words that carry a message's meaning, each once, in their order."""
    seen: set[str] = set()
    for match in _WORD.finditer(message[:_LONGEST]):
        # What stands for a name in the code is made of words as well: `readConfig`.
        for piece in _PIECE.findall(match.group()):
            word = _stem(piece.lower())
            if word is not None and word not in seen:
                seen.add(word)
                yield word


def _stem(word: str) -> str | None:
    """Cut a word down to what its forms share; None where it says nothing by itself."""
    if len(word) < _SHORTEST or word in _EMPTY:
        return None
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST - 1:
            return word.removesuffix(ending)
    return word


def _digest(word: str) -> int:
    return int.from_bytes(hashlib.sha256(word.encode(errors="replace")).digest()[:4], "big")
