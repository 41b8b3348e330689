"""The workflow slice: the driver alone; all that its runs record belongs to the kernel."""

from typing import Final

from supervisor_ai.control.slices import Slice
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.playback import opener

SLICE: Final = Slice(driver=opener(WorkflowDriver()), definition=Definition)
