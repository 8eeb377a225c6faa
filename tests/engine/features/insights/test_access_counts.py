"""Access counts: bounded memory, and counts that are never too low."""

from collections import Counter
from random import Random

from tablewright.engine.features.insights.access_counts import AccessCounts, TopKeys


def test_frequent_keys_survive_many_rare_ones() -> None:
    random = Random(1)
    keys = [b"hot"] * 500 + [b"warm"] * 300 + [b"%d" % number for number in range(2000)]
    random.shuffle(keys)
    top = TopKeys(capacity=20)
    for key in keys:
        top.add(key)
    found = top.most_frequent()
    assert [key for key, _ in found[:2]] == [b"hot", b"warm"]
    assert len(found) == 20
    exact = Counter(keys)
    assert all(exact[key] <= count for key, count in found)


def test_only_watched_spaces_are_counted() -> None:
    counts = AccessCounts()
    key = b"\0\0\0\0\0\1a"
    counts.watch({1: True, 2: False})
    for space in (1, 2, 3):
        counts.accessed(space, key)
        counts.throttled(space, key)
    first, second = counts.of(1), counts.of(2)
    assert first is not None
    assert second is not None
    assert counts.of(3) is None
    assert first.accessed_keys.most_frequent() == [(key, 1)]
    assert second.accessed_keys.most_frequent() == []
    assert second.throttled_partitions.most_frequent() == [(key, 1)]


def test_counts_are_kept_while_the_mode_stays() -> None:
    counts = AccessCounts()
    key = b"\0\0\0\0\0\1a"
    counts.watch({1: True})
    counts.accessed(1, key)
    counts.watch({1: True, 2: True})
    kept = counts.of(1)
    assert kept is not None
    assert kept.accessed_keys.most_frequent() == [(key, 1)]
    counts.watch({2: True})
    assert counts.of(1) is None
