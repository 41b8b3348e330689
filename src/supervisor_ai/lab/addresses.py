"""How each CLI is pointed at the lab: by hand, or by supervisor's broker."""

from typing import Final

from supervisor_ai.control.ports.lab import CliPointer

LAB_KEY: Final = "LAB_KEY"
_DUMMY: Final = "lab"
_CODEX: Final = (
    '-c model_provider="lab"',
    '-c model_providers.lab={{name="lab",base_url="{url}/v1",env_key="LAB_KEY",'
    'wire_api="responses",request_max_retries=1,stream_max_retries=1}}',
)
# Gemini CLI takes the key from the environment only if its settings say so.
_GEMINI_SETTINGS: Final = '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'
_BROKER: Final = """\
clis:
  claude:
    adapter: claude
    broker:
      upstream: {url}
      paths: ["POST /v1/messages", "POST /v1/messages/count_tokens"]
      base_url: ANTHROPIC_BASE_URL
      header: "x-api-key: ${{LAB_KEY}}"
      placeholder: ANTHROPIC_API_KEY
  codex:
    adapter: codex
    broker:
      upstream: {url}
      paths: ["POST /v1/responses"]
      base_url: OPENAI_BASE_URL
      header: "authorization: Bearer ${{LAB_KEY}}"
      placeholder: OPENAI_API_KEY
  gemini:
    adapter: gemini
    broker:
      upstream: {url}
      paths: ["POST /v1beta/models/*"]
      base_url: GOOGLE_GEMINI_BASE_URL
      header: "x-goog-api-key: ${{LAB_KEY}}"
      placeholder: GEMINI_API_KEY
"""


def pointers(url: str) -> dict[str, CliPointer]:
    """Tell how each CLI is pointed at a server."""
    here = {"NO_PROXY": "127.0.0.1"}
    openai = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": _DUMMY}
    return {
        "claude": CliPointer(
            environment={"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": _DUMMY, **here}
        ),
        "codex": CliPointer(
            environment={LAB_KEY: _DUMMY, **here},
            arguments=tuple(line.format(url=url) for line in _CODEX),
        ),
        "gemini": CliPointer(
            environment={"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": _DUMMY, **here},
            settings={"~/.gemini/settings.json": _GEMINI_SETTINGS},
        ),
        "openai_compatible": CliPointer(environment={**openai, **here}),
    }


def broker(url: str) -> str:
    """Write the part of the user's config that sends sandboxed workers to a server."""
    return _BROKER.format(url=url)
