"""The entry in settings that are JSON: an object in the object of all servers. Bytes in, bytes out."""

from __future__ import annotations

from agentmail.hosts.mcp_entry.command import NAME, is_ours, words_of
from agentmail.hosts.settings_file.json_edit import Editor
from agentmail.hosts.settings_file.json_text import Document, refuse, without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.settings_file.json_text import Node


class JsonEntry:
    """The format of a file with such an entry; see `Format` in settings_file/change.py.

    section  the key of the object of all servers
    more     what an entry of this host has beside its command
    new      the text of a file that is not there yet
    joined   whether the host wants program and arguments as one list
    """

    def __init__(
        self,
        section: str = "mcpServers",
        more: Mapping[str, object] | None = None,
        *,
        new: bytes = b"",
        joined: bool = False,
    ) -> None:
        self._section = section
        self._more = more or {}
        self._new = new
        self._joined = joined

    def parse(self, data: bytes) -> object:
        """Refuse bytes that are not understood."""
        return Document(data)

    def content(self, data: bytes) -> object:
        """What the file says."""
        document = Document(data)
        return without_empty(document.load(document.root))

    def wired(self, data: bytes) -> object:
        """A true value where the entry is one of `wire`."""
        return is_ours(self.words(data))

    def words(self, data: bytes) -> list[str] | None:
        """The command of the entry as it is; None where there is none, and no words for an entry of another kind."""
        return words_of(self.value(data), joined=self._joined)

    def value(self, data: bytes) -> object:
        """The entry as it is; None where there is none."""
        document = Document(data)
        _, entry = self._found(document)
        return None if entry is None else document.load(entry)

    def complete(self, data: bytes, words: list[str], more: Mapping[str, object] | None = None) -> bytes:
        """The file with the entry as `wire` wants it; what its owner added to it stays. An entry of others must not be there."""
        document = Document(data or self._new)
        section, entry = self._found(document)
        command = {"command": words} if self._joined else {"command": words[0], "args": words[1:]}
        wanted = {**self._more, **command, **(more or {})}
        editor = Editor(document)
        if section is None:
            editor.append(document.root, [(self._section, {NAME: wanted})])
        elif entry is None:
            editor.append(section, [(NAME, wanted)])
        else:
            entry.items = document.walk(None, entry.start, entry.value, 1).items
            editor.update(entry, {**command, **(more or {})})
        return _text(editor, data)

    def unwire(self, data: bytes) -> bytes:
        """The file without the entry, and without what is empty because of that; the very object where it is not ours."""
        document = Document(data)
        section, entry = self._found(document)
        if section is None or entry is None or not self.wired(data):
            return data
        editor = Editor(document)
        if len(section.items) > 1 or editor.kept(section):
            editor.remove(section, [entry])
        else:
            editor.remove(document.root, [section])
        return _text(editor, data)

    def snippet(self, words: list[str]) -> str:
        """The text to add by hand."""
        return self.complete(b"", words).decode()

    def _found(self, document: Document) -> tuple[Node | None, Node | None]:
        """The object of all servers, and the entry in it."""
        section = document.root.get(self._section)
        if section is None:
            return None, None
        if document.kind(section) != "{":
            refuse(f'"{self._section}" is not an object')
        section.items = document.walk(None, section.start, section.value, 1).items
        return section, section.get(NAME)


def _text(editor: Editor, data: bytes) -> bytes:
    text = editor.text()
    return data if text is None else text.encode()
