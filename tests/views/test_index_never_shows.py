"""Nobody can tell from an answer whether an index was there: any sequence of sending, archiving, taking back, pruning and
editing by hand, with any damage to the index between two steps, gives the answers of the files alone."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call, Recorder
from agentmail.verbs.check import check
from agentmail.verbs.presenting import present
from agentmail.verbs.prune import prune
from agentmail.verbs.register import register
from agentmail.verbs.reply import reply
from agentmail.verbs.send import send
from agentmail.verbs.unarchive import unarchive
from tests.support.clocks import SECOND, Fixed
from tests.support.worlds import MOMENT, age
from tests.views.indexes import answers, file_of, let_a_tick_pass, with_index, without_index, write_index

picks = st.integers(0, 1000)
TEXTS = ("needle in a text", "中文字", "Straße 🎉", 'a "quote" \\ %_', "x")
WORDS = (
    "needle",
    "text",
    "中文",
    "字",
    "🎉",
    "STRASSE",
    '"quote"',
    "\\",
    "%_",
    "alpha",
    "in",
    "b",
    "nowhere",
)


class Index(RuleBasedStateMachine):
    """Beta's mailbox, seen by a caller who has an index and by one who has none."""

    def __init__(self) -> None:
        super().__init__()
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = Path(tempfile.mkdtemp(prefix="agentmail-", dir=memory))
        self.umask = os.umask(0o077)
        self.home = self.root / "home"
        self.home.mkdir()
        self.clock = Fixed(MOMENT)
        self.bus = Bus(str(self.root / "bus"), clock=self.clock)
        self.box = self.root / "bus" / "beta"
        self.kept: bytes | None = None

    def teardown(self) -> None:
        os.umask(self.umask)
        shutil.rmtree(self.root)

    @initialize()
    def begins(self) -> None:
        for agent in ("alpha", "beta"):
            register(Call(self.bus, Environment({"HOME": "/"})), agent, "-", "takes part")
        for topic, text in (("t1", 0), ("t2", 1), ("", 2)):
            self.sends("alpha", "beta", topic, text)
        self.archives(0)
        self.sends("beta", "beta", "t1", 3)

    def call(self) -> Call:
        return Call(self.bus, Environment({"AGENT_MAIL_RETENTION_DAYS": "off"}), machine="m1")

    def files(self, *folders: str) -> list[Path]:
        found = [path for folder in folders for path in (self.box / folder).glob("*.md*")]
        return sorted(path for path in found if path.is_file() and not path.is_symlink())

    def pick(self, pick: int, *folders: str) -> Path | None:
        found = self.files(*folders)
        return found[pick % len(found)] if found else None

    # What happens to mail

    @rule(
        sender=st.sampled_from(["alpha", "beta"]),
        to=st.sampled_from(["alpha", "beta", "alpha,beta"]),
        topic=st.sampled_from(["", "t1", "t2"]),
        text=st.integers(0, len(TEXTS) - 1),
    )
    def sends(self, sender: str, to: str, topic: str, text: int) -> None:
        self.clock.moment += SECOND
        send(self.call(), sender, to, "ab"[text % 2], TEXTS[text], thread=topic or None, body=TEXTS[text])

    @rule(kind=st.sampled_from(["human", "agent", "unknown"]))
    def claims_to_be(self, kind: str) -> None:
        self.clock.moment += SECOND
        send(self.call(), "alpha", "beta", "c", sender_kind=kind, body="needle")

    @rule(agent=st.sampled_from(["alpha", "beta"]), session=st.sampled_from(["s1", "s2"]))
    def is_shown(self, agent: str, session: str) -> None:
        files = [one["file"] for one in check(self.call(), agent)["messages"]]
        present(self.bus, agent, Recorder("m1", session), files)

    @rule(pick=picks)
    def answers(self, pick: int) -> None:
        path = self.pick(pick, "inbox")
        if path is not None and "-" in path.name:
            with suppress(AgentMailError):  # an edited header may name nobody
                reply(self.call(), "beta", path.stem, body=b"needle back")

    @rule(pick=picks)
    def archives(self, pick: int) -> None:
        path = self.pick(pick, "inbox")
        if path is not None:
            archive(self.call(), "beta", [path.stem])

    @rule(pick=picks)
    def takes_back(self, pick: int) -> None:
        path = self.pick(pick, "archive")
        if path is not None:
            with suppress(AgentMailError):  # a damaged one stays
                unarchive(self.call(), "beta", path.name.removesuffix(".gz").removesuffix(".md"))

    @rule(pick=picks, by_verb=st.booleans())
    def prunes(self, pick: int, by_verb: bool) -> None:
        path = self.pick(pick, "archive", "sent")
        if path is not None:
            age(path, 100)
            prune(
                with_index(Bus(self.bus.root), self.home) if by_verb else Call(Bus(self.bus.root)),
                "beta",
                "60",
            )

    @rule(pick=picks, text=st.sampled_from([b"needle", b"other!"]))
    def edits_in_the_inbox(self, pick: int, text: bytes) -> None:
        """In place, to the same size, with the old time."""
        path = self.pick(pick, "inbox")
        if path is not None:
            let_a_tick_pass(self.bus, "beta")
            was = path.stat()
            data = path.read_bytes()
            path.write_bytes(data[: -len(text)] + text)
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    @rule(pick=picks)
    def saves_anew(self, pick: int) -> None:
        """As an editor does, by a rename."""
        path = self.pick(pick, "inbox", "archive", "sent")
        if path is not None:
            data = path.read_bytes()
            packed, text = path.suffix == ".gz", data
            if packed:
                try:
                    text = gzip.decompress(data)
                except (OSError, EOFError, zlib.error):  # cut short, or edited in the inbox
                    packed = False
            text = text.replace(b"needle", b"nettle") + b"saved\n"
            aside = path.with_name(".saved")
            aside.write_bytes(gzip.compress(text) if packed else text)
            aside.rename(path)

    @rule(pick=picks, to=st.sampled_from(["inbox", "archive", "sent", "away"]))
    def moves_by_hand(self, pick: int, to: str) -> None:
        path = self.pick(pick, "inbox", "archive", "sent")
        if path is not None:
            path.rename(self.root / "away" if to == "away" else self.box / to / path.name)

    @rule(
        place=st.sampled_from(["inbox", "archive", "sent"]),
        kind=st.sampled_from(["cut", "link", "folder", "odd"]),
    )
    def something_odd_comes(self, place: str, kind: str) -> None:
        path = self.box / place / f"20260101-0000-{kind}.md{'.gz' if place == 'archive' else ''}"
        if os.path.lexists(path):
            return
        if kind == "link":
            path.symlink_to("/etc/passwd")
        elif kind == "folder":
            path.mkdir()
        else:
            path.write_bytes(
                b"---\nthread: 't1'\nthread: t2\nsubject: [needle\n---\n" if kind == "odd" else b"\x1f\x8b"
            )

    @rule(hours=st.integers(-50, 50))
    def the_clock_jumps(self, hours: int) -> None:
        self.clock.moment = max(MOMENT, self.clock.moment + hours * 3600 * SECOND)

    # What happens to the index

    @rule()
    def is_written(self) -> None:
        write_index(self.bus, "beta", self.home)

    def database(self) -> Path:
        return Path(file_of(self.bus, "beta", self.home).path)

    def has_index(self) -> bool:
        return self.database().exists()

    @precondition(has_index)
    @rule(what=st.sampled_from([".db", ".seal"]))
    def is_deleted(self, what: str) -> None:
        self.database().with_suffix(what).unlink(missing_ok=True)

    @precondition(has_index)
    @rule(part=st.floats(0, 1), what=st.sampled_from([".db", ".seal"]))
    def is_cut(self, part: float, what: str) -> None:
        path = self.database().with_suffix(what)
        if path.exists():
            os.truncate(path, int(path.stat().st_size * part))

    @precondition(has_index)
    @rule(part=st.floats(0, 1), bit=st.integers(0, 7), what=st.sampled_from([".db", ".seal"]))
    def a_bit_flips(self, part: float, bit: int, what: str) -> None:
        path = self.database().with_suffix(what)
        if path.exists() and path.stat().st_size:
            data = bytearray(path.read_bytes())
            data[int(part * (len(data) - 1))] ^= 1 << bit
            with path.open("r+b") as file:
                file.write(data)

    @precondition(has_index)
    @rule()
    def is_of_another_version(self) -> None:
        other = sqlite3.connect(self.database())
        try:
            other.execute("drop table if exists message")
            other.execute("create table if not exists letter(id)")
        except sqlite3.DatabaseError:
            self.database().write_bytes(b"SQLite format 4")
        finally:
            other.close()

    @precondition(has_index)
    @rule()
    def is_put_aside(self) -> None:
        self.kept = self.database().read_bytes()

    @precondition(lambda self: self.has_index() and self.kept is not None)
    @rule()
    def an_old_one_comes_back(self) -> None:
        assert self.kept is not None
        self.database().write_bytes(self.kept)

    @invariant()
    def answers_are_those_of_the_files(self) -> None:
        if not (self.root / "bus").exists():
            return
        names = ("t1", "t2", *(path.stem.removesuffix(".md") for path in self.files("inbox", "archive")[:3]))
        expected = answers(without_index(self.bus), "beta", names, WORDS)
        found = answers(with_index(self.bus, self.home), "beta", names, WORDS)
        assert found == expected


TestIndex = Index.TestCase
TestIndex.settings = settings(max_examples=5, stateful_step_count=20)


class Long(Index):
    """The same, longer."""


TestLong = pytest.mark.slow(pytest.mark.timeout(600)(Long.TestCase))
TestLong.settings = settings(max_examples=60, stateful_step_count=50)
