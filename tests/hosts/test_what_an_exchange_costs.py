"""What an exchange costs in the context of a model: every character that a model reads of it is paid for."""

from __future__ import annotations

from tests.support.cli import Cli
from tests.support.hooks import Bed

TEXT = """The parser rejects a header without a subject; the format allows it.
1. Please decide which of the two is right.
Evidence: /home/me/parser/tests/test_header.py:41
"""


def test_a_notice_a_message_its_answer_and_its_archiving_are_at_most_a_thousand_characters(bed: Bed) -> None:
    (bed.home / "parser").mkdir()
    bed.register("parser", bed.home / "parser")
    run = Cli(bed.bus, bed.home, CLAUDE_CODE_SESSION_ID=bed.session)
    sent = run("send", "parser", "alpha", "empty-subject", "May a subject be empty?", stdin=TEXT)
    id = sent.out.strip()
    read = [bed.start()]
    for words in (("read", id), ("reply", id), ("archive", id)):
        ran = run(*words, stdin="The format is right. Fixed in the parser, with a test.", cwd=bed.work)
        assert ran.code == 0
        read += [ran.out, ran.err]
    assert id in read[0]
    assert TEXT in read[1]
    assert sum(map(len, read)) <= 1000, "".join(read)
