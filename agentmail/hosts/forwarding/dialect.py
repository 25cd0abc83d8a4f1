"""The dialect of the files that forward a host's events: what they send, and the answers that they take.

Such a file sends one JSON object: `event` (a kind of event), `session`, `directory`, `version` of the host, and for
a file tool `tool` and its `input` as the host has it. An answer is one JSON object with one field. The host's own
names are read here and not in the file, so that the file need not change where they do.
"""

from __future__ import annotations

from agentmail.core.lean_json import loads, quoted
from agentmail.hosts import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.base import Host

WAKE_CODE = 2


def run_forwarded(host: Host, argv: list[str]) -> int:
    """Run a hook: `check KIND`, `guard` or `wake KIND`. Returns WAKE_CODE to wake an idle session, else 0."""
    job, kind = [*argv, "", ""][:2]
    if job == "check":
        from agentmail.hosts.runtime import check

        return check.main(host, kind)
    if job == "guard":
        from agentmail.hosts.runtime import guard

        return guard.main(host)
    if job == "wake":
        from agentmail.hosts.runtime import wake

        return wake.main(host, kind)
    return 0


class ForwardingHost:
    """The `Host` of a program whose plugin forwards its events."""

    wake_code = WAKE_CODE

    def __init__(self, name: str, variable: str, paths: Mapping[str, str], patch: str = "") -> None:
        self.name = name
        self.variable = variable
        #: For each file tool, the field of its input that has the path.
        self.paths = paths
        #: The field that has a patch, whose headers name the paths.
        self.patch = patch

    def session(self, variables: Mapping[str, str]) -> str:
        """The session id in the variables, unchecked, or empty."""
        return variables.get(self.variable, "")

    def started_in(self, variables: Mapping[str, str]) -> str:  # noqa: ARG002
        """Empty: the payload's directory is that of the start."""
        return ""

    def version(self, variables: Mapping[str, str]) -> str:  # noqa: ARG002
        """Empty: the payload names it."""
        return ""

    def env_file(self, variables: Mapping[str, str]) -> str:  # noqa: ARG002
        """Empty: the plugin sets the variables itself."""
        return ""

    def event(self, raw: bytes) -> Event | None:
        """The event that a payload describes; None for input that is not one JSON object."""
        found = loads(raw.decode("utf-8", "replace"))
        if not isinstance(found, dict):
            return None
        return Event(
            _text(found, "event"),
            session=_text(found, "session"),
            directory=_text(found, "directory"),
            files=self._files(_text(found, "tool"), found.get("input")),
            version=_text(found, "version"),
        )

    def _files(self, tool: str, given: object) -> tuple[str, ...]:
        if not isinstance(given, dict):
            return ()
        path = _text(given, self.paths.get(tool, ""))
        patched = patched_files(_text(given, self.patch)) if self.patch else ()
        return (path, *patched) if path else patched

    def notice(self, event: Event, text: str) -> bytes:  # noqa: ARG002
        """The answer that puts a text before the model."""
        return _answer("notice", text)

    def deny(self, event: Event, why: str) -> bytes:  # noqa: ARG002
        """The answer that refuses the call of a tool."""
        return _answer("deny", why)

    def watch(self, event: Event, path: str) -> bytes:  # noqa: ARG002
        """The answer that has a directory watched for new files."""
        return _answer("watch", path)


PATCH_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def patched_files(patch: str) -> tuple[str, ...]:
    """The paths that a patch names."""
    lines = (line.strip() for line in patch.splitlines())
    return tuple(
        line[len(header) :].strip() for line in lines for header in PATCH_HEADERS if line.startswith(header)
    )


def _text(fields: dict[str, object], name: str) -> str:
    """A text field, or an empty string. Half a character, which JSON can spell and no path can have, is a `?`."""
    found = fields.get(name)
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def _answer(field: str, text: str) -> bytes:
    return f'{{"{field}": {quoted(text)}}}\n'.encode("ascii")
