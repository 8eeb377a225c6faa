"""Requests are counted per subject and window; of concurrent requests no more than the limit succeed."""

from datetime import timedelta

import pytest
from tablewright_systems.service import RateLimit, TooManyRequests, transact

from systems.tests.races import error_counts, race
from systems.tests.service.shop import Requests, RequestsInWindow
from tablewright import Clock, Repository

LIMIT = RateLimit(2, timedelta(minutes=15), "too many requests; wait", Requests)


def use(db: Repository, *subjects: str) -> None:
    transact(db, *(LIMIT.count(db.now(), subject=subject) for subject in subjects))


def used(db: Repository, subject: str) -> int:
    stored = db.run(RequestsInWindow(subject=subject, window=LIMIT.window_of(db.now())))
    return stored.used if stored else 0


def test_request_above_the_limit_is_rejected_until_the_next_window(db: Repository, clock: Clock) -> None:
    clock.advance(timedelta(minutes=4, seconds=30))
    use(db, "ada")
    use(db, "ada")
    with pytest.raises(TooManyRequests, match="too many requests; wait") as error:
        use(db, "ada")
    assert error.value.retry_after == 630
    use(db, "bob")
    clock.advance(timedelta(seconds=630))
    use(db, "ada")
    assert used(db, "ada") == 1


def test_subjects_are_counted_all_or_none(db: Repository) -> None:
    use(db, "ada")
    use(db, "ada", "address")
    with pytest.raises(TooManyRequests):
        use(db, "address", "ada")
    assert used(db, "address") == 1


def test_reset_and_uncount(db: Repository) -> None:
    use(db, "ada", "address")
    transact(db, LIMIT.reset(db.now(), subject="ada"), LIMIT.uncount(db.now(), subject="address"))
    assert (used(db, "ada"), used(db, "address")) == (0, 0)
    transact(db, LIMIT.reset(db.now(), subject="eve"))


def test_concurrent_requests_cannot_exceed_the_limit(db: Repository) -> None:
    outcomes = race(*[lambda: use(db, "ada")] * 5)
    assert error_counts(outcomes) == {TooManyRequests: 3}
    assert used(db, "ada") == 2
