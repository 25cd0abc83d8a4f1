"""The right call beside a wrong one of send, reply or delegate: filled in with what the caller gave.

An agent that guesses `--to` and `--body` knows the recipient and the text, and lacks only the form of the call.
"""

from __future__ import annotations

from agentmail.cli.parse import BODY, FLAG, LIST, RETRY, flag_of
from agentmail.cli.wrong_calls.guesses import OPTIONS, nearest_option
from agentmail.cli.wrong_calls.misuse import SENDING
from agentmail.cli.wrong_calls.people import OTHER, People
from agentmail.core import names
from agentmail.core.errors import AgentMailError, NotFound, Refused, UnknownIdentity, UnknownThread
from agentmail.verbs.whole_call import HERE_DOCUMENT, whole_call

ME, SLUG, ID, SUBJECT = "ME", "short-slug", "MESSAGE-ID", "subject"
#: What stands for something that only the caller knows -> the command that lists it.
LISTS = {
    ID: "`agentmail check` lists the ids of what waits",
    **dict.fromkeys((ME, OTHER), "`agentmail roster` lists the identities"),
}
SLUG_WORDS = 6
SUBJECT_SHOWN = 100


def ending(context: Context, argv: list[str], error: AgentMailError) -> str:
    """What the error of such a command ends with; empty where another call would not help."""
    from agentmail.cli.commands import Command

    wrong = isinstance(error, (Refused, UnknownIdentity, UnknownThread, NotFound))
    if argv[0] not in SENDING or not wrong or HERE_DOCUMENT in error.next_step:
        return ""
    command = Command(argv[0])
    given, people = Given(command.grammar, argv[1:]), People(context)
    if RETRY in given.options:
        return _retried(given, people, error)
    if not people.take_nearest(error):
        return ""
    call = _filled(command, given, people, error)
    lead = "name the file's absolute path in the text, which" if "path" in given.guessed else "the text"
    piped = HERE_DOCUMENT in call or " | agentmail " in call
    shown = f"{lead} comes on standard input: {call}" if piped else f"the whole call: {call}"
    lists = [one for one in _lists(call, people) if one.partition("` ")[0] not in error.next_step]
    return "; ".join([*lists, shown] if call else lists)


def _lists(call: str, people: People) -> dict[str, None]:
    """The commands that list what a call leaves open; none where there is nobody to list."""
    if not people.known:
        return {}
    words = call.strip("`").replace(",", " ").split()
    return dict.fromkeys(lists for word, lists in LISTS.items() if word in words)


def passing_on(context: Context, words: list[str]) -> str:
    """How to pass a message on: as the text of a new one."""
    people = People(context)
    id = next((word for word in words if names.is_stamped(word)), ID)
    to = next((word for word in words if word != people.me and people.means(word)), "") or people.only_other()
    call = f"agentmail read {id} | agentmail send {people.me or ME} {people.recipients(to)} fwd 'fwd: {id}'"
    step = f"there is no command for it; pass the message on as the text of a new one: `{call}`"
    return "; ".join([step, *_lists(call, people)])


def proposed(context: Context, command: Command, rest: list[str]) -> str:
    """The call for words that were given to a guessed command."""
    people = People(context)
    call = _filled(command, Given(command.grammar, rest), people, None)
    return "; ".join([call, *_lists(call, people)])


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


def _filled(command: Command, given: Given, people: People, error: AgentMailError | None) -> str:
    words, text = list(given.words), given.guessed.get("text", "").strip()
    if command.name == "reply":
        call = _answered(words, given, error, people)
        subject = given.guessed.get("subject") or " ".join(words)
    else:
        words = _as_list(_split(words, people), people)
        call = [_sender(words, given, people)]
        words = _as_list(words, people)
        to = given.guessed.get("to") or (words.pop(0) if words else "")
        call.append(people.recipients(to) if to else people.only_other())
        slug = _slug(words, given) if command.name == "send" else ""
        subject = given.guessed.get("subject") or " ".join(words)
        if command.name == "send":
            subject = subject or text or SUBJECT
            call.append(slug or (_as_slug(subject) if subject != SUBJECT else "") or SLUG)
    options = _options(command.grammar, given, people)
    if options.get("as_", call[0]) != call[0]:
        del options["as_"]
    if error is not None and _has_no_sender(command, given, people, error) and not {ME, ID} & {*call}:
        return _to_another(call, subject, text, people, error)
    if command.name == "delegate" and subject and not text and "task" not in options:
        options["task"], subject = " ".join(subject.split()), ""
    piped = not options.keys() & {BODY, "task"}
    return whole_call(command.name, call, _subject(subject), piped=piped, text=text, **options)


