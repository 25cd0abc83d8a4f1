"""The right call beside a wrong one of send, reply or delegate: filled in with what the caller gave.

An agent that guesses `--to` and `--body` knows the recipient and the text, and lacks only the form of the call.
"""

from __future__ import annotations

from agentmail.cli.guesses import OPTIONS, nearest_option
from agentmail.cli.parse import BODY, FLAG, LIST, RETRY, flag_of
from agentmail.core import names
from agentmail.core.errors import AgentMailError, NotFound, Refused, UnknownIdentity
from agentmail.verbs.whole_call import HERE_DOCUMENT, whole_call

COMMANDS = ("send", "reply", "delegate")
ME, OTHER, SLUG, ID, SUBJECT = "ME", "OTHER", "SLUG", "MESSAGE-ID", "subject"
EVERYBODY = ("all", "@all", "everyone", "everybody", "*", "@everyone", "team")
SLUG_WORDS = 6
SUBJECT_SHOWN = 100


def ending(context: Context, argv: list[str], error: AgentMailError) -> str:
    """What the error of such a command ends with; empty where another call would not help."""
    from agentmail.cli.commands import Command

    wrong = isinstance(error, (Refused, UnknownIdentity, NotFound))
    if argv[:1] not in [[one] for one in COMMANDS] or not wrong or HERE_DOCUMENT in error.next_step:
        return ""
    command = Command(argv[0])
    given = Given(command.grammar, argv[1:])
    if RETRY in given.options:
        return _retried(given, _People(context), error)
    call = _filled(command, given, _People(context), error)
    if HERE_DOCUMENT not in call:
        return f"the whole call: {call}"
    lead = "name the file's absolute path in the text, which" if "path" in given.guessed else "the text"
    return f"{lead} comes on standard input: {call}"


def proposed(context: Context, command: Command, rest: list[str]) -> str:
    """The call for words that were given to a guessed command."""
    return _filled(command, Given(command.grammar, rest), _People(context), None)


class Given:
    """The words and options of a call, however wrong: `guessed` has the parts of options that do not exist."""

    def __init__(self, grammar: Grammar, argv: list[str]) -> None:
        self.words: list[str] = []
        self.options: dict[str, str] = {}
        self.guessed: dict[str, str] = {}
        flags = [flag_of(name) for name in grammar.options]
        left = iter(argv)
        for arg in left:
            flag, equals, value = arg.partition("=")
            near = flag if flag in flags else "" if flag in OPTIONS else nearest_option(flag, flags)
            name = grammar.option_of(near)
            kind = grammar.options.get(name)
            if arg == "--":
                self.words += left
            elif arg[:1] != "-" or arg == "-":
                self.words.append(arg)
            elif kind == FLAG:
                self.options[name] = ""
            elif kind is not None:
                self.options[name] = value if equals else next(left, "")
            elif flag in OPTIONS:
                self.guessed[OPTIONS[flag]] = value if equals else next(left, "")


class _People:
    """Who is known on the bus, and who calls; nothing where the bus cannot say."""

    def __init__(self, context: Context) -> None:
        self.me = ""
        self.known: list[str] = []
        self._bus: Bus | None = None
        from agentmail.core.roster import KnownIdentities, mailboxes

        try:
            self._bus = context.bus
            self.known = sorted({*KnownIdentities(self._bus).rows, *mailboxes(self._bus)})
            self.me = context.call().me()
        except (AgentMailError, OSError):
            return

    def has(self, to: str) -> bool:
        """True for recipients that all exist."""
        return all(one in EVERYBODY or one.strip().removeprefix("@") in self.known for one in to.split(","))

    def has_near(self, name: str) -> bool:
        """True for one that exists, or is written nearly like one."""
        return self.has(name) or bool(names.near(name, self.known))

    def recipients(self, to: str) -> str:
        """The recipients as they exist; OTHER for one that does not."""
        found = dict.fromkeys(self._recipient(one.strip()) for one in to.split(","))
        return "@all" if "@all" in found else ",".join(found)

    def _recipient(self, name: str) -> str:
        bare = name.removeprefix("@").lower()
        if name in EVERYBODY:
            return "@all"
        if bare in self.known:
            return bare
        gone = self._former(bare)
        if gone is not None:
            # A similar name would be that of somebody else.
            return str(gone.details.get("renamed_to", OTHER))
        near = names.near(bare, self.known)
        return near[0] if len(near) == 1 else OTHER

    def _former(self, name: str) -> AgentMailError | None:
        from agentmail.core.former import no_longer

        try:
            return no_longer(self._bus, name) if self._bus and names.is_identity(name) else None
        except AgentMailError:
            return None


