"""A thread that follows the ledger and keeps only the newest news for whoever draws."""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from supervisor_ai.control.dashboard.feed import Feed, News
from supervisor_ai.control.dashboard.run_lines import LISTED
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId

LOG: Final = 500
"""So many of its last lines are kept of the log of one run."""
_PAUSE_SECONDS: Final = 0.2


class FeedThread:
    """Looks five times a second; who draws takes the newest news, and older ones are forgotten."""

    def __init__(self, open_records: Callable[[], Records | None]) -> None:
        self._open = open_records
        self._lock = Lock()
        self._wake = Event()
        self._is_over = Event()
        self._watched: RunId | None = None
        self._news: News | None = None
        self._trouble: str | None = None
        self._thread = Thread(target=self._follow, name="feed", daemon=True)

    @property
    def trouble(self) -> str | None:
        """Say why what is shown may be old, if so."""
        return self._trouble

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def watch(self, run: RunId | None) -> None:
        """Look at one run more closely, and do so at once."""
        self._watched = run
        self._wake.set()

    def take(self) -> News | None:
        """Return what is newest, once."""
        with self._lock:
            news, self._news = self._news, None
        return news

    def stop(self) -> None:
        """Let go of the ledger."""
        self._is_over.set()
        self._wake.set()
        self._thread.join()

    def _follow(self) -> None:
        feed: Feed | None = None
        while not self._is_over.is_set():
            try:
                feed = feed or self._opened()
                news = News(cursor=0) if feed is None else feed.look(self._watched)
                self._trouble = None
            except SupervisorError as error:
                # Others use the ledger too: what cannot be read now is read later.
                news, self._trouble = None, one_line(error.message)
            if news is not None:
                with self._lock:
                    self._news = news
            self._wake.wait(_PAUSE_SECONDS)
            self._wake.clear()

    def _opened(self) -> Feed | None:
        records = self._open()
        return None if records is None else Feed(records, limit=LISTED, kept=LOG)
