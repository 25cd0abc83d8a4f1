"""The everyday commands on every kind of file system that this machine can mount.

ext4, xfs, tmpfs; exFAT behind FUSE, which has no links, no rename that refuses to replace, no modes and folds
case; and an inbox that is a mount of its own, so that nothing can be linked into it from outside.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.planting import DAY_NS, plant_empty
from tests.faults.volumes import bound, somewhere
from tests.support.cli import ROOT, Cli
from tests.support.reader import Box, header_and_body, read_box

KINDS = ["ext4", "xfs", "tmpfs", "exfat", "bound"]
BODY = b"conclusion first\r\n\r\nand no final newline"


@pytest.fixture(params=KINDS)
def mail(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cli]:
    """The command line on a bus there, with alpha and beta on it."""
    with ExitStack() as stack:
        is_bound = request.param == "bound"
        bus = stack.enter_context(somewhere("here" if is_bound else request.param, tmp_path)) / "bus"
        plant_empty(bus)
        if is_bound:
            stack.enter_context(bound(bus / "beta" / "inbox"))
        home = tmp_path / "home"
        home.mkdir()
        yield Cli(bus, home)


def box(mail: Cli) -> Box:
    """beta's mailbox, by a reader of its own; nothing is ever broken, and nothing of the staging stays."""
    found = read_box(mail.bus / "beta")
    assert (found.broken, found.tmp, found.hidden) == ([], [], [])
    return found


def send(mail: Cli, slug: str = "hello", body: bytes = BODY) -> str:
    """A message from alpha to beta; its id."""
    done = mail("send", "alpha", "beta", slug, stdin=body)
    assert done.code == 0, done
    return done.lines[0]


def test_a_message_is_archived_and_unarchived_without_a_changed_byte(mail: Cli) -> None:
    id = send(mail)
    header, body = header_and_body(box(mail).inbox[id])
    assert (header["from"], header["to"], body) == ("alpha", "beta", BODY)
    assert id in mail("check", "beta").out
    for command, folder in (("archive", "archive"), ("unarchive", "inbox"), ("archive", "archive")):
        done = mail(command, "beta", id)
        assert (done.code, done.trouble) == (0, "")
        found = box(mail)
        assert {"inbox": [*found.inbox], "archive": [*found.archive]} == {
            "inbox": [],
            "archive": [],
            folder: [id],
        }
        assert header_and_body(found.received[id]) == (header, BODY)
    assert mail("check", "beta").lines == [f"beta: no mail ({mail.bus}/beta/inbox)"]


def test_a_reply_reaches_the_sender(mail: Cli) -> None:
    id = send(mail)
    done = mail("reply", "beta", id, stdin=b"yes")
    assert done.code == 0, done
    header, body = header_and_body(read_box(mail.bus / "alpha").inbox[done.lines[0]])
    assert (header["re"], header["thread"], body) == (id, id, b"yes")


def test_eight_senders_at_once_have_eight_ids(mail: Cli) -> None:
    bodies = [f"from sender {number}".encode() for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda body: send(mail, "same", body), bodies))
    assert len(set(ids)) == 8
    found = box(mail).inbox
    assert [header_and_body(found[id])[1] for id in ids] == bodies


def test_four_archivers_of_one_message_leave_one(mail: Cli) -> None:
    id = send(mail)
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: mail("archive", "beta", id), range(4)))
    assert [one.code for one in done] == [0] * 4, done
    assert (list(box(mail).inbox), list(box(mail).archive)) == ([], [id])


def test_an_archived_message_is_never_replaced(mail: Cli) -> None:
    id = send(mail)
    other = mail.bus / "beta" / "archive" / f"{id}.md.gz"
    other.write_bytes(gzip.compress(b"something else"))
    done = mail("archive", "beta", id)
    assert done.code == 0, done
    found = box(mail)
    assert (found.archive[id], list(found.inbox)) == (b"something else", [])
    assert header_and_body(found.archive[f"{id}.dup2"])[1] == BODY


def test_prune_removes_only_messages_past_their_age(mail: Cli) -> None:
    old, young = send(mail, "old"), send(mail, "young")
    assert mail("archive", "beta", old, young).code == 0
    moment = time.time_ns() - 61 * DAY_NS
    os.utime(mail.bus / "beta" / "archive" / f"{old}.md.gz", ns=(moment, moment))
    done = mail("prune", "beta", "60")
    assert done.code == 0, done
    assert list(box(mail).archive) == [young]


def test_six_registrations_at_once_all_have_their_row(mail: Cli) -> None:
    identities = [f"agent-{number}" for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda one: mail("register", one, "-", "takes", "part"), identities))
    assert [one.code for one in done] == [0] * 6, done
    registry = (mail.bus / "registry.md").read_text()
    assert all(f"| {one} |" in registry for one in (*identities, "alpha", "beta"))


def test_an_unknown_recipient_is_an_error_and_leaves_no_file(mail: Cli) -> None:
    before = sorted(os.listdir(mail.bus))
    assert mail("send", "alpha", "betta", "hello", stdin=BODY).code == 3
    assert mail("send", "alpha", "BETA", "hello", stdin=BODY).code == 2
    assert sorted(os.listdir(mail.bus)) == before
    assert box(mail).received == {}


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", ["ext4", "xfs", "tmpfs"])
def test_the_tests_of_the_program_pass_there(kind: str, tmp_path: Path, tally: Counter[str]) -> None:
    # Not on exFAT, which has neither modes nor symlinks: a good part of them looks at those.
    suites = ("laws", "core", "ledger", "verbs", "interop", "conversations")
    with somewhere(kind, tmp_path) as there:
        words = ["-q", "-p", "no:cacheprovider", "-n", "2", f"--basetemp={there}/tests"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words, *(f"tests/{name}" for name in suites)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(there)},
        )
    passed = done.stdout.rpartition(" passed")[0].rpartition(" ")[2].rpartition("\n")[2]
    tally["tests"] += int(passed or 0)
    assert done.returncode == 0, done.stdout[-4000:]
