"""What the rows of an index depend on beside the files: the code that makes them, and the YAML reader."""

from __future__ import annotations

import sys

#: A checksum of the code that decides what a row says; tests/views/test_reader_version.py compares it.
READER = "0"
#: What reads headers that are not in the canonical form, where a message had one: by YAML, or line by line without it.
BY_YAML, BY_LINES, NONE = "yaml", "lines", ""


def other_reader() -> str:
    """What this process read such headers with so far."""
    if "agentmail.message.other_headers" not in sys.modules:
        return NONE
    return BY_YAML if "agentmail.message.yaml_header" in sys.modules else BY_LINES


def reads_alike(recorded: str) -> bool:
    """True where this process reads every header as the writer of the index did."""
    if recorded == NONE:
        return True
    found = any(finder.find_spec("frontmatter", None) for finder in list(sys.meta_path))
    return found == (recorded == BY_YAML)
