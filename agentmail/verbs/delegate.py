"""Delegate: a handoff message with task, context and acceptance as headed sections. Only a form of send."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.draft import Draft
from agentmail.verbs.send import deliver_draft

SLUG_WORDS = 6


def delegate(
    call: SessionCall,
    sender: str,
    to: str,
    subject: Words = "",
    *,
    body: Body = b"",
    task: str = "",
    context: str = "",
    acceptance: str = "",
    thread: str | None = None,
    priority: str = "normal",
    cc: str | None = None,
    evidence: Sequence[str] = (),
    once: bool = False,
) -> Delivered:
    """Hand over a task: a message of kind handoff with task, context and acceptance as sections.

    A text on standard input is the task, or with --task its details.
    """
    text = _decoded(body)
    if not task.strip():
        task, text = text, ""
    parts = handoff_body(task, context, acceptance, text)
    draft = Draft(
        sender,
        to,
        handoff_slug(task),
        subject or handoff_subject(task),
        thread=thread,
        priority=priority,
        kind="handoff",
        cc=cc,
        evidence=evidence,
        session=call.session,
    )
    return deliver_draft(call, draft, parts, once=once)


def _decoded(body: Body) -> str:
    """The text that was given as a body; bytes that are not UTF-8 stay what they are, and are refused later."""
    given = body if isinstance(body, (bytes, str)) else body()
    return given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")


def handoff_body(task: str, context: str, acceptance: str, details: str = "") -> bytes:
    """The parts as a body; the task is required."""
    if not task.strip():
        raise Refused(
            "there is no task", names.NOTHING_CHANGED, "say what is to be done, with --task or as the text"
        )
    parts = (("Task", task), ("Context", context), ("Acceptance", acceptance), ("Details", details))
    body = "\n".join(f"## {title}\n\n{_trimmed(text)}\n" for title, text in parts if text.strip())
    # Words that are not UTF-8 are kept as they are, so that the body is refused like any other.
    return body.encode(errors="surrogatepass")


def _trimmed(text: str) -> str:
    """The text without blank lines around it; the first line keeps its indentation."""
    return text.strip() if "\n" not in text.strip() else text.strip("\r\n").rstrip()


def handoff_subject(task: str) -> str:
    """The task's first line, as far as a subject goes."""
    return names.printable(task.strip().split("\n")[0]).encode()[:200].decode(errors="ignore")


def handoff_slug(task: str) -> str:
    """A slug of the task's first words, or `handoff` where none of them fits the alphabet."""
    words = names.as_word(task.strip().split("\n")[0]).split("-")
    return names.as_word("-".join(words[:SLUG_WORDS])) or "handoff"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmail.verbs.call import Body, SessionCall, Words
    from agentmail.verbs.delivered import Delivered
