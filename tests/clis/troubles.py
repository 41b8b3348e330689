"""What a CLI can run into: a model that says nothing, and a process that stays behind."""

from typing import Final

# Python, as Claude Code refuses a mere sleep.
DAEMON: Final = (
    "setsid --fork env -i python3 -c 'import time; time.sleep(600)' </dev/null >/dev/null 2>&1;"
    " touch up"
)


FOR_EVER: Final = {"times": -1}
SILENCE: Final = {"hang": 600, **FOR_EVER}
