"""Start a command or a hook with its modules taken from one file.

Why: the program is many small modules, and Python looks for each in several directories, opens it and checks
it: that takes longer than a whole plain call does afterwards. So the bytecode of what was loaded is kept in
one file, beside Python's own caches and with their safety: a module is taken from it while its source has the
time and the size that it had; the file is replaced in one step; without it, or where it cannot be written,
everything works and only takes longer.
"""

from __future__ import annotations

import gc
import os
import sys
from marshal import dumps, loads

ROOT = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(ROOT, "__pycache__", f"startup.{sys.implementation.cache_tag}.modules")
#: What the bytecode depends on beside its sources: another interpreter or another place is another program.
MADE_FOR = f"{sys.version}\n{sys.flags.optimize}\n{ROOT}"
#: A plain call makes less; looking through it for garbage would cost a tenth of what the call does.
GARBAGE = 20_000
LENGTH = 8
INDEX_MAX = 1 << 20


def run(module: str, words: list[str] | None = None) -> int:
    """Import `module` and call its `main` with the words, or without; returns its exit code."""
    gc.set_threshold(GARBAGE)
    kept = Kept(KEPT)
    sys.meta_path.insert(0, kept)
    main = __import__(module, fromlist=["main"]).main
    code: int = main() if words is None else main(words)
    if kept.missed and not sys.dont_write_bytecode:
        try:
            kept.keep()
        except BaseException:  # noqa: BLE001 - a Ctrl-C by now: the call is done, and its code stands
            return code
    return code


class Kept:
    """A finder and loader of modules for `sys.meta_path`, over the one file. `missed` names what it lacked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.missed: list[str] = []
        self.index: Index = {}
        self.fd = self.start = -1
        try:
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            return
        if fd > 2 and hasattr(os, "pread"):
            self.fd = fd
            self.index, self.start = _index(fd)
        else:
            # A standard descriptor that came closed must not become this file: a body would be read from it.
            os.close(fd)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Where a module of ours is, while its source is the one that was kept."""
        if name in self.index:
            source, modified, size, _, _ = self.index[name]
            try:
                found = os.stat(source)
            except OSError:
                found = None
            if found and (found.st_mtime_ns, found.st_size) == (modified, size):
                return self._spec(name, source)
        if name.startswith("agentmail.") or name == "__future__":
            self.missed.append(name)
        return None

    def _spec(self, name: str, source: str) -> ModuleSpec:
        spec = type(__spec__)(name, self, origin=source)  # type: ignore[arg-type]
        spec.has_location = True
        directory, file = os.path.split(source)
        if file == "__init__.py":
            spec.submodule_search_locations = [directory]
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        """Python's own way to make a module will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the kept bytecode."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102

    def get_code(self, name: str) -> CodeType:
        """The kept bytecode of a module that `find_spec` found."""
        code: CodeType = loads(self._bytes(name))  # noqa: S302
        return code

    def _bytes(self, name: str) -> bytes:
        _, _, _, start, length = self.index[name]
        return os.pread(self.fd, length, self.start + start)

    def keep(self) -> None:
        """Replace the file by one that has the missed modules too; what prevents it only costs time."""
        try:
            codes = {
                name: (*found[:3], self._bytes(name))
                for name, found in self.index.items()
                if name not in self.missed
            }
            for name in self.missed:
                spec = getattr(sys.modules.get(name), "__spec__", None)
                if spec is not None:  # else it was looked for in vain
                    info = os.stat(spec.origin)  # before the code: what changes in between is found out
                    code = dumps(spec.loader.get_code(name))
                    codes[name] = (spec.origin, info.st_mtime_ns, info.st_size, code)
            self._replace(codes)
        except (OSError, ImportError, SyntaxError):
            return

    def _replace(self, codes: dict[str, tuple[str, int, int, bytes]]) -> None:
        index = {}
        at = 0
        for name, (source, modified, size, code) in codes.items():
            index[name] = (source, modified, size, at, len(code))
            at += len(code)
        head = dumps((MADE_FOR, at, index))
        parts = [len(head).to_bytes(LENGTH, "little"), head, *(code for *_, code in codes.values())]
        new = f"{self.path}.{os.getpid()}"
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(b"".join(parts))
                file.flush()
                os.fsync(fd)  # bytecode of zeros, after a power cut, would be run
            os.replace(new, self.path)
        except BaseException:
            os.unlink(new)
            raise


def _index(fd: int) -> tuple[Index, int]:
    """What is in the file, and where the bytecode starts; nothing where it is another interpreter's or torn."""
    try:
        length = int.from_bytes(os.pread(fd, LENGTH, 0), "little")
        made_for, size, index = loads(os.pread(fd, min(length, INDEX_MAX), LENGTH))  # noqa: S302
        start = LENGTH + length
        whole = made_for == MADE_FOR and os.fstat(fd).st_size == start + size
        return (index if whole else {}), start
    except (OSError, ValueError, EOFError, TypeError):
        return {}, 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    #: For each module its source, that one's time and size, and where its bytecode starts and how long it is.
    Index = dict[str, tuple[str, int, int, int, int]]
