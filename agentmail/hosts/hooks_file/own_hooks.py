"""Tells whether a command that a host runs is one of our hooks, wherever it is installed and however it is written."""

from __future__ import annotations

PROGRAMS = ("mail-check", "mail-guard", "mail-wake")
LONGEST = 10_000  # characters of a command; a longer one is not ours

_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "busybox")
_RUNNERS = (*_SHELLS, "uv")
_BEFORE = ("env", "exec", "command", "nohup", "nice", "timeout")


def owns(command: str, args: list[str] | None) -> bool:
    """Does this command run one of our programs (also as .py, .sh) that lies in a directory `hooks`?

    `args` is a list for the form without a shell (then `command` is the program alone) and None for a shell line.
    """
    return program(command, args) is not None


def program(command: str, args: list[str] | None) -> tuple[str, ...] | None:
    """Our program that a command runs, and its arguments; None where it runs none of ours.

    The interpreter that a command names is left out: another interpreter does not make another command.
    """
    words = words_from(command, args)
    return (_named(words[0]), *_arguments(words[1:])) if words else None


def words_from(command: str, args: list[str] | None) -> list[str] | None:
    """The words of a command from our program's path on, as they are written; None where it runs none of ours."""
    if args is not None:
        return _run([command, *args])
    if len(command) > LONGEST or not any(name in command for name in PROGRAMS):
        return None
    found = (_run(words) for words in _simple_commands(command))
    return next((run for run in found if run), None)


def runs(command: str, args: list[str] | None) -> tuple[str, ...]:
    """The same for every command: a program that is none of ours is named as it is written."""
    return program(command, args) or (command, *(args or ()))


def _simple_commands(line: str) -> list[list[str]]:
    """A shell line as words, one list for each command in it."""
    from shlex import shlex

    lexer = shlex(line.replace("\n", " ; "), posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote is not closed
        words = line.replace('"', " ").replace("'", " ").split()
    commands: list[list[str]] = [[]]
    for word in words:
        if word.strip(";&|()"):
            commands[-1].append(word)
        else:
            commands.append([])
    return commands


def _run(words: list[str]) -> list[str] | None:
    words = _without_prefix(words)
    if not words:
        return None
    first = _base(words[0])
    if _named(words[0]):
        return words
    if first not in _RUNNERS and not first.startswith(("python", "pypy", "graalpy", "$")):
        return None
    for at, word in enumerate(words[1:], 1):
        if _named(word):
            return words[at:]
        if first in _SHELLS and word[:1] == "-" and "c" in word and word[:2] != "--":
            return words_from(" ".join(words[at + 1 : at + 2]), None)
        if word in ("-c", "-m") or word.endswith((".py", ".sh")):
            return None  # it runs something else, which may have our file as an argument
    return None


def _without_prefix(words: list[str]) -> list[str]:
    """A command without `NAME=value`, `exec`, `timeout 5` and the like before it."""
    wrapped = False
    for at, word in enumerate(words):
        if word.partition("=")[0].isidentifier() and "=" in word:
            continue
        if _base(word) in _BEFORE:
            wrapped = True
        elif not (wrapped and word[:1] in "-0123456789"):
            return words[at:]
    return []


def _named(word: str) -> str:
    """Which of our programs a path names, or ""."""
    parts = word.replace("\\", "/").split("/")
    name = parts[-1].removesuffix(".py").removesuffix(".sh")
    return name if name in PROGRAMS and parts[-2:-1] == ["hooks"] else ""


def _base(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2]


def _arguments(words: list[str]) -> list[str]:
    return [word for word in words if not {"<", ">", "/"}.intersection(word)]
