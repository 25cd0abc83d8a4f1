"""What our hooks rely on in the client, seen in headless runs."""

from __future__ import annotations

import json

import pytest

from tests.hosts.rig.script import Step, bash, text, tool

from .probes import group, hooks
from .rig import Rig

pytestmark = pytest.mark.hosts


def test_context_of_both_events_reaches_the_model_in_the_known_wrapping(claude_rig: Rig) -> None:
    probe = claude_rig.probe
    claude_rig.settings(
        hooks(
            SessionStart=probe("--context", "one waits"),
            UserPromptSubmit=probe("--context", "another waits"),
        )
    )
    run = claude_rig.run("hello", [text("done")])
    assert "SessionStart hook additional context: one waits" in run.injected()
    assert "UserPromptSubmit hook additional context: another waits" in run.injected()
    assert run.answer == "done"


def test_hooks_that_print_nothing_leave_the_request_as_it_is_without_hooks(claude_rig: Rig) -> None:
    without = claude_rig.run("hello", [bash("true"), text("done")])
    quiet = claude_rig.probe()
    claude_rig.settings(hooks(SessionStart=quiet, UserPromptSubmit=quiet, PreToolUse=quiet))
    with_hooks = claude_rig.run("hello", [bash("true"), text("done")])
    called = [call["event"] for call in claude_rig.probe.calls()]
    assert called == ["SessionStart", "UserPromptSubmit", "PreToolUse"]
    assert claude_rig.differences(without, with_hooks) == []


def test_the_comparison_of_requests_sees_one_added_word(claude_rig: Rig) -> None:
    without = claude_rig.run("hello", [text("done")])
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--context", "word")))
    with_hook = claude_rig.run("hello", [text("done")])
    found = claude_rig.differences(without, with_hook)
    assert any("UserPromptSubmit hook additional context: word" in line for line in found)


@pytest.mark.parametrize(("size", "whole"), [(10_000, True), (10_001, False)])
def test_a_hook_may_say_ten_thousand_characters_and_no_more(claude_rig: Rig, size: int, whole: bool) -> None:
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--context", "x", "--size", str(size))))
    run = claude_rig.run("hello", [text("done")])
    assert ("-END" in run.seen()) is whole
    assert ("<persisted-output>" in run.seen()) is not whole


def test_the_reason_of_a_denied_write_reaches_the_model_and_nothing_is_written(claude_rig: Rig) -> None:
    claude_rig.settings(
        hooks(PreToolUse=[group(claude_rig.probe("--deny", "use send"), matcher="Write|Edit")])
    )
    target = claude_rig.project / "a.txt"
    run = claude_rig.run("hello", [tool("Write", file_path=str(target), content="x"), text("done")])
    # What stands before the reason varies with the call, so only the reason is relied upon.
    refusal = next(line for line in run.injected().splitlines() if "[tool_result is_error]" in line)
    assert refusal.endswith("use send")
    assert not target.exists()


def test_a_guard_is_told_an_absolute_path_without_dots_but_with_its_symlinks(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(PreToolUse=claude_rig.probe()))
    link = claude_rig.root / "link"
    link.symlink_to(claude_rig.place("elsewhere"))
    wanted = [tool("Write", file_path=path, content="x") for path in ("sub/../a.txt", f"{link}/b.txt")]
    claude_rig.run("hello", [*wanted, text("done")])
    paths = [call["stdin"]["tool_input"]["file_path"] for call in claude_rig.probe.calls()]
    assert paths == [f"{claude_rig.project}/a.txt", f"{link}/b.txt"]


