"""Tell me when this directory changes: the kernel's notification through watchdog, or looking again and again."""

from __future__ import annotations

import threading
import time

#: Seconds between looks where nothing notifies.
POLL = 0.5


class Watch:
    """A directory being watched. Start it before the first look, and no change is missed between look and wait.

    `how` is `notification` or `polling`.
    """

    def __init__(self, directory: str, *, poll: bool = False) -> None:
        self.how = "polling"
        self._event = threading.Event()
        self._observer: BaseObserver | None = None if poll else self._started(directory)

    def _started(self, directory: str) -> BaseObserver | None:
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        event = self._event

        class Handler(FileSystemEventHandler):
            def on_any_event(self, _event: FileSystemEvent) -> None:
                event.set()

        observer = Observer()
        observer.daemon = True
        try:
            observer.schedule(Handler(), directory)
            observer.start()
        except OSError:
            # No watches left, or a file system that has none.
            return None
        self.how = "notification"
        return observer

    def wait(self, deadline: float | None) -> bool:
        """Wait for a change until a moment of the monotonic clock (None: for ever); False when time is up.

        With polling every look may be a change; the caller looks for itself.
        """
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return False
        if self._observer is None:
            self._event.wait(POLL if left is None else min(POLL, left))
            return True
        changed = self._event.wait(left)
        self._event.clear()
        return changed

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self._observer is not None:
            self._observer.stop()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver
