"""The file from which a command takes its modules: it may save time, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT

#: Runs a command as the launcher does, and says at the end which files of ours were opened on the way.
PROBE = """
import os, sys
root = sys.argv[1]
opened = set()
sys.addaudithook(lambda event, args: event == "open" and str(args[0]).startswith(root) and opened.add(str(args[0])))
sys.path.insert(0, root)
from agentmail.startup import run
code = run("agentmail.cli.main", sys.argv[2:])
sys.stderr.write("\\n".join(sorted(os.path.relpath(path, root) for path in opened)))
os._exit(code)
"""


class Tree:
    """A copy of the package, and a bus."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home

    @property
    def kept(self) -> Path:
        return self.root / "agentmail" / "__pycache__" / f"startup.{sys.implementation.cache_tag}.modules"

    def start(self, *words: str, **more: object) -> subprocess.Popen[str]:
        environment = {"HOME": str(self.home), "AGENT_MAIL_DIR": str(self.home / "bus"), "PATH": os.defpath}
        command = [sys.executable, "-I", "-S", "-c", PROBE, str(self.root), *words]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(command, env=environment, text=True, **{**pipes, **more})  # type: ignore[call-overload,no-any-return]

    def run(self, *words: str, stdin: str = "") -> tuple[str, list[str]]:
        """The answer, and the files of ours that were opened."""
        process = self.start(*words)
        out, err = process.communicate(stdin)
        assert process.returncode == 0, err
        return out, err.splitlines()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "program"
    shutil.copytree(ROOT / "agentmail", root / "agentmail", ignore=shutil.ignore_patterns("__pycache__"))
    home = tmp_path / "home"
    home.mkdir()
    tree = Tree(root, home)
    for identity in ("alpha", "beta"):
        tree.run("register", identity, "-", "takes", "part")
    return tree


def test_the_second_call_opens_one_file_for_all_modules(tree):
    first, _ = tree.run("check", "beta")
    second, opened = tree.run("check", "beta")
    assert first == second
    cached = "agentmail/__pycache__"
    tag = sys.implementation.cache_tag
    assert opened == [
        f"{cached}/{name}" for name in (f"__init__.{tag}.pyc", tree.kept.name, f"startup.{tag}.pyc")
    ]


def test_what_is_kept_is_what_the_sources_say(tree):
    tree.run("send", "alpha", "beta", "hello")
    tree.run("check", "beta")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from agentmail.startup import KEPT, Kept\n"
        "kept = Kept(KEPT)\n"
        "for name, (source, *_) in kept.index.items():\n"
        "    text = open(source, 'rb').read()\n"
        "    assert kept.get_code(name) == compile(text, source, 'exec', dont_inherit=True), name\n"
        "print(len(kept.index))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(tree.root)], text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


@pytest.mark.parametrize("change", ["another size", "another time"])
def test_a_changed_source_counts_at_once(tree, change):
    assert "no mail" in tree.run("check", "beta")[0]
    source = tree.root / "agentmail" / "cli" / "text.py"
    found = source.stat()
    source.write_text(
        source.read_text().replace("no mail (", "nothing (" if change == "another size" else "no post (")
    )
    if change == "another time":
        os.utime(source, ns=(found.st_atime_ns, found.st_mtime_ns + 2 * 10**9))
    for _ in range(2):
        assert "no mail" not in tree.run("check", "beta")[0]


