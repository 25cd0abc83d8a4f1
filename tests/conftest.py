"""Fixtures for every test: an empty bus, the command line bound to it, a tree of files as a value."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from agentmail.core.layout import Bus
from tests.support.cli import PLAIN, Cli
from tests.support.forks import Forks
from tests.support.memory import in_memory, use_memory
from tests.support.summary import Summary
from tests.support.trees import tree as tree_of

# pytest explains its assertions as it does those of a test; this has to be called before the first import.
pytest.register_assert_rewrite("tests.corpus.post")

# A run in the background starts with SIGINT ignored, and so would everything that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["TZ"] = "UTC"
time.tzset()

# The same examples in every run, so that a new failure comes from the change; `--hypothesis-profile=search`
# looks for new examples. No deadline: a loaded machine is no counter-example.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("everyday", settings.get_profile("fixed"), max_examples=25)
settings.register_profile("search", deadline=None, max_examples=2000)


def pytest_configure(config: pytest.Config) -> None:
    """Report what is left out. The everyday suite tries fewer examples, writes to memory and starts fewer interpreters."""
    config.pluginmanager.register(Summary(config))
    everyday = "not slow" in config.getoption("markexpr")
    if everyday:
        use_memory()
        Cli.forks = Forks(PLAIN) if hasattr(os, "pidfd_open") else None
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("everyday" if everyday else "fixed")


def pytest_unconfigure() -> None:
    """Let the process end that forks itself for the command line."""
    if Cli.forks:
        Cli.forks.end()


@pytest.fixture
def bus_dir(tmp_path: Path) -> Path:
    """A fresh bus directory, empty."""
    path = tmp_path / "bus"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A directory for thousands of runs: in memory where the system has such a place, else `tmp_path`."""
    memory = in_memory()
    if not memory:
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
    """The bus as an object in this process, with the umask that every entry point sets."""
    before = os.umask(0o077)
    yield Bus(str(bus_dir))
    os.umask(before)


@pytest.fixture
def tree() -> Callable[[Path], dict[str, str]]:
    """A tree of files as a value, for `byte-identical before and after`."""
    return tree_of


@pytest.fixture
def tally(record_property) -> Iterator[Counter[str]]:
    """Counts of this test by name (points, runs, cuts, kills), which the table of the fault suite adds up."""
    counts: Counter[str] = Counter()
    yield counts
    for name, number in counts.items():
        record_property(name, number)
