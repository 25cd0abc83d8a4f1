"""The wheel, built once a worker, and a fresh environment with it installed."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests.packaging.requirements import closure

ROOT = Path(__file__).parents[2]


def build(kind: str, tree: Path, out: Path) -> Path:
    """Build one `wheel` or `sdist` of a tree with the build tool that is installed here; no network."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel_from_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installer makes of the source archive, with nothing of the repository around it."""
    tree = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        # Made by ourselves a moment ago; Python 3.11 has the filter only since 3.11.4.
        archive.extractall(tree, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # type: ignore[arg-type]
    return build("wheel", tree / sdist.name.removesuffix(".tar.gz"), tmp_path_factory.mktemp("again"))


@pytest.fixture(scope="session")
def metadata(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="session")
def installed(wheel: Path, metadata, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and with what the wheel says it requires: no more, so that an import
    of something that only ./dev installs fails here as it would at a user's.

    Why links to the packages of this environment and no download: the test needs no network.
    """
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "-qq", "--python", python, "install", "--no-index", "--no-deps", wheel],
        check=True,
    )
    (site,) = home.glob("lib/python*/site-packages")
    for needed in closure(metadata.get_all("Requires-Dist")).values():
        entries = {file.parts[0] for file in needed.files or [] if file.parts[0] not in ("..", "__pycache__")}
        for entry in entries:
            (site / entry).symlink_to(Path(str(needed.locate_file(entry))))
    return home
