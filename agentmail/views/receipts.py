"""What sessions recorded about messages, read once for each mailbox when it is first asked for."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, UnknownIdentity
from agentmail.core.fs import reason
from agentmail.core.layout import SENT
from agentmail.core.roster import KnownIdentities
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import all_receipts
from agentmail.ledger.undelivered import outstanding, recorded


class Receipt:
    """What one session recorded about one message; times are empty where it recorded nothing of the kind.

    `shown` is False where it acknowledged the message before it was shown it.
    """

    __slots__ = ("acknowledged", "identity", "machine", "presented", "session", "shown")

    def __init__(
        self, identity: str, machine: str, session: str, presented: str, acknowledged: str, shown: bool
    ) -> None:
        self.identity = identity
        self.machine = machine
        self.session = session
        self.presented = presented
        self.acknowledged = acknowledged
        self.shown = shown


class Witnesses:
    """The session records of the mailboxes on a bus, each read once when it is first asked for.

    `unreadable` says which records could not be read: no receipt is then not even "no evidence". `failed` has the
    identities that they belong to.
    """

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.known = KnownIdentities(bus)
        self.unreadable: list[str] = []
        self.failed: set[str] = set()
        self._partial: frozenset[str] | None = None
        self._known: dict[str, dict[str, list[tuple[str, str, Receipts]]]] = {}

    def of(self, identity: str, id: str) -> list[Receipt]:
        """The receipts that sessions of an identity have for a message."""
        records = self.records(identity)
        if not records:
            return []
        key = key_of(f"{id}.md")
        return [
            Receipt(
                identity,
                machine,
                session,
                receipts.presented.get(key, ""),
                receipts.acknowledged.get(key) or receipts.unshown.get(key, ""),
                key in receipts.acknowledged or key not in receipts.unshown,
            )
            for machine, session, receipts in records.get(key, ())
        ]

    def records(self, identity: str) -> dict[str, list[tuple[str, str, Receipts]]]:
        """The records of an identity's sessions by the keys of the messages that they name."""
        if identity not in self._known:
            found: list[tuple[str, str, Receipts]] = []
            failed: list[str] = []
            try:
                with self._mailbox(identity) as box:
                    found.extend(all_receipts(box, unreadable=failed))
            except (FileNotFoundError, UnknownIdentity):
                # Nobody of that name here: its records are on another machine, if anywhere.
                pass
            except OSError as error:
                failed.append(reason(error))
            except AgentMailError as error:
                failed.append(error.what)
            self._known[identity] = _by_key(found)
            if failed:
                self.failed.add(identity)
            self.unreadable.extend(f"receipts of {identity} could not be read: {one}" for one in failed)
        return self._known[identity]

    def _mailbox(self, identity: str) -> Mailbox:
        """The mailbox of an identity, or of what became of it; a missing one is not made."""
        try:
            return self.bus.mailbox(identity)
        except FileNotFoundError:
            from agentmail.core.former import former_mailbox, new_name

            name = new_name(self.bus, identity) or identity
            return (
                former_mailbox(self.bus, identity) or former_mailbox(self.bus, name) or self.bus.mailbox(name)
            )

    def about(self, box: Mailbox, entry: Entry) -> list[Receipt]:
        """The receipts for a message: of my sessions where I received it, of its recipients' where I sent it."""
        return [one for identity in parties(box, entry) for one in self.of(identity, entry.id)]

    def missed(self, box: Mailbox, entry: Entry) -> list[Undelivered]:
        """The recipients whom a message that I sent has not reached."""
        try:
            return outstanding(box, entry.id) if entry.id in self.partial(box) else []
        except OSError as error:
            self.unreadable.append(f"whom {names.printable(entry.id)} did not reach: {reason(error)}")
            return []

    def partial(self, box: Mailbox) -> frozenset[str]:
        """The ids of the messages about which is recorded that they did not reach somebody."""
        if self._partial is None:
            self._partial = recorded(box)
        return self._partial


def _by_key(
    records: list[tuple[str, str, Receipts]],
) -> dict[str, list[tuple[str, str, Receipts]]]:
    """The records by the messages that they name: with a thousand sessions, few of them name the same message."""
    found: dict[str, list[tuple[str, str, Receipts]]] = {}
    for record in records:
        for key in record[2].presented:
            found.setdefault(key, []).append(record)
        for key in record[2].unshown:
            if key not in record[2].presented:
                found.setdefault(key, []).append(record)
    return found


def parties(box: Mailbox, entry: Entry) -> list[str]:
    """The identities whose sessions may have receipts for a message, as far as the mailbox's owner is shown them."""
    identities = [] if entry.place == SENT else [box.identity]
    if entry.place == SENT or (entry.message.get("from") == box.identity and _is_sent(box, entry.id)):
        identities += recipients_of(entry.message)
    return list(dict.fromkeys(identities))


def _is_sent(box: Mailbox, id: str) -> bool:
    """True where the mailbox has the sender's copy: a header alone proves nothing."""
    folder = box.existing(SENT)
    return folder is not None and box.disk.exists(f"{id}.md", folder)


def recipients_of(message: Message) -> list[str]:
    """The identities that a header addresses, in to and cc; what is not an identity is left out."""
    words = [word.strip() for key in ("to", "cc") for word in message.get(key).split(",")]
    return [word for word in dict.fromkeys(words) if names.is_identity(word)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.ledger.receipts import Receipts
    from agentmail.ledger.undelivered import Undelivered
    from agentmail.message import Message
    from agentmail.views.base import Entry
