"""One order for everything that is listed: a function of the name alone, oldest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmail.core import names

MINUTES = st.sampled_from(["20260704-0930", "20260704-0931", "20261231-2359", "20990101-0000"])
STEMS = st.builds("{}-{}".format, MINUTES, st.sampled_from(["alpha-x", "alpha-x-2", "beta-x", "a-9", "b"]))
NAMES = st.one_of(
    st.builds("{}{}".format, STEMS, st.sampled_from([".md", ".md.gz", ""])),
    st.builds("{}-{}.md".format, STEMS, st.integers(2, 10_000)),
    st.text(st.sampled_from("ab-.0129Z"), min_size=1, max_size=20),
)


@given(st.lists(NAMES, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_the_listing_does_not_matter(listing: list[str], random) -> None:
    shuffled = listing[:]
    random.shuffle(shuffled)
    assert sorted(shuffled, key=names.order) == sorted(listing, key=names.order)


@given(NAMES, NAMES)
def test_two_names_never_stand_in_the_same_place(one: str, other: str) -> None:
    assert (names.order(one) == names.order(other)) == (one == other)


@given(STEMS, STEMS)
def test_the_minute_decides_first(one: str, other: str) -> None:
    if one[:13] != other[:13]:
        assert (names.order(one) < names.order(other)) == (one[:13] < other[:13])


@given(STEMS, st.integers(2, 10_000), st.integers(2, 10_000))
def test_a_numeric_suffix_is_a_number(stem: str, one: int, other: int) -> None:
    assert names.order(f"{stem}.md") < names.order(f"{stem}-{one}.md")
    first, second = (names.order(f"{stem}-{number}.md") for number in (one, other))
    assert (first < second) == (one < other)


@given(NAMES)
def test_the_minute_is_in_the_name_or_nowhere(name: str) -> None:
    minute = names.minute_of(name)
    assert name.startswith(minute)
    assert minute == "" or (minute[:8] + minute[9:]).isdigit()


def test_oldest_first_as_a_person_would_say() -> None:
    right = [
        "hand-written.md",
        "20260703-2359-z-z.md",
        "20260704-0930-a-x.md",
        "20260704-0930-a-x-2.md",
        "20260704-0930-a-x-10.md",
        "20260704-0930-b-a.md",
        "20260704-0931-a-a.md",
    ]
    assert sorted((right[at] for at in (3, 0, 6, 1, 5, 2, 4)), key=names.order) == right
