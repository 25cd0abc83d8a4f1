"""A call of send, reply or delegate as a line that can be typed: what an error or a warning proposes."""

from __future__ import annotations

from agentmail.core.names import has_control

SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@,:+%=")
#: The text of the message stands in the next lines, then a line with EOF.
HERE_DOCUMENT = " <<'EOF'"
#: How long a text that was given may be to stand in the call.
TEXT_SHOWN = 500


def shell_word(text: str) -> str:
    """`text` as one word of a shell."""
    if text and SAFE.issuperset(text):
        return text
    return _quoted(text)


def whole_call(
    verb: str, words: Iterable[str], subject: str, *, piped: bool = True, text: str = "", **options: str
) -> str:
    """The call in backticks, with the text before it where that is short and one line; what is empty is left out.

    The subject is always quoted, so that it is seen to be one.
    """
    line = " ".join(["agentmail", verb, *map(shell_word, words)])
    if subject:
        line += f" {_quoted(subject)}"
    for name, value in options.items():
        if value:
            line += f" --{name.rstrip('_').replace('_', '-')} {shell_word(value)}"
    if text and piped and len(text) <= TEXT_SHOWN and "`" not in text and not has_control(text):
        return f"`printf '%s\\n' {_quoted(text)} | {line}`"
    return f"`{line}{HERE_DOCUMENT if piped else ''}`"


def no_text(draft: Draft) -> str:
    """The warning for a message of a subject alone, with the call that passes a text."""
    call = whole_call(
        "send",
        (draft.sender, "@all" if draft.everybody else draft.spelled(draft.to), draft.slug),
        draft.subject,
        re=draft.re,
        cc="@all" if draft.everybody_cc else draft.spelled(draft.cc),
        thread="" if draft.re else draft.thread,
    )
    return f"no text came on standard input, so the message has its subject alone; with a text: {call}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmail.verbs.draft import Draft
