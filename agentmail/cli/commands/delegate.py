"""What `delegate` prints."""

from __future__ import annotations

from agentmail.cli.text import delivered as lines
from agentmail.cli.text import say_recipients as finish

__all__ = ["CHANGES", "finish", "lines"]

CHANGES = True
