"""The three forms of the program: installed from the wheel by pip, the checkout, and a plugin."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.packaging.requirements import closure
from tests.packaging.wheelhouse import pack

ROOT = Path(__file__).resolve().parents[2]


def install(place: Path, python: str) -> Path:
    """Build the wheel of this tree and install it with its requirements by pip; returns the environment.

    No network: the requirements are packed from this environment.
    """
    wheels, environment = place / "wheels", place / "environment"
    wheels.mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pack(closure(project["dependencies"]).values(), wheels)
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place))
    (wheel,) = place.glob("*.whl")
    _run(python, "-m", "venv", "--without-pip", str(environment))
    pip = [sys.executable, "-m", "pip", "-q", "--python", str(environment / "bin" / "python")]
    _run(*pip, "install", "--no-index", "--find-links", str(wheels), str(wheel))
    return environment


def link(environment: Path, home: Path) -> Path:
    """The command as uv links it: from ~/.local/bin to the environment of the tool."""
    tools = home / ".local" / "share" / "uv" / "tools"
    command = home / ".local" / "bin" / "agentmail"
    for folder in (tools, command.parent):
        folder.mkdir(parents=True)
    (tools / "agentmail-bus").symlink_to(environment)
    command.symlink_to(tools / "agentmail-bus" / "bin" / "agentmail")
    return command


def plugin(place: Path) -> Path:
    """The command of a plugin: the files of a checkout without .venv, and whatever Python is found."""
    for name in ("agentmail", "bin", "hooks"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    return place / "bin" / "agentmail"


def start_of_python() -> str:
    """The program that the launcher and the hooks give to Python, as hooks/run has it."""
    text = (ROOT / "hooks" / "run").read_text()
    start = " -I -S -X utf8 -c '"
    return text[text.index(start) + len(start) :].split("'")[0]


def _run(*words: str) -> None:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words} exited {done.returncode}: {done.stderr}")
