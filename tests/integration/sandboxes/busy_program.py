"""A program whose processes use up time."""

from typing import Final

BUSY: Final = """
import os, time
child = os.fork()
while time.process_time() < 0.3:
    pass
if child:
    os.waitpid(child, 0)
    print("used", flush=True)
    time.sleep(1000)
"""
"""It and a child of its own use 0.3 s each; then it says so and waits."""
