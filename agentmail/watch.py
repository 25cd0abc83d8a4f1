"""Tell me when this directory changes: the kernel's notification through watchdog, or looking again and again."""

from __future__ import annotations

import os
import threading
import time

#: Seconds between looks where nothing notifies.
POLL = 0.5
#: Seconds after which one looks again in any case. Why, where the kernel notifies: of what another machine does
#: on a shared disk it does not, and some systems begin to watch a moment after they said so.
LOOK_AGAIN = 10.0


class Watch:
    """A directory being watched for what comes into it. Start it before the first look, and nothing is missed.

    `how` is `notification` or `polling`.
    """

    def __init__(self, directory: str, *, poll: bool = False) -> None:
        self.how = "polling"
        self._event = threading.Event()
        self._observer: BaseObserver | None = None
        if not poll:
            with _Unsignalled():
                self._observer = self._started(directory)

    def _started(self, directory: str) -> BaseObserver | None:
        try:
            from watchdog import events
            from watchdog.observers import Observer
        except ImportError:
            return None  # a Python without packages, as a plugin may have
        event = self._event

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, _event: events.FileSystemEvent) -> None:
                event.set()

        # Not every event: looking into the directory is one too, and would wake who looks for ever.
        directories = [events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent]
        everything = [events.FileCreatedEvent, events.FileMovedEvent, *directories]
        try:
            observer = Observer()
            observer.schedule(Handler(), directory, event_filter=everything)
            # From above one sees it removed and another put in its place.
            observer.schedule(Handler(), os.path.dirname(directory), event_filter=directories)
            observer.start()
        except OSError:
            # No watches left, or a file system that has none.
            return None
        self.how = "notification"
        return observer

    def wait(self, deadline: float | None, at_most: float | None = None) -> bool:
        """Wait until it is worth looking: at a change, or after a while; False when the deadline is past.

        The deadline is a moment of the monotonic clock (None: never); `at_most` seconds shortens the while.
        """
        now = time.monotonic()
        if deadline is not None and deadline <= now:
            return False
        bounds = [POLL if self._observer is None else LOOK_AGAIN]
        bounds += [at_most] if at_most is not None else []
        bounds += [deadline - now] if deadline is not None else []
        self._event.wait(min(bounds))
        # Cleared before the caller looks: what comes during the look sets it again.
        self._event.clear()
        return True

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Watch no more."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None


class _Unsignalled:
    """Threads that begin in the `with` block get no signals.

    The system gives a signal to any thread that takes it, and one that a helper gets does not wake the main
    thread, whose part it is to end: a Ctrl-C would count when the wait is over.
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
