"""The grammar of a command, read from the signature of its verb, and the one small parser of words and options.

    def prune(call, identity: str, days: str | None = None, *, dry_run: bool = False)
        -> agentmail prune <id> [<days>] [--dry-run]

Positional parameters are words: `Me` may be left out, a default makes one optional, `list[str]` takes several,
`Words` takes all that are left as one text. Keyword-only parameters are options: `bool` a flag, `list[str]` one
that may be repeated. A `body` adds --body-file, a `SessionCall` --session and, with `Me` or a sender, --as; --json every command has.

Why not `inspect`, and why not typer: importing either costs more than the whole call. A call that is not understood
here is not refused here: usage.py prints help and usage errors from the same `Grammar`.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

FLAG, TEXT, NUMBER, LIST, FILE = "flag", "text", "number", "list", "file"
ME, ONE, MANY, REST = "me", "one", "many", "rest"
BODY, SESSION, AS, JSON, RETRY = "body_file", "session", "as_", "json", "retry"

WORD_KINDS = {"Me": ME, "Words": REST, "list[str]": MANY, "list[str] | None": MANY}
OPTION_KINDS = {"bool": FLAG, "list[str]": LIST, "Sequence[str]": LIST, "float | None": NUMBER, "Body": FILE}


class Word:
    """A positional parameter: its kind, and whether it must be given."""

    __slots__ = ("kind", "name", "required")

    def __init__(self, name: str, kind: str, required: bool) -> None:
        self.name = name
        self.kind = kind
        self.required = required


class Grammar:
    """What a command takes: words in order, and options by name with their kinds and defaults."""

    __slots__ = ("command", "defaults", "options", "takes_body", "words")

    def __init__(self, command: str, *functions: Callable[..., object]) -> None:
        """`functions` are the verb and, where the interface adds options, the function that takes those."""
        verb = functions[0]
        self.command = command
        self.words = _words(verb)
        self.options: dict[str, str] = {}
        self.defaults: dict[str, object] = {}
        for function in functions:
            for name in _keyword_only(function):
                self.options[name] = OPTION_KINDS.get(function.__annotations__[name], TEXT)
                self.defaults[name] = (function.__kwdefaults__ or {}).get(name)
        self.takes_body = self.options.get("body") == FILE
        if self.takes_body:
            del self.options["body"]
            self.options[BODY] = TEXT
        if verb.__annotations__["call"] == "SessionCall":
            self.options[SESSION] = TEXT
            if self.has_me or self.words[0].name == "sender":
                self.options[AS] = TEXT
        self.options[JSON] = FLAG

    def parse(self, argv: list[str]) -> tuple[list[str], dict[str, Value]] | None:
        """The words and options of a call; None for one that has to be explained."""
        words: list[str] = []
        options: dict[str, Value] = {}
        left = iter(argv)
        for arg in left:
            if arg == "--":
                words += left
            elif arg[:1] != "-" or arg == "-":
                words.append(arg)
            elif self._take(arg, left, options):
                continue
            elif self._is_text(arg, words):
                words.append(arg)
            else:
                return None
        return words, options

    def first_not_understood(self, argv: list[str]) -> str:
        """The option because of which `parse` gave None."""
        words: list[str] = []
        left = iter(argv)
        for arg in left:
            if arg == "--":
                break
            if arg[:1] != "-" or arg == "-":
                words.append(arg)
            elif self._take(arg, left, {}):
                continue
            elif self._is_text(arg, words):
                words.append(arg)
            else:
                return arg
        return ""

    def _is_text(self, arg: str, words: list[str]) -> bool:
        """True for a word with a dash in front where text stands, such as a subject, unless it is meant as an option."""
        before = len(self.words) - 1
        if not self.words or self.words[-1].kind != REST:
            return False
        if self.has_me and words and names.is_stamped(words[0]):
            before -= 1
        if len(words) < before:
            return False
        from agentmail.cli.wrong_calls.guesses import is_meant_as_option

        return not is_meant_as_option(arg, [flag_of(name) for name in self.options])

    def _take(self, arg: str, left: Iterator[str], options: dict[str, Value]) -> bool:
        """Take one option and its value; False where it is not understood."""
        flag, equals, value = arg.partition("=")
        name = self.option_of(flag)
        kind = self.options.get(name)
        if kind is None or (kind == FLAG and equals):
            return False
        if kind == FLAG:
            options[name] = True
            return True
        given = value if equals else next(left, None)
        if given is None:
            return False
        known = options.setdefault(name, []) if kind == LIST else None
        if isinstance(known, list):
            known.append(given)
        else:
            options[name] = given
        return True

    def bind(self, words: list[str], options: Mapping[str, Value], *, me: bool = True) -> dict[str, Any]:
        """The verb's arguments; `identity` is None where it was left out, as it always is without `me`.

        Refused where the words do not fit.
        """
        found: dict[str, Any] = {}
        left = list(words)
        for word in self.words:
            if word.kind == ME:
                found[word.name] = left.pop(0) if me and self._names_me(left, options) else None
            elif not left and self._is_required(word, options):
                raise self._misused(words, [], options)
            elif word.kind in (MANY, REST):
                found[word.name] = left if word.kind == MANY else " ".join(left)
                left = []
            else:
                found[word.name] = left.pop(0) if left else "" if word.required else None
        if left:
            raise self._misused(words, left, options)
        for name, value in options.items():
            found[name] = _number(name, value) if self.options[name] == NUMBER else value
        if not self.has_me:
            return {name: value for name, value in found.items() if value is not None}
        return {name: value for name, value in found.items() if value is not None or name == "identity"}

    def _names_me(self, words: list[str], options: Mapping[str, Value]) -> bool:
        """True where the first word is the identity, which never begins like a message id."""
        others = self.words[1:]
        least = sum(self._is_required(word, options) for word in others)
        if AS in options:
            return len(words) > least and words[0] == options[AS]
        return len(words) > least and not (others and names.is_stamped(words[0]))

    def _is_required(self, word: Word, options: Mapping[str, Value]) -> bool:
        # `archive --thread T` names messages by their thread; a message that was sent has its recipients.
        without = (
            RETRY in options if word.name in ("to", "slug") else word.kind == MANY and "thread" in options
        )
        return word.required and not without

    def option_of(self, flag: str) -> str:
        """The option that is typed like this; empty for none."""
        return next((name for name in self.options if flag_of(name) == flag), "")

    @property
    def has_me(self) -> bool:
        """True where the identity may be left out."""
        return bool(self.words) and self.words[0].kind == ME

    @property
    def usage(self) -> str:
        """The words as a usage line shows them."""
        from agentmail.verbs.parameters import metavar

        shown = []
        for word in self.words:
            label = metavar(self.command, word.name)
            if word.kind == ME or (not word.required and word.kind != REST):
                shown.append(f"[<{label}>{'...' if word.kind == MANY else ''}]")
            elif word.kind == REST:
                shown.append(f"<{label}...>" if word.required else f"[{label}...]")
            else:
                shown.append(f"<{label}>" + ("..." if word.kind == MANY else ""))
        return " ".join(shown)

    def _misused(self, words: list[str], extra: list[str], options: Mapping[str, Value]) -> Refused:
        from agentmail.cli.wrong_calls.misuse import misused

        return misused(self, words, extra, options)


def flag_of(name: str) -> str:
    """An option as it is typed; a parameter whose word Python reserves ends in an underscore."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def _words(verb: Callable[..., object]) -> list[Word]:
    code = verb.__code__
    found = code.co_varnames[1 : code.co_argcount]
    optional = len(verb.__defaults__ or ())
    return [
        Word(name, WORD_KINDS.get(verb.__annotations__[name], ONE), at < len(found) - optional)
        for at, name in enumerate(found)
    ]


def _keyword_only(function: Callable[..., object]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _number(name: str, value: Value) -> float:
    text = str(value)
    whole, _, part = text.partition(".")
    if names.DIGITS_ONLY.issuperset(whole + part) and 0 < len(whole) <= 9 and len(part) <= 3:
        return float(text)
    raise Refused(
        f"{flag_of(name)}: {names.quoted(text)} is not a number of seconds",
        names.NOTHING_CHANGED,
        "give plain digits, such as 90 or 0.5",
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Value = str | bool | list[str]
