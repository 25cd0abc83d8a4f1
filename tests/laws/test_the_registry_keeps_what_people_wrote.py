"""registry.md is a file of its readers: a registration touches one row, and no byte beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.core.errors import Refused
from agentmail.core.registry import MAX_BYTES, Registry, Row
from agentmail.core.registry_edit import edited

IDENTITIES = st.sampled_from(["alpha", "beta", "gamma", "a1"])
#: A cell's text: pipes and backslashes, spaces inside, other scripts; a line of text without control characters.
CELLS = st.one_of(
    st.lists(
        st.sampled_from(["|", "\\", "\\|", "a", "b c", "标准", "`x`", "<br>", "-", "é"]), max_size=5
    ).map("".join),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20),
).map(str.strip)
ROWS = st.builds(Row, IDENTITIES, CELLS.filter(bool), CELLS.filter(bool))

COLUMNS = st.permutations(["id", "workdir", "responsibility"]) | st.permutations(["身份", "工作目录", "职责"])
EXTRA = st.lists(st.sampled_from(["since", "note", "备注"]), max_size=2, unique=True)
PROSE = st.sampled_from(
    [
        "# Registry\n",
        "",
        "\n",
        "Who is who. `a | b`\n",
        "<!-- | not | a | table | -->\n",
        "- | list\n",
        "\u2028x\n",
        "\x0cx\n",
    ]
)
ESCAPED = st.sampled_from(["x", "x \\| y", "C:\\dir", "", "  spaced  ", "\\\\", "`a`", "标"])


@st.composite
def tables(draw) -> str:
    """A table that holds identities, with columns in some order, more of them than needed, rows of any care."""
    titles = [*draw(COLUMNS), *draw(EXTRA)]
    if draw(st.booleans()):
        titles = [titles[-1], *titles[:-1]]
    lines = ["| " + " | ".join(titles) + " |", draw(st.sampled_from(["|---|---|---|", "| :-- | --: |"]))]
    for _ in range(draw(st.integers(0, 3))):
        cells = [draw(IDENTITIES) if title in ("id", "身份") else draw(ESCAPED) for title in titles]
        cells = cells[: draw(st.integers(1, len(cells) + 3))]
        lines.append(
            draw(st.sampled_from(["|{}|", "| {} |", "  |  {}  |  ", "| {}"])).format(" | ".join(cells))
        )
    return "".join(f"{line}\n" for line in lines)


@st.composite
def files(draw) -> bytes:
    """A registry as a person, an editor or a merge may leave it."""
    parts = [draw(PROSE)]
    if draw(st.booleans()):
        parts.append("| name | value |\n|---|---|\n| id | alpha |\n\n")
    for _ in range(draw(st.integers(0, 2))):
        parts += [draw(tables()), "\n", draw(PROSE)]
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    if draw(st.booleans()):
        text = "\ufeff" + text
    return text.encode()


def lines_of(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [data.split(b"\n")[-1]]


@given(files(), ROWS)
def test_every_byte_outside_the_row_stays(data: bytes, row: Row) -> None:
    new = edited(data, row)
    if row.identity in Registry(data.decode()).rows:
        before, after = lines_of(data), lines_of(new)
        assert len(before) == len(after)
        changed = [number for number, line in enumerate(before) if after[number] != line]
        assert len(changed) <= 1
        for number in changed:
            assert row.identity.encode() in before[number]
            ending = before[number][len(before[number].rstrip(b"\r\n")) :]
            assert after[number].endswith(ending)
        return
    # A new row, or a new table, is put in at one place; cutting it out again gives the old bytes.
    at = next((i for i, (a, b) in enumerate(zip(data, new, strict=False)) if a != b), len(data))
    added = len(new) - len(data)
    assert added > 0
    assert any(new[:start] + new[start + added :] == data for start in range(max(0, at - added), at + 1))


@given(files(), ROWS)
def test_what_was_registered_is_read_back(data: bytes, row: Row) -> None:
    found = Registry(edited(data, row).decode()).rows[row.identity]
    assert (found.workdir, found.responsibility) == (row.workdir, row.responsibility)


@given(files(), ROWS)
def test_the_others_are_read_as_before(data: bytes, row: Row) -> None:
    before, after = Registry(data.decode()), Registry(edited(data, row).decode())
    for identity, old in before.rows.items():
        if identity != row.identity:
            new = after.rows[identity]
            assert (new.workdir, new.responsibility) == (old.workdir, old.responsibility)
    assert after.duplicates == before.duplicates
    assert after.refused == before.refused


@given(files(), ROWS)
def test_the_same_again_changes_nothing(data: bytes, row: Row) -> None:
    once = edited(data, row)
    assert edited(once, row) is once


@given(files(), ROWS)
def test_a_new_row_ends_like_the_lines_around_it(data: bytes, row: Row) -> None:
    new = edited(data, row)
    if b"\r\n" in data:
        assert new.count(b"\n") == new.count(b"\r\n")
    elif b"\n" in data:
        assert b"\r\n" not in new


@given(files(), ROWS)
def test_other_columns_keep_what_is_in_them(data: bytes, row: Row) -> None:
    def extras(text: bytes) -> list[bytes]:
        return sorted(cell.strip() for line in text.split(b"\n") for cell in line.split(b"|"))

    marked = data.replace(b"since", "备注".encode())
    before, after = extras(marked), extras(edited(marked, row))
    assert before.count("备注".encode()) == after.count("备注".encode())


def test_a_missing_registry_is_made_with_a_heading() -> None:
    assert edited(None, Row("alpha", "/srv/a", "what alpha does")) == (
        b"# Registry\n\n| id | workdir | responsibility |\n|---|---|---|\n| alpha | /srv/a | what alpha does |\n"
    )


def test_a_row_goes_into_the_first_table_that_can_hold_it() -> None:
    data = (
        b"| id | meaning |\n|---|---|\n| x1 | y |\n\n| id | workdir | responsibility |\n|---|---|---|\nend\n"
    )
    new = edited(data, Row("alpha", "-", "d"))
    assert new == data.replace(b"|---|---|---|\n", b"|---|---|---|\n| alpha | - | d |\n")


def test_a_row_that_lacks_cells_keeps_the_ones_it_has() -> None:
    data = b"| note | id | workdir | responsibility |\n|---|---|---|---|\n| keep me | alpha |\n"
    assert b"| keep me | alpha | - | d |" in edited(data, Row("alpha", "-", "d"))


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD\n| id | workdir | responsibility |\n|---|---|---|\n",
        b"| id | workdir | responsibility |\n|---|---|---|\n| a1 | - | \xff |\n",
        b"x" * (MAX_BYTES + 1),
        b"| id | meaning |\n|---|---|\n| alpha | y |\n",
        b"x" * (MAX_BYTES - 10),
    ],
    ids=["a merge conflict", "no UTF-8", "too large", "no columns for it", "too large with the row"],
)
def test_what_is_not_understood_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refused:
        edited(data, Row("alpha", "-", "what alpha does"))
    assert refused.value.exit_code == 2


def test_names_that_are_no_identities_and_doubles_are_told_apart() -> None:
    text = "| id | workdir | responsibility |\n|---|---|---|\n| ../x | - | a |\n| a1 | /1 | b |\n| a1 | /2 | c |\n|  | - | - |\n"
    found = Registry(text)
    assert found.rows["a1"].workdir == "/1"
    assert (found.duplicates, found.refused) == (["a1"], ["../x"])
