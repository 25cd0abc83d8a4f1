"""File systems that lack something: an inbox that is a mount of its own, and one without hard links."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.processes.disks import command, mounted
from tests.processes.within import need, need_root
from tests.support.cli import Cli, trouble_in
from tests.support.reader import header_and_body, read_box


@pytest.fixture(params=["inbox", "archive", "tmp"])
def bound(ready: Cli, request) -> Iterator[Cli]:
    """A bus where one folder of beta is a mount: no link and no rename leads across its edge."""
    folder = ready.bus / "beta" / request.param
    with mounted(folder, "--bind", folder):
        yield ready


@pytest.fixture
def linkless(tmp_path: Path) -> Iterator[Cli]:
    """A bus on a file system that knows no hard links and no rename that refuses to replace."""
    need_root()
    need("mount.exfat-fuse", "mkfs.exfat", "losetup", "umount")
    image, place = tmp_path / "image", tmp_path / "disk"
    place.mkdir()
    (tmp_path / "home").mkdir()
    with image.open("wb") as file:
        file.truncate(16 << 20)
    command("mkfs.exfat", image)
    made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"losetup is not possible here: {made.stderr.strip()}")
    loop = made.stdout.strip()
    try:
        command("mount.exfat-fuse", loop, place)
        try:
            (place / "bus").mkdir()
            yield registered(Cli(place / "bus", tmp_path / "home"))
        finally:
            subprocess.run(["umount", str(place)], check=True)
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def registered(cli: Cli) -> Cli:
    for identity in ("alpha", "beta"):
        assert cli("register", identity, str(cli.home), "takes", "part").code == 0
    return cli


def tell_the_story(run: Cli) -> None:
    """Send, show, archive, take back, archive again; then several senders of one id at once."""
    ran = run("send", "alpha", "beta", "hello", "S", stdin="text\n")
    assert (ran.code, ran.trouble) == (0, "")
    id = ran.out.strip()
    assert id in run("check", "beta").out
    assert header_and_body(read_box(run.bus / "beta").inbox[id])[1] == b"text\n"
    for verb, folder in (("archive", "archive"), ("unarchive", "inbox"), ("archive", "archive")):
        ran = run(verb, "beta", id)
        assert (ran.code, ran.trouble) == (0, ""), verb
        box = read_box(run.bus / "beta")
        assert [id] == list(getattr(box, folder)) == list(box.received)

    def send(number: int) -> str:
        ran = run("send", "alpha", "beta", "crowd", stdin=f"{number}\n")
        assert (ran.code, ran.trouble) == (0, "")
        return ran.out.strip()

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(send, range(8)))
    assert len(set(ids)) == 8
    box = read_box(run.bus / "beta")
    assert {id: header_and_body(box.inbox[id])[1] for id in ids} == {
        id: f"{number}\n".encode() for number, id in enumerate(ids)
    }
    assert (box.tmp, box.hidden, box.broken) == ([], [], [])


def test_a_folder_that_is_a_mount_of_its_own_works(bound: Cli) -> None:
    tell_the_story(bound)


def test_a_disk_without_hard_links_works(linkless: Cli) -> None:
    tell_the_story(linkless)


def test_without_the_system_calls_for_links_the_program_renames(ready: Cli) -> None:
    need("strace")
    strace = shutil.which("strace") or "strace"
    for calls in ("link,linkat:error=EPERM", "link,linkat,renameat2:error=ENOSYS", "link,linkat:error=EXDEV"):
        inject = [strace, "-f", "-qq", "-o", str(ready.home / "strace"), "-e", f"inject={calls}"]
        probe = subprocess.run([*inject, "true"], capture_output=True, text=True)
        if probe.returncode:
            pytest.skip(f"strace is not possible here: {probe.stderr.strip()}")
        sent = subprocess.run(
            [*inject, *ready.command("send", "alpha", "beta", "hello")],
            input=b"text\n",
            capture_output=True,
            env=ready.environment(),
            cwd=ready.home,
        )
        if "EXDEV" in calls:
            # Where even a link within one folder is refused there is no way left; nothing may stay behind.
            assert sent.returncode == 75
            continue
        assert (sent.returncode, trouble_in(sent.stderr.decode())) == (0, ""), calls
        assert (
            header_and_body(read_box(ready.bus / "beta").inbox[sent.stdout.decode().strip()])[1] == b"text\n"
        )
    box = read_box(ready.bus / "beta")
    assert (len(box.inbox), box.tmp, box.hidden, box.broken) == (2, [], [], [])
