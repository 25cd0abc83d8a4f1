"""JSON by the scanner of the interpreter, without the `json` package, for programs that run before every prompt.

Why: `import json` takes a hook as long as starting the interpreter, nearly all of it for regular expressions
that one object on one line does not need. An interpreter without the scanner uses the package.
"""

from __future__ import annotations


class _Settings:
    """The attributes that the scanner reads: the defaults of `json.loads`."""

    strict = True
    object_hook = None
    parse_float = float
    parse_int = int

    def __init__(self, pairs: Pairs | None) -> None:
        self.object_pairs_hook = pairs

    @staticmethod
    def parse_constant(name: str) -> object:
        """NaN and infinities are not JSON."""
        raise ValueError(name)


def loads(text: str, *, strict: bool = False) -> object:
    """The value in `text`, or None if it is not JSON or nested too deeply.

    `strict`: None also if a field occurs twice, because the last one would count.
    """
    text = text.strip(" \t\r\n")
    pairs = _each_once if strict else None
    try:
        import _json
    except ImportError:
        return _loads_by_package(text, pairs)
    try:
        value, end = _json.make_scanner(_Settings(pairs))(text, 0)  # type: ignore[arg-type]
    except (StopIteration, ValueError, RecursionError, SystemError):
        # SystemError: up to 3.12 the scanner takes the class of its error from the package, which may not be loaded.
        return None
    return value if end == len(text) else None


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field occurs twice")
    return found


def _loads_by_package(text: str, pairs: Pairs | None) -> object:
    import json

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return None


def quoted(text: str) -> str:
    """`text` as a JSON string of ASCII characters."""
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        import json

        return json.dumps(text)
    return encode_basestring_ascii(text)


def dumps(value: object) -> str:
    """`value` as one line of ASCII JSON, character for character as `json.dumps` writes it; no NaN."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value, allow_nan=False)
    encode = make_encoder(None, _no_default, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encode(value, 0))


def _no_default(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON value")


def flat(pairs: Mapping[str, str | bool]) -> str:
    """An object of strings and booleans as one line of ASCII JSON, as `json.dumps` writes it."""
    return (
        "{"
        + ", ".join(
            f"{quoted(key)}: {quoted(value) if isinstance(value, str) else str(value).lower()}"
            for key, value in pairs.items()
        )
        + "}"
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Pairs = Callable[[list[tuple[str, object]]], object]
