"""What surrounds the process: environment variables, the current directory, the standard descriptors."""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import reason


def occupy_standard_descriptors(flags: int) -> set[int]:
    """Open /dev/null with `flags` on each closed standard descriptor; returns the numbers that were closed.

    Why: the next file opened would get the free number, and output for stdout would be written into a message.
    """
    closed = set()
    for fd in (0, 1, 2):
        try:
            system.fstat(fd)
        except OSError:
            closed.add(fd)
            system.open(system.NULL_DEVICE, flags)
    return closed


class Environment:
    """The environment variables and the current directory, checked before anything uses them."""

    def __init__(self, variables: Mapping[str, str], directory: str | None = None) -> None:
        self.variables = variables
        self._directory = directory

    @classmethod
    def of_process(cls) -> Environment:
        """The environment of this process."""
        return cls(system.variables())

    def bus_path(self) -> str:
        """The bus directory: AGENT_MAIL_DIR, else ~/.agents/mail. It need not exist yet."""
        path = self.variables.get("AGENT_MAIL_DIR")
        if path is None:
            return system.join(self.home(), ".agents", "mail")
        if not system.is_absolute(path) or "\0" in path:
            raise Refused(
                f"AGENT_MAIL_DIR is {names.quoted(path)}, not an absolute path",
                names.NOTHING_CHANGED,
                "set it to the bus directory's full path, or unset it for ~/.agents/mail",
            )
        return path.rstrip("/") or "/"

    def home(self) -> str:
        """The user's home directory."""
        path = self.variables.get("HOME", "")
        if not system.is_absolute(path):
            raise Refused(
                "HOME is not set to an absolute path", names.NOTHING_CHANGED, "set HOME or AGENT_MAIL_DIR"
            )
        return path

    def self_identity(self) -> str | None:
        """The identity that AGENT_MAIL_SELF names, or None."""
        text = self.variables.get("AGENT_MAIL_SELF", "")
        try:
            return names.identity(text) if text else None
        except Refused as error:
            raise Refused(f"AGENT_MAIL_SELF: {error.what}", error.now, error.next_step) from None

    def session(self, given: str | None = None) -> str:
        """The session: the one given, else AGENT_MAIL_SESSION; empty where there is neither."""
        if given == "":
            raise Refused("the session is empty", names.NOTHING_CHANGED, "name it, or leave --session out")
        text = given or self.variables.get("AGENT_MAIL_SESSION") or ""
        if text and not names.is_session(text):
            raise Refused(
                f"{names.quoted(text)} is not a session",
                names.NOTHING_CHANGED,
                "use at most 64 letters, digits, . _ -, beginning with a letter or digit",
            )
        return text

    def retention(self) -> str | None:
        """The value of AGENT_MAIL_RETENTION_DAYS, unchecked, or None."""
        return self.variables.get("AGENT_MAIL_RETENTION_DAYS")

    def directory(self) -> str:
        """The current directory."""
        if self._directory is not None:
            return self._directory
        try:
            return system.getcwd()
        except OSError as error:
            raise TryAgain(
                f"the current directory cannot be read: {reason(error)}",
                names.NOTHING_CHANGED,
                "cd elsewhere",
            ) from error


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
