"""The syntax of identities, slugs and message ids, their order, and text made printable.

Writing is strict, reading is lenient: `identity`, `slug` and `thread_name` refuse; `message_id` also accepts
names that other programs and older versions wrote.

Why no `re`: hooks load this module before every prompt, and importing `re` takes as long as starting the
interpreter.
"""

from __future__ import annotations

from agentmail.core.errors import Refused

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
SLUG_CHARS = frozenset(LOWER + DIGITS + "-")
DIGITS_ONLY = frozenset(DIGITS)
DIGITS_AS_ZERO = bytes.maketrans(DIGITS.encode(), b"0" * len(DIGITS))
ID_CHARS = frozenset(LOWER + LOWER.upper() + DIGITS + "._-")

IDENTITY_MAX = 32
SLUG_MAX = 64
ID_MAX = 200
STAMP = b"00000000-0000"
STAMP_LENGTH = len(STAMP)

RESERVED = frozenset({"tmp", "inbox", "archive", "sent", "sessions", "registry", "all", "new"})
DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{digit}" for port in ("com", "lpt") for digit in DIGITS}
)

#: Characters that control a terminal, or hide or reorder text, besides C0, DEL, C1 and the tags: separators
#: of lines and paragraphs, bidi, annotations, and the default ignorable ones of Unicode. U+FE00 to U+FE0F are
#: allowed: they select the text or picture form of a character, and emoji use them.
INVISIBLE = frozenset(
    {0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2028, 0x2029, 0x3164, 0xFEFF, 0xFFA0}.union(
        range(0x180B, 0x1810), range(0x200B, 0x2010), range(0x202A, 0x202F), range(0x2060, 0x2070)
    ).union(range(0xFFF0, 0xFFFC), range(0x1BCA0, 0x1BCA4), range(0x1D173, 0x1D17B))
)
NOTHING_CHANGED = "nothing was changed"


