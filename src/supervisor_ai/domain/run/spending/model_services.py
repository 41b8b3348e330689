"""Where services of models are, if the user names no other place."""

from collections.abc import Mapping
from typing import Final, Literal

Provider = Literal["openai_compatible", "openrouter", "ollama", "anthropic"]

SERVICES: Final[Mapping[Provider, str]] = {
    "openai_compatible": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://127.0.0.1:11434",
    "anthropic": "https://api.anthropic.com",
}
