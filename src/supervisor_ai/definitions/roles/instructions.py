"""What a role's `config` means, in words for its worker."""

from collections.abc import Iterator

from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.schema.roles import RoleConfigShape


def instructions(role: RoleShape) -> str:
    """Return what a role is told to do, its settings about tests included."""
    lines = [role.instructions.strip("\n")] if role.instructions else []
    lines += _config_lines(role.config)
    return "".join(f"{line}\n" for line in lines)


def _config_lines(config: RoleConfigShape) -> Iterator[str]:
    if config.tdd:
        yield "Write each test before the code that makes it pass, and see it fail first."
    if config.coverage is not None:
        yield f"Cover at least {config.coverage} % of what you write with tests."
    if config.test_types:
        yield f"Kinds of tests that are wanted: {', '.join(config.test_types)}."
    if config.min_tests_per_component is not None:
        yield f"Write at least {config.min_tests_per_component} tests for each component."
