"""Our hooks are recognised in every form of command; a command that only mentions them is not ours."""

from __future__ import annotations

import pytest

from agentmail.hosts.hooks_file.command import expanded_command
from agentmail.hosts.hooks_file.own_hooks import owns, program, words_from

OURS = [
    "/opt/x/hooks/mail-check",
    "hooks/mail-guard.sh",
    '"/opt/with space/hooks/mail-check.py"',
    "'/opt/with space/hooks/mail-check.py'",
    r"/opt/with\ space/hooks/mail-check",
    "/usr/bin/python3 -I -S /opt/x/hooks/mail-guard",
    "python3 -W ignore /opt/x/hooks/mail-guard.py",
    'python3 "${ROOT}/hooks/mail-check.py"',
    '"${PYTHON:-python3}" ~/x/hooks/mail-check',
    "sh /opt/x/hooks/mail-check",
    "busybox sh /opt/x/hooks/mail-check",
    "sh -c '/opt/x/hooks/mail-check'",
    "bash -lc 'python3 /opt/x/hooks/mail-check.py'",
    "bash --rcfile /dev/null /opt/x/hooks/mail-check",
    "/opt/c#/hooks/mail-check",
    "uv run python /opt/x/hooks/mail-check.py",
    "AGENT_MAIL_SELF=alpha python3 /opt/x/hooks/mail-check.py",
    "env -i A=1 timeout 5 python3 /opt/x/hooks/mail-check.py",
    "cd /opt/x && python3 hooks/mail-check.py",
    "[ -x /opt/x/hooks/mail-check ] && /opt/x/hooks/mail-check || true",
    "true\n/opt/x/hooks/mail-check\n",
    "(/opt/x/hooks/mail-check)",
    "python3 '/opt/never closed/hooks/mail-check.py",
]
NOT_OURS = [
    "",
    " ",
    "mail-check",
    "/opt/x/mail-check",
    "/opt/x/hooks/mail-check.log",
    "/opt/x/hooks/mail-check-mine",
    "/opt/x/hooks/my-mail-check",
    "/opt/x/hooks/mail-check/run",
    "/opt/x/myhooks/mail-check",
    "cat /opt/x/hooks/mail-check",
    "chmod +x hooks/mail-check",
    "echo 'run hooks/mail-check'",
    "python3 lint.py /opt/x/hooks/mail-check",
    "python3 -m py_compile /opt/x/hooks/mail-check",
    "python3 -c 'pass' /opt/x/hooks/mail-check",
    "sh -c 'cat /opt/x/hooks/mail-check'",
    "FILE=/opt/x/hooks/mail-check ./run",
]


@pytest.mark.parametrize("command", OURS)
def test_a_shell_line_that_runs_our_hook_is_recognised(command):
    assert owns(command, None)


@pytest.mark.parametrize("command", NOT_OURS)
def test_a_shell_line_that_only_mentions_our_hook_is_not_recognised(command):
    assert not owns(command, None)


def test_a_program_with_arguments_is_recognised_without_a_shell():
    assert owns("/opt/with space/hooks/mail-check", [])
    assert owns("python3", ["-I", "-S", "/opt/with space/hooks/mail-guard.py"])
    assert owns("/bin/sh", ["-c", "exec '/opt/with space/hooks/mail-guard'"])
    assert owns("python.exe", ["C:\\x\\hooks\\mail-check.py"])
    assert not owns("cat", ["/opt/x/hooks/mail-check"])
    assert not owns("", [])
    assert not owns("sh", ["-c"])


def test_entries_with_different_interpreters_are_equal():
    one = program("exec '/a b/hooks/mail-check' SessionStart /usr/bin/python3", None)
    assert one == program('"${ROOT}/hooks/mail-check" SessionStart', None)
    assert one == ("mail-check", "SessionStart")


def test_the_words_of_a_command_are_returned_as_written():
    line = "exec '/a b/hooks/mail-wake' CwdChanged '/p y/python'"
    assert words_from(line, None) == ["/a b/hooks/mail-wake", "CwdChanged", "/p y/python"]
    assert words_from("cat", ["/a/hooks/mail-wake"]) is None


def test_entries_with_different_programs_or_arguments_differ():
    assert program("python3 -I /a/hooks/mail-check.py --wake 2>/dev/null || true", None) == (
        "mail-check",
        "--wake",
    )
    assert program("/b/hooks/mail-check", ["--wake"]) == ("mail-check", "--wake")
    assert program("/b/hooks/mail-guard", None) == ("mail-guard",)


def test_the_line_that_is_wired_for_a_package_is_recognised_by_its_first_path():
    root = "/opt/a b/lib/python3.12/site-packages/agentmail"
    line = expanded_command('exec "${ROOT}/hooks/mail-check" SessionStart', root, "/opt/a b/bin/python")
    assert program(line, None) == ("mail-check", "SessionStart")
    assert words_from(line, None) == [f"{root}/hooks/mail-check", "SessionStart", "/opt/a b/bin/python"]
