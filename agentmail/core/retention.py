"""Retention: which archived and sent messages, and which dead staging files, may be removed, and when.

Why the age is the modification time of the file: archiving creates a new file, so a message that waited two
months in the inbox is not removed as soon as it is archived. A restored or cloned file looks younger and is
kept longer, which is safe.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import NotFound, Refused
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import ARCHIVE, INBOX, SENT, TMP
from agentmail.core.locks import try_lock

RETENTION_DAYS = 60
RETENTION_MAX = 36500
VARIABLE = "AGENT_MAIL_RETENTION_DAYS"
OFF = "off"
DAY_NS = 86_400 * 10**9
STAMP = ".upkeep"
UPKEEP_EVERY_NS = 3600 * 10**9
#: The age at which a staging file counts as dead, as in maildir.
STALE_NS = 36 * 3600 * 10**9


class Removal:
    """The outcome of a removal: the paths removed, the failures, and the newest modification time seen.

    `seen` has the stat of each path that was chosen: only that file is removed.
    """

    __slots__ = ("failed", "newest", "removed", "seen")

    def __init__(self) -> None:
        self.removed: list[str] = []
        self.seen: dict[str, system.stat_result] = {}
        self.failed: list[str] = []
        self.newest = 0

    def older_at(self, moment: int, days: int) -> Removal:
        """Those that are older than `days` also at that moment."""
        older = Removal()
        older.seen = self.seen
        older.removed = [
            path for path in self.removed if moment - self.seen[path].st_mtime_ns > days * DAY_NS
        ]
        return older


def is_prunable(name: str) -> bool:
    """True for the exact names of messages: stamp, dash, id alphabet, `.md` or `.md.gz`."""
    bare = names.without_suffix(name)
    return (
        bare != name
        and names.is_stamped(bare)
        and bare[names.STAMP_LENGTH :][:1] == "-"
        and len(bare) > names.STAMP_LENGTH + 1
        and names.is_id(bare)
    )


def is_fact_file(name: str) -> bool:
    """True for the facts beside a sent message, which become as old as it does: `<id>.jsonl`."""
    return name.endswith(".jsonl") and is_prunable(f"{name[: -len('.jsonl')]}.md")


def expired(box: Mailbox, days: int, now: int, fresh: frozenset[str] = frozenset()) -> Removal:
    """The messages older than `days`, oldest names first; nothing is removed.

    `fresh` are names that this run archived: they do not count, whatever time a file server gave them.
    """
    found = Removal()
    user = system.geteuid()
    for folder in (ARCHIVE, SENT):
        parent = _own_folder(box, folder)
        for name in sorted(box.disk.names(parent), key=names.order) if parent is not None else ():
            if parent is None or not (is_prunable(name) or (folder == SENT and is_fact_file(name))):
                continue
            info = box.disk.stat_or_none(name, parent)
            if info is None or not is_file(info) or user not in (0, info.st_uid):
                continue
            if name in fresh:
                continue
            if info.st_mtime_ns <= now:
                found.newest = max(found.newest, info.st_mtime_ns)
            if now - info.st_mtime_ns > days * DAY_NS:
                found.removed.append(f"{folder}/{name}")
                found.seen[f"{folder}/{name}"] = info
    return found


def _own_folder(box: Mailbox, folder: str) -> int | None:
    try:
        return box.existing(folder)
    except NotADirectoryError:
        raise NotFound(
            f"{names.printable(box.path(folder))} is not a directory of the mailbox",
            "nothing was removed",
            "put the real directory back in its place",
        ) from None


def remove(
    box: Mailbox, chosen: Removal, progress: Callable[[list[str], str], Iterable[str]] | None = None
) -> Removal:
    """Remove the messages that `expired` chose; one that is gone is fine, one that fails is named and skipped.

    A name that another file has by now, or a file that was written again, is kept and named.
    """
    from agentmail.core.removing import CHANGED, REMOVED, remove_same

    done = Removal()
    touched = set()
    for path in progress(chosen.removed, "removing") if progress else chosen.removed:
        folder, _, name = path.partition("/")
        parent = box.folder(folder)
        try:
            outcome = remove_same(box.disk, name, parent, chosen.seen[path])
            touched.add(parent)
            if outcome == REMOVED:
                done.removed.append(path)
            elif outcome == CHANGED:
                done.failed.append(f"{path}: it changed meanwhile, so it was kept")
        except OSError as error:
            done.failed.append(f"{path}: {reason(error)}")
    for parent in touched:
        try:
            box.disk.sync_directory(parent)
        except OSError as error:
            done.failed.append(f"the removals may come back after a power cut: {reason(error)}")
    return done


def is_due(box: Mailbox, now: int) -> bool:
    """True at most once an hour, and the first time: archiving runs the upkeep."""
    stamp = box.disk.stat_or_none(STAMP, box.fd)
    return stamp is None or not 0 <= now - stamp.st_mtime_ns < UPKEEP_EVERY_NS


def stale(box: Mailbox) -> list[tuple[str, str]]:
    """Folder and name of our staging files whose writers seem dead: old by the clock of the file system.

    A staging file with a second name is left from a delivery and needs no age.
    """
    tmp = box.existing(TMP)
    if tmp is None:
        return []
    now = _disk_time(box, tmp)
    found = []
    for folder in (TMP, INBOX, ARCHIVE, SENT):
        parent = box.existing(folder)
        for name in _staging_names(box, folder, parent) if parent is not None else ():
            info = box.disk.stat_or_none(name, parent) if parent is not None else None
            if info is None or not is_file(info) or info.st_uid != system.geteuid():
                continue
            if info.st_nlink > 1 or now - info.st_mtime_ns > STALE_NS:
                found.append((folder, name))
    return found


def _staging_names(box: Mailbox, folder: str, parent: int) -> list[str]:
    hidden = [name for name in box.disk.hidden_names(parent) if name.startswith((".tmp-", ".probe-"))]
    if folder != TMP:
        return hidden
    return hidden + [name for name in box.disk.names(parent) if is_prunable(name)]


def reap(box: Mailbox) -> list[str]:
    """Remove the staging files whose writers are dead; returns their paths in the mailbox.

    A live writer holds the lock of its file until it ends, so the file of a writer that was stopped for
    two days is kept, whatever the clocks say.
    """
    from agentmail.core.removing import REMOVED, remove_same

    reaped = []
    for folder, name in stale(box):
        parent = box.folder(folder)
        try:
            with box.disk.file(name, parent) as fd:
                # No name left: another process removed it, and a live writer may have the name now.
                dead = try_lock(box.disk, fd)
                info = box.disk.fstat(fd)
                if dead and info.st_nlink and remove_same(box.disk, name, parent, info) == REMOVED:
                    reaped.append(f"{folder}/{name}")
        except OSError:
            # Not ours any more, or gone; the next upkeep tries again.
            continue
    return reaped


def _disk_time(box: Mailbox, tmp: int) -> int:
    """The clock of the file system, read from a new file: a host with a wrong clock must not remove anything."""
    probe = f".probe-{system.getpid()}-{system.urandom(4).hex()}"
    try:
        with box.disk.create(probe, tmp) as fd:
            return box.disk.fstat(fd).st_mtime_ns
    finally:
        box.disk.discard(probe, tmp)


def retention_days(text: str) -> int:
    """`text` as a number of days, 1 to 36500 in plain digits; else Refused; never another number instead."""
    if 0 < len(text) <= 5 and names.DIGITS_ONLY.issuperset(text) and 1 <= int(text) <= RETENTION_MAX:
        return int(text)
    raise Refused(
        f"{names.quoted(text)} is not a number of days",
        "nothing was removed",
        f"give 1 to {RETENTION_MAX} in plain digits",
    )


def days_set(text: str | None) -> int | None:
    """The days that AGENT_MAIL_RETENTION_DAYS sets: 60 if it is unset, None for `off`; else a number, or Refused."""
    if text is None:
        return RETENTION_DAYS
    if text == OFF:
        return None
    try:
        return retention_days(text)
    except Refused as error:
        raise Refused(
            f"{VARIABLE}: {error.what}",
            error.now,
            f"set it to 1 to {RETENTION_MAX} in plain digits, or to {OFF}",
        ) from None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmail.core.layout import Mailbox
