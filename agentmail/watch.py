"""Watch a directory for changes: by the kernel's notifications through watchdog, or by polling."""

from __future__ import annotations

import os
import threading
import time

#: Seconds between looks where nothing notifies.
POLL = 0.5
#: Seconds after which one looks again in any case. Why: the kernel does not notify of changes that another machine
#: makes on a shared disk, and some systems begin to watch a moment after they say so.
LOOK_AGAIN = 10.0


class Watch:
    """A directory watched for new entries. Start it before the first look, so that no entry is missed.

    `how` is `notification` or `polling`.
    """

    def __init__(self, directory: str, *, poll: bool = False, changed: threading.Event | None = None) -> None:
        """`changed` is set at each change; another thread may set it, to end the wait."""
        self.how = "polling"
        self._event = threading.Event() if changed is None else changed
        self._observer: BaseObserver | None = None
        if not poll:
            with _Unsignalled():
                self._observer = self._started(directory)

    def _started(self, directory: str) -> BaseObserver | None:
        try:
            from watchdog import events
            from watchdog.observers import Observer
        except ImportError:
            return None  # the plugin, on a Python without packages
        import logging

        # It logs a call that comes as it stops as an error. A line on standard error would be ours.
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        event = self._event

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, _event: events.FileSystemEvent) -> None:
                event.set()

        # Not every event: listing the directory is one too, and would wake the caller again and again.
        directories = [events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent]
        everything = [events.FileCreatedEvent, events.FileMovedEvent, *directories]
        try:
            observer = Observer()
            observer.schedule(Handler(), directory, event_filter=everything)
            # The parent shows that the directory was removed and replaced.
            observer.schedule(Handler(), os.path.dirname(directory), event_filter=directories)
            observer.start()
        except OSError:
            # No watches left, or a file system that has none.
            return None
        self.how = "notification"
        return observer

    def wait(self, deadline: float | None, at_most: float | None = None) -> bool:
        """Wait for a change, or for the time after which one looks in any case; False at the deadline.

        The deadline is a time of the monotonic clock (None: never); `at_most` shortens the wait, in seconds.
        """
        now = time.monotonic()
        if deadline is not None and deadline <= now:
            return False
        bounds = [POLL if self._observer is None else LOOK_AGAIN]
        bounds += [at_most] if at_most is not None else []
        bounds += [deadline - now] if deadline is not None else []
        self._event.wait(min(bounds))
        # Cleared before the caller looks: a change during the look sets it again.
        self._event.clear()
        return True

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop watching."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None


class _Unsignalled:
    """Threads that start in the `with` block receive no signals.

    The system delivers a signal to any thread that accepts it. A signal delivered to the observer's thread would not
    wake the main thread, so Ctrl-C would take effect only when the wait is over.
    """

    def __enter__(self) -> None:
        import signal

        self._kept = None
        if hasattr(signal, "pthread_sigmask"):
            self._kept = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

    def __exit__(self, *_: object) -> None:
        import signal

        if self._kept is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._kept)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver
