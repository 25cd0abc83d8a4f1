"""Archive: inbox to archive, compressed; then, at most once an hour, the upkeep of the mailbox."""

from __future__ import annotations

from agentmail.core import names, retention
from agentmail.core.archiving import archive as archive_one
from agentmail.core.errors import AgentMailError, NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.locks import Locked
from agentmail.core.message_files import find_archived, message_named
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class ArchivedOne(TypedDict):
    """What became of one message: `archived`, `already-archived`, or the word of the error and its text."""

    id: str
    outcome: str
    path: NotRequired[str]
    error: NotRequired[str]
    exit: NotRequired[int]


class Archived(TypedDict):
    """`archive`: each message with its outcome, and what the hourly upkeep removed."""

    identity: str
    messages: list[ArchivedOne]
    pruned: list[str]
    warnings: list[str]


def archive(call: Call, identity: Me, ids: list[str], *, thread: Sequence[str] = ()) -> Archived:
    """Move handled messages, or a thread's waiting ones, to the archive, compressed.

    One that fails does not stop the others. `thread` names whole threads, also where a message has that name.
    """
    whole = [names.thread_name(name) for name in thread]
    with open_mailbox(call.bus, identity) as box:
        words = list(dict.fromkeys(message_named(box, id) for id in ids))
        meant = [id for word in words for id in _meant(box, word)]
        wanted = list(dict.fromkeys([*meant, *(id for name in whole for id in _of_thread(box, name))]))
        newest = _newest_waiting(box, wanted)
        warnings: list[str] = []
        messages = [_one(box, id, warnings) for id in wanted]
        # Where nothing could be archived nothing else is done either: the errors say so.
        done = any("error" not in message for message in messages)
        retention_text = call.environment.retention()
        pruned = upkeep(box, retention_text, newest, _names(messages), warnings) if done else []
        return {"identity": identity, "messages": messages, "pruned": pruned, "warnings": warnings}


def _meant(box: Mailbox, word: str) -> list[str]:
    """The ids that a word means: a message's own id first, else what waits of the thread of that name.

    Why in that order: archiving a message again after a crash must never archive others of its thread.
    """
    inbox = box.existing(INBOX)
    if inbox is None or box.disk.exists(f"{word}.md", inbox) or find_archived(box, word):
        return [word]
    from agentmail.views.threads import waiting_in

    return waiting_in(box, word) or [word]


def _of_thread(box: Mailbox, thread: str) -> list[str]:
    from agentmail.views.threads import waiting_in

    found = waiting_in(box, thread)
    if not found:
        raise NotFound(
            f"nothing of a thread {thread} waits for {box.identity}",
            names.NOTHING_CHANGED,
            f"see `agentmail threads {box.identity}`",
        )
    return found


def _one(box: Mailbox, id: str, warnings: list[str]) -> ArchivedOne:
    try:
        moved = archive_one(box, id)
    except AgentMailError as failed:
        error = failed
        if isinstance(failed, NotFound):
            from agentmail.core.odd_names import explained

            error = explained(box, id, failed)
        return {"id": id, "outcome": error.word, "error": str(error), "exit": error.exit_code}
    if moved.note:
        warnings.append(moved.note)
    outcome = "already-archived" if moved.already else "archived"
    return {"id": id, "outcome": outcome, "path": box.path(ARCHIVE, moved.name)}


def _newest_waiting(box: Mailbox, ids: list[str]) -> int:
    """The newest time that the messages about to be archived show: what the guard against clock jumps goes by."""
    inbox = box.existing(INBOX)
    found = [box.disk.stat_or_none(f"{id}.md", inbox) for id in ids] if inbox is not None else []
    return max((info.st_mtime_ns for info in found if info is not None), default=0)


def _names(messages: list[ArchivedOne]) -> frozenset[str]:
    """The archive files that this run made: their times say only what this machine's clock says."""
    return frozenset(message["path"].rpartition("/")[2] for message in messages if "path" in message)


def upkeep(
    box: Mailbox, retention_text: str | None, newest: int, fresh: frozenset[str], warnings: list[str]
) -> list[str]:
    """Reap dead staging and prune what is past retention, at most once an hour; never an error."""
    now = box.bus.clock.now_ns()
    try:
        if not retention.is_due(box, now):
            return []
        from agentmail.core import confirmed_time, stamps
        from agentmail.core.putting_back import settle

        days = _days(retention_text, warnings)
        confirmed = confirmed_time.follow(box, now, fresh, days or retention.RETENTION_DAYS)
        stamps.touch(box.disk, retention.STAMP, box.fd)
        with Locked(box.disk, box.fd):
            settle(box)
        retention.reap(box)
        if days is None:
            return []
        with Locked(box.disk, box.fd):
            return _prune(box, days, newest, fresh, confirmed, warnings)
    except (OSError, AgentMailError) as error:
        what = reason(error) if isinstance(error, OSError) else error.what
        warnings.append(f"upkeep of {box.identity} is postponed: {what}")
        return []


def _days(text: str | None, warnings: list[str]) -> int | None:
    try:
        return retention.days_set(text)
    except Refused as error:
        warnings.append(f"{error.what}; nothing is pruned; {error.next_step}")
        return None


def _prune(
    box: Mailbox, days: int, newest: int, fresh: frozenset[str], confirmed: int, warnings: list[str]
) -> list[str]:
    """Remove what is past its age by the clock and by both witnesses; nothing if they differ by the age itself."""
    from agentmail.core.confirmed_time import confirmed_by_both

    now = box.bus.clock.now_ns()
    expired = retention.expired(box, days, now, fresh)
    if not expired.removed:
        return []
    late = confirmed_by_both(box, confirmed, max(newest, expired.newest), now)
    if now - late > days * retention.DAY_NS:
        warnings.append(
            f"{len(expired.removed)} messages are past retention by this machine's clock, but nothing else here "
            f"confirms that time, so they were kept; if the clock is right, run `agentmail prune {box.identity} {days}`"
        )
        return []
    done = retention.remove(box, expired.older_at(late, days))
    warnings.extend(f"not removed: {failure}" for failure in done.failed)
    return done.removed


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me
