"""Doctor finds out what a file system can do by doing it, and says what is promised on it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import Diagnosis, doctor
from tests.doctor.examined_bus import ExaminedBus, others, the
from tests.support.trees import tree


class Lacking(Disk):
    """A real disk under which some calls fail as they do on file systems that lack something."""

    def __init__(self, **errors: int) -> None:
        super().__init__()
        self.errors = errors

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op == "rename_new" and op in self.errors:
            name, parent = args[2:]
            if name in os.listdir(parent):
                # The kernel looks whether a name is taken before it asks the file system for anything.
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
        if op in self.errors:
            raise OSError(self.errors[op], os.strerror(self.errors[op]))
        return function(*args, **kwargs)


class ReadOnlyFolder(Disk):
    """A real disk on which one folder of each mailbox takes no writes."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op == "access" and args[0] == self.folder:
            return False
        return function(*args, **kwargs)


class Exfat(Lacking):
    """As exFAT behaves under FUSE: no links, every mode 0777 whatever chmod says, whole seconds, one case."""

    def __init__(self) -> None:
        super().__init__(link=errno.EPERM, rename_new=errno.EINVAL)

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op == "fchmod":
            return None
        if op == "stat":
            args = (args[0].lower(), *args[1:])
        result = super().invoke(op, function, *args, **kwargs)
        if op == "create":
            os.fchmod(result, 0o777)
            os.utime(result, (1_700_000_000, 1_700_000_000))
        return result


def examine(examined: ExaminedBus, disk: Disk, *, fix: bool = False) -> Diagnosis:
    before = tree(examined.path)
    found = doctor(Call(Bus(str(examined.path), disk)), fix=fix)
    assert tree(examined.path) == before, "every probe is removed again"
    assert disk.notes == []
    return found


@pytest.mark.parametrize(
    "errors, words",
    [
        ({"link": errno.EPERM}, "has no hard links: messages are published by exclusive rename"),
        ({"link": errno.ENOTSUP, "rename_new": errno.EINVAL}, "neither hard links nor exclusive rename"),
        ({"link": errno.ENOSYS, "rename_new": errno.ENOSYS}, "neither hard links nor exclusive rename"),
        ({"fsyncdir": errno.EINVAL}, "cannot make names durable"),
        ({"flock": errno.ENOLCK}, "has no locks"),
        ({"fchmod": errno.EPERM}, "ignores permissions"),
    ],
)
def test_what_a_file_system_lacks_is_a_note_with_what_is_promised_without(
    examined: ExaminedBus, errors: dict[str, int], words: str
) -> None:
    found = examine(examined, Lacking(**errors))
    assert found["ok"]
    assert the(found, words, "file system")["level"] == "note"
    assert len(found["findings"]) == 1


def test_a_missing_exclusive_rename_beside_hard_links_is_only_mentioned(examined: ExaminedBus) -> None:
    found = examine(examined, Lacking(rename_new=errno.EINVAL))
    assert "exclusive rename does not, and is not needed" in the(found, "hard links", "file system")["what"]


def test_where_modes_do_not_stick_they_are_said_once_and_not_of_every_file(examined: ExaminedBus) -> None:
    examined.send()
    for path in (examined.path, *examined.path.rglob("*")):
        path.chmod(0o777)
    found = examine(examined, Exfat(), fix=True)
    assert found["ok"]
    assert others(found) == []
    assert {one["what"].split(":")[0] for one in found["findings"]} == {
        "has neither hard links nor exclusive rename",
        "ignores permissions",
        "does not tell upper from lower case",
        "keeps times in whole seconds or coarser; order comes from names, so order is kept",
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in examined.path.rglob("*")} == {0o777}


def test_a_mode_that_stays_although_chmod_says_otherwise_is_not_called_fixed(examined: ExaminedBus) -> None:
    class Stubborn(Lacking):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            return None if op == "fchmod" else super().invoke(op, function, *args, **kwargs)

    examined.beta.chmod(0o755)
    found = examine(examined, Stubborn(create=errno.EROFS), fix=True)
    assert not the(found, "1 entry open to others", "bus")["fixed"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_bus_in_which_nothing_can_be_written_is_a_problem(examined: ExaminedBus, code: int) -> None:
    finding = the(examine(examined, Lacking(create=code)), "nothing can be written in the bus")
    assert finding["level"] == "problem"


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_a_bus_that_cannot_be_written_is_a_problem_with_its_fix(examined: ExaminedBus, code: int) -> None:
    found = examine(examined, Lacking(create=code))
    assert not found["ok"]
    finding = the(found, "nothing can be written in the bus")
    assert finding["level"] == "problem"
    assert "reading works without it" in finding["fix"]


@pytest.mark.parametrize("folder", ["tmp", "inbox", "archive", "sent"])
def test_a_folder_that_cannot_be_written_is_a_problem_although_the_bus_can(
    examined: ExaminedBus, folder: str
) -> None:
    """As an immutable folder, or another mount: its mode allows everything."""
    (examined.beta / "sent").mkdir(0o700, exist_ok=True)
    found = examine(examined, ReadOnlyFolder(folder))
    assert not found["ok"]
    assert "1 folder that takes no writes" in the(found, "takes no writes", "beta")["what"]
    assert the(found, "takes no writes", "beta")["what"].endswith(f": {folder}")


def test_a_probe_that_fails_halfway_leaves_nothing_behind(examined: ExaminedBus) -> None:
    found = examine(examined, Lacking(link=errno.EIO))
    assert "cannot be examined" in the(found, "file system: ")["what"]
    assert "0 messages" in found["looked_at"]


def test_the_ends_of_a_symlinked_bus_are_tried_where_it_really_is(
    examined: ExaminedBus, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(examined.path)
    assert others(doctor(Call(Bus(str(link))), fix=True)) == []
