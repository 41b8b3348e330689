"""Whether somebody is at the other end of a terminal."""

import os
import pty

from supervisor_ai.tui.terminal import terminal_is_gone


def test_a_terminal_is_there_until_its_other_end_is_closed() -> None:
    master, slave = pty.openpty()
    assert not terminal_is_gone(slave)
    os.write(master, b"typed")
    assert not terminal_is_gone(slave)
    os.close(master)
    assert terminal_is_gone(slave)
    os.close(slave)
    assert terminal_is_gone(slave)
