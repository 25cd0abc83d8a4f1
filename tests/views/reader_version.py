"""The checksum of the code that decides what a row of an index says; run it to write the checksum where it belongs.

.venv/bin/python -m tests.views.reader_version
"""

from __future__ import annotations

import hashlib
import re

from tests.support.cli import ROOT

#: What turns the bytes of a file into a row.
DECIDES = (
    "core/gz.py core/lean_json.py core/names.py core/times.py ledger/evidence.py message/__init__.py "
    "message/other_headers.py message/scalar.py message/yaml_header.py views/base.py views/listing.py "
    "views/receipts.py views/words.py views/index/rows.py views/index/stored.py views/index/writer.py"
).split()
PLACE = ROOT / "agentmail" / "views" / "index" / "file.py"
LINE = re.compile(r'^READER = "(\w*)"$', re.MULTILINE)


def checksum() -> str:
    """The checksum of the sources."""
    found = hashlib.sha256()
    for name in DECIDES:
        found.update((ROOT / "agentmail" / name).read_bytes())
    return found.hexdigest()[:12]


def written() -> str:
    """The checksum that the program has."""
    match = LINE.search(PLACE.read_text())
    assert match is not None
    return match[1]


if __name__ == "__main__":
    PLACE.write_text(LINE.sub(f'READER = "{checksum()}"', PLACE.read_text()))
