"""Sums of threads by the database: one pass over a lookup that holds all they need, but for the subjects."""

from __future__ import annotations

from agentmail.core import names
from agentmail.views.index.stored import ORDER, restored, restored_key
from agentmail.views.threads import ThreadSum


def sums_of_rows(index: Connection, counts: str) -> dict[str, ThreadSum]:
    """A sum for each thread of the rows that count, by its name."""
    sums: dict[str, ThreadSum] = {}
    grouped = (
        f"select thread, count(*) as count, sum(place = {ORDER['inbox']}) as waiting, "
        f"min(key) as first, max(key) as last from message where {counts} group by thread"
    )
    query = (
        "select g.thread, g.count, g.waiting, g.first, g.last, subject from (" + grouped + ") g "
        f"join message on key = g.first and {counts}"
    )
    for thread, count, waiting, first, last, subject in index.execute(query):
        one = sums[restored(thread)] = ThreadSum(restored(thread))
        one.count, one.waiting, one.subject = count, waiting, restored(subject)
        one.first_key, one.last_key = restored_key(first), restored_key(last)
        one.last_id = names.without_suffix(one.last_key[2][3])
    parties = f"select distinct thread, parties from message where {counts}"
    for thread, text in index.execute(parties):
        sums[restored(thread)].parties.update(restored(text).split("\n"))
    return sums


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
