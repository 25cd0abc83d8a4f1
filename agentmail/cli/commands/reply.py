"""What `reply` prints."""

from __future__ import annotations

from agentmail.cli.text import delivered as lines
from agentmail.cli.text import say_who_got_it as finish

__all__ = ["CHANGES", "FIRST_MAY_BE_THREAD", "finish", "lines"]

CHANGES = True
FIRST_MAY_BE_THREAD = True
