"""opencode's dialect: the variable with its session, and the file tools that it has."""

from __future__ import annotations

from agentmail.hosts.forwarding.dialect import ForwardingHost, run_forwarded

HOST = ForwardingHost(
    "opencode",
    "OPENCODE_SESSION_ID",
    {"write": "filePath", "edit": "filePath", "multiedit": "filePath"},
    patch="patchText",
)


def main(argv: list[str]) -> int:
    """Run a hook."""
    return run_forwarded(HOST, argv)
