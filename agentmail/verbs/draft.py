"""A draft: what a sender asked for, every value checked; no file has been touched."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.message import KEYS, KINDS, PRIORITIES, SENDER_KINDS, SUBJECT_MAX, Message

EVERYBODY = "@all"


class Draft:
    """A message without id, date and body. `to` and `cc` are identities; `everybody` stands for all registered.

    `machine` is filled in when it is sent, so that a draft that is refused leaves no trace. `addresses` has the
    recipients that were given with a path; `is_new` says that no existing thread is taken, `is_latest` that it is the
    latest one, which may be another at the next try.
    """

    __slots__ = (
        "addresses",
        "cc",
        "everybody",
        "everybody_cc",
        "evidence",
        "is_latest",
        "is_new",
        "kind",
        "machine",
        "priority",
        "re",
        "sender",
        "sender_kind",
        "session",
        "slug",
        "subject",
        "thread",
        "to",
    )

    def __init__(
        self,
        sender: str,
        to: str,
        slug: str,
        subject: str = "",
        *,
        re: str | None = None,
        thread: str | None = None,
        priority: str = "normal",
        kind: str | None = None,
        cc: str | None = None,
        evidence: Sequence[str] = (),
        sender_kind: str | None = None,
        session: str = "",
    ) -> None:
        self.sender = names.identity(sender)
        self.addresses: dict[str, Address] = {}
        self.is_latest = self.is_new = False
        self.everybody = to == EVERYBODY
        self.to = [] if self.everybody else parse_recipients(to, self.addresses)
        self.everybody_cc = cc == EVERYBODY
        self.cc: list[str] = []
        if cc is not None and not self.everybody_cc:
            self.cc = [one for one in parse_recipients(cc, self.addresses) if one not in self.to]
        self.slug = names.slug(slug)
        self.subject = checked_subject(subject)
        self.re = names.message_id(re) if re is not None else ""
        self.thread = names.thread_name(thread) if thread is not None else ""
        self.priority = one_of("a priority", priority, PRIORITIES)
        self.kind = one_of("a kind", kind, KINDS) if kind is not None else ""
        self.sender_kind = "" if sender_kind is None else one_of("a sender kind", sender_kind, SENDER_KINDS)
        self.evidence = checked_evidence(evidence)
        self.session = session
        self.machine = ""

    @property
    def recipients(self) -> list[str]:
        """All recipients, in to and cc, sorted."""
        return sorted({*self.to, *self.cc})

    @property
    def to_line(self) -> str:
        """The recipients as the header has them."""
        return ", ".join(self.to)

    def spelled(self, recipients: list[str]) -> str:
        """These recipients as they are typed, without a session."""
        if not self.addresses:
            return ",".join(recipients)
        from agentmail.core.addresses import Address

        return ",".join(str(Address(one, self.paths.get(one, ""))) for one in recipients)

    @property
    def paths(self) -> dict[str, str]:
        """The paths of the recipients that were given with one."""
        return {name: address.path for name, address in self.addresses.items()}

    @property
    def workspace_line(self) -> str:
        """These paths as the header has them."""
        if not self.addresses:
            return ""
        from agentmail.core.addresses import workspace_line

        return workspace_line(self.paths)

    def message(self, id: str, date: str, body: bytes) -> Message:
        """The message under an id. Keys of later layers stand only where they say something."""
        always = (
            id,
            self.sender,
            self.to_line,
            self.thread or id,
            self.re,
            self.subject,
            self.priority,
            date,
        )
        values = dict(zip(KEYS, always, strict=True))
        used = {
            "machine": self.machine,
            "session": self.session,
            "kind": "" if self.kind == KINDS[0] else self.kind,
            "sender_kind": self.sender_kind,
            "cc": ", ".join(self.cc),
            "workspace": self.workspace_line,
            "evidence": self.evidence,
        }
        values.update({key: value for key, value in used.items() if value})
        return Message(values, body)


def parse_recipients(text: str, addresses: dict[str, Address]) -> list[str]:
    """The identities of a comma list, each once, in its order; `@beta` is beta. `addresses` takes those with a path."""
    first, *others = text.split(",")
    words = [first, *(word.removeprefix(" ") for word in others)]
    return list(dict.fromkeys(_recipient(word, addresses) for word in words))


def _recipient(word: str, addresses: dict[str, Address]) -> str:
    if "@" not in word[1:]:
        return names.recipient(word)
    from agentmail.core.addresses import parse_address  # a name alone does not need it

    address = parse_address(word)
    if addresses.setdefault(address.name, address) != address:
        raise Refused(
            f"{address.name} stands twice, as {names.quoted(str(addresses[address.name]))} "
            f"and as {names.quoted(str(address))}",
            names.NOTHING_CHANGED,
            "a message has one address for each recipient: leave out one",
            address=word,
            near=[str(addresses[address.name])],
        )
    return address.name


def one_of(what: str, text: str, allowed: Sequence[str]) -> str:
    """`text`, if it is one of the words allowed; else Refused."""
    if text in allowed:
        return text
    choice = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
    raise Refused(f"{names.quoted(text)} is not {what}", names.NOTHING_CHANGED, f"use {choice}")


def checked_subject(text: str) -> str:
    """The subject, if it is one line of text within bounds; else Refused."""
    if names.has_control(text):
        raise Refused(
            f"the subject {names.quoted(text)} holds a line break, a control character or invalid UTF-8",
            names.NOTHING_CHANGED,
            "a subject is one line of plain text; put the rest into the text",
        )
    size = len(text.encode())
    if size > SUBJECT_MAX:
        raise Refused(
            f"the subject is {size} bytes, over {SUBJECT_MAX}",
            names.NOTHING_CHANGED,
            "shorten it and put the rest into the text",
        )
    return text.strip(" ")


def checked_evidence(texts: Sequence[str]) -> str:
    """Evidence refs as the header's one line; Refused where one is not of its shape."""
    if not texts:
        return ""
    from agentmail.ledger.evidence import checked, line_of

    return line_of([checked(text) for text in texts])


def doubts_of_form(draft: Draft, known: KnownIdentities, is_blank: bool) -> list[str]:
    """Warnings for a message without a text, and for one whose slug is an identity that may have been meant to get it."""
    doubts = []
    if is_blank:
        from agentmail.verbs.whole_call import no_text

        doubts.append(no_text(draft))
    if draft.slug in known.rows and draft.slug not in (draft.sender, *draft.recipients):
        said = f"{draft.slug} is the slug here, and an identity that did not get this"
        doubts.append(f"{said}; several recipients are one word: {','.join([*draft.to, draft.slug])}")
    return doubts


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmail.core.addresses import Address
    from agentmail.core.roster import KnownIdentities
