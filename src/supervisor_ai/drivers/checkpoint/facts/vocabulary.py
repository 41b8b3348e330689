"""The words of a text: which tell it from others, and which terms it uses.

A term is a word or a pair of words next to each other, without words such as "the" and "of", in
lower case but for words with a capital inside; what stands in code, links and addresses is none.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MOST_USES: Final = 8_000
_MOST_WORDS: Final = 60
_SHORTEST: Final = 3
_CODE: Final = re.compile(r"`[^`]{0,200}`|https?://\S{1,400}|\]\([^)\s]{0,400}\)")
_TOKEN: Final = re.compile(r"[^\W\d_]\w*(?:-\w+)*")
_CAPITAL_INSIDE: Final = re.compile(r"[a-z][A-Z]")
_STOP: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could"),
        *("do", "does", "each", "every", "for", "from", "has", "have", "how", "i", "if"),
        *("in", "into", "is", "it", "its", "may", "must", "no", "not", "of", "on", "one"),
        *("only", "or", "our", "shall", "should", "so", "such", "than", "that", "the"),
        *("their", "them", "then", "there", "these", "they", "this", "to", "was", "we"),
        *("were", "what", "when", "where", "which", "who", "will", "with", "would", "you"),
        *("your"),
    }
)


def singular(word: str) -> str:
    """Take the plural off a word, as far as a rule can."""
    if len(word) > _SHORTEST and word.endswith("ies"):
        return f"{word[:-3]}y"
    is_plural = (
        len(word) > _SHORTEST and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    )
    return word[:-1] if is_plural else word


def letters(term: str) -> str:
    """Return what all spellings of a term have in common: `User-Accounts`, `UserAccount`."""
    return singular("".join(it for it in term.lower() if it.isalnum()))


def spelling(term: str) -> str:
    """Return how a term is spelt, whatever its number and the case of its words."""
    kept = " ".join(term.split())
    return singular(kept if _CAPITAL_INSIDE.search(kept) else kept.lower())


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words that say what a text is about, each once."""
    found = (singular(token.lower()) for token in _TOKEN.findall(_CODE.sub(" ", text)))
    telling = (word for word in found if len(word) >= _SHORTEST and word not in _STOP)
    return tuple(dict.fromkeys(telling))[:_MOST_WORDS]


def uses(lines: Iterable[tuple[int, str]]) -> dict[str, int]:
    """List the terms of a text, each with the line where it stands first."""
    found: dict[str, int] = {}
    for number, line in lines:
        for term in _terms(line):
            if len(found) >= MOST_USES:
                return found
            found.setdefault(term, number)
    return found


def _terms(line: str) -> Iterator[str]:
    text = _CODE.sub(" . ", line)
    before = ""
    end = -1
    for match in _TOKEN.finditer(text):
        word = match[0] if _CAPITAL_INSIDE.search(match[0]) else match[0].lower()
        if word in _STOP or "_" in word:
            before = ""
            continue
        yield word
        if before and not text[end : match.start()].strip(" *"):
            yield f"{before} {word}"
        before, end = word, match.end()
