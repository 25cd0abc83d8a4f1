"""JSON for programs that run on the way to every prompt: the interpreter's own scanner, without the package.

Why: `import json` costs a hook as much again as the interpreter's start, nearly all of it for regular
expressions that one object on one line does not need. Where the scanner is not there, the package is.
"""

from __future__ import annotations


class _Settings:
    """What the scanner asks its owner for: the defaults of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> object:
        """NaN and infinities are not JSON."""
        raise ValueError(name)


def loads(text: str) -> object:
    """The value that `text` holds, or None where it is not JSON, or nested beyond reason."""
    text = text.strip(" \t\r\n")
    try:
        import _json
    except ImportError:
        return _loads_by_package(text)
    try:
        value, end = _json.make_scanner(_Settings())(text, 0)  # type: ignore[arg-type]
    except (StopIteration, ValueError, RecursionError, SystemError):
        # SystemError: up to 3.12 the scanner takes its error's class from the package, if that is loaded.
        return None
    return value if end == len(text) else None


def _loads_by_package(text: str) -> object:
    import json

    try:
        return json.loads(text)
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


def flat(pairs: Mapping[str, str | bool]) -> str:
    """An object of texts and truths as one line of ASCII JSON, as `json.dumps` writes it."""
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
    from collections.abc import Mapping
