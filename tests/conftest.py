"""What every test may ask for: a bus of its own, the command line bound to it, a look at a whole tree."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from agentmail.core.layout import Bus
from tests.support.cli import Cli
from tests.support.trees import tree as tree_of

# Its assertions speak as those of a test; said before any room imports it.
pytest.register_assert_rewrite("tests.corpus.post")

# A run in the background starts with SIGINT ignored, and so would everything that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["TZ"] = "UTC"
time.tzset()

# The same examples in every run, so that a failure is the change's own; `--hypothesis-profile=search` looks
# for new ones. No deadline: a loaded machine is no counter-example.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("fixed")


@pytest.fixture
def bus_dir(tmp_path: Path) -> Path:
    """A fresh bus directory, empty."""
    path = tmp_path / "bus"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A directory for trials by the thousand: in memory where the system has such a place, else `tmp_path`."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK | os.X_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="agentmail-", dir=memory) as name:
        yield Path(name)


@pytest.fixture
def run(bus_dir: Path, tmp_path: Path) -> Cli:
    """The command line as processes, on `bus_dir`, in a home directory of its own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Cli(bus_dir, home)


@pytest.fixture
def bus(bus_dir: Path) -> Iterator[Bus]:
    """The bus as an object in this process, under the umask that every entry point sets."""
    before = os.umask(0o077)
    yield Bus(str(bus_dir))
    os.umask(before)


@pytest.fixture
def tree() -> Callable[[Path], dict[str, str]]:
    """A tree of files as a value, for `byte-identical before and after`."""
    return tree_of