def _has_no_sender(command: Command, given: Given, people: People, error: AgentMailError) -> bool:
    """True where a reply fails because nobody has the name of the sender; not where a copy went to nobody."""
    unknown = command.name == "reply" and isinstance(error, UnknownIdentity)
    return unknown and people.has(given.options.get("cc") or "@all")


def _to_another(call: list[str], subject: str, text: str, people: People, error: AgentMailError) -> str:
    """In place of a reply to a sender that takes no mail under its name: a message to the identity that is meant."""
    near = error.details.get("near")
    only = near[0] if isinstance(near, list) and len(near) == 1 else OTHER
    to = str(error.details.get("renamed_to", only))
    me = call[0] if len(call) > 1 else people.me
    return whole_call("send", [me, to, "re"], _subject(subject) or SUBJECT, text=text, re=call[-1])


def _retried(given: Given, people: People, error: AgentMailError) -> str:
    """The call that sends a message again; empty where it is the one that failed, or the error has it already."""
    words, id = list(given.words), given.options[RETRY]
    call = " ".join(["agentmail", "send", _sender(words, given, people), "--retry", id])
    is_new = len(given.words) != 1 and names.is_id(id) and call not in error.next_step
    return f"the whole call: `{call}`" if is_new else ""


def _split(words: list[str], people: People) -> list[str]:
    """All words of a call that were given in one pair of quotes, as words."""
    parts = words[0].split() if len(words) == 1 else []
    return parts if len(parts) > 2 and people.means(parts[0]) else words


def _as_list(words: list[str], people: People) -> list[str]:
    """The words with a list of recipients as one of them: `beta, gamma` and `beta gamma` in one word; without `to`."""
    if words[:1] == ["to"] and "to" not in people.known:
        words = words[1:]
    while len(words) > 1 and words[0].endswith(","):
        words = [words[0] + words[1], *words[2:]]
    for at in range(len(words) - 1, 0, -1):
        if all("@" in word[1:] and people.means(word) for word in words[at - 1 : at + 1]):
            words = [*words[: at - 1], f"{words[at - 1]},{words[at]}", *words[at + 1 :]]
    if words and " " in words[0].strip() and people.means(",".join(words[0].split())):
        words = [",".join(words[0].split()), *words[1:]]
    return words


def _sender(words: list[str], given: Given, people: People) -> str:
    """The first word, unless that is the recipient: then the caller, who left itself out."""
    sender = given.guessed.get("sender", "")
    if not sender and words:
        left_out = "to" in given.guessed or (
            people.recipients(words[0]) not in (people.me, OTHER)
            and not (len(words) > 1 and people.has_near(words[1]))
        )
        if not (people.me and left_out) and not ("to" in given.guessed and not people.means(words[0])):
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


def _answered(words: list[str], given: Given, error: AgentMailError | None, people: People) -> list[str]:
    """The identity where it was given, and the message that is answered."""
    me = [words.pop(0)] if len(words) > 1 and not names.is_stamped(words[0]) else []
    to = given.guessed.get("to", "")
    id = given.guessed.get("re") or (to if names.is_stamped(to) else words.pop(0) if words else "")
    is_own = bool(me) and me[0] != people.me and people.has_message(names.without_suffix(id))
    if is_own:
        me = []  # the message is in the caller's mailbox, and not in that of the identity named
    found = names.is_id(names.without_suffix(id)) and (is_own or not isinstance(error, NotFound))
    kept = [one for one in me if names.is_identity(one) and (one in people.known or not people.known)]
    if isinstance(error, NotFound) and people.me and not names.is_stamped(id):
        kept = []  # a name before something that is no message is whom the answer is for
    return [*(kept or ([] if people.me else [ME])), id if found else people.only_waiting() or ID]


def _subject(text: str) -> str:
    """One line of a subject."""
    return names.printable(text.strip().partition("\n")[0])[:SUBJECT_SHOWN].strip(" ")


def _options(grammar: Grammar, given: Given, people: People) -> dict[str, str]:
    """The options that hold; one whose value is refused is left out."""
    found = {name: value for name, value in given.options.items() if value and _holds(name, value, people)}
    if "re" in given.guessed and "re" in grammar.options:
        found["re"] = given.guessed["re"]
    copies = people.recipients(given.options["cc"]) if given.options.get("cc") else OTHER
    if OTHER not in copies.split(","):
        found["cc"] = copies
    return {name: value for name, value in found.items() if grammar.options[name] not in (FLAG, LIST)}


def _holds(name: str, value: str, people: People) -> bool:
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
