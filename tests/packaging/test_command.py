"""The command as each installer installs it: it works, it starts without `site`, and nothing is left of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest

from agentmail.hosts.hooks_file.own_hooks import words_from
from tests.packaging.requirements import closure
from tests.packaging.ways import WAYS, Installed
from tests.packaging.wheelhouse import pack
from tests.support.cli import trouble_in


@pytest.fixture(scope="session")
def house(metadata, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheels of what the wheel requires, and of pip, which pipx installs for itself."""
    required = closure(metadata.get_all("Requires-Dist"))
    return pack([*required.values(), distribution("pip")], tmp_path_factory.mktemp("wheelhouse"))


#: Every day the wheel is installed by pip; the slow suite installs it in every way.
@pytest.fixture(
    params=[pytest.param(way, marks=[] if way == "pip" else pytest.mark.slow) for way in WAYS],
)
def way(request: pytest.FixtureRequest, wheel: Path, house: Path, tmp_path: Path) -> Installed:
    return WAYS[request.param](wheel, house, tmp_path)


class User:
    """Calls one command, each call a process."""

    def __init__(self, command: Path, installed: Installed, bus: Path) -> None:
        self.command = command
        self.env = installed.environment(bus)
        self.cwd = installed.home

    def __call__(self, *words: str, text: str = "") -> str:
        done = subprocess.run(
            [self.command, *words], env=self.env, cwd=self.cwd, input=text, capture_output=True, text=True
        )
        assert (done.returncode, trouble_in(done.stderr)) == (0, ""), done
        return done.stdout

    def words_of_the_process(self) -> list[str]:
        """The command line that the launcher ends in: of a `send` that waits for its body."""
        with subprocess.Popen(
            [self.command, "send", "alpha", "beta", "held"],
            env=self.env,
            cwd=self.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        ) as process:
            place = Path(f"/proc/{process.pid}/cmdline")
            deadline = time.monotonic() + 50
            while "-c" not in (words := place.read_text().split("\0")):
                assert time.monotonic() < deadline, words
                time.sleep(0.002)
        return words


def use(call: User) -> None:
    """Register, send, check, read; then what needs a package beside ours."""
    for identity, workdir in (("alpha", "/srv"), ("beta", "/usr")):
        call("register", identity, workdir, "takes", "part")
    sent = call("send", "alpha", "beta", "hello", "a subject", text="the body\n").strip()
    assert sent in call("check", "beta")
    assert "the body" in call("read", "beta", sent)
    assert json.loads(call("check", "--json", "beta"))["messages"][0]["id"] == sent
    assert "Usage" in call("send", "--help")


def test_the_command_works_and_starts_without_site_and_its_removal_leaves_nothing(way, tmp_path):
    call = User(way.command, way, tmp_path / "bus")
    use(call)
    if sys.platform == "linux":
        assert call.words_of_the_process()[1:5] == ["-I", "-S", "-X", "utf8"]
    way.uninstall()
    left = [path for path in tmp_path.rglob("*agentmail*") if tmp_path / "uv-cache" not in path.parents]
    # The remembered Python is in the user's cache; pipx keeps its logs and a lock.
    assert [path for path in left if not {".cache", "logs"} & {*path.parts} and path.suffix != ".lock"] == []


def wired_lines(call: User) -> list[tuple[str, str]]:
    """What the settings run at each event, after `wire`."""
    done = subprocess.run(
        [call.command, "wire", "claude-code", "--wake"], env=call.env, cwd=call.cwd, capture_output=True
    )
    assert done.returncode == 0, done
    hooks = json.loads((Path(call.env["HOME"]) / ".claude" / "settings.json").read_text())["hooks"]
    return [(event, one["command"]) for event in hooks for group in hooks[event] for one in group["hooks"]]


def fired(call: User, event: str, line: str) -> str:
    """What a line of the settings prints as the host runs it; it has to end with 0 and without a diagnostic."""
    payload = {"session_id": "s1", "hook_event_name": event, "cwd": str(call.cwd), "event": "add"}
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env=call.env,
        cwd="/",
        input=json.dumps(payload),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), (line, done)
    return done.stdout


def with_mail(way: Installed, tmp_path: Path) -> User:
    call = User(way.command, way, tmp_path / "bus")
    call.cwd = tmp_path / "work"
    call.cwd.mkdir()
    call("register", "alpha", str(call.cwd), "takes", "part")
    call("send", "alpha", "alpha", "hello", text="the body\n")
    return call


def of_the_host(call: User) -> list[str]:
    """What doctor says of the wired hooks; nothing of it may be a problem, and AGENT_MAIL_DIR is this test's own."""
    done = subprocess.run([call.command, "doctor", "--json"], env=call.env, cwd=call.cwd, capture_output=True)
    found = [one for one in json.loads(done.stdout)["findings"] if one["subject"] == "Claude Code"]
    assert [one for one in found if one["level"] == "problem"] == []
    return [one["what"] for one in found if not one["what"].startswith("AGENT_MAIL_DIR is set in this shell")]


