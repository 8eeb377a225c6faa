"""Times of samples are in order."""

import random
from datetime import UTC, datetime, timedelta

from tablewright.generate.samples.sample_times import SPAN, Times, creation_time

NOW = datetime(2026, 3, 18, tzinfo=UTC)


def test_times_of_one_entity_are_in_order() -> None:
    times = Times(random.Random(1), NOW - timedelta(days=5), NOW)
    sent, read, changed = times.by_name("sent_at"), times.by_name("read_at"), times.changed()
    assert times.created <= sent <= read <= changed <= NOW < times.by_name("due_at")
    assert times.day("date_of_birth") < NOW.date() - timedelta(days=17 * 365)


def test_creation_is_after_references_and_before_expiry() -> None:
    source = random.Random(1)
    for _ in range(50):
        assert NOW - SPAN <= creation_time(source, NOW, None) <= NOW
        assert NOW - timedelta(days=2) <= creation_time(source, NOW, NOW - timedelta(days=2)) <= NOW
        assert NOW - timedelta(hours=1) < creation_time(source, NOW, None, timedelta(hours=1)) <= NOW
