"""registry.md: code and comments are text of people, never rows; every other row of a table is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmail.core.registry import Registry, Row
from agentmail.core.registry_edit import edited
from tests.support.cli import Cli

HEAD = "| id | workdir | responsibility |\n|---|---|---|\n"
GHOST = f"{HEAD}| ghost | /g | an example |\n| beta | /example | an example |\n"
REAL = f"{HEAD}| beta | /b | real |\n"


def indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}" for line in text.splitlines(keepends=True))


EXAMPLES = {
    "a fence": f"```\n{GHOST}```\n",
    "a fence with a language": f"```markdown\n{GHOST}```\n",
    "tildes": f"~~~\n{GHOST}~~~\n",
    "a longer fence around a shorter one": f"````\n```\n{GHOST}```\n{GHOST}````\n",
    "tildes around backticks": f"~~~ md\n```\n{GHOST}~~~\n",
    "a fence that only looks closed": f"```\n{GHOST}``` no\n{GHOST}```\n",
    "a fence that is closed too far to the right": f"```\n{GHOST}    ```\n{GHOST}```\n",
    "an indented fence": indented(f"```\n{GHOST}```\n", "   "),
    "a fence in a list": "- how:\n" + indented(f"```\n{GHOST}```\n", "  "),
    "a fence in a numbered list": "1. how:\n\n" + indented(f"```\n{GHOST}```\n", "   "),
    "a fence behind a list marker": f"- ```\n{indented(GHOST, '  ')}  ```\n",
    "indented code": f"text\n\n{indented(GHOST, '    ')}",
    "code indented by a tab": f"text\n\n{indented(GHOST, chr(9))}",
    "code at the start": f"{indented(GHOST, '    ')}",
    "code in a list": f"- how:\n\n{indented(GHOST, '      ')}",
    "a comment": f"<!--\n{GHOST}-->\n",
    "a comment with an empty line": f"<!-- an example\n\n{GHOST}\n-->\n",
    "a comment that begins in a paragraph": f"text <!-- and\n{GHOST}-->\n",
    "a commented row": "<!-- | ghost | /g | x | -->\n",
    "an element of literal text": f"<pre>\n{GHOST}</pre>\n",
    "another one": f'<script type="text/markdown">\n\n{GHOST}\n</script>\n',
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_code_and_comments_are_no_rows_and_keep_their_bytes(example: str, ending: str) -> None:
    for before, behind in ((example + "\n", ""), ("", "\n" + example)):
        text = (before + REAL + behind).replace("\n", ending)
        found = Registry(text)
        assert [(row.identity, row.workdir) for row in found.rows.values()] == [("beta", "/b")]
        assert (found.duplicates, found.refused, found.outside, found.unclosed) == ([], [], [], None)
        moved = edited(text.encode(), Row("beta", "/moved", "real"))
        assert moved.decode() == (before + REAL.replace("/b", "/moved") + behind).replace("\n", ending)
        more = edited(text.encode(), Row("gamma", "/c", "new"))
        added = f"{REAL}| gamma | /c | new |\n"
        assert more.decode() == (before + added + behind).replace("\n", ending)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_where_only_an_example_is_there_a_table_is_added_behind_it(example: str) -> None:
    assert edited(example.encode(), Row("beta", "/b", "real")).decode() == f"{example}\n{REAL}"


READ = {
    "text that continues indented": f"text\n    goes on\n\n{REAL}",
    "a table in a list": f"- who:\n\n{indented(REAL, '  ')}",
    "a table in a deeper list": f"- a\n  - b\n\n{indented(REAL, '    ')}",
    "a comment on one line": f"<!-- a comment -->\n{REAL}",
    "a comment in a row": f"{HEAD}| beta <!-- since May --> | /b | real |\n",
    "an arrow that opens no comment": f"a <!-- b\n\n{REAL}",
    "backticks in a line": f"``` a ``` b\n\n{REAL}",
    "an example in a line": f"Use `<!--`.\n{REAL}",
    "backticks around the name": f"{HEAD}| `beta` | /b | real |\n",
    "backticks around the path": f"{HEAD}| ``beta`` | `/b` | real |\n",
    "a row without a pipe at its start": f"{HEAD}beta | /b | real |\n",
    "a row below one without": f"{HEAD}alpha | /a | x\n| beta | /b | real |\n",
    "a row below a remark": f"{HEAD}| alpha | /a | x |\nthe others:\n| beta | /b | real |\n",
    "a table without outer pipes": "id | workdir | responsibility\n--- | --- | ---\nbeta | /b | real\n",
    "one with a BOM": "\ufeffid | workdir | responsibility\n:-|-|-:\nbeta | /b | real\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_every_row_of_a_table_is_read_and_keeps_its_form(text: str) -> None:
    row = Registry(text).rows["beta"]
    assert (row.workdir, row.responsibility) == ("/b", "real")
    assert edited(text.encode(), Row("beta", "/b", "real")) == text.encode()
    changed = edited(text.encode(), Row("beta", "/b", "other")).decode()
    assert changed.replace("other \n", "other\n") == text.replace(" real", " other")
    more = Registry(edited(text.encode(), Row("gamma", "/c", "new")).decode())
    assert (more.rows["gamma"].workdir, more.rows["beta"].workdir) == ("/c", "/b")


def test_an_example_is_written_to_by_nobody_and_found_by_doctor_only_where_it_never_ends(
    run: Cli, bus_dir: Path
) -> None:
    run("register", "alpha", "-", "writes")
    run("register", "beta", "-", "reads")
    place = bus_dir / "registry.md"
    real = place.read_text()
    place.write_text(f"# Registry\n\n```\n{GHOST}```\n\n{real}")
    assert [row["id"] for row in run("roster", "--json").json["identities"]] == ["alpha", "beta"]
    sent = run("send", "alpha", "@all", "hello", "s", "--json", stdin="text").json
    assert [one["identity"] for one in sent["recipients"]] == ["beta"]
    assert run("doctor").code == 0
    place.write_text(f"{real}\n| zeta | - | apart |\n```\n{HEAD}| eta | - | x |\n")
    said = run("doctor")
    assert said.code == 1
    assert f"begins on line {len(real.splitlines()) + 3} and never ends" in said.out
    assert f"belong to no table, so they are not read (line {len(real.splitlines()) + 2})" in said.out
    place.write_text(f"```\n{HEAD}")
    refused = run("register", "gamma", "-", "x")
    assert refused.code == 2
    assert "begins on line 1 and never ends" in refused.err
