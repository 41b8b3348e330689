"""The dialects by provider."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.run.spending.model_services import Provider
from supervisor_ai.workers.api.anthropic import ANTHROPIC
from supervisor_ai.workers.api.dialect import ApiDialect
from supervisor_ai.workers.api.ollama import OLLAMA
from supervisor_ai.workers.api.openai import OPENAI_COMPATIBLE, OPENROUTER

DIALECTS: Final[Mapping[Provider, ApiDialect]] = {
    "openai_compatible": OPENAI_COMPATIBLE,
    "openrouter": OPENROUTER,
    "ollama": OLLAMA,
    "anthropic": ANTHROPIC,
}
