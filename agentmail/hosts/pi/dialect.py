"""Pi's dialect: the variable with its session, and the file tools that it has."""

from __future__ import annotations

from agentmail.hosts.forwarding.dialect import ForwardingHost, run_forwarded

HOST = ForwardingHost("pi", "PI_SESSION_ID", {"write": "path", "edit": "path"})


def main(argv: list[str]) -> int:
    """Run a hook."""
    return run_forwarded(HOST, argv)