def printable(text: str, keep: str = "") -> str:
    r"""`text` with control and invisible characters written as `\u{…}`, except those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    if keep:
        plain = text
        for c in keep:
            plain = plain.replace(c, "")
        if plain.isascii() and plain.isprintable():
            return text
    return "".join(c if c in keep or not _is_control(ord(c)) else f"\\u{{{ord(c):x}}}" for c in text)


def _is_control(code: int) -> bool:
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or code in INVISIBLE
        or 0xD800 <= code < 0xE000
        or 0xE0000 <= code < 0xE1000
        or code & 0xFFFE == 0xFFFE
    )


def has_control(text: str) -> bool:
    """True if `text` holds C0, DEL, C1 or a lone surrogate, which no one-line value may hold."""
    return any(code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 for code in map(ord, text))


def quoted(text: str) -> str:
    """`text` for an error message: printable, bounded, in quotes."""
    shown = printable(text[:80])
    return f"'{shown}{'…' if len(text) > 80 else ''}'"


def is_word(text: str, longest: int) -> bool:
    """True for lower-case ASCII letters, digits and inner dashes, 1 to `longest` of them."""
    return 0 < len(text) <= longest and SLUG_CHARS.issuperset(text) and text[0] != "-" and text[-1] != "-"


def is_identity(text: str) -> bool:
    """True if an identity may have this name."""
    return (
        is_word(text, IDENTITY_MAX)
        and not DIGITS_ONLY.issuperset(text)
        and not is_stamped(text)
        and text not in RESERVED
        and text not in DEVICES
    )


def identity(text: str) -> str:
    """`text`, if it is an identity; else Refused."""
    if is_identity(text):
        return text
    reason = (
        "is a reserved name"
        if text in RESERVED or text in DEVICES
        else f"is not an identity (a-z, 0-9 and inner dashes, at most {IDENTITY_MAX}, "
        "not only digits, not like a message id)"
    )
    raise Refused(f"{quoted(text)} {reason}", NOTHING_CHANGED, "`agentmail roster` lists the identities")


def is_among(identity: str, to: str, cc: str) -> bool:
    """True if one of these lists of recipients names the identity."""
    return to == identity or any(identity == word.strip() for one in (to, cc) for word in one.split(","))


def new_identity(text: str) -> str:
    """`text`, if a new identity may have this name; else Refused with the form that would be accepted."""
    try:
        return identity(text)
    except Refused as error:
        raise Refused(error.what, error.now, _hint(text, IDENTITY_MAX, is_identity)) from None


def recipient(text: str) -> str:
    """The identity that `text` addresses; `@beta` is accepted for `beta`."""
    if text.removeprefix("@") == "all":
        raise Refused(f"{quoted(text)} stands for everybody", NOTHING_CHANGED, "write @all alone")
    return identity(text.removeprefix("@"))


def slug(text: str) -> str:
    """`text`, if it is a slug; else Refused with the form that would be accepted."""
    if is_word(text, SLUG_MAX):
        return text
    raise Refused(
        f"{quoted(text)} is not a slug (a-z, 0-9 and inner dashes, at most {SLUG_MAX})",
        NOTHING_CHANGED,
        _hint(text, SLUG_MAX, lambda word: is_word(word, SLUG_MAX)),
    )


def _hint(text: str, longest: int, accepted: Callable[[str], bool]) -> str:
    word = as_word(text, longest)
    return f"use {quoted(word)}" if word != text and accepted(word) else "choose another name"


def as_word(text: str, longest: int = SLUG_MAX) -> str:
    """The nearest lower-case word to `text`, or an empty string if there is none."""
    spaced = "".join(c if c in SLUG_CHARS and c != "-" else " " for c in text[:1000].lower())
    return "-".join(spaced.split())[:longest].strip("-")


def thread_name(text: str) -> str:
    """`text`, if it can name a thread (a slug or a message id); else Refused."""
    if is_word(text, SLUG_MAX) or is_id(text):
        return text
    raise Refused(f"{quoted(text)} cannot name a thread", NOTHING_CHANGED, "use a slug or a whole message id")


def is_id(text: str) -> bool:
    """True if a message, of ours or of another program, may have this name: `[A-Za-z0-9][A-Za-z0-9._-]*`."""
    return 0 < len(text) <= ID_MAX and ID_CHARS.issuperset(text) and text[0] not in "._-"


def is_strict_id(text: str) -> bool:
    """True for ids that a notice may show to a model: stamp, dash, 1 to 110 characters of a-z 0-9 -."""
    return (
        is_stamped(text)
        and text[STAMP_LENGTH : STAMP_LENGTH + 1] == "-"
        and 1 <= len(text) - STAMP_LENGTH - 1 <= 110
        and SLUG_CHARS.issuperset(text)
    )


def is_session(text: str) -> bool:
    """True if a session or a machine may have this name: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`."""
    return len(text) <= 64 and is_id(text)


def message_id(text: str) -> str:
    """The message id that `text` names, with or without `.md` or `.md.gz`; else Refused."""
    bare = without_suffix(text)
    if is_id(bare):
        return bare
    last = bare.rpartition("/")[2]
    use = (
        f"use {quoted(last)}"
        if is_id(last) and "@" not in bare
        else "give the whole id as `agentmail check` shows it"
    )
    raise Refused(f"{quoted(text)} is not a message id", NOTHING_CHANGED, use)


def without_suffix(name: str) -> str:
    """A message's file name without `.md` or `.md.gz`."""
    return name.removesuffix(".gz").removesuffix(".md") if name.endswith((".md", ".md.gz")) else name


def is_stamped(text: str) -> bool:
    """True if `text` begins like a message id: 8 digits, a dash, 4 digits."""
    # Without a loop, because every name of a mailbox is asked; only ASCII has no other digits.
    return (
        text[8:9] == "-"
        and text[:8].isdigit()
        and text[9:STAMP_LENGTH].isdigit()
        and len(text) >= STAMP_LENGTH
        and text[:STAMP_LENGTH].isascii()
    )


def shape(text: str) -> bytes:
    """`text` with 0 for every digit, so that one comparison checks a known form."""
    return text.encode("utf-8", "replace").translate(DIGITS_AS_ZERO)


def minute_of(name: str) -> str:
    """The minute in the name of a message, or an empty string if it has none."""
    return name[:STAMP_LENGTH] if is_stamped(name) else ""


def order(name: str) -> tuple[str, str, int, str]:
    """The sort key of message names, oldest first: minute, then name with its numeric suffix as a number.

    It depends on the name alone, so copying, syncing and cloning keep the order.
    """
    bare = name[:-3] if name.endswith(".md") else without_suffix(name)
    minute = bare[:STAMP_LENGTH] if is_stamped(bare) else ""
    stem, _, suffix = bare.rpartition("-")
    # Without a set of digits, because every name of a mailbox is sorted.
    if suffix.isdigit() and len(suffix) <= 9 and len(stem) > STAMP_LENGTH and suffix.isascii():
        return minute, stem, int(suffix), name
    return minute, bare, 0, name


def near(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names of `known` that are similar to `name`."""
    from difflib import get_close_matches

    return get_close_matches(name[:ID_MAX], sorted(known), n=3, cutoff=0.6)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
