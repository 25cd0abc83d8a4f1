"""A mailbox for coding agents that share one machine: plain files, one directory, no server."""

__version__ = "0.1.0"
