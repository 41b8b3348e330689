"""What features ask of adapters."""

from typing import Protocol

from supervisor_ai.drivers.feature.plan.model import Feature


class PlanReader(Protocol):
    """Reads the plans of features."""

    def read(self, file: str, text: str) -> Feature:
        """Read a plan; raises InvalidInput with every mistake, each with its line."""
        ...
