"""A mailbox with a message in every place and form, read by either reader."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentmail.core.layout import Bus, Mailbox
from agentmail.views.index.file import index_of
from agentmail.views.index.reader import open_index
from agentmail.views.scan import Scan
from tests.views.indexes import write_index

if TYPE_CHECKING:
    from agentmail.views.base import Reader

Reading = Callable[[Bus], AbstractContextManager["tuple[Mailbox, Reader]"]]
#: Every message of the mailbox by its id: place, file name and text.
MESSAGES = {
    "20260101-0900-alpha-first": (
        "archive",
        "from: alpha\nto: beta\nthread: plan\nsubject: The Plan\n",
        "one\n",
    ),
    "20260101-0900-alpha-second": (
        "archive",
        "from: alpha\nto: beta\nthread: plan\nkind: handoff\n",
        "two\n",
    ),
    "20260102-0900-beta-answer": (
        "sent",
        "from: beta\nto: alpha\ncc: gamma\nworkspace: alpha=/x; gamma=/y\nthread: plan\nre: 20260101-0900-alpha-first\n",
        "three Plan\n",
    ),
    "20260103-0900-gamma-answer": (
        "inbox",
        "from: gamma\nto: beta\nre: 20260102-0900-beta-answer\nthread: plan\n",
        "four\n",
    ),
    "20260104-0900-alpha-alone": (
        "inbox",
        "from: alpha\nto: beta\nsubject: Straße 中文字 🎉\n",
        "five 日本語のテキスト\n",
    ),
    "20260105-0900-human-said": (
        "archive",
        "from: alpha\nto: beta\nsender_kind: human\nthread: other\n",
        "six \x00 seven\n",
    ),
    "20260106-0900-beta-self": ("inbox", "from: beta\nto: beta\nthread: own\n", "me\n"),
    "20260107-0900-alpha-quoted": (
        "archive",
        "from: 'alpha'\nto: beta\nsubject: \"a \\u00e9 \\\\ quote\"\n",
        "eight\n",
    ),
    "plain": ("archive", "", "no header here\n"),
    "Straße": ("inbox", "", "an odd name\n"),
}


@pytest.fixture
def home(quick_path: Path) -> Path:
    """A home directory, with nothing in it yet."""
    path = quick_path / "home"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def full(quick_path: Path) -> Iterator[Bus]:
    """The bus of beta, who has them all, and some that cannot be read."""
    before = os.umask(0o077)
    box = quick_path / "bus" / "beta"
    for folder in ("tmp", "inbox", "archive", "sent"):
        (box / folder).mkdir(parents=True)
    rows = "".join(f"| {one} | - | takes part |\n" for one in ("alpha", "beta", "gamma"))
    (quick_path / "bus" / "registry.md").write_text(
        f"| id | workdir | responsibility |\n|---|---|---|\n{rows}"
    )
    for id, (place, header, text) in MESSAGES.items():
        put(box, place, id, header, text)
    # The sender's own copy of what beta wrote to beta; a file of that id in two forms; damage in every place.
    put(box, "sent", "20260106-0900-beta-self", "from: beta\nto: beta\nthread: own\n", "me\n")
    (box / "archive" / "plain.md").write_text("the plain file of that id comes first\n")
    (box / "archive" / "20260108-0900-alpha-cut.md.gz").write_bytes(gzip.compress(b"text\n")[:-3])
    (box / "inbox" / "20260108-0900-alpha-link.md").symlink_to("/etc/passwd")
    (box / "sent" / "20260108-0900-beta-folder.md").mkdir()
    (box / "archive" / "not a message").write_text("no suffix\n")
    yield Bus(str(quick_path / "bus"))
    os.umask(before)


def put(box: Path, place: str, id: str, header: str, text: str) -> Path:
    """A message as a file of a mailbox."""
    data = (f"---\nid: {id}\n{header}---\n{text}" if header else text).encode()
    path = box / place / f"{id}{'.md.gz' if place == 'archive' else '.md'}"
    path.write_bytes(gzip.compress(data) if place == "archive" else data)
    return path


@pytest.fixture(params=["scan", "index", "an index that is behind"])
def reading(request: pytest.FixtureRequest, home: Path) -> Reading:
    """One of the two readers over a mailbox; the index written when the mailbox was empty, or when it was full."""
    kind: str = request.param

    @contextmanager
    def read(bus: Bus) -> Iterator[tuple[Mailbox, Reader]]:
        with bus.mailbox("beta") as box:
            if kind == "scan":
                yield box, Scan()
                return
            if kind != "index":
                moved = [path for path in Path(bus.root, "beta").glob("*/*") if path.is_file()][::2]
                for path in moved:
                    path.rename(Path(bus.root) / f"aside-{path.parent.name}-{path.name}")
            assert write_index(bus, "beta", home)
            if kind != "index":
                for path in moved:
                    (Path(bus.root) / f"aside-{path.parent.name}-{path.name}").rename(path)
            reader = open_index(index_of(box, str(home)), box)
            assert reader is not None
            yield box, reader
            reader.connection.close()

    return read