@pytest.mark.slow
def test_removed_without_unwire_every_wired_line_is_silent(way, tmp_path):
    call = with_mail(way, tmp_path)
    lines = wired_lines(call)
    assert len(lines) == 6
    way.uninstall()
    assert [fired(call, event, line) for event, line in lines] == [""] * 6


@pytest.mark.slow
def test_a_wired_line_runs_after_an_upgrade_to_the_next_python(way, tmp_path):
    """An installer puts the package beside the new version; the directory of the old one is gone."""
    call = with_mail(way, tmp_path)
    lines = dict(wired_lines(call))
    (program, *_) = words_from(lines["UserPromptSubmit"], None) or [""]
    library = next(path for path in Path(program).parents if path.name.startswith("python3."))
    library.rename(library.parent / "python3.99")
    assert "1 message waits for alpha" in fired(call, "UserPromptSubmit", lines["UserPromptSubmit"])
    earlier, fires = sorted(of_the_host(call), key=lambda one: "fires" in one)
    assert "names the hooks of an earlier Python, and those of the present one run" in earlier
    assert "and fires (agentmail: 1 message waits for alpha)" in fires
    assert len(wired_lines(call)) == 6
    assert of_the_host(call) == [fires]


@pytest.mark.parametrize("kind", ["absolute", "relative", "chained"])
def test_a_link_in_another_directory_runs_it(installed, tmp_path, kind):
    command = installed / "bin" / "agentmail"
    place = tmp_path / "bin"
    place.mkdir()
    link = place / "agentmail"
    link.symlink_to(command)
    if kind == "relative":
        link.unlink()
        link.symlink_to(Path("../environment/bin/agentmail"))
        (tmp_path / "environment").symlink_to(installed)
    if kind == "chained":
        (place / "mail").symlink_to("agentmail")
        link = place / "mail"
    use(User(link, Installed(link, tmp_path, [], {}), tmp_path / "bus"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a space", "it's", 'a "quote"', "$HOME", "邮件", "two\nlines", "back\\slash", "*"]
)
def test_an_environment_in_a_directory_of_any_name_runs_it(installed, tmp_path, name):
    place = tmp_path / name
    shutil.copytree(installed, place, symlinks=True)
    command = place / "bin" / "agentmail"
    use(User(command, Installed(command, tmp_path, [], {}), tmp_path / "bus"))


def test_a_linked_bin_directory_runs_it(installed, tmp_path):
    (tmp_path / "programs").symlink_to(installed / "bin")
    link = tmp_path / "programs" / "agentmail"
    use(User(link, Installed(link, tmp_path, [], {}), tmp_path / "bus"))


def test_python_m_agentmail_is_the_same_command(installed, tmp_path):
    call = User(installed / "bin" / "python", Installed(installed, tmp_path, [], {}), tmp_path / "bus")
    call("-m", "agentmail", "register", "alpha", "/srv", "takes", "part")
    assert "no mail" in call("-m", "agentmail", "check", "alpha")


@pytest.mark.slow
def test_neither_the_environment_nor_site_packages_change_what_a_plain_call_runs(wheel, house, tmp_path):
    """A .pth file, a sitecustomize, PYTHONPATH, and packages that are named like modules of Python."""
    way = WAYS["pip"](wheel, house, tmp_path)
    (packages,) = tmp_path.glob("venv/lib/python*/site-packages")
    marker = tmp_path / "ran"
    text = f"open({str(marker)!r}, 'a').close()\n"
    (packages / "sitecustomize.py").write_text(text)
    (packages / "late.pth").write_text(f"import sys; {text}")
    for name in ("fcntl", "errno", "zlib", "json", "agentmailx"):
        (packages / f"{name}.py").write_text(text)
    call = User(way.command, way, tmp_path / "bus")
    call.env |= {
        "PYTHONPATH": str(packages),
        "PYTHONHOME": "/nowhere",
        "PYTHONSTARTUP": str(packages / "json.py"),
    }
    call("register", "alpha", "/srv", "takes", "part")
    sent = call("send", "alpha", "alpha", "hello", text="text\n").strip()
    call("archive", "alpha", sent)
    call("read", "alpha", sent)
    assert not marker.exists()
    subprocess.run([packages.parents[2] / "bin" / "python", "-c", "pass"], check=True)
    assert marker.exists()


@pytest.mark.slow
def test_without_a_python_the_command_says_so_in_one_line_with_75(wheel, house, tmp_path):
    way = WAYS["pip --prefix"](wheel, house, tmp_path)
    env = way.environment(tmp_path / "bus")
    for python in Path(env["PATH"]).glob("python*"):
        python.unlink()
    done = subprocess.run([way.command, "check", "alpha"], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (75, "", 1)
    assert "no Python 3.11 or newer" in done.stderr


def test_a_launcher_without_its_files_says_so_in_one_line_with_75(root, tmp_path):
    (tmp_path / "bin").mkdir()
    command = shutil.copy(root / "bin" / "agentmail", tmp_path / "bin")
    done = subprocess.run([command, "check", "alpha"], env={}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (75, "", 1)
    assert "install agentmail again" in done.stderr
