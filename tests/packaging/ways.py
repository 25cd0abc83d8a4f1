"""The ways in which a user installs the wheel, each into a directory of the test and without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

#: The interpreter outside of any environment.
BASE = os.path.realpath(sys.executable)
NAME = f"python3.{sys.version_info.minor}"
TOOLS = ("sh", "mkdir", "mv", "readlink", "env")


class Installed:
    """One installation: the command as the user calls it, and what removes it again."""

    def __init__(self, command: Path, home: Path, uninstall: list[str], env: dict[str, str]) -> None:
        self.command = command
        self.home = home
        self.uninstall_words = uninstall
        self.env = env

    def environment(self, bus: Path) -> dict[str, str]:
        """A user's environment: a PATH with that Python and the tools of every Unix, a home, and the bus."""
        path = self.home / "path"
        if not path.exists():
            path.mkdir()
            (path / NAME).symlink_to(BASE)
            for tool in TOOLS:
                (path / tool).symlink_to(shutil.which(tool) or tool)
        return {
            "PATH": str(path),
            "HOME": str(self.home),
            "AGENT_MAIL_DIR": str(bus),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }

    def uninstall(self) -> None:
        """Remove it as its installer does."""
        run(self.uninstall_words, self.env)


def run(words: list[str], env: dict[str, str]) -> None:
    """Run an installer; what it printed is the failure's message."""
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def offline(house: Path, home: Path) -> dict[str, str]:
    """An installer's environment: no index, the wheels of a directory, and nothing of the user's own settings."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": house.as_uri(),
        "PIP_NO_COMPILE": "1",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_NO_CONFIG": "1",
        "UV_OFFLINE": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": house.as_uri(),
        "UV_CACHE_DIR": str(home / "uv-cache"),
        "UV_PYTHON_DOWNLOADS": "never",
        "LC_ALL": "C.UTF-8",
    }


def pip(python: str | Path, *words: str) -> list[str]:
    """This environment's pip at work for another interpreter."""
    return [sys.executable, "-m", "pip", "-q", "--python", str(python), *words]


def venv(wheel: Path, house: Path, home: Path) -> Installed:
    """pip in a virtual environment."""
    env = offline(house, home)
    place = home / "venv"
    run([BASE, "-m", "venv", "--without-pip", str(place)], env)
    python = place / "bin" / "python"
    run(pip(python, "install", str(wheel)), env)
    return Installed(place / "bin" / "agentmail", home, pip(python, "uninstall", "-y", "agentmail-bus"), env)


def user(wheel: Path, house: Path, home: Path) -> Installed:
    """`pip install --user`."""
    env = offline(house, home) | {"PYTHONUSERBASE": str(home / "base")}
    run(pip(BASE, "install", "--user", "--ignore-installed", str(wheel)), env)
    command = home / "base" / "bin" / "agentmail"
    return Installed(command, home, pip(BASE, "uninstall", "-y", "agentmail-bus"), env)


def prefix(wheel: Path, house: Path, home: Path) -> Installed:
    """`pip install --prefix`, with the Python elsewhere."""
    env = offline(house, home)
    place = home / "prefix"
    run(pip(BASE, "install", "--ignore-installed", "--prefix", str(place), str(wheel)), env)
    (command,) = place.rglob("bin/agentmail")
    (packages,) = (path.parent for path in place.rglob("*-packages/agentmail"))
    env["PYTHONPATH"] = str(packages)  # so that pip finds what it has installed there
    return Installed(command, home, pip(BASE, "uninstall", "-y", "agentmail-bus"), env)


def uv_tool(wheel: Path, house: Path, home: Path) -> Installed:
    """`uv tool install`, which links the command into ~/.local/bin."""
    env = offline(house, home)
    uv = shutil.which("uv", path=env["PATH"]) or "uv"
    run([uv, "tool", "install", "--python", BASE, str(wheel)], env)
    return Installed(
        home / ".local" / "bin" / "agentmail", home, [uv, "tool", "uninstall", "agentmail-bus"], env
    )


def pipx(wheel: Path, house: Path, home: Path) -> Installed:
    """`pipx install`, which links the command into ~/.local/bin."""
    env = offline(house, home)
    words = [sys.executable, "-m", "pipx"]
    run([*words, "install", "--python", BASE, str(wheel)], env)
    return Installed(home / ".local" / "bin" / "agentmail", home, [*words, "uninstall", "agentmail-bus"], env)


WAYS = {"pip": venv, "pip --user": user, "pip --prefix": prefix, "uv tool": uv_tool, "pipx": pipx}