def damaged(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "zeros": bytes(len(data)),
        "half": data[: len(data) // 2],
        "longer": data + b"x",
        "another interpreter's": data.replace(sys.version.encode(), sys.version.upper().encode()),
        "no index": data[:8] + b"\xff" * 64 + data[72:],
        "a length that is none": b"\xff" * 8 + data[8:],
    }


@pytest.mark.parametrize("damage", list(damaged(b"")))
def test_a_damaged_file_is_made_anew(tree, damage):
    answer, _ = tree.run("check", "beta")
    tree.kept.write_bytes(damaged(tree.kept.read_bytes())[damage])
    again, opened = tree.run("check", "beta")
    assert again == answer
    assert len(opened) > 20  # each module from where Python finds it
    assert len(tree.run("check", "beta")[1]) == 3


def test_damaged_bytecode_is_made_anew(tree):
    answer, _ = tree.run("check", "beta")
    data = tree.kept.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    tree.kept.write_bytes(data[:start] + bytes(len(data) - start))
    assert tree.run("check", "beta")[0] == answer
    assert len(tree.run("check", "beta")[1]) == 3


def test_who_may_read_the_sources_may_read_what_is_kept(tree):
    for mode in (0o644, 0o600):
        (tree.root / "agentmail" / "startup.py").chmod(mode)
        tree.kept.unlink()
        tree.run("check", "beta")
        assert tree.kept.stat().st_mode & 0o777 == mode


def test_a_symlink_to_the_hooks_alone_runs_the_program_that_they_belong_to(tree, tmp_path):
    """Beside the symlink stands another version; `hooks/..` is not it."""
    shutil.copytree(ROOT / "hooks", tree.root / "hooks")
    beside = tmp_path / "beside"
    shutil.copytree(
        tree.root / "agentmail", beside / "agentmail", ignore=shutil.ignore_patterns("__pycache__")
    )
    text = beside / "agentmail" / "cli" / "text.py"
    text.write_text(text.read_text().replace("no mail (", "no post ("))
    assert "no post" in Tree(beside, tree.home).run("check", "beta")[0]
    (beside / "hooks").symlink_to(tree.root / "hooks")
    environment = {"HOME": str(tree.home), "AGENT_MAIL_DIR": str(tree.home / "bus"), "PATH": os.defpath}
    command = [beside / "hooks" / "run", sys.executable, "cli.main", "check", "beta"]
    assert "no mail" in subprocess.check_output(command, env=environment, text=True)


def test_where_it_cannot_be_kept_everything_works(tree):
    tree.kept.unlink()
    tree.kept.mkdir()
    (tree.kept / "taken").touch()
    for _ in range(2):
        assert "no mail" in tree.run("check", "beta")[0]
    assert [path.name for path in tree.kept.parent.iterdir() if ".modules." in path.name] == []


def test_a_copied_program_runs_its_own_sources(tree, tmp_path):
    tree.run("check", "beta")
    copy = Tree(tmp_path / "copy", tree.home)
    shutil.copytree(tree.root, copy.root)  # times and all
    shutil.rmtree(tree.root)
    assert "no mail" in copy.run("check", "beta")[0]
    assert len(copy.run("check", "beta")[1]) == 3


def test_a_closed_standard_input_is_not_taken_for_it(tree):
    for slug in ("first", "second"):
        process = tree.start(
            "send",
            "alpha",
            "beta",
            slug,
            stdin=None,
            preexec_fn=lambda: os.close(0),
        )
        out, err = process.communicate()
        assert process.returncode == 0, err
        path = tree.home / "bus" / "beta" / "inbox" / f"{out.strip()}.md"
        assert path.read_bytes().endswith(b"---\n(no text)\n")


def test_first_calls_at_once_leave_one_whole_file(tree):
    tree.kept.unlink()
    together = [tree.start("check", "beta") for _ in range(6)]
    answers = {process.communicate("")[0] for process in together}
    assert len(answers) == 1
    assert {process.returncode for process in together} == {0}
    assert len(tree.run("check", "beta")[1]) == 3
    assert [path.name for path in tree.kept.parent.iterdir() if ".modules." in path.name] == []


def test_a_signal_after_a_hook_is_done_strikes_nobody(tree: Tree) -> None:
    """Its child has ended, and another process may have the number."""
    tree.run("check", "beta")
    tree.kept.unlink()
    probe = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from agentmail import startup
synced = os.fsync
def interrupted(fd):
    synced(fd)
    os.kill = lambda *words: print("struck", words)
    signal.raise_signal(signal.SIGTERM)
os.fsync = interrupted
code = startup.run("agentmail.hosts.claude_code.dialect", ["check", "SessionStart"])
sys.stdout.flush()
os._exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(tree.root)],
        env={"HOME": str(tree.home), "AGENT_MAIL_DIR": str(tree.home / "bus"), "PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tree.kept.parent.glob("startup.*.modules*")] == [tree.kept.name]


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_call_is_done_changes_neither_its_code_nor_its_talk(
    tree: Tree, signal: str
) -> None:
    """The command has said what it did; all that is interrupted is the keeping, which leaves nothing half done."""
    tree.kept.unlink()
    probe = f"""
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from agentmail import startup
signal.signal(signal.SIGINT, signal.default_int_handler)
synced = os.fsync
def interrupted(fd):
    synced(fd)
    if os.path.basename(os.readlink(f"/proc/self/fd/{{fd}}")).startswith("startup."):
        os.kill(os.getpid(), signal.{signal})
os.fsync = interrupted
os._exit(startup.run("agentmail.cli.main", ["register", "a", "/srv", "duty"]))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(tree.root)],
        env={"HOME": str(tree.home), "AGENT_MAIL_DIR": str(tree.home / "new"), "PATH": os.defpath},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done
    assert done.stdout.startswith("registered a")
    assert not list(tree.kept.parent.glob("startup.*.modules*"))
