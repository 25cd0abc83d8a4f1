"""What `delegate` prints."""

from __future__ import annotations

from agentmail.cli.text import delivered as lines
from agentmail.cli.text import say_who_got_it as finish

__all__ = ["CHANGES", "ENOUGH_WITHOUT_TEXT", "finish", "lines"]

CHANGES = True
ENOUGH_WITHOUT_TEXT = "task"
