"""One word has one meaning: no name is defined for two things, and no word is used that the glossary rules out.

`OPEN_NAMES` and `OPEN_WORDS` list what still breaks the rule. Remove an entry once it is corrected; never add one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.support.cli import ROOT

#: Names that still stand for two things.
OPEN_NAMES: set[str] = set()
#: Files and directories that still use a word that is ruled out. `tests` means the names of test files and functions.
OPEN_WORDS: dict[str, set[str]] = {}

#: Names that are defined in two packages and mean the same thing in both, with the reason.
SAME: dict[str, str] = {
    "archive": "the verb, its command, and the step of the core that moves one file",
    "check": "the verb, its command, and the hook that checks for mail",
    "main": "the entry point of a program",
    "refuse_foreign": "both refuse what belongs to another user: a directory of the bus, a settings file",
    "register": "the verb, its command, and the step of the core that writes the row",
    "rename": "the verb, its command, and the step of the core that moves the mailbox",
    "roster": "the verb, its command, and the registry's rows as the core reads them",
    "unarchive": "the verb, its command, and the step of the core that moves one file",
    "unregister": "the verb, its command, and the step of the core that moves the mailbox",
    "unwire": "the verb, its command, and the change that a host's installer makes",
    "wire": "the verb, its command, and the change that a host's installer makes",
}
#: Places where a word that is ruled out is right, with the reason.
QUOTED: dict[tuple[str, str], str] = {
    ("CHANGELOG.md", "mend"): "the key that was renamed",
    ("CHANGELOG.md", "doubled"): "the flag that was renamed",
    ("docs/glossary.md", "the floor"): "the row that says what the word means",
}

AGENTMAIL = ROOT / "agentmail"
GLOSSARY = ROOT / "docs" / "glossary.md"
RULED_OUT = "Do not use these words:"
TEXTS = (
    "*.md",
    "*.toml",
    "*.json",
    "docs/*.md",
    "hooks/*",
    "skills/**/*.md",
    ".claude-plugin/*",
    "bin/*",
    "dev",
    ".ci/*",
)
#: How a word in the glossary's second table is found: other forms of it, and only where it has the meaning that is ruled out.
FORMS = {
    "mend": r"mend(?:s|ed|ing)?",
    "mouth": r"mouths?",
    "talk": r"talks?",
    "doubled": r"doubled",
    "trial": r"trials?",
    "room": r"(?:(?:a|an|the|each|every|this|its|other|another) room|room module|rooms)(?! is| for| in it| left| again)",
    "the floor": r"(?:the )?floor",
}


def package(module: Path) -> str:
    """The package of a module; each package of hosts counts as one."""
    parts = module.relative_to(AGENTMAIL).with_suffix("").parts
    return "/".join(parts[:2]) if parts[0] == "hosts" and len(parts) > 2 else parts[0]


def definitions() -> dict[str, set[str]]:
    """Each public class and function of a module, and the packages that define one of that name."""
    found: dict[str, set[str]] = {}
    for module in sorted(AGENTMAIL.rglob("*.py")):
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                found.setdefault(node.name, set()).add(package(module))
    return found


def is_a_verb_and_its_command(name: str, packages: set[str]) -> bool:
    """The command line defines a rendering under the name of its verb."""
    return packages == {"cli", "verbs"} and name.islower()


def with_two_meanings() -> set[str]:
    """Public names that two packages define for different things."""
    return {
        name
        for name, packages in definitions().items()
        if len(packages) > 1 and name not in SAME and not is_a_verb_and_its_command(name, packages)
    }


def ruled_out() -> list[str]:
    """The words of the glossary's second table."""
    table = GLOSSARY.read_text(encoding="utf-8").split(RULED_OUT)[1]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")]
    return [row.split(",")[0] for row in rows[1:]]


def words_of(text: str) -> str:
    """The words of a text in lower case; a name in code counts as the words that it is made of."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.sub(r"[_\W]+", " ", apart).lower().split())


def used(words: Iterable[str], text: str) -> set[str]:
    """Which of the words a text uses in the meaning that is ruled out."""
    plain = words_of(text)
    return {word for word in words if re.search(rf"\b(?:{FORMS[word]})\b", plain)}


def texts() -> Iterator[tuple[str, str]]:
    """Every file that is checked, with its text, and the names of the tests."""
    files = {file for pattern in TEXTS for file in ROOT.glob(pattern) if file.is_file()}
    for file in sorted({*files, *AGENTMAIL.rglob("*.py")}):
        text = file.read_text(encoding="utf-8")
        yield str(file.relative_to(ROOT)), text.split(RULED_OUT)[0] if file == GLOSSARY else text
    names = [
        f"{file.stem} {' '.join(re.findall(r'^ *def (test_.+)[(]', file.read_text(encoding='utf-8'), re.MULTILINE))}"
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
    ]
    yield "tests", "\n".join(names)


def is_open(file: str, word: str) -> bool:
    """Is the word listed as not yet corrected in this file or its directory?"""
    return any(word in words and f"{file}/".startswith(f"{part}/") for part, words in OPEN_WORDS.items())


def test_no_public_name_stands_for_two_things() -> None:
    assert with_two_meanings() - OPEN_NAMES == set()


def test_no_text_uses_a_word_that_the_glossary_rules_out() -> None:
    words = ruled_out()
    found = {
        (file, word)
        for file, text in texts()
        for word in used(words, text)
        if (file, word) not in QUOTED and not is_open(file, word)
    }
    assert found == set()


def test_each_word_that_is_ruled_out_has_its_forms() -> None:
    assert set(ruled_out()) == set(FORMS)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("it mends old paths", "mend"),
        ("exam.mended(change)", "mend"),
        ("class Mouth:", "mouth"),
        ("def mouth_of(context)", "mouth"),
        ("talk(str(error))", "talk"),
        ("DOUBLED = 1", "doubled"),
        ("AGENT_MAIL_TRIAL", "trial"),
        ("the rooms look down", "room"),
        ("A room looks down", "room"),
        ("The floor: bytes under names", "the floor"),
    ],
)
def test_a_form_is_found_in_prose_and_in_names(text: str, word: str) -> None:
    assert used(FORMS, text) == {word}


@pytest.mark.parametrize(
    "text",
    ["recommended, amended and commend", "no room left", "while there is room", "redoubled", "industrial"],
)
def test_other_words_and_meanings_are_free(text: str) -> None:
    assert used(FORMS, text) == set()


def test_the_glossary_is_in_order_and_explains_each_word_once() -> None:
    first = GLOSSARY.read_text(encoding="utf-8").split(RULED_OUT)[0]
    words = [line.split("|")[1].strip() for line in first.splitlines() if line.startswith("| ")][1:]
    assert words == sorted(set(words), key=str.lower)


#: Phrases that a reader has to read twice, with the plain word.
PHRASES = {
    "then again": "then try again",
    "all the same": "anyway",
    "is to be had": "there is",
    "which may not stay": "which is temporary",
    "keeps nobody": "stops no",
    "left a record": "has a record",
    "throw-away": "temporary",
}


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_of_the_program_uses_a_phrase_that_has_a_plain_word(phrase: str) -> None:
    documents = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]
    found = [
        f"{path.relative_to(ROOT)}: {text[:80]}"
        for path in sorted((ROOT / "agentmail").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(text := node.value, str) and phrase in text
    ]
    found += [str(path) for path in documents if phrase in path.read_text(encoding="utf-8")]
    assert not found, f"say {PHRASES[phrase]!r}"