def test_words_that_are_not_one_json_object_reach_the_model_raw(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--out", 'stray {"a": 1}')))
    run = claude_rig.run("hello", [text("done")])
    assert 'UserPromptSubmit hook success: stray {"a": 1}' in run.injected()


def test_a_hook_that_fails_says_nothing_to_the_model_and_stops_nothing(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--err", "MY-TRACEBACK", "--exit", "1")))
    run = claude_rig.run("hello", [text("done")])
    assert [answer["exit_code"] for answer in run.hook_answers] == [1]
    assert "MY-TRACEBACK" not in run.seen()
    assert run.answer == "done"


def test_a_prompt_hook_that_exits_with_2_throws_the_prompt_away(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--exit", "2")))
    run = claude_rig.run("hello", [text("done")])
    assert run.main == []


def test_a_hook_that_hangs_is_cut_off_at_its_own_timeout_and_the_prompt_goes_on(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(UserPromptSubmit={"type": "command", "command": "exec sleep 60", "timeout": 1}))
    run = claude_rig.run("hello", [text("done")])
    assert [answer["outcome"] for answer in run.hook_answers] == ["cancelled"]
    assert run.answer == "done"


def test_what_a_subagent_does_is_told_with_its_agent_id_and_its_task_is_no_prompt(claude_rig: Rig) -> None:
    probe = claude_rig.probe()
    claude_rig.settings(hooks(UserPromptSubmit=probe, PreToolUse=probe, SubagentStop=probe))
    start = tool("Agent", description="a task", prompt="SUB-TASK", subagent_type="general-purpose")
    sub: list[Step] = [{**bash("true"), "about": "SUB-TASK"}, {**text("sub done"), "about": "SUB-TASK"}]
    claude_rig.run("hello", [start, *sub, text("done")])
    calls = [call["stdin"] for call in claude_rig.probe.calls()]
    by_subagent = [call["hook_event_name"] for call in calls if "agent_id" in call]
    prompts = [
        call["prompt"].split("\n")[0] for call in calls if call["hook_event_name"] == "UserPromptSubmit"
    ]
    assert by_subagent == ["PreToolUse", "SubagentStop"]
    assert prompts == ["hello", "<task-notification>"]


def test_session_start_says_what_started_it_and_resume_keeps_the_session(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(SessionStart=claude_rig.probe()))
    first = claude_rig.run("hello", [text("done")])
    second = claude_rig.run("again", [text("done")], resume=first.session_id)
    fork = claude_rig.run("other", [text("done")], resume=first.session_id, arguments=["--fork-session"])
    assert claude_rig.probe.sources() == ["startup", "resume", "fork"]
    assert first.session_id == second.session_id != fork.session_id


def test_exports_of_session_start_reach_the_bash_tool_but_not_later_hooks(claude_rig: Rig) -> None:
    probe = claude_rig.probe
    claude_rig.settings(hooks(SessionStart=probe("--export", "RIG_SELF='al pha'"), PreToolUse=probe()))
    run = claude_rig.run("hello", [bash('echo "<$RIG_SELF>"'), text("done")])
    assert "[tool_result] <al pha>" in run.injected()
    [before] = probe.calls("PreToolUse")
    assert "RIG_SELF" not in before["env"]


def test_the_environment_of_the_client_reaches_hooks_and_the_bash_tool(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(SessionStart=claude_rig.probe()))
    run = claude_rig.run("hello", [bash('echo "<$RIG_SELF>"'), text("done")], env={"RIG_SELF": "alpha"})
    [start] = claude_rig.probe.calls()
    assert start["env"]["RIG_SELF"] == "alpha"
    assert start["env"]["CLAUDE_CODE_SESSION_ID"] == start["stdin"]["session_id"] == run.session_id
    assert "[tool_result] <alpha>" in run.injected()


@pytest.mark.parametrize("name", ["project/sub", 'it\'s a "place" with $HOME'])
def test_hooks_are_told_where_the_client_was_started(claude_rig: Rig, name: str) -> None:
    place = claude_rig.place(name)
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe()))
    claude_rig.run("hello", [text("done")], cwd=place)
    [call] = claude_rig.probe.calls()
    assert call["cwd"] == call["stdin"]["cwd"] == call["env"]["CLAUDE_PROJECT_DIR"] == str(place)


def test_the_cwd_of_hooks_follows_cd_while_the_project_directory_stays(claude_rig: Rig) -> None:
    below = claude_rig.place("project/sub")
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe(), PreToolUse=claude_rig.probe()))
    claude_rig.run("hello", [bash("cd sub"), bash("true"), text("done")])
    places = [call["stdin"]["cwd"] for call in claude_rig.probe.calls()]
    assert places == [str(claude_rig.project), str(claude_rig.project), str(below)]
    assert {call["env"]["CLAUDE_PROJECT_DIR"] for call in claude_rig.probe.calls()} == {
        str(claude_rig.project)
    }


def test_project_settings_are_read_in_the_project_only_but_user_settings_in_a_worktree_too(
    claude_rig: Rig,
) -> None:
    claude_rig.project_settings(hooks(UserPromptSubmit=claude_rig.probe("--tag", "project")))
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe("--tag", "user")))
    for place in (claude_rig.project, claude_rig.place("project/sub"), claude_rig.worktree()):
        claude_rig.run("hello", [text("done")], cwd=place)
    calls = [(call["tag"], call["cwd"]) for call in claude_rig.probe.calls()]
    project, below, tree = (str(claude_rig.root / name) for name in ("project", "project/sub", "worktree"))
    assert sorted(calls) == sorted([("user", project), ("project", project), ("user", below), ("user", tree)])


def test_a_settings_file_survives_the_client_byte_for_byte(claude_rig: Rig) -> None:
    path = claude_rig.settings(hooks(SessionStart=claude_rig.probe()))
    before = path.read_bytes()
    claude_rig.run("hello", [text("done")])
    assert path.read_bytes() == before
    assert json.loads(before)["hooks"]["SessionStart"]
