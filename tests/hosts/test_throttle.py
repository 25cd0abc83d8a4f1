"""The shell part of mail-check: when it may skip Python, and every case in which skipping would hide mail.

The state is what Python writes, made by the same code. A witness program replaces Python and prints that it was run.
Each test runs in every shell that may be a user's `sh`, every day in two of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from agentmail.hosts.runtime.throttle import ThrottleState
from tests.support.cli import Ran
from tests.support.clocks import SECOND, Fixed
from tests.support.hooks import (
    AS_STRANGER,
    HOOKS,
    MISSING_SHELLS,
    PROMPT,
    SHELLS,
    START,
    Bed,
    give_to_stranger,
    needs_modes,
    open_place,
)

#: Within the interval of 180 s, and past it.
JUST_NOW, DUE = 10, 200
WITNESS = "#!/bin/sh\necho looked\n"


class Shelf(Bed):
    """A bed whose Python is a witness, and whose state the tests make."""

    shell = "dash"

    def __init__(self, root: Path, name: str = "bus") -> None:
        super().__init__(root, name)
        self.witness = root / "witness"
        self.witness.write_text(WITNESS)
        self.witness.chmod(0o755)

    @property
    def state(self) -> Path:
        """The directory of the session's state."""
        return self.states / self.session

    def looked(
        self,
        ago: float,
        *,
        interval: str | None = None,
        nobody: bool = False,
        whole: bool = True,
        at: int | None = None,
    ) -> None:
        """Python looked that many seconds ago, by its own clock, and wrote its state."""
        moment = time.time_ns() - int(ago * SECOND) if at is None else at
        bus = Bus(str(self.bus), clock=Fixed(moment))
        kept = ThrottleState(bus)
        kept.is_complete = whole
        if not nobody:
            with bus.mailbox("alpha") as box:
                kept.watch(box)
                kept.keep(str(self.home), self.session, interval)
        else:
            kept.keep(str(self.home), self.session, interval)

    def copy_hooks(self, to: Path) -> None:
        """Run a copy of the hooks, beside a package, from there."""
        shutil.copytree(HOOKS, to / "hooks")
        (to / "agentmail").mkdir()
        (to / "agentmail" / "__init__.py").touch()
        self.hooks = to / "hooks"

    def ask(
        self, event: str = PROMPT, env: dict[str, str | None] | None = None, *, prefix: tuple[str, ...] = ()
    ) -> Ran:
        """Run the hook for an event."""
        command = self.command("mail-check", event, shell=self.shell, python=str(self.witness))
        done = self.run([*prefix, *command], self.payload(event), env=env)
        assert (done.code, done.err) == (0, ""), done
        return done

    def is_silent(self, **env: str | None) -> bool:
        """True where the shell alone dealt with a prompt; else Python was asked."""
        done = self.ask(env=env)
        assert done.out in ("", "looked\n")
        return not done.out


#: Every day the shells that are most systems' `sh`; the slow suite has the others.
EACH_SHELL = [
    pytest.param(name, marks=[] if name in ("dash", "bash") else pytest.mark.slow) for name in SHELLS
]


@pytest.fixture(params=EACH_SHELL)
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    if request.param in MISSING_SHELLS:
        pytest.skip(f"{request.param} is not installed")
    shelf = Shelf(tmp_path)
    shelf.shell = request.param
    return shelf


# --- silence that is wanted ------------------------------------------------------------------------------


def test_it_is_silent_within_the_interval_even_if_mail_has_arrived(shelf):
    shelf.looked(JUST_NOW)
    shelf.put("20260704-0930-beta-x")
    assert shelf.is_silent()
    assert shelf.is_silent()


def test_it_is_silent_past_the_interval_while_nothing_has_changed(shelf):
    shelf.looked(DUE)
    assert shelf.is_silent()
    assert shelf.is_silent()


def test_it_is_silent_with_an_interval_of_0_while_nothing_has_changed(shelf):
    shelf.looked(JUST_NOW, interval="0")
    assert shelf.is_silent(AGENT_MAIL_CHECK_INTERVAL="0")


