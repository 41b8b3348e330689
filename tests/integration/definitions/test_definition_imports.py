import subprocess
import sys


def test_heavy_libraries_are_imported_only_when_definitions_are_loaded() -> None:
    program = """
import sys
from pathlib import Path
from supervisor_ai.context.prompts.prompter import JinjaPrompter
from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.consent.own_agents import OwnAgents
from supervisor_ai.definitions.consent.trust_store import FileTrustStore
FileCatalog(None, Path(), frozenset()), FileTrustStore(Path(), None), OwnAgents(Path())
JinjaPrompter(), StrictAnswerReader()
print(sorted({"pydantic", "yaml", "jinja2"} & set(sys.modules)))
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
