"""A process that has loaded the command line, and forks itself for each call of it; Linux only.

Why: a call takes a tenth of the time that a new interpreter takes to load it. Such a call is a process as any other,
with its own descriptors, directory, variables and exit code. What it shares with others is the loaded code alone, so
`./dev check` runs each call in an interpreter of its own, and so does a test that sets a variable which Python reads.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import time
import traceback
from importlib import import_module

SERVE = "import sys\nfrom tests.support.forks import serve\nserve(int(sys.argv[1]))"
#: Variables that differ from call to call; Python and the packages read none of these when they are loaded.
FREE = ("AGENT_MAIL_", "CLAUDE_", "HOME", "PATH")
#: A pipe takes so much at once, so that nobody has to wait for the reader.
AT_ONCE = 60_000
PARTS = ("cli", "core", "doctor", "hosts", "ledger", "message", "verbs", "views")


class Forks:
    """The caller's side: starts the process when the first call comes; `fixed` is what it is started with."""

    def __init__(self, fixed: dict[str, str]) -> None:
        self._fixed = fixed
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._mounts = ""

    def takes(self, stdin: bytes, env: dict[str, str]) -> bool:
        """Can this call be such a fork?"""
        fixed = {name: value for name, value in env.items() if not name.startswith(FREE)}
        return fixed == self._fixed and len(stdin) <= AT_ONCE

    def run(
        self, words: tuple[str, ...], stdin: bytes, env: dict[str, str], cwd: str, timeout: float
    ) -> tuple[int, bytes, bytes]:
        """Run one call to its end: its exit code and both streams."""
        if self._mounts != mounts():
            self.end()
        line = self._line or self._start()
        pipes = [os.pipe() for _ in range(4)]
        (theirs, text), *ours = pipes
        os.write(text, stdin)
        os.close(text)
        given = [theirs, *(write for _, write in ours)]
        try:
            call = json.dumps({"words": words, "env": env, "cwd": cwd})
            socket.send_fds(line, [call.encode("ascii")], given)
        finally:
            for fd in given:
                os.close(fd)
        answers = read_all([read for read, _ in ours], time.monotonic() + timeout)
        if answers is None:
            raise subprocess.TimeoutExpired(["agentmail", *words], timeout)
        out, err, status = answers
        return os.waitstatus_to_exitcode(int(status.split()[1])), out, err

    def _start(self) -> socket.socket:
        self._mounts = mounts()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-S", "-c", SERVE, str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, env=self._fixed, cwd="/", stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        return self._line

    def end(self) -> None:
        """Let the process end, as it also does when this one is killed: its line ends."""
        if self._line and self._process:
            self._line.close()
            self._process.wait()
            self._line = None


def mounts() -> str:
    """Which mounts this process sees: a test may give it mounts of its own, which a process from before does not see."""
    return os.readlink("/proc/self/ns/mnt")


def read_all(descriptors: list[int], deadline: float) -> list[bytes] | None:
    """Read each to its end; None after the deadline, when the process is killed that the last one has named."""
    found = dict.fromkeys(descriptors, b"")
    with selectors.DefaultSelector() as selector:
        for fd in descriptors:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(deadline - time.monotonic(), 0))
            if not ready:
                os.kill(int(found[descriptors[-1]].split()[0]), signal.SIGKILL)
                break
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                found[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
        ended = not selector.get_map()
    for fd in descriptors:
        os.close(fd)
    return list(found.values()) if ended else None


# --- the process ---------------------------------------------------------------------------------------------


def serve(line: int) -> None:
    """Fork for each call until the line ends, and tell each caller the status of its fork."""
    load()
    calls = socket.socket(fileno=line)
    with selectors.DefaultSelector() as selector:
        selector.register(calls, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not calls:
                    ended(selector, key)
                    continue
                data, descriptors, _, _ = socket.recv_fds(calls, 1 << 20, 4)
                if not data:
                    return
                begin(selector, json.loads(data), descriptors)


def load() -> None:
    """Import all that a call may import. What cannot be imported, the call itself will meet."""
    from agentmail.cli import main

    sys.meta_path.append(main._Packages)  # type: ignore[arg-type]
    import agentmail

    places = [f"{place}/{part}" for place in agentmail.__path__ for part in PARTS]
    for place in places:
        prefix = f"agentmail.{os.path.basename(place)}."
        for module in pkgutil.walk_packages([place], prefix):
            try:
                import_module(module.name)
            except Exception:
                continue
    gc.freeze()


def begin(selector: selectors.BaseSelector, call: dict, descriptors: list[int]) -> None:
    """Fork for one call."""
    *streams, status = descriptors
    process = os.fork()
    if process == 0:
        become(call, streams)
    os.write(status, b"%d " % process)
    for fd in streams:
        os.close(fd)
    selector.register(os.pidfd_open(process), selectors.EVENT_READ, (process, status))


def become(call: dict, streams: list[int]) -> None:
    """Run the call in this process, as START does in a new one."""
    try:
        for number, fd in enumerate(streams):
            os.dup2(fd, number)
        os.closerange(3, 1 << 20)
        os.environ.clear()
        os.environ.update(call["env"])
        os.chdir(call["cwd"])
        sys.argv = ["-c", *call["words"]]
        from agentmail.cli.main import main

        os._exit(main())
    except BaseException:
        traceback.print_exc()
        os._exit(70)


def ended(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Reap one that has ended."""
    process, status = key.data
    selector.unregister(key.fileobj)
    os.close(key.fd)
    os.write(status, b"%d" % os.waitpid(process, 0)[1])
    os.close(status)
