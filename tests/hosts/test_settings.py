"""Our entries are added to settings.json and removed again, and nothing else in it changes."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.settings import owns, parse, snippet, unwire, wire, wired
from agentmail.hosts.settings_file.json_text import BOM, DEPTH

PYTHON = "/usr/bin/python3.11 -I -S"
CHECK = f'{PYTHON} "/opt/agent mail/hooks/mail-check"'
GUARD = f'{PYTHON} "/opt/agent mail/hooks/mail-guard"'


def hook(command, timeout=5):
    return {"type": "command", "command": command, "timeout": timeout}


ENTRIES: dict[str, Any] = {
    "SessionStart": [{"matcher": "startup|resume|clear|compact|fork", "hooks": [hook(CHECK)]}],
    "UserPromptSubmit": [{"hooks": [hook(CHECK)]}],
    "PreToolUse": [{"matcher": "Write|Edit|MultiEdit|NotebookEdit", "hooks": [hook(GUARD)]}],
}
EVENTS = [*ENTRIES, "Stop"]


def load(data):
    """The settings as Python data: numbers as they are written, members as pairs in their order."""
    text = data.decode().removeprefix(BOM)
    return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=Members)


class Members(list):
    """The members of an object, in order."""

    def get(self, key, default=None):
        return dict(self).get(key, default)


def commands(data):
    """Every hook as (event, matcher, text of the hook), in order."""
    return [
        (event, group.get("matcher"), json.dumps(one))
        for event, groups in load(data).get("hooks", Members())
        for group in groups
        for one in group.get("hooks")
    ]


def is_ours(one):
    command = dict(json.loads(one[2])).get("command")
    return isinstance(command, str) and owns(command, None)


def foreign(data):
    return [one for one in commands(data) if not is_ours(one)]


def others(data):
    """All members but the hooks."""
    return [member for member in load(data or b"{}") if member[0] != "hooks"]


# --- texts as people and programs write them ---------------------------------------------------------------

FOREIGN = [
    "x",
    "~/bin/lint.sh --fix",
    "cat /o/hooks/mail-check.log",
    "echo 'mail-guard'",
    "caf\u00e9 \U0001f4ec",
]
STRANGE = [
    '"\\ud800"',
    '"\\u0000\\/"',
    "1E400",
    "-0.0",
    "9" * 5000,
    '"\u2028"',
    '"//"',
    '"{,}"',
    '"/*[\\"*/"',
]

scalars = st.one_of(
    st.sampled_from(["null", "true", "1", *STRANGE]),
    st.text('abc{["\\,:/\u00e9\u20ac\U0001f4ec\n', max_size=6).map(json.dumps),
)
keys = st.text('abhoks"\\\u00e9 ', min_size=1, max_size=6).filter(lambda key: key != "hooks")
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=6,
)


def quoted(word):
    return json.dumps(word, ensure_ascii=False)


def hooks_running(command):
    shell = st.fixed_dictionaries(
        {"type": st.just('"command"'), "command": command.map(quoted)},
        optional={"timeout": st.sampled_from(["5", "10", "5.0"]), "statusMessage": st.just('"..."')},
    )
    return st.one_of(shell, st.just({"type": '"http"', "url": '"http://localhost/"'}))


def settings(command):
    matchers = st.sampled_from(["", "*", "Bash", "Write|Edit", "startup|resume|clear|compact|fork"]).map(
        quoted
    )
    group = st.fixed_dictionaries(
        {"hooks": st.lists(hooks_running(command), max_size=3)}, optional={"matcher": matchers, "x": scalars}
    )
    hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(group, max_size=3), max_size=4)
    rest = st.dictionaries(keys, values, max_size=3)
    order = st.randoms(use_true_random=False)

    def mixed(rest, hooks, order):
        members = [*rest.items(), *([("hooks", hooks)] if hooks is not None else [])]
        order.shuffle(members)
        return dict(members)

    return st.builds(mixed, rest, st.none() | hooks, order)


@st.composite
def regular(draw, command):
    """As a program writes it, with one indentation and one kind of line end throughout."""
    indent = draw(st.sampled_from([None, "", "  ", "    ", "\t"]))
    colon = draw(st.sampled_from([": ", ":"]))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    comma = ", " if indent is None and colon == ": " else ","
    spread = indent is not None

    def write(value, margin):
        if isinstance(value, str):
            return value
        brackets = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return brackets
        inner = newline + margin + indent if spread else ""
        outer = newline + margin if spread else ""
        deeper = margin + indent if spread else ""
        if isinstance(value, dict):
            items = [quoted(key) + colon + write(item, deeper) for key, item in value.items()]
        else:
            items = [write(item, deeper) for item in value]
        return brackets[0] + inner + (comma + inner).join(items) + outer + brackets[1]

    final = draw(st.sampled_from(["", newline]))
    bom = draw(st.sampled_from(["", "", BOM]))
    return (bom + write(draw(settings(command)), "") + final).encode()


@st.composite
def irregular(draw, command):
    """As nobody writes it: any white space anywhere."""
    blanks = st.lists(
        st.sampled_from(["", "", " ", "  ", "\n", "\n  ", "\t", "\r\n", "\r", "\n\n", "\n \n    "]),
        min_size=1,
        max_size=20,
    )
    some = cycle(draw(blanks))

    def write(value):
        if isinstance(value, str):
            return value
        brackets = "{}" if isinstance(value, dict) else "[]"
        if isinstance(value, dict):
            items = [quoted(key) + next(some) + ":" + next(some) + write(item) for key, item in value.items()]
        else:
            items = [write(item) for item in value]
        inside = ",".join(next(some) + item + next(some) for item in items) if items else next(some)
        return brackets[0] + inside + brackets[1]

    bom = draw(st.sampled_from(["", BOM]))
    return (bom + next(some) + write(draw(settings(command))) + next(some)).encode()


FOREIGN_COMMANDS = st.sampled_from(FOREIGN)
OUR_COMMANDS = [CHECK, GUARD, "python3 ~/old/hooks/mail-check.py", "'/o l d/hooks/mail-guard.sh' || true"]
ANY_COMMANDS = st.sampled_from([*FOREIGN, *OUR_COMMANDS])
unwired_files = st.one_of(regular(FOREIGN_COMMANDS), irregular(FOREIGN_COMMANDS))
any_files = st.one_of(regular(ANY_COMMANDS), irregular(ANY_COMMANDS))
BARE = [
    b"{}",
    b"{\n}",
    b"{ }",
    b"{}\n",
    b"{\r\n}\r\n",
    b"{\n\n}\n",
    b"\xef\xbb\xbf{}",
    b"  {\n  }",
    b"\t{\r}\n",
]
EMPTIED = [b'{"hooks":{}}', b'{"hooks": { }}', b'{\n  "hooks": {}\n}', b'{\n  "hooks": {\n  }\n}\n']
EMPTIED += [
    b'{"hooks":{"Stop":[]}}',
    b'{\n\t"hooks": {\n\t\t"PreToolUse": []\n\t}\n}',
    b'{"hooks":{"SessionStart":[ ]}}',
]


# --- laws ---------------------------------------------------------------------------------------------------


@given(unwired_files)
def test_wiring_adds_our_groups_last_and_changes_no_other_value(before):
    wanted = json.loads(json.dumps(ENTRIES), parse_int=str, object_pairs_hook=Members)
    expected = deepcopy(load(before))
    if expected.get("hooks") is None:
        expected.append(("hooks", Members()))
    for event, groups in wanted:
        if expected.get("hooks").get(event) is None:
            expected.get("hooks").append((event, []))
        expected.get("hooks").get(event).extend(groups)
    assert load(wire(before, ENTRIES)) == expected


@given(unwired_files)
def test_unwiring_after_wiring_restores_every_byte(before):
    assert unwire(wire(before, ENTRIES)) == before


@pytest.mark.parametrize("before", [*BARE, *EMPTIED])
def test_files_without_content_are_restored_byte_for_byte(before):
    assert len(wired(wire(before, ENTRIES))) == 3
    assert unwire(wire(before, ENTRIES)) == before


@given(any_files)
def test_wiring_twice_is_wiring_once(before):
    once = wire(before, ENTRIES)
    assert wire(once, ENTRIES) is once


@given(any_files)
def test_each_entry_is_there_exactly_once_and_other_hooks_are_unchanged(before):
    after = wire(before, ENTRIES)
    for event, groups in ENTRIES.items():
        ran = [(matcher, command) for name, matcher, command in wired(after) if name == event]
        wanted = groups[0].get("matcher"), groups[0]["hooks"][0]["command"]
        same = [one for one in ran if one[1] == wanted[1]]
        assert len(same) == 1
        assert same[0][0] == wanted[0] or {same[0][0], wanted[0]} <= {None, "", "*"}
    assert foreign(after) == foreign(before)
    assert others(after) == others(before)


@given(any_files)
def test_unwiring_removes_all_our_hooks_and_no_other(before):
    after = unwire(before)
    assert wired(after) == []
    assert foreign(after) == foreign(before)
    assert others(after) == others(before)
    assert unwire(after) is after


@given(unwired_files)
def test_unwiring_a_file_without_our_hooks_returns_the_same_object(before):
    assert unwire(before) is before


@given(any_files)
def test_unwiring_after_wiring_leaves_what_unwiring_alone_leaves(before):
    assert foreign(unwire(wire(before, ENTRIES))) == foreign(unwire(before))


@given(st.binary(max_size=60) | st.text('{}[]",:\\/ hoks1eNa\n\ufeff', max_size=40).map(str.encode))
def test_any_bytes_are_understood_or_refused(data):
    try:
        settings = parse(data)
    except Refused:
        return
    assert isinstance(json.loads(settings.document.text.removeprefix(BOM)), dict)


# --- looks hand-made ----------------------------------------------------------------------------------------

ONE = {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "/a/hooks/mail-guard"}]}]}


@pytest.mark.parametrize("indent", ["  ", "    ", "\t", ""])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_added_entries_have_the_indentation_and_line_ends_of_the_file(indent, newline):
    def text(value):
        return json.dumps(value, indent=indent).replace("\n", newline).encode()

    assert wire(text({"model": "m"}), ONE) == text({"model": "m", "hooks": ONE})
    other: dict[str, Any] = {"PreToolUse": [{"hooks": []}], "Stop": [{"hooks": []}]}
    merged = {"PreToolUse": [{"hooks": []}, *ONE["PreToolUse"]], "Stop": [{"hooks": []}]}
    before = text({"hooks": other, "z": 1}).replace(b"[]", b"[ ]")
    assert wire(before, ONE) == text({"hooks": merged, "z": 1}).replace(b"[]", b"[ ]")


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_file_of_one_line_stays_one_line(separators):
    def text(value):
        return json.dumps(value, separators=separators).encode()

    assert wire(text({"a": 1}), ONE) == text({"a": 1, "hooks": ONE})
    event = [{"hooks": [{"type": "command", "command": "x"}]}]
    merged = {"PreToolUse": event + ONE["PreToolUse"]}
    assert wire(text({"hooks": {"PreToolUse": event}}), ONE) == text({"hooks": merged})


@pytest.mark.parametrize("before", [b"    {}", b"\xef\xbb\xbf    {}", b'    {\n      "hooks": {}\n    }'])
def test_a_file_that_is_indented_as_a_whole_stays_so(before):
    lines = wire(before, ONE).decode().removeprefix(BOM).splitlines()
    assert next(line for line in lines if "hooks" in line) == '      "hooks": {'
    assert [line for line in lines if "PreToolUse" in line] == ['        "PreToolUse": [']
    assert lines[-1] == "    }"


def test_an_empty_object_is_filled_as_an_editor_would_write_it():
    assert wire(b"{}\n", ONE) == json.dumps({"hooks": ONE}, indent=2).encode() + b"\n"


def test_a_new_group_has_the_bracket_style_of_its_neighbour():
    before = b'{\n  "hooks": {\n    "PreToolUse": [{\n      "hooks": []\n    }]\n  }\n}\n'
    added = b'    }, {\n      "matcher": "Write",\n      "hooks": [\n'
    assert added in wire(before, ONE)


def test_non_ascii_letters_are_written_unescaped():
    entries = {"Stop": [{"hooks": [{"type": "command", "command": "/h/jos\u00e9/hooks/mail-check"}]}]}
    assert "jos\u00e9".encode() in wire(b"{}", entries)


# --- what is there already ----------------------------------------------------------------------------------


def wired_file(entries=ENTRIES, indent=4):
    return json.dumps({"a": 1, "hooks": entries, "b": [1]}, indent=indent).encode() + b"\n"


def test_wired_settings_are_returned_as_the_same_object():
    data = wired_file()
    assert wire(data, ENTRIES) is data


@pytest.mark.parametrize(
    "old",
    [
        "python3 /old/hooks/mail-check.py",
        "'/old place/hooks/mail-check'",
        'AGENT_MAIL_SELF=alpha exec python3 "$HOME/x/hooks/mail-check.py" 2>/dev/null || true',
    ],
)
def test_of_an_entry_with_an_old_path_only_the_command_changes(old):
    before = wired_file().replace(quoted(CHECK).encode(), quoted(old).encode())
    assert before != wired_file()
    assert wire(before, ENTRIES) == wired_file()


def test_of_an_entry_with_another_time_limit_only_that_changes():
    before = wired_file().replace(b'"timeout": 5', b'"timeout":   60')
    assert wire(before, ENTRIES) == wired_file().replace(b'"timeout": 5', b'"timeout":   5')


def test_missing_fields_of_an_entry_are_added_and_fields_of_its_owner_stay():
    before = b'{"hooks":{"UserPromptSubmit":[{"hooks":[{"statusMessage":"mail","command":"/h/hooks/mail-check"}]}]}}'
    entries = {"UserPromptSubmit": ENTRIES["UserPromptSubmit"]}
    after = before.replace(
        b'"/h/hooks/mail-check"', quoted(CHECK).encode() + b',"type":"command","timeout":5'
    )
    assert wire(before, entries) == after


def test_an_entry_without_a_shell_becomes_the_shell_line_that_is_wanted():
    old = {"type": "command", "command": "python3", "args": ["/old/hooks/mail-check.py"], "timeout": 5}
    entries = {"UserPromptSubmit": ENTRIES["UserPromptSubmit"]}
    after = wire(wired_file({"UserPromptSubmit": [{"hooks": [old]}]}), entries)
    assert after == wired_file(entries)


def test_an_entry_without_a_shell_is_wired_and_recognised_again():
    entries = {
        "Stop": [
            {"hooks": [{"type": "command", "command": "/p/python3", "args": ["-I", "/h/hooks/mail-check"]}]}
        ]
    }
    after = wire(b'{"model": "m"}', entries)
    assert wire(after, entries) is after
    assert wired(after) == [("Stop", None, "/p/python3 -I /h/hooks/mail-check")]
    assert unwire(after) == b'{"model": "m"}'
    moved = after.replace(b"/h/", b"/elsewhere/")
    assert wire(moved, entries) == after


def test_entries_wired_by_hand_in_another_order_are_recognised():
    by_hand = {
        "PreToolUse": [
            {
                "hooks": [{"timeout": 5, "command": GUARD, "type": "command"}],
                "matcher": "Edit|NotebookEdit, Write|MultiEdit",
            }
        ],
        "UserPromptSubmit": [{"matcher": "", "hooks": ENTRIES["UserPromptSubmit"][0]["hooks"]}],
        "SessionStart": ENTRIES["SessionStart"],
    }
    data = wired_file(by_hand, 2)
    assert wire(data, ENTRIES) is data


def test_a_wrong_matcher_is_fixed_in_place():
    before = wired_file().replace(b"Write|Edit|MultiEdit|NotebookEdit", b"Write")
    assert wire(before, ENTRIES) == wired_file()


def test_a_missing_matcher_is_added_first_in_its_group():
    without = json.loads(wired_file())["hooks"]
    del without["PreToolUse"][0]["matcher"]
    assert wire(wired_file(without), ENTRIES) == wired_file()


def test_a_superfluous_matcher_is_removed():
    entries = {"Stop": [{"hooks": [hook(CHECK)]}]}
    before = wired_file({"Stop": [{"matcher": "Bash", "hooks": [hook(CHECK)]}]})
    assert wire(before, entries) == wired_file(entries)


def test_an_entry_in_a_group_of_others_with_another_matcher_moves_to_a_group_of_its_own():
    shared = {"matcher": "Bash", "hooks": [hook("x"), hook(GUARD), hook("y")]}
    after = wire(wired_file({"PreToolUse": [shared]}), {"PreToolUse": ENTRIES["PreToolUse"]})
    alone = {"matcher": "Bash", "hooks": [hook("x"), hook("y")]}
    assert after == wired_file({"PreToolUse": [alone, *ENTRIES["PreToolUse"]]})


def test_an_entry_in_a_group_of_others_with_the_right_matcher_stays_there():
    shared = {"UserPromptSubmit": [{"hooks": [hook("x"), hook(CHECK), hook("y")]}]}
    data = wired_file(shared)
    assert wire(data, {"UserPromptSubmit": ENTRIES["UserPromptSubmit"]}) is data


def test_the_same_program_twice_in_one_event_is_wired_once():
    twice = [{"hooks": [hook("x"), hook("python3 /old/hooks/mail-check.py")]}, *ENTRIES["UserPromptSubmit"]]
    after = wire(wired_file({"UserPromptSubmit": twice}), {"UserPromptSubmit": ENTRIES["UserPromptSubmit"]})
    assert after == wired_file({"UserPromptSubmit": [{"hooks": [hook("x")]}, *ENTRIES["UserPromptSubmit"]]})


def test_of_the_same_program_twice_the_one_with_the_right_matcher_stays():
    narrow = {"matcher": "startup", "hooks": [hook(CHECK)]}
    other = {"hooks": [hook("x")]}
    before = wired_file({**ENTRIES, "SessionStart": [narrow, other, *ENTRIES["SessionStart"]]})
    assert wire(before, ENTRIES) == wired_file({**ENTRIES, "SessionStart": [other, *ENTRIES["SessionStart"]]})


def test_the_same_program_twice_in_one_group_leaves_the_group_where_it_is():
    twice = {"matcher": "Write", "hooks": [hook("/old/hooks/mail-guard"), hook(GUARD)]}
    other = {"hooks": [hook("x")]}
    after = wire(wired_file({**ENTRIES, "PreToolUse": [twice, other]}), ENTRIES)
    assert after == wired_file({**ENTRIES, "PreToolUse": [*ENTRIES["PreToolUse"], other]})


def test_an_entry_with_arguments_of_an_older_version_is_fixed():
    before = wired_file().replace(quoted(GUARD).encode(), b'"/old/hooks/mail-guard --strict"')
    assert wire(before, ENTRIES) == wired_file()


def test_two_entries_in_one_group_are_fixed_together():
    entries = {"Stop": [{"matcher": "a|b", "hooks": [hook(CHECK), hook(GUARD)]}]}
    before = wired_file(entries).replace(b"a|b", b"a").replace(b"/opt/agent mail", b"/old")
    assert wire(before, entries) == wired_file(entries)


def test_our_entries_with_other_arguments_or_in_other_events_stay():
    waking = hook("/h/hooks/mail-check --wake")
    extra = {
        **ENTRIES,
        "SessionStart": [*ENTRIES["SessionStart"], {"hooks": [waking]}],
        "FileChanged": [{"hooks": [waking]}],
    }
    data = wired_file(extra)
    assert wire(data, ENTRIES) is data
    assert len(wired(data)) == 5
    assert unwire(data) == json.dumps({"a": 1, "b": [1]}, indent=4).encode() + b"\n"


def test_two_groups_of_one_event_are_both_wired():
    entries = {"SessionStart": [{"matcher": one, "hooks": [hook(CHECK)]} for one in ("startup", "resume")]}
    half = wire(b"{}", {"SessionStart": entries["SessionStart"][1:]})
    after = wire(half, entries)
    assert sorted(str(one[1]) for one in wired(after)) == ["resume", "startup"]
    assert wire(after, entries) is after
    assert unwire(after) == b"{}"


def test_unwiring_removes_ours_from_between_others():
    mixed = {
        "Stop": [
            {"hooks": [hook(CHECK)]},
            {"hooks": [hook("x")]},
            {"hooks": [hook(CHECK), hook("y"), hook(GUARD)]},
        ]
    }
    left = {"Stop": [{"hooks": [hook("x")]}, {"hooks": [hook("y")]}]}
    assert unwire(wired_file(mixed)) == wired_file(left)


def test_unwiring_removes_entries_that_another_program_reformatted():
    rewritten = json.dumps(json.loads(wire(b'{\n  "hooks": {}\n}', ENTRIES)), indent=2).encode()
    assert unwire(rewritten) == b"{}"


def test_the_callers_test_of_ownership_decides():
    data = wired_file()
    assert wired(data, lambda command, args: False) == []
    assert unwire(data, lambda command, args: False) is data
    guard = [("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit", GUARD)]
    assert wired(data, lambda command, args: command == GUARD) == guard


def test_the_snippet_is_what_would_be_wired_and_is_ascii():
    assert json.loads(snippet(ENTRIES)) == {"hooks": ENTRIES}
    assert snippet({"Stop": [{"hooks": [hook("/h/jos\u00e9/\udcff")]}]}).isascii()


# --- what is refused, and what is not -----------------------------------------------------------------------


def test_an_empty_file_counts_as_an_empty_object():
    assert wire(b"", ENTRIES) == wire(b"{}\n", ENTRIES)
    assert unwire(wire(b"", ENTRIES)) == b"{}\n"
    assert unwire(b"") == b""
    assert wire(b"", {}) == b""


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"{", "not valid JSON"),
        (b"\xef\xbb\xbf", "not valid JSON"),
        (b"{'a': 1}", "not valid JSON"),
        (b'{"a": 01}', "not valid JSON"),
        (b'{"a": "x\ny"}', "not valid JSON (line 1"),
        (b'{"a": \x00}', "not valid JSON"),
        (b'{"a": "\x00"}', "not valid JSON"),
        (b'{"a": 1}\x00', "not valid JSON"),
        (b"{}{}", "not valid JSON"),
        (b'{\n  "a": 1,\n}', "a trailing comma"),
        (b'{"a": [1, 2 , ], "b": 1}', "a trailing comma"),
        (b"// mine\n{}", "a comment"),
        (b'{\n  "a": 1, // mine\n  "b": 2\n}', "line 2, column 11: a comment"),
        (b'{"a": /* mine */ 1}', "a comment"),
        (b'{"a": 1 # mine\n}', "a comment"),
        (b"{} // mine", "a comment"),
        (b"null", "does not hold a JSON object"),
        (b"[]", "does not hold a JSON object"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": [-Infinity]}', "-Infinity is not JSON"),
        (b'{"hooks": {}, "hooks": {}}', 'the key "hooks" occurs twice'),
        (b'{"hooks": {"Stop": [], "\\u0053top": []}}', 'the key "Stop" occurs twice'),
        (b'{"a": {"b": 1, "b": 1}}', 'the key "b" occurs twice'),
        (b'{"a": "\xff"}', "not UTF-8 (byte 7)"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b'{"hooks": []}', '"hooks" is not an object (line 1)'),
        (b'{"hooks": null}', '"hooks" is not an object'),
        (b'{\n"hooks": "x"}', '"hooks" is not an object (line 2)'),
        (b'{"hooks": {"Stop": {}}}', "is not a list"),
        (b'{"hooks": {"Stop": null}}', "is not a list"),
        (b'{"hooks": {"Stop": ["x"]}}', "a group of 'Stop' is not an object"),
        (b'{"hooks": {"Stop": [{}]}}', "\"hooks\" in a group of 'Stop' is not a list"),
        (b'{"hooks": {"Stop": [{"hooks": {}}]}}', "\"hooks\" in a group of 'Stop' is not a list"),
        (b'{"hooks": {"Stop": [{"hooks": ["x"]}]}}', "a hook of 'Stop' is not an object"),
        (
            b'{"hooks": {"Stop": [{"matcher": null, "hooks": []}]}}',
            "\"matcher\" in a group of 'Stop' is not a string",
        ),
        (b'{"hooks": {"Stop": [{"matcher": ["Bash"], "hooks": []}]}}', "is not a string"),
    ],
)
def test_malformed_settings_are_refused_with_the_reason(data, reason):
    for act in (parse, wired, unwire, lambda data: wire(data, ENTRIES)):
        with pytest.raises(Refused) as refused:
            act(data)
        assert reason in str(refused.value)
        assert "nothing was changed" in str(refused.value)
        assert len(str(refused.value).splitlines()) == 1


def test_a_group_without_a_matcher_is_well_formed():
    data = json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook("x")]}]}}).encode()
    assert unwire(wire(data, ENTRIES)) == data


def test_hooks_of_others_may_be_of_any_kind():
    odd = [
        {"type": "prompt", "prompt": "?"},
        {"command": 7},
        {},
        {"type": "command", "command": "x", "args": "y"},
    ]
    odd += [{"type": "command", "command": "python3", "args": [{}, "/h/hooks/mail-check"]}]
    data = json.dumps({"hooks": {"Stop": [{"hooks": odd}]}}).encode()
    assert unwire(wire(data, ENTRIES)) == data


def test_a_byte_order_mark_is_kept():
    assert wire(b"\xef\xbb\xbf{}", ENTRIES) == b"\xef\xbb\xbf" + wire(b"{}", ENTRIES)


def test_an_event_spelled_with_escapes_is_the_event():
    before = b'{"h\\u006foks": {"Session\\u0053tart": [{"hooks": []}]}}'
    after = wire(before, {"SessionStart": ENTRIES["SessionStart"]})
    assert [event for event, _ in load(after).get("hooks")] == ["SessionStart"]
    assert unwire(after) == before


def test_a_path_that_is_not_utf8_is_refused():
    with pytest.raises(Refused, match="not UTF-8"):
        wire(b"{}", {"Stop": [{"hooks": [hook("/h/\udcff/hooks/mail-check")]}]})


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_excessive_depth_of_any_kind_is_refused(opening, closing):
    for depth in (DEPTH, 900, 100_000):
        for data in (opening * depth, b'{"a":' + opening * depth + b"1" + closing * depth + b"}"):
            with pytest.raises(Refused):
                wire(data, ENTRIES)
    deepest = b'{"a":' + opening * (DEPTH - 1) + b"1" + closing * (DEPTH - 1) + b"}"
    assert unwire(wire(deepest, ENTRIES)) == deepest


@pytest.mark.parametrize(
    "value",
    [
        b'"' + b"x" * 5_000_000 + b'"',
        b'"' + b'\\"' * 2_500_000 + b'"',
        b"[" + b"0," * 2_500_000 + b"0]",
        b" " * 5_000_000 + b"1",
        b"9" * 5_000_000,
    ],
    ids=["string", "quotes", "list", "blanks", "number"],
)
def test_five_megabytes_are_edited_like_five_bytes(value):
    before = b'{"a": ' + value + b"}"
    assert unwire(wire(before, ENTRIES)) == before


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "' + b'\\"' * 2_500_000,
        pytest.param(b'"' * 5_000_001, marks=pytest.mark.slow),
        pytest.param(b"{" + b'"a":{},' * 700_000, marks=pytest.mark.slow),
    ],
    ids=["escaped quotes", "quotes", "members"],
)
def test_five_megabytes_that_never_end_are_refused(data):
    with pytest.raises(Refused):
        wire(data, ENTRIES)


def test_a_command_of_five_megabytes_is_not_ours():
    command = "/h/hooks/mail-check " + "x " * 2_500_000
    data = json.dumps({"hooks": {"Stop": [{"hooks": [hook(command)]}]}}).encode()
    assert unwire(data) is data