@pytest.mark.parametrize(
    "interval", ["60", "181", "86400", "", "-1", "abc", "1e99", " 60 ", "$(echo)", 'a"b']
)
def test_it_is_silent_while_the_interval_variable_is_unchanged_even_if_invalid(shelf, interval):
    shelf.looked(JUST_NOW, interval=interval)
    shelf.put("20260704-0930-beta-x")
    assert shelf.is_silent(AGENT_MAIL_CHECK_INTERVAL=interval)


def test_it_is_silent_without_an_identity_until_the_registry_changes(shelf):
    shelf.looked(DUE, nobody=True)
    assert shelf.is_silent()


def test_it_is_silent_without_an_identity_and_without_a_registry(shelf):
    (shelf.bus / "registry.md").unlink()
    shelf.looked(DUE, nobody=True)
    assert shelf.is_silent()


def test_it_is_silent_with_an_identity_and_without_a_registry(shelf):
    (shelf.bus / "registry.md").unlink()
    shelf.looked(DUE)
    assert shelf.is_silent()


def test_it_is_silent_without_a_bus(shelf):
    shutil.rmtree(shelf.bus)
    assert shelf.is_silent()
    assert not shelf.bus.exists()


def test_python_looks_when_a_bus_that_it_has_looked_into_is_gone(shelf):
    shelf.looked(JUST_NOW)
    shutil.rmtree(shelf.bus)
    assert not shelf.is_silent()


def test_it_is_silent_without_a_home_and_without_a_bus(shelf):
    assert shelf.is_silent(HOME=None, AGENT_MAIL_DIR=None)
    assert shelf.is_silent(HOME=None, AGENT_MAIL_DIR=str(shelf.root / "nowhere"))


@pytest.mark.parametrize("path", ["", "relative", "./bus"])
def test_python_looks_where_the_path_of_the_bus_is_not_absolute(shelf, path):
    assert not shelf.is_silent(AGENT_MAIL_DIR=path)


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_python_looks_without_a_home_as_there_is_nowhere_to_keep_state(shelf, home):
    shelf.looked(JUST_NOW)
    assert not shelf.is_silent(HOME=home)


@pytest.mark.parametrize(
    "name", ["with space", "quote's", 'double"quote', "$HOME `x` $(y)", "a*b?[c]", "-n", "ü"]
)
def test_any_path_of_the_bus_and_of_the_hooks_works(shelf, tmp_path, name):
    (tmp_path / "odd" / name).mkdir(parents=True)
    odd = Shelf(tmp_path / "odd" / name, name)
    odd.shell = shelf.shell
    odd.copy_hooks(odd.root / "plugin")
    odd.looked(DUE)
    assert odd.is_silent()
    odd.put("20260704-0930-beta-x")
    assert not odd.is_silent()


# --- every way in which it could be silent for ever ------------------------------------------------------


def later(path: Path, seconds: float) -> None:
    """Give a file another time, by its present one."""
    moment = path.stat().st_mtime_ns + int(seconds * SECOND)
    os.utime(path, ns=(moment, moment))


def as_if_set_in_2040(*paths: Path) -> None:
    moment = 2_209_000_000 * SECOND
    for path in paths:
        os.utime(path, ns=(moment, moment))


def replaced_by_a_file(path: Path) -> None:
    path.rename(path.with_name("was"))
    path.touch()


def replaced_by_a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def was_nobodys_and(change: Callable[[Shelf], object]) -> Callable[[Shelf], None]:
    """The session had no identity at the last look, and then this happens."""

    def happen(shelf: Shelf) -> None:
        shelf.looked(DUE, nobody=True)
        change(shelf)

    return happen


def mail_comes_and_the_inbox_gets_an_older_time(shelf: Shelf) -> None:
    shelf.put("20260704-0930-beta-x")
    shelf.settle(7200)


def looked_in_2040(shelf: Shelf) -> None:
    shelf.looked(0, at=2_209_000_000 * SECOND)
    shelf.put("20260704-0930-beta-x")


def looked_before_the_clock_was_turned_back(shelf: Shelf) -> None:
    shelf.looked(-3600)
    shelf.put("20260704-0930-beta-x")


