"""The errors of each system call, first the one that is most easily misread: CI injects that one."""

from __future__ import annotations

_ERRORS = {
    "openat": ("EIO", "EACCES", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "EROFS", "ELOOP", "ENOMEM", "EINTR"),
    "newfstatat": ("EIO", "EACCES", "ENOMEM", "EINTR"),
    "read": ("EIO", "EISDIR", "EINTR"),
    # Not ENOENT: that is how the kernel says that the directory was removed, and so has nothing in it.
    "getdents64": ("EIO", "ESTALE", "EINTR"),
    "write": ("ENOSPC", "EIO", "EDQUOT", "EFBIG", "EINTR"),
    "fsync": ("EIO", "ENOSPC", "EDQUOT", "EINVAL", "EINTR"),
    "linkat": ("ENOSPC", "EIO", "EDQUOT", "EPERM", "EXDEV", "EMLINK", "EROFS", "EACCES", "ENOENT", "EINTR"),
    "unlinkat": ("EIO", "EACCES", "EPERM", "EROFS", "EINTR"),
    "mkdirat": ("ENOSPC", "EDQUOT", "EACCES", "EROFS", "EMLINK", "EINTR"),
    "flock": ("EIO", "ENOLCK", "EINTR"),
    "close": ("EIO", "EINTR"),
}
#: A rename, a change of mode or times, and what listing a directory is made of.
_OF_ANY_OTHER = ("EIO", "ENOSPC", "EACCES", "EROFS", "EINTR")


def errors_of(syscall: str) -> tuple[str, ...]:
    """What to inject in place of such a call."""
    return _ERRORS.get(syscall, _OF_ANY_OTHER)
