"""Watched ranges: which changes are noted, and which ranges are dropped."""

from tablewright.engine.features.vectors.watched_ranges import WatchedRanges


def test_changes_are_noted_in_the_ranges_that_contain_their_key() -> None:
    ranges = WatchedRanges()
    whole, part, other = ranges.of(1, b"", None), ranges.of(1, b"b", b"c"), ranges.of(2, b"", None)
    ranges.note(1, b"b0")
    for each in (whole, part, other):
        ranges.watch(each)
    for key in (b"a", b"b", b"b9", b"c"):
        ranges.note(1, key)
    assert whole.changed == {b"a", b"b", b"b9", b"c"}
    assert part.changed == {b"b", b"b9"}
    assert other.changed == set()
    assert part.take_changed() == {b"b", b"b9"}
    assert part.changed == set()
    assert ranges.of(1, b"b", b"c") is part


def test_dropped_ranges_are_not_noted_any_more() -> None:
    ranges = WatchedRanges()
    first, second = ranges.of(1, b"", None), ranges.of(2, b"", None)
    for each in (first, second):
        ranges.watch(each)
        each.content, each.size = "content", 10
    ranges.forget(1)
    ranges.note(1, b"a")
    ranges.note(2, b"a")
    assert (first.content, first.changed, second.changed) == (None, set(), {b"a"})
    assert ranges.of(1, b"", None) is not first
    ranges.forget_all()
    assert second.content is None


def test_a_range_that_was_dropped_is_not_watched_again() -> None:
    ranges = WatchedRanges()
    dropped = ranges.of(1, b"", None)
    ranges.drop(dropped)
    ranges.watch(dropped)
    ranges.note(1, b"a")
    assert dropped.changed == set()


def test_the_ranges_used_longest_ago_are_dropped_first() -> None:
    ranges = WatchedRanges()
    names = [b"a", b"b", b"c"]
    for name in names:
        watched = ranges.of(1, name, None)
        watched.content, watched.size = name, 10
    ranges.of(1, b"a", None)
    keep = ranges.of(1, b"d", None)
    keep.size = 10
    ranges.shrink(30, 10, keep)
    assert ranges.of(1, b"b", None).content is None
    assert ranges.of(1, b"c", None).content == b"c"
    ranges.shrink(1000, 2, keep)
    assert ranges.of(1, b"a", None).content is None
    ranges.shrink(5, 2, keep)
    assert ranges.of(1, b"d", None) is keep
