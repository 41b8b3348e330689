"""What a part of a document is about, by its headings."""

import re
from enum import StrEnum
from typing import Final


class Topic(StrEnum):
    """What can be stated under a heading."""

    GOALS = "goals"
    REQUIREMENTS = "requirements"
    STORIES = "stories"
    COMPONENTS = "components"
    MODULES = "modules"
    TASKS = "tasks"
    DECISIONS = "decisions"
    QUESTIONS = "questions"
    GLOSSARY = "glossary"
    EXCLUDED = "excluded"
    """What is named because it is not wanted."""


LASTING: Final = frozenset({Topic.EXCLUDED, Topic.GLOSSARY})
"""What holds below all headings of a part, also where only the title of the document says so."""
_TITLES: Final = (
    (Topic.EXCLUDED, r"non[- ]?goals?\b|out of scope|not in scope|excluded|won'?t[- ]have"),
    (Topic.QUESTIONS, r"open (?:questions?|issues?|points?)\b|unresolved|unknowns\b"),
    (Topic.GLOSSARY, r"glossary\b|terminology\b|\bterms\b|definitions\b|ubiquitous language"),
    (Topic.GOALS, r"\bgoals?\b|\bobjectives?\b"),
    (Topic.REQUIREMENTS, r"\brequirements?\b|\bfunctional\b|(?:must|should|could)[- ]haves?\b"),
    (Topic.STORIES, r"\bstories\b|\bepics?\b"),
    (Topic.COMPONENTS, r"\bcomponents?\b|building blocks"),
    (Topic.MODULES, r"\bmodules?\b"),
    (Topic.TASKS, r"\btasks?\b|work breakdown"),
    (Topic.DECISIONS, r"\bdecisions?\b|\badrs?\b"),
)
_PATTERNS: Final = tuple((topic, re.compile(pattern)) for topic, pattern in _TITLES)


def topic_of(title: str) -> Topic | None:
    """Say what a heading announces; None: nothing that facts are read from."""
    return next((topic for topic, pattern in _PATTERNS if pattern.search(title)), None)
