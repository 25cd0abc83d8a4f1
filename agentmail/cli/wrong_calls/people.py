"""The identities of the bus, as far as a wrong call needs them: who calls, who exists, and who was meant."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused

#: What stands for a recipient that only the caller knows.
OTHER = "OTHER"
EVERYBODY = ("all", "@all", "everyone", "everybody", "*", "@everyone", "team")


class People:
    """Who is known on the bus, and who calls; nothing where the bus cannot say."""

    def __init__(self, context: Context) -> None:
        self.me = ""
        self.known: list[str] = []
        #: What an address that was refused is replaced by.
        self.instead: dict[str, str] = {}
        self._environment = context.environment
        self._bus: Bus | None = None
        from agentmail.core.roster import KnownIdentities, mailboxes

        try:
            self._bus = context.bus
            self.known = sorted({*KnownIdentities(self._bus).rows, *mailboxes(self._bus)})
            self.me = context.call().me()
        except (AgentMailError, OSError):
            self._bus = None

    def has(self, to: str) -> bool:
        """True for recipients that all exist."""
        return all(one in EVERYBODY or one.strip().removeprefix("@") in self.known for one in to.split(","))

    def means(self, name: str) -> bool:
        """True for recipients that all exist, be they written with a host, as in a letter's address."""
        return all(self.has(one.partition("@")[0] or one) for one in name.split(","))

    def has_near(self, name: str) -> bool:
        """True for one that exists, or is written nearly like one."""
        return self.means(name) or bool(names.near(name, self.known))

    def only_other(self) -> str:
        """The one to whom a message can go; OTHER where there are several."""
        others = [one for one in self.known if one != self.me]
        return others[0] if len(others) == 1 and self.me else OTHER

    def only_waiting(self) -> str:
        """The id of the one message that waits for the caller; empty where there is none, or several."""
        from agentmail.core.layout import waiting
        from agentmail.core.roster import open_mailbox

        if self._bus is None:
            return ""
        try:
            with open_mailbox(self._bus, self.me) as box:
                ids = [names.without_suffix(name) for name in waiting(box)]
        except (AgentMailError, OSError):
            return ""
        return ids[0] if len(ids) == 1 and names.is_id(ids[0]) else ""

    def has_message(self, id: str) -> bool:
        """True for a message in the caller's mailbox."""
        from agentmail.core.layout import locate
        from agentmail.core.roster import open_mailbox

        if self._bus is None or not names.is_id(id):
            return False
        try:
            with open_mailbox(self._bus, self.me) as box:
                return bool(locate(box, id))
        except (AgentMailError, OSError):
            return False

    def take_nearest(self, error: AgentMailError) -> bool:
        """Note what stands for the address that was refused; False where only the caller can know it."""
        address, near = error.details.get("address"), error.details.get("near")
        if isinstance(address, str) and isinstance(near, list):
            self.instead[address] = near[0] if near else self._absolute(address)
            return bool(self.instead[address])
        return True

    def _absolute(self, address: str) -> str:
        """An address with a path below the home or the current directory, with the whole path; empty for another one."""
        from os.path import normpath

        name, _, path = address.partition("@")
        first, slash, rest = path.partition("/")
        if not (slash and rest and first in ("~", ".", "..")):
            return ""
        try:
            base = self._environment.home() if first == "~" else f"{self._environment.directory()}/{first}"
        except AgentMailError:
            return ""
        whole = _addressed(name, normpath(f"{base}/{rest}"))
        return "" if whole == name else whole

    def recipients(self, to: str) -> str:
        """The recipients as they exist; OTHER for one that does not. As they came where nobody is known."""
        if not self.known and all(map(names.is_identity, to.split(","))):
            return to
        found = dict.fromkeys(self._recipient(one.strip()) for one in to.split(","))
        return "@all" if "@all" in found else ",".join(found)

    def _recipient(self, name: str) -> str:
        if name in EVERYBODY:
            return "@all"
        if "@" not in name:
            name = name.replace(":", "@", 1)
        bare, at, path = self.instead.get(name, name).removeprefix("@").partition("@")
        bare = bare.lower()
        found = bare if bare in self.known else self._near(bare)
        if not at or found == OTHER:
            return found
        whole = _addressed(found, path)
        return self.instead.get(whole, whole)

    def _near(self, name: str) -> str:
        from agentmail.core.former import no_longer

        gone = no_longer(self._bus, name) if self._bus and names.is_identity(name) else None
        if gone is not None:
            # A similar name would be that of somebody else.
            return str(gone.details.get("renamed_to", OTHER))
        near = names.near(name, self.known)
        return near[0] if len(near) == 1 else OTHER


def _addressed(identity: str, path: str) -> str:
    """The address of an identity, as it is meant; the identity alone where that cannot be told."""
    from agentmail.core.addresses import parse_address

    try:
        return str(parse_address(f"{identity}@{path}"))
    except Refused as error:
        near: object = error.details.get("near")
        return str(near[0]) if isinstance(near, list) and near else identity


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.core.layout import Bus
