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


def _place(directory: str) -> str:
    """The directory's plain path, if it is one: `hooks/..` leads elsewhere where `hooks` is a symlink."""
    plain = os.path.abspath(directory)
    try:
        return plain if os.path.samefile(plain, directory) else directory
    except OSError:
        return directory


ROOT = _place(os.path.dirname(__file__))
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
        self.found: dict[str, CodeType] = {}
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
                info = os.stat(source)
                if (info.st_mtime_ns, info.st_size) == (modified, size):
                    self.found[name] = self.get_code(name)
                    return self._spec(name, source)
            except (OSError, ValueError, EOFError, TypeError):
                pass  # the source is gone, or what was kept is damaged
        if name.startswith("agentmail."):
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
        exec(self.found.pop(module.__name__), module.__dict__)  # noqa: S102

    def get_code(self, name: str) -> CodeType:
        """The kept bytecode of a module."""
        code: CodeType = loads(self._bytes(name))  # noqa: S302
        return code

    def _bytes(self, name: str) -> bytes:
        _, _, _, start, length = self.index[name]
        return os.pread(self.fd, length, self.start + start)

    def keep(self) -> None:
        """Replace the file by one that has the missed modules too; what prevents it only costs time."""
        new = f"{self.path}.{os.getpid()}"
        try:
            # The call is over, and so is its umask: who may read the sources may read this.
            os.umask(0)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            fd = os.open(new, flags, os.stat(__file__).st_mode & 0o644)
        except OSError:
            return  # before there is any work in it: a tree of another user stays like this
        try:
            with open(fd, "wb") as file:
                file.write(_packed(self._codes()))
                file.flush()
                os.fsync(fd)  # bytecode of zeros, after a power cut, would have to be made again
            os.replace(new, self.path)
        except BaseException as error:
            os.unlink(new)
            if not isinstance(error, (OSError, ImportError, SyntaxError)):
                raise

    def _codes(self) -> dict[str, tuple[str, int, int, bytes]]:
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
        return codes


def _packed(codes: dict[str, tuple[str, int, int, bytes]]) -> bytes:
    index = {}
    at = 0
    for name, (source, modified, size, code) in codes.items():
        index[name] = (source, modified, size, at, len(code))
        at += len(code)
    head = dumps((MADE_FOR, at, index))
    return b"".join([len(head).to_bytes(LENGTH, "little"), head, *(code for *_, code in codes.values())])


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
