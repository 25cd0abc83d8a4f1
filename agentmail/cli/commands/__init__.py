"""The commands: a verb called with what the command line gave, and its outcome rendered.

A rendering is a module here, named like its verb: `lines(outcome)` as compact text, and where it has one
`table(outcome)` for a person, `finish(context, outcome)` for the exit code, `run(context, call, ...)` in the place of
the plain call, CHANGES where the verb changes something, and ENOUGH_WITHOUT_TEXT for the option with which a message
needs no text. FIRST_MAY_BE_TEXT: a first word that is no identity of this bus
belongs to the words; FIRST_MAY_BE_THREAD: so does one before words that begin with no message id.
"""

from __future__ import annotations

from agentmail.cli.parse import AS, BODY, JSON, RETRY, SESSION, Grammar
from agentmail.core import names
from agentmail.verbs.catalogue import load_verb


class Command:
    """One command: its verb, its rendering, and the grammar that their signatures make."""

    __slots__ = ("grammar", "name", "rendering", "verb")

    def __init__(self, name: str) -> None:
        self.name = name
        self.verb = load_verb(name)
        self.rendering = __import__(f"agentmail.cli.commands.{name}", fromlist=["lines"])
        own = getattr(self.rendering, "run", None)
        self.grammar = Grammar(name, self.verb, *([own] if own else []))

    def run(self, context: Context, words: list[str], options: Mapping[str, Value]) -> int:
        """Call the verb and print its outcome; returns the exit code."""
        context.json = context.json or bool(options.get(JSON)) or hasattr(self.rendering, "ALWAYS_JSON")
        arguments = self.grammar.bind(words, options)
        arguments.pop(JSON, None)
        session, acts_as = arguments.pop(SESSION, None), arguments.pop(AS, None)
        call = context.call(session, names.identity(acts_as) if acts_as is not None else "")
        if self.grammar.takes_body:
            path = arguments.pop(BODY, None)
            enough = getattr(self.rendering, "ENOUGH_WITHOUT_TEXT", JSON)
            arguments["body"] = lambda: context.body(path, needed=not arguments.get(enough))
            if RETRY in arguments and path is None:
                context.refuse_text(f"{self.name} --retry")
                arguments["body"] = b""
        else:
            context.refuse_text(self.name)
        if self.grammar.has_me:
            given = arguments["identity"]
            if given is not None and self._belongs_to_words(call, words):
                arguments.update(self.grammar.bind(words, {}, me=False))
                given = None
            arguments["identity"] = call.me((call.acts_as or None) if given is None else given)
        own = getattr(self.rendering, "run", None)
        if own is not None:
            code: int = own(context, call, **arguments)
            return code
        return self._call(context, call, arguments)

    def _belongs_to_words(self, call: Call, words: list[str]) -> bool:
        """True where the first word is not the identity that it might be."""
        may_be = hasattr(self.rendering, "FIRST_MAY_BE_TEXT") or (
            hasattr(self.rendering, "FIRST_MAY_BE_THREAD") and not names.is_stamped(words[1])
        )
        return may_be and not _is_of_bus(call, words[0])

    def _call(self, context: Context, call: Call, arguments: dict[str, Any]) -> int:
        outcome = self.verb(call, **arguments)
        shown = self.verb.__globals__.get("shown_files")
        recorder = self._recorder(context, call, outcome) if shown else None
        lines, table = self.rendering.lines, getattr(self.rendering, "table", None)
        if hasattr(self.rendering, "CHANGES"):
            context.report(self.name, outcome, lambda: lines(outcome))
        else:
            context.answer(
                self.name, outcome, lambda: lines(outcome), (lambda: table(outcome)) if table else None
            )
            context.say_unreadable(outcome)
        if shown and recorder is not None:
            from agentmail.verbs.presenting import present

            present(call.bus, outcome["identity"], recorder, shown(outcome))
        finish = getattr(self.rendering, "finish", None)
        code: int = finish(context, outcome) if finish else 0
        call.finish()
        return code

    @staticmethod
    def _recorder(context: Context, call: Call, outcome: Mapping[str, Any]) -> Recorder | None:
        if not call.session_given:
            return None
        from agentmail.verbs.acting import listing_recorder

        return context.seen(listing_recorder(call, outcome["identity"]))


def _is_of_bus(call: Call, word: str) -> bool:
    """True for an identity that has a mailbox or a row in the registry."""
    from agentmail.core.roster import KnownIdentities, is_known

    return names.is_identity(word) and is_known(call.bus, word, KnownIdentities(call.bus))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentmail.cli.context import Context
    from agentmail.cli.parse import Value
    from agentmail.verbs.call import Call, Recorder
