"""The prompt templates of the package, each made into one text that needs no other file."""

import json
import re
from pathlib import Path
from typing import Final

from supervisor_ai.definitions.answer_models import schema_text
from supervisor_ai.definitions.shelves import BUILTIN_DIRECTORY
from supervisor_ai.domain.run.answers import AnswerKind

_DIRECTORY: Final[Path] = BUILTIN_DIRECTORY / "prompts"
_INCLUDE: Final = re.compile(r"""^\{% include "([\w.]+)" %\}\n?""", re.MULTILINE)
_SCHEMA: Final = "schema.json"


def template_text(name: str, answer: AnswerKind) -> str:
    """Return a template with everything it includes, the schema of the answer as well.

    A run pins this text, so that a later version of the package does not change it.
    """
    return _merged((_DIRECTORY / name).read_text(encoding="utf-8"), answer)


def _merged(text: str, answer: AnswerKind) -> str:
    def included(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == _SCHEMA:
            return f"{{% raw %}}{_compact(schema_text(answer))}{{% endraw %}}\n\n"
        return _merged((_DIRECTORY / name).read_text(encoding="utf-8"), answer)

    return _INCLUDE.sub(included, text)


def _compact(schema: str) -> str:
    return json.dumps(json.loads(schema))
