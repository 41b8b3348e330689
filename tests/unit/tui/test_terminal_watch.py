"""A session that is told to end does so, whether or not its terminal can be drawn on."""

from threading import Event

from supervisor_ai.tui.terminal_watch import TerminalWatch


def test_who_does_not_end_in_time_is_ended() -> None:
    left = Event()
    watch = TerminalWatch(lambda: True, left.set, pause=0.001, patience=0)
    watch.start()
    assert not left.is_set()
    watch.hurry()
    assert left.wait(5)


def test_who_ends_in_time_is_left_alone() -> None:
    looked, left = Event(), Event()

    def has_terminal() -> bool:
        looked.set()
        return True

    watch = TerminalWatch(has_terminal, left.set, pause=0.001, patience=60)
    watch.start()
    watch.hurry()
    assert looked.wait(5)
    watch.stop()
    assert not left.is_set()
