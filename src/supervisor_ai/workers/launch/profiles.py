"""The CLIs that we know how to start, by the names of their adapters."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.workers.launch.claude import CLAUDE
from supervisor_ai.workers.launch.codex import CODEX
from supervisor_ai.workers.launch.gemini import GEMINI, QWEN
from supervisor_ai.workers.launch.opencode import OPENCODE
from supervisor_ai.workers.launch.profile import LaunchProfile

PROFILES: Final[Mapping[str, LaunchProfile]] = {
    profile.adapter: profile for profile in (CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)
}