def clock_is_turned_back_by_less_than_the_interval(shelf: Shelf) -> None:
    shelf.looked(-60)
    shelf.put("20260704-0930-beta-x")


def mail_comes_in_the_same_tick_as_the_look(shelf: Shelf) -> None:
    """The inbox changed half a second before the look, and then again, on a file system of whole seconds."""
    moment = (time.time_ns() // SECOND - 100) * SECOND
    os.utime(shelf.inbox(), ns=(moment, moment))
    shelf.looked(0, at=moment + SECOND // 2, interval="0")
    shelf.put("20260704-0930-beta-x")
    os.utime(shelf.inbox(), ns=(moment, moment))


def registry_changes_in_the_same_tick_as_the_look(shelf: Shelf) -> None:
    moment = (time.time_ns() // SECOND - 100) * SECOND
    os.utime(shelf.bus / "registry.md", ns=(moment, moment))
    shelf.looked(0, at=moment + SECOND // 2, nobody=True)


WAYS: dict[str, tuple[float, Callable[[Shelf], object]]] = {
    "the state is gone": (JUST_NOW, lambda at: shutil.rmtree(at.state)),
    "all states are gone": (JUST_NOW, lambda at: shutil.rmtree(at.states)),
    "the state is a file": (JUST_NOW, lambda at: replaced_by_a_file(at.state)),
    "the clock file is a directory": (JUST_NOW, lambda at: (at.state / "now").mkdir()),
    "the clock file is on a full disk": (JUST_NOW, lambda at: (at.state / "now").symlink_to("/dev/full")),
    "the inbox is gone": (JUST_NOW, lambda at: at.inbox().rmdir()),
    "the mailbox is gone": (JUST_NOW, lambda at: shutil.rmtree(at.bus / "alpha")),
    "the inbox is a file": (JUST_NOW, lambda at: replaced_by_a_file(at.inbox())),
    "the link to the inbox is gone": (JUST_NOW, lambda at: (at.state / "inbox").unlink()),
    "the link to the inbox is a file": (JUST_NOW, lambda at: replaced_by_a_file(at.state / "inbox")),
    "mail has come": (DUE, lambda at: at.put("20260704-0930-beta-x")),
    "mail has come and the inbox looks older": (DUE, mail_comes_and_the_inbox_gets_an_older_time),
    "mail has come in the tick of the look": (DUE, mail_comes_in_the_same_tick_as_the_look),
    "the last look was in 2040": (DUE, looked_in_2040),
    "the clock was turned back an hour": (DUE, looked_before_the_clock_was_turned_back),
    "the clock was turned back a minute": (DUE, clock_is_turned_back_by_less_than_the_interval),
    "the registry is newer": (DUE, lambda at: later(at.bus / "registry.md", 60)),
    "the registry is older": (DUE, lambda at: later(at.bus / "registry.md", -60)),
    "the registry is gone": (DUE, lambda at: (at.bus / "registry.md").unlink()),
    "the time of the inbox is gone": (DUE, lambda at: (at.state / "seen").unlink()),
    "the time of the registry is gone": (DUE, lambda at: (at.state / "registry").unlink()),
    "the times of the inbox and of the registry are of 2040": (
        DUE,
        lambda at: as_if_set_in_2040(at.state / "seen", at.state / "registry"),
    ),
    "not all that waits has been said": (DUE, lambda at: at.looked(DUE, whole=False)),
    "it had no identity and the registry has changed": (
        DUE,
        was_nobodys_and(lambda at: later(at.bus / "registry.md", 60)),
    ),
    "it had no identity and the registry looks older": (
        DUE,
        was_nobodys_and(lambda at: later(at.bus / "registry.md", -60)),
    ),
    "it had no identity and the registry is gone": (
        DUE,
        was_nobodys_and(lambda at: (at.bus / "registry.md").unlink()),
    ),
    "it had no identity and the registry has changed in the tick of the look": (
        DUE,
        registry_changes_in_the_same_tick_as_the_look,
    ),
}
#: What a peer, or anybody, could plant in place of a file of the state, or of a directory on the way to it.
STATE_FILES = ("now", "due", "last", "interval", "seen", "registry", "nobody")
PLANTED: dict[str, Callable[[Shelf], Path]] = {
    "the state": lambda at: at.state,
    "the states": lambda at: at.states,
    "the directory of the bus": lambda at: at.own,
    "a part of its path": lambda at: at.own.parent,
    "the directory of all buses": lambda at: at.home / ".agents" / "machine",
}


@pytest.mark.parametrize("what", [*STATE_FILES, *PLANTED])
def test_python_looks_when_a_symlink_is_in_place_of(shelf, tree, what):
    shelf.looked(JUST_NOW, nobody=what == "nobody")
    place = PLANTED[what](shelf) if what in PLANTED else shelf.state / what
    elsewhere = shelf.root / "elsewhere"
    if place.exists():
        place.rename(elsewhere)  # all that the shell asks for is there, behind the link
    else:
        elsewhere.touch()
    place.symlink_to(elsewhere)
    before = tree(elsewhere) if elsewhere.is_dir() else elsewhere.stat().st_size
    assert not shelf.is_silent()
    assert (tree(elsewhere) if elsewhere.is_dir() else elsewhere.stat().st_size) == before


def test_state_in_the_bus_is_neither_used_nor_written(shelf, tree):
    shelf.looked(JUST_NOW)
    planted = shelf.bus / ".hooks" / shelf.session
    planted.parent.mkdir()
    shelf.state.rename(planted)
    before = tree(shelf.bus)
    assert not shelf.is_silent()
    assert tree(shelf.bus) == before


def test_state_is_not_used_where_the_bus_holds_the_home(shelf):
    shelf.looked(JUST_NOW)
    inner = shelf.root / ".agents" / "machine" / "hooks"
    inner.mkdir(parents=True)
    assert not shelf.is_silent(HOME=str(shelf.root), AGENT_MAIL_DIR=str(shelf.root))
    assert not shelf.is_silent(HOME=str(shelf.root), AGENT_MAIL_DIR=f"{shelf.root}/.agents")


#: These lift the interval only: with mail that has come, the next prompt looks.
NOT_THROTTLED: dict[str, Callable[[Shelf], object]] = {
    "due is gone": lambda at: (at.state / "due").unlink(),
    "last is gone": lambda at: (at.state / "last").unlink(),
    "last is of 2040": lambda at: as_if_set_in_2040(at.state / "last"),
    "due and last are of 2040": lambda at: as_if_set_in_2040(at.state / "due", at.state / "last"),
    "the interval is gone": lambda at: (at.state / "interval").unlink(),
    "the interval is empty": lambda at: (at.state / "interval").write_text(""),
    "the interval is a directory": lambda at: replaced_by_a_directory(at.state / "interval"),
    "the interval is another": lambda at: (at.state / "interval").write_text("60\n"),
}


@pytest.mark.parametrize("way", WAYS)
def test_python_looks_when(shelf, way):
    ago, happen = WAYS[way]
    shelf.looked(ago)
    happen(shelf)
    assert not shelf.is_silent()


@pytest.mark.parametrize("way", NOT_THROTTLED)
def test_with_new_mail_python_looks_when(shelf, way):
    shelf.looked(JUST_NOW)
    shelf.put("20260704-0930-beta-x")
    NOT_THROTTLED[way](shelf)
    assert not shelf.is_silent()


def test_python_looks_when_a_registry_appears_for_a_session_without_an_identity(shelf):
    (shelf.bus / "registry.md").unlink()
    shelf.looked(DUE, nobody=True)
    (shelf.bus / "registry.md").touch()
    assert not shelf.is_silent()


@pytest.mark.parametrize("interval", ["0", "60", "abc", "181", "180 ", "", "-1"])
def test_with_new_mail_python_looks_when_the_interval_was_changed(shelf, interval):
    shelf.looked(JUST_NOW)
    shelf.put("20260704-0930-beta-x")
    assert shelf.is_silent()
    assert not shelf.is_silent(AGENT_MAIL_CHECK_INTERVAL=interval)


def test_with_new_mail_python_looks_at_every_prompt_when_the_interval_is_0(shelf):
    shelf.looked(0, interval="0")
    shelf.put("20260704-0930-beta-x")
    assert not shelf.is_silent(AGENT_MAIL_CHECK_INTERVAL="0")


@pytest.mark.parametrize(
    "session", [None, "", "..", ".", "../x", "a/b", "a b", "-x", "ü", "a\nb", "a*", "$x"]
)
def test_python_looks_when_the_session_id_is_invalid(shelf, session):
    shelf.looked(JUST_NOW)
    assert not shelf.is_silent(CLAUDE_CODE_SESSION_ID=session)
    assert sorted(os.listdir(shelf.states)) == [shelf.session]


def test_python_looks_in_another_session(shelf):
    shelf.looked(JUST_NOW)
    assert not shelf.is_silent(CLAUDE_CODE_SESSION_ID="another")


def test_python_looks_when_a_session_starts_and_at_unknown_events(shelf):
    shelf.looked(JUST_NOW)
    assert [shelf.ask(event).out for event in (START, "", "Stop")] == ["looked\n"] * 3


def test_python_looks_in_a_dry_run_and_the_state_stays_as_it_is(shelf, tree):
    shelf.looked(JUST_NOW)
    before = tree(shelf.bus)
    assert not shelf.is_silent(AGENT_MAIL_DRY_RUN="1")
    assert tree(shelf.bus) == before


@pytest.mark.parametrize("what", ["a file", "a dangling link"])
def test_python_looks_when_the_bus_is(shelf, what):
    shutil.rmtree(shelf.bus)
    if what == "a file":
        shelf.bus.touch()
    else:
        shelf.bus.symlink_to("nowhere")
    assert not shelf.is_silent()


MODES: dict[str, tuple[Callable[[Shelf], Path], int]] = {
    "the inbox cannot be read": (lambda at: at.inbox(), 0o300),
    "the inbox cannot be searched": (lambda at: at.inbox(), 0o600),
    "the mailbox cannot be searched": (lambda at: at.bus / "alpha", 0o600),
    "the state cannot be written": (lambda at: at.state, 0o500),
    "the clock file cannot be written": (lambda at: at.state / "now", 0o400),
    "the state cannot be searched": (lambda at: at.state, 0o600),
    "the bus cannot be searched": (lambda at: at.bus, 0o600),
    "the directory of the bus cannot be searched": (lambda at: at.bus.parent, 0o600),
}


@needs_modes
@pytest.mark.parametrize("what", MODES)
def test_python_looks_when_permission_is_missing_and(shelf, what):
    with open_place() as place:
        (place / "inner").mkdir()
        inner = Shelf(place / "inner")
        inner.shell = shelf.shell
        inner.copy_hooks(place / "hooks")
        inner.looked(JUST_NOW)
        which, mode = MODES[what]
        if which(inner).name == "now":
            which(inner).touch()
        give_to_stranger(place)
        which(inner).chmod(mode)
        inner.witness = inner.witness.rename(place / "witness")
        assert inner.ask(prefix=tuple(AS_STRANGER)).out == "looked\n"


# --- what it costs ---------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("ago", [JUST_NOW, DUE], ids=["throttled", "unchanged"])
def test_a_silent_prompt_is_one_process_that_starts_no_other(shelf, tmp_path, ago):
    shelf.looked(ago)
    log = tmp_path / "strace"
    prefix = ("strace", "-f", "-qq", "-e", "trace=execve,execveat,fork,vfork,clone,clone3", "-o", str(log))
    assert shelf.ask(prefix=prefix).out == ""
    calls = [line.split(None, 1)[1] for line in log.read_text().splitlines()]
    assert [call.partition("(")[0] for call in calls] == ["execve"]


@pytest.mark.parametrize("program", sorted(path.name for path in HOOKS.iterdir() if path.suffix != ".json"))
@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_can_read_every_script(shell, program):
    if shell in MISSING_SHELLS:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([*SHELLS[shell], "-n", HOOKS / program], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