def _filled(command: Command, given: Given, people: _People, error: AgentMailError | None) -> str:
    words = list(given.words)
    if command.name == "reply":
        call = _answered(words, given, error, people)
        subject = given.guessed.get("subject") or " ".join(words)
        new = str(error.details.get("renamed_to", "")) if error else ""
        if new and call[-1] != ID:
            # An answer goes to the name in the message, so the same call would be refused again.
            me = call[0] if len(call) > 1 else people.me or ME
            return whole_call("send", [me, new, "re"], _subject(subject) or SUBJECT, re=call[-1])
    else:
        call = [_sender(words, given, people)]
        to = given.guessed.get("to") or (words.pop(0) if words else "")
        call.append(people.recipients(to) if to else OTHER)
        slug = _slug(words, given) if command.name == "send" else ""
        subject = given.guessed.get("subject") or " ".join(words)
        if command.name == "send":
            call.append(slug or _as_slug(subject) or SLUG)
    options = _options(command.grammar, given, people)
    return whole_call(
        command.name, call, _subject(subject) or SUBJECT, piped=not options.keys() & {BODY, "task"}, **options
    )


def _retried(given: Given, people: _People, error: AgentMailError) -> str:
    """The call that sends a message again; empty where it is the one that failed, or the error has it already."""
    words, id = list(given.words), given.options[RETRY]
    call = " ".join(["agentmail", "send", _sender(words, given, people), "--retry", id])
    is_new = len(given.words) != 1 and names.is_id(id) and call not in error.next_step
    return f"the whole call: `{call}`" if is_new else ""


def _sender(words: list[str], given: Given, people: _People) -> str:
    """The first word, unless that is the recipient: then the caller, who left itself out."""
    sender = given.guessed.get("sender", "")
    if not sender and words:
        left_out = "to" in given.guessed or (
            people.has(words[0])
            and words[0] != people.me
            and not (len(words) > 1 and people.has_near(words[1]))
        )
        if not (people.me and left_out) and not ("to" in given.guessed and not people.has(words[0])):
            sender = words.pop(0)
    return sender if names.is_identity(sender) else people.me or ME


def _slug(words: list[str], given: Given) -> str:
    """The slug: the one given, made fit; words with spaces are a subject, from which one is made."""
    slug = given.guessed.get("slug") or (words.pop(0) if words else "")
    if " " in slug and not words and "subject" not in given.guessed:
        words.append(slug)
        return ""
    return slug if names.is_word(slug, names.SLUG_MAX) else _as_slug(slug)


def _as_slug(text: str) -> str:
    return names.as_word("-".join(names.as_word(text).split("-")[:SLUG_WORDS]))


def _answered(words: list[str], given: Given, error: AgentMailError | None, people: _People) -> list[str]:
    """The identity where it was given, and the message that is answered."""
    me = [words.pop(0)] if len(words) > 1 and not names.is_stamped(words[0]) else []
    id = given.guessed.get("re") or (words.pop(0) if words else "")
    found = names.is_id(names.without_suffix(id)) and not isinstance(error, NotFound)
    kept = [one for one in me if names.is_identity(one) and (one in people.known or not people.known)]
    return [*(kept or ([] if people.me else [ME])), id if found else ID]


def _subject(text: str) -> str:
    """One line of a subject."""
    return names.printable(text.strip().partition("\n")[0])[:SUBJECT_SHOWN].strip(" ")


def _options(grammar: Grammar, given: Given, people: _People) -> dict[str, str]:
    """The options that hold; one whose value is refused is left out."""
    found = {name: value for name, value in given.options.items() if value and _holds(name, value, people)}
    if "re" in given.guessed and "re" in grammar.options:
        found["re"] = given.guessed["re"]
    copies = people.recipients(given.options["cc"]) if given.options.get("cc") else OTHER
    if OTHER not in copies.split(","):
        found["cc"] = copies
    return {name: value for name, value in found.items() if grammar.options[name] not in (FLAG, LIST)}


def _holds(name: str, value: str, people: _People) -> bool:
    from agentmail.message import KINDS, PRIORITIES, SENDER_KINDS

    allowed = {"priority": PRIORITIES, "kind": KINDS, "sender_kind": SENDER_KINDS}.get(name)
    if allowed is not None:
        return value in allowed
    if name in ("re", "session"):
        return names.is_id(names.without_suffix(value)) if name == "re" else names.is_session(value)
    if name == "thread":
        return names.is_word(value, names.SLUG_MAX) or names.is_id(value)
    if name == "cc":
        return people.has(value)
    if name == BODY:
        import os

        return os.path.isfile(value)
    return not names.has_control(value)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.commands import Command
    from agentmail.cli.context import Context
    from agentmail.cli.parse import Grammar
    from agentmail.core.layout import Bus
