"""The mail as resources: `mail://<identity>/inbox` and `mail://<identity>/<message id>`.

A host reads a resource for whoever it likes, a person or its own list; so reading one records nothing.
"""

from __future__ import annotations

from typing import Any

from agentmail.core import names
from agentmail.core.errors import AgentMailError, NotFound
from agentmail.mcp.bounds import Bounded

SCHEME, INBOX = "mail://", "inbox"
MIME = "text/plain"
#: How many waiting messages are listed; all of them are in the inbox.
LISTED = 100
TEMPLATES = [
    {
        "uriTemplate": f"{SCHEME}{{identity}}/{INBOX}",
        "name": "inbox",
        "description": "What waits for an identity.",
    },
    {"uriTemplate": f"{SCHEME}{{identity}}/{{id}}", "name": "message", "description": "One message."},
]


def uri_of(identity: str, name: str = INBOX) -> str:
    """The URI of an inbox, or of a message."""
    return f"{SCHEME}{identity}/{name}"


def parts_of(uri: object) -> tuple[str, str]:
    """The identity, and `inbox` or a message id. NotFound for another URI."""
    if isinstance(uri, str) and uri.startswith(SCHEME):
        identity, _, name = uri.removeprefix(SCHEME).partition("/")
        if names.is_identity(identity) and names.is_id(name):
            return identity, name
    raise NotFound("there is no such resource", names.NOTHING_CHANGED, f"use {uri_of('<identity>')}")


def list_resources(call: Call) -> list[dict[str, Any]]:
    """The inbox of the caller and the oldest messages in it; nothing where no identity is known."""
    from agentmail.verbs.check import check

    try:
        identity = call.me()
        found = check(call, identity, limit=str(LISTED))
    except AgentMailError:
        return []
    inbox = {"uri": uri_of(identity), "name": f"inbox of {identity}", "mimeType": MIME}
    return [inbox, *(_described(identity, one) for one in found["messages"] if names.is_id(one["id"]))]


def _described(identity: str, one: Summary) -> dict[str, Any]:
    # The id alone: a subject is somebody else's text, and a list of names is no place for it.
    return {"uri": uri_of(identity, one["id"]), "name": one["id"], "mimeType": MIME, "size": one["size"]}


def read_resource(call: Call, uri: object, texts: Texts) -> list[dict[str, Any]]:
    """The content of a resource: as `mail_check` and `mail_read` show it."""
    identity, name = parts_of(uri)
    verb = "check" if name == INBOX else "read"
    outcome: Any
    if verb == "check":
        from agentmail.verbs.check import check

        outcome = check(call, identity, limit=str(LISTED))
    else:
        from agentmail.verbs.read import read

        outcome = read(call, identity, name)
    bounded = Bounded(outcome)
    lines, _ = texts.of_outcome(verb, bounded.value, bounded.notes)
    return [{"uri": uri, "mimeType": MIME, "text": "\n".join(lines)}]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.mcp.server import Texts
    from agentmail.verbs.call import Call
    from agentmail.verbs.check import Summary
